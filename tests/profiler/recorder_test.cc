#include "profiler/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile_builder.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/allocation_count.h"

namespace moescope::profiler {
namespace {

using emulator::Reason;
using test::ProgramBuilder;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

Profile ProfileOf(const isa::Program& program, const std::vector<std::uint32_t>& trace,
                  ProfileOptions options = test::FixedOptions()) {
  Recorder recorder;
  test::RunSerially(program, trace, recorder);
  return MakeProfile(recorder.recording(), options);
}

TEST(RecorderTest, CallsCountChangesOfTheTriple) {
  const isa::Program program = ProgramBuilder()
                                   .Stage("gather", 0)
                                   .Emit("S_ADDI_INT", 2)  // 0, 1
                                   .Stage("gather", 1)
                                   .Emit("S_ADDI_INT")  // 2
                                   .Stage("gather", 0)
                                   .Emit("S_ADDI_INT")  // 3
                                   .Build();
  const Profile once = ProfileOf(program, {0, 1, 2, 3});
  EXPECT_EQ(once.stages[0].calls, 3u);
  // Words 1 and 3 have the same triple: no new call between them.
  EXPECT_EQ(ProfileOf(program, {0, 1, 3, 1}).stages[0].calls, 1u);
  EXPECT_EQ(ProfileOf(program, {0, 2, 0, 2}).stages[0].calls, 4u);
}

TEST(RecorderTest, AMarkedStageThatNeverRanIsZeroNotAbsent) {
  const isa::Program program =
      ProgramBuilder().Stage("gather").Stage("expert_bias").Emit("S_ADDI_INT", 2).Build();
  const Profile profile = ProfileOf(program, {0});
  ASSERT_THAT(profile.stages, ElementsAre(Field(&StageEntry::name, "gather"),
                                          Field(&StageEntry::name, "expert_bias"),
                                          Field(&StageEntry::name, "unattributed")));
  EXPECT_EQ(profile.stages[0].calls, 0u);
  EXPECT_FALSE(profile.stages[0].first_cycle.has_value());
  EXPECT_FALSE(profile.stages[0].last_cycle.has_value());
  EXPECT_EQ(profile.stages[1].static_instructions, 2u);
}

TEST(RecorderTest, AProgramWithoutMarkersIsAllUnattributed) {
  const isa::Program program = isa::ProgramFromWords({0x40u, 0x40u});
  const Profile profile = ProfileOf(program, {});
  ASSERT_THAT(profile.stages, ElementsAre(Field(&StageEntry::name, "unattributed")));
  EXPECT_EQ(profile.program.attribution, "none");
  EXPECT_FALSE(profile.pairs.has_value());
}

TEST(RecorderTest, ShownOrderIsThatOfTheVocabulary) {
  const isa::Program program = ProgramBuilder()
                                   .Stage("shared_gate")
                                   .Emit("S_ADDI_INT")
                                   .Stage("router_topk")
                                   .Emit("S_ADDI_INT")
                                   .Build();
  const Profile profile = ProfileOf(program, {0, 1});
  EXPECT_EQ(profile.stages[0].name, "router_topk");
  EXPECT_EQ(profile.stages[1].name, "shared_gate");
}

TEST(RecorderTest, RegionsCountSelfAndInclusive) {
  const isa::Program program = ProgramBuilder()
                                   .Extension("detail", isa::StageScope::kPair)
                                   .Stage("expert_projection", 2)
                                   .Emit("M_MM")
                                   .Push("detail")
                                   .Emit("V_ADD_VV", 3)
                                   .Pop()
                                   .Emit("M_MM_WO")
                                   .Build();
  const Profile profile = ProfileOf(program, {0, 1, 2, 3, 4});
  const StageEntry* projection = FindStage(profile, "expert_projection");
  const StageEntry* detail = FindStage(profile, "detail");
  EXPECT_EQ(projection->counters.instructions, 2u);
  EXPECT_EQ(projection->inclusive.instructions, 5u);
  EXPECT_EQ(projection->calls, 2u);
  EXPECT_EQ(detail->counters.instructions, 3u);
  EXPECT_EQ(detail->inclusive.instructions, 3u);
  ASSERT_TRUE(profile.paths.has_value());
  EXPECT_THAT(*profile.paths, ElementsAre(Field(&PathEntry::path, "expert_projection"),
                                          Field(&PathEntry::path, "expert_projection/detail")));
  EXPECT_EQ(profile.pairs->rows[0].counters.instructions, 5u);
}

TEST(RecorderTest, HotRowsAreSortedByCyclesThenPc) {
  const isa::Program program = ProgramBuilder().Emit("S_ADDI_INT", 5).Build();
  ProfileOptions options = test::FixedOptions();
  options.hot_rows = 3;
  const Profile profile = ProfileOf(program, {4, 4, 1, 3, 3}, options);
  ASSERT_EQ(profile.hot.size(), 3u);
  EXPECT_EQ(profile.hot[0].pc, 3u);
  EXPECT_EQ(profile.hot[1].pc, 4u);
  EXPECT_EQ(profile.hot[2].pc, 1u);
  EXPECT_EQ(profile.hot[0].top_reason, "execute");
  EXPECT_EQ(profile.hot[0].file, "layer.asm");
  EXPECT_EQ(profile.hot[0].line, 4u);
  options.hot_rows = 100;
  EXPECT_EQ(ProfileOf(program, {4, 1}, options).hot.size(), 2u);
  options.hot_rows = 0;
  EXPECT_THAT(ProfileOf(program, {4, 1}, options).hot, IsEmpty());
}

TEST(RecorderTest, AbsolutePathsStayOutOfTheFile) {
  isa::Program program = ProgramBuilder().Emit("S_ADDI_INT").Build();
  program.files = {"/home/someone/secret/layer.asm"};
  EXPECT_EQ(ProfileOf(program, {0}).hot[0].file, "layer.asm");
  program.files = {"../kernels/layer.asm"};
  EXPECT_EQ(ProfileOf(program, {0}).hot[0].file, "../kernels/layer.asm");
}

TEST(RecorderTest, WaitingCyclesTakeTheClassOfTheProducer) {
  const isa::Program program = ProgramBuilder().Emit("V_EXP_V").Emit("V_ADD_VV").Build();
  emulator::RunDescription run = test::DescribeRich(program);
  run.cost_class = {emulator::CostClass::kAssumed, emulator::CostClass::kMeasured};
  Recorder recorder;
  recorder.OnBegin(run);
  recorder.OnAccepted({0, 0, 0});
  recorder.OnAttributed({0, Reason::kIssue, 0, 1});
  recorder.OnAttributed({1, Reason::kRawVram, 1, 10, 0});
  recorder.OnAccepted({1, 1, 10});
  recorder.OnAttributed({1, Reason::kIssue, 10, 11});
  recorder.OnEnd({.cycles = 11, .instructions = 2});
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  ASSERT_TRUE(profile.model.coverage.has_value());
  EXPECT_THAT(profile.model.coverage->classes,
              ElementsAre(Work{1, 1}, Work{}, Work{}, Work{1, 10}, Work{}));
  EXPECT_EQ(profile.model.coverage->in_domain_ppm, 90'909u);
  ASSERT_EQ(profile.model.weak_opcodes.size(), 1u);
  EXPECT_EQ(profile.model.weak_opcodes[0].mnemonic, "V_EXP_V");
  EXPECT_EQ(profile.opcodes[0].wait_cycles, 9u);
}

TEST(RecorderTest, WaitsAreBlamedOnTheStageOfTheProducer) {
  const isa::Program program = ProgramBuilder()
                                   .Stage("expert_projection")
                                   .Emit("V_MUL_VV")
                                   .Stage("expert_bias")
                                   .Emit("V_ADD_VV")
                                   .Build();
  Recorder recorder;
  recorder.OnBegin(test::DescribeRich(program));
  recorder.OnAccepted({0, 0, 7});
  recorder.OnAttributed({0, Reason::kFill, 0, 7});
  recorder.OnAttributed({0, Reason::kIssue, 7, 8});
  recorder.OnAttributed({1, Reason::kRawVram, 8, 17, 0});
  recorder.OnAttributed({1, Reason::kRecovery, 17, 18, 0});
  recorder.OnAccepted({1, 1, 18});
  recorder.OnAttributed({1, Reason::kIssue, 18, 19});
  recorder.OnAttributed({1, Reason::kDrainVx, 19, 30});
  recorder.OnEnd({.cycles = 30, .instructions = 2});
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  // The hand-worked example of timing.md 7.6: the add waits 9 cycles on the multiply.
  ASSERT_TRUE(profile.stages[1].waits_on.has_value());
  ASSERT_EQ(profile.stages[1].waits_on->size(), 1u);
  EXPECT_EQ((*profile.stages[1].waits_on)[0].name, "expert_projection");
  EXPECT_EQ((*profile.stages[1].waits_on)[0].count, 9u);
  EXPECT_THAT(*profile.stages[0].waits_on, IsEmpty());
}

TEST(RecorderTest, TransferWaitsAreForDataOrForASlot) {
  const isa::Program program = ProgramBuilder().Emit("H_PREFETCH_M").Build();
  Recorder recorder;
  recorder.OnBegin(test::DescribeRich(program));
  recorder.OnAccepted({0, 0, 0});
  recorder.OnAttributed({0, Reason::kHbmRow, 0, 5, 0, false});
  recorder.OnAttributed({0, Reason::kHbmRow, 5, 8, 0, true});
  recorder.OnAttributed({0, Reason::kDmaSlot, 8, 9, 0, false});
  recorder.OnAttributed({0, Reason::kHbmOrder, 9, 11, 0, false});
  recorder.OnEnd({.cycles = 11, .instructions = 1});
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  EXPECT_EQ(profile.overlap->data_wait, 5u);
  EXPECT_EQ(profile.overlap->slot_wait, 4u);
}

TEST(RecorderTest, WhatAModelDoesNotMeasureIsAbsentAndListed) {
  const isa::Program program = ProgramBuilder().Emit("S_ADDI_INT").Build();
  emulator::RunDescription run = test::Describe(program);
  run.reasons.clear();
  run.cost_class.clear();
  run.hbm_peak_bytes_per_kcycle = 0;
  run.measures_completion = false;
  Recorder recorder;
  recorder.OnBegin(run);
  recorder.OnAccepted({0, 0, 0});
  recorder.OnEnd({.cycles = 0, .instructions = 1});
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  std::vector<std::string> fields;
  for (const NotMeasured& entry : profile.not_measured) fields.push_back(entry.field);
  EXPECT_THAT(fields,
              ElementsAre("model.coverage", "reasons", "units", "stages.last_cycle",
                          "stages.utilisation_ppm", "stages.waits_on", "opcodes.wait_cycles",
                          "structures", "hbm_channels", "roofline", "overlap"));
  EXPECT_EQ(profile.not_measured[0].why,
            "the timing model 'serial' states no cost class per instruction");
  EXPECT_TRUE(profile.stages[0].counters.reasons.empty());
  EXPECT_EQ(profile.stages[0].first_cycle, 0u);
  EXPECT_FALSE(profile.stages[0].last_cycle.has_value());
  EXPECT_FALSE(profile.opcodes[0].wait_cycles.has_value());
}

TEST(RecorderTest, AFaultIsNamedInTheEnd) {
  const isa::Program program = ProgramBuilder().Emit("S_ADDI_INT").Build();
  Recorder recorder;
  recorder.OnBegin(test::Describe(program));
  emulator::RunEnd end;
  end.reason = emulator::EndReason::kFault;
  end.pc = 0;
  end.fault = emulator::Fault{.id = "FT402", .text = "row 9 is beyond 8"};
  recorder.OnEnd(end);
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  EXPECT_FALSE(profile.complete);
  EXPECT_EQ(profile.end.reason, "fault");
  EXPECT_EQ(profile.end.fault, "FT402: row 9 is beyond 8");
  EXPECT_EQ(profile.end.pc, 0u);
}

TEST(RecorderTest, EventsAllocateNothing) {
  const isa::Program program = ProgramBuilder()
                                   .Stage("gather", 0)
                                   .Emit("H_PREFETCH_M")
                                   .Stage("expert_bias", 1)
                                   .Emit("V_ADD_VV")
                                   .Build();
  Recorder recorder;
  recorder.OnBegin(test::DescribeRich(program));
  const auto play = [&recorder](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) {
      const auto pc = static_cast<std::uint32_t>(i % 2);
      recorder.OnAccepted({i, pc, 4 * i});
      recorder.OnAttributed({pc, Reason::kRawVram, 4 * i, 4 * i + 3, 1 - pc});
      recorder.OnAttributed({pc, Reason::kIssue, 4 * i + 3, 4 * i + 4});
      recorder.OnBusy({emulator::Unit::kVxElem, pc, 4 * i, 4 * i + 4});
      recorder.OnTraffic({pc, false, 4 * i, 64, 1, 64, 0, 0});
      recorder.OnCompleted({pc, 4 * i + 9});
      if (i % 512 == 0) recorder.OnPassed({4 * i});
    }
  };
  play(0, 1000);
  const std::size_t before = moescope::test::AllocationCount();
  play(1000, 300'000);
  EXPECT_EQ(moescope::test::AllocationCount(), before);
}

}  // namespace
}  // namespace moescope::profiler
