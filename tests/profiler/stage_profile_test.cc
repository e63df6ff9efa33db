#include "profiler/report/stage_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using test::ProgramBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Executed {
  test::RecordedRun recorded;
  Profile profile;
  PcTable table;
};

// Executes every word once, one cycle each.
Executed RunOnce(const isa::Program& program) {
  Executed run;
  run.recorded.program = std::make_unique<isa::Program>(program);
  std::vector<std::uint32_t> trace;
  for (std::uint32_t pc = 0; pc < program.words.size(); ++pc) trace.push_back(pc);
  test::RunSerially(*run.recorded.program, trace, *run.recorded.recorder);
  run.profile = run.recorded.profile();
  run.table = MakePcTable(run.recorded.recorder->recording(), isa::InstructionSet::Builtin());
  return run;
}

const PublicCounters& Stage(const PublicStages& stages, const std::string& name) {
  for (std::size_t i = 0; i < stages.names.size(); ++i) {
    if (stages.names[i] == name) return stages.stages[i];
  }
  ADD_FAILURE() << "no stage " << name;
  return stages.total;
}

TEST(StageProfileTest, OnlyRoutedStagesKeepTheirNames) {
  const Executed run = RunOnce(ProgramBuilder()
                                   .Emit("S_ADDI_INT")
                                   .Stage("residual_setup")
                                   .Emit("V_ADD_VV", 2)
                                   .Stage("gather", 0)
                                   .Emit("V_ADD_VV", 3)
                                   .Stage("shared_expert")
                                   .Emit("M_MM", 4)
                                   .Stage("shared_gate")
                                   .Emit("S_EXP_FP", 5)
                                   .Stage("shared_combine")
                                   .Emit("V_ADD_VV", 6)
                                   .Build());
  const auto routed = FoldStages(run.profile, false, nullptr);
  ASSERT_TRUE(routed.ok());
  EXPECT_THAT(routed->names, SizeIs(11));
  EXPECT_EQ(Stage(*routed, "gather").instructions, 3u);
  EXPECT_EQ(Stage(*routed, "other").instructions, 1u + 2 + 4 + 5 + 6);
  EXPECT_EQ(routed->total.instructions, 21u);
  EXPECT_THAT(routed->folded, ElementsAre("residual_setup", "shared_expert", "shared_gate",
                                          "shared_combine", "unattributed"));
  const auto all = FoldStages(run.profile, true, nullptr);
  ASSERT_TRUE(all.ok());
  EXPECT_THAT(all->names, SizeIs(15));
  EXPECT_EQ(Stage(*all, "shared_gate").instructions, 5u);
  EXPECT_EQ(Stage(*all, "other").instructions, 1u);
  EXPECT_THAT(all->folded, ElementsAre("unattributed"));
}

TEST(StageProfileTest, ProxyCyclesFollowTheOpcodeClass) {
  const Executed run = RunOnce(ProgramBuilder()
                                   .Stage("expert_projection", 0)
                                   .Emit("M_MM", 1)
                                   .Emit("V_ADD_VV", 2)
                                   .Emit("S_ADDI_INT", 3)
                                   .Emit("C_LOOP_END", 4)
                                   .Emit("H_PREFETCH_M", 5)
                                   .Build());
  for (const PcTable* table : {static_cast<const PcTable*>(nullptr), &run.table}) {
    const auto stages = FoldStages(run.profile, false, table);
    ASSERT_TRUE(stages.ok());
    ASSERT_TRUE(stages->total.proxy.has_value());
    EXPECT_THAT(*stages->total.proxy, ElementsAre(1, 2, 7, 5, 0));
    EXPECT_THAT(*Stage(*stages, "expert_projection").proxy, ElementsAre(1, 2, 7, 5, 0));
    EXPECT_THAT(*Stage(*stages, "gather").proxy, ElementsAre(0, 0, 0, 0, 0));
  }
}

TEST(StageProfileTest, PairsKnowTheirProxyOnlyByTheTable) {
  const Executed run =
      RunOnce(ProgramBuilder().Stage("gather", 3).Emit("V_ADD_VV", 2).Emit("M_MM").Build());
  const auto plain = FoldStages(run.profile, false, nullptr);
  ASSERT_TRUE(plain.ok());
  ASSERT_TRUE(plain->pairs.contains(3));
  EXPECT_FALSE(plain->pairs.at(3).total.proxy.has_value());
  EXPECT_TRUE(plain->pairs.at(3).total.logical_read.has_value());
  EXPECT_EQ(plain->pairs.at(3).stages[2].instructions, 3u);
  EXPECT_FALSE(plain->pairs.at(3).stages[2].logical_read.has_value());
  const auto full = FoldStages(run.profile, false, &run.table);
  ASSERT_TRUE(full.ok());
  EXPECT_THAT(*full->pairs.at(3).total.proxy, ElementsAre(1, 2, 0, 0, 0));
  EXPECT_EQ(full->pairs.at(3).total.instructions, plain->pairs.at(3).total.instructions);
}

TEST(StageProfileTest, NestedExtensionsCountInTheirParent) {
  const Executed run = RunOnce(ProgramBuilder()
                                   .Extension("detail", isa::StageScope::kPair)
                                   .Extension("alone", isa::StageScope::kLayer)
                                   .Stage("expert_projection", 0)
                                   .Emit("M_MM")
                                   .Push("detail")
                                   .Emit("V_ADD_VV", 2)
                                   .Pop()
                                   .Stage("alone")
                                   .Emit("S_ADDI_INT", 4)
                                   .Build());
  for (const PcTable* table : {static_cast<const PcTable*>(nullptr), &run.table}) {
    const auto stages = FoldStages(run.profile, false, table);
    ASSERT_TRUE(stages.ok());
    EXPECT_EQ(Stage(*stages, "expert_projection").instructions, 3u);
    EXPECT_EQ(Stage(*stages, "other").instructions, 4u);
    EXPECT_EQ(stages->pairs.at(0).stages[5].instructions, 3u);
  }
}

TEST(StageProfileTest, ABuiltInStageInsideARegionKeepsItsName) {
  const Executed run = RunOnce(ProgramBuilder()
                                   .Stage("expert_projection")
                                   .Emit("M_MM")
                                   .Push("expert_bias")
                                   .Emit("V_ADD_VV", 2)
                                   .Pop()
                                   .Build());
  const auto stages = FoldStages(run.profile, false, nullptr);
  ASSERT_TRUE(stages.ok());
  EXPECT_EQ(Stage(*stages, "expert_bias").instructions, 2u);
  EXPECT_EQ(Stage(*stages, "expert_projection").instructions, 1u);
  EXPECT_THAT(stages->folded, ElementsAre("unattributed"));
}

TEST(StageProfileTest, TheTableResolvesWhatTheProfileCannot) {
  const Executed run = RunOnce(ProgramBuilder()
                                   .Extension("detail", isa::StageScope::kPair)
                                   .Stage("expert_projection")
                                   .Push("detail")
                                   .Emit("V_ADD_VV", 2)
                                   .Pop()
                                   .Stage("gather")
                                   .Push("detail")
                                   .Emit("V_ADD_VV", 5)
                                   .Pop()
                                   .Build());
  EXPECT_EQ(FoldStages(run.profile, false, nullptr).status().code(),
            absl::StatusCode::kFailedPrecondition);
  const auto stages = FoldStages(run.profile, false, &run.table);
  ASSERT_TRUE(stages.ok());
  EXPECT_EQ(Stage(*stages, "expert_projection").instructions, 2u);
  EXPECT_EQ(Stage(*stages, "gather").instructions, 5u);
}

TEST(StageProfileTest, NoPairsNoRows) {
  const Executed run = RunOnce(ProgramBuilder().Stage("router_topk").Emit("V_TOPK").Build());
  EXPECT_THAT(FoldStages(run.profile, false, nullptr)->pairs, IsEmpty());
}

TEST(StageProfileTest, WhatIsHalfKnownIsUnknown) {
  PublicCounters known;
  known.logical_read = 5;
  known.proxy.emplace();
  PublicCounters unknown;
  unknown.instructions = 1;
  known.Add(unknown);
  EXPECT_FALSE(known.logical_read.has_value());
  EXPECT_FALSE(known.proxy.has_value());
  EXPECT_EQ(known.instructions, 1u);
}

TEST(StageProfileTest, BothSourcesAgreeOnRandomRuns) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    test::RandomRun run(seed, true);
    Recorder recorder;
    run.Play(seed, std::nullopt, recorder);
    const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
    const PcTable table = MakePcTable(recorder.recording(), isa::InstructionSet::Builtin());
    const auto plain = FoldStages(profile, true, nullptr);
    const auto full = FoldStages(profile, true, &table);
    ASSERT_TRUE(full.ok());
    if (!plain.ok()) continue;  // an ambiguous nesting
    for (std::size_t i = 0; i < plain->names.size(); ++i) {
      EXPECT_EQ(plain->stages[i].instructions, full->stages[i].instructions) << plain->names[i];
      EXPECT_EQ(plain->stages[i].cycles, full->stages[i].cycles) << plain->names[i];
      EXPECT_EQ(plain->stages[i].physical_read, full->stages[i].physical_read) << plain->names[i];
      EXPECT_EQ(plain->stages[i].proxy, full->stages[i].proxy) << plain->names[i];
    }
  }
}

}  // namespace
}  // namespace moescope::profiler
