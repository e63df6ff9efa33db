#include "profiler/stage_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/identity.h"
#include "profiler/profile_json.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using emulator::Reason;
using test::ProgramBuilder;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

TEST(TopReasonTest, TheFirstOfTheLargestWins) {
  const isa::Program program = ProgramBuilder().Emit("V_ADD_VV", 3).Build();
  Recorder recorder;
  recorder.OnBegin(test::DescribeRich(program));
  recorder.OnAttributed({0, Reason::kVxBusy, 0, 5});
  recorder.OnAttributed({0, Reason::kRawFp, 5, 10});
  recorder.OnAttributed({1, Reason::kIssue, 10, 11});
  recorder.OnAttributed({1, Reason::kDmaSlot, 11, 13});
  recorder.OnEnd({.cycles = 13, .instructions = 0});
  EXPECT_EQ(TopReason(recorder.recording(), 0), Reason::kRawFp);
  EXPECT_EQ(TopReason(recorder.recording(), 1), Reason::kDmaSlot);
  EXPECT_FALSE(TopReason(recorder.recording(), 2).has_value());
}

TEST(TopReasonTest, AbsentWhenTheModelDoesNotSplit) {
  const isa::Program program = ProgramBuilder().Emit("V_ADD_VV").Build();
  emulator::RunDescription run = test::Describe(program);
  run.reasons.clear();
  Recorder recorder;
  recorder.OnBegin(run);
  recorder.OnAttributed({0, Reason::kExecute, 0, 5});
  recorder.OnEnd({.cycles = 5, .instructions = 0});
  EXPECT_FALSE(TopReason(recorder.recording(), 0).has_value());
}

TEST(DisplayFileTest, AbsoluteFoldersAreLeftOut) {
  EXPECT_EQ(DisplayFile("layer.asm"), "layer.asm");
  EXPECT_EQ(DisplayFile("kernels/layer.asm"), "kernels/layer.asm");
  EXPECT_EQ(DisplayFile("/a/b/layer.asm"), "layer.asm");
  EXPECT_EQ(DisplayFile("/layer.asm"), "layer.asm");
  EXPECT_EQ(DisplayFile(""), "");
  EXPECT_EQ(DisplayFile("-"), "-");
}

TEST(DerivedTest, TheRoutingTaxIsSixStages) {
  std::vector<StageEntry> stages;
  std::uint64_t cycles = 1;
  for (const char* name : {"residual_setup", "router_topk", "accumulator_init", "gather",
                           "expert_weight_address", "expert_weight_prefetch", "expert_projection",
                           "expert_route_weight", "scatter_combine", "unattributed"}) {
    StageEntry& stage = stages.emplace_back();
    stage.name = name;
    stage.counters.cycles = cycles;
    cycles *= 10;
  }
  const Derived derived = DerivedOf(stages);
  EXPECT_EQ(derived.routing_tax_cycles, 110'011'110u);
  EXPECT_THAT(derived.routing_tax_stages,
              ElementsAre("router_topk", "accumulator_init", "gather", "expert_weight_address",
                          "expert_route_weight", "scatter_combine"));
  EXPECT_THAT(DerivedOf({}).routing_tax_stages, IsEmpty());
}

TEST(MeasuresWaitsTest, NeedsAReasonWithAProducer) {
  emulator::RunDescription run;
  EXPECT_FALSE(MeasuresWaits(run));
  run.reasons = {Reason::kExecute, Reason::kMxBusy};
  EXPECT_FALSE(MeasuresWaits(run));
  run.reasons.push_back(Reason::kHbmLatency);
  EXPECT_TRUE(MeasuresWaits(run));
}

// A stage entry of a small run, looked at member by member.
TEST(StageEntryTest, EveryMember) {
  const isa::Program program = ProgramBuilder()
                                   .Stage("gather", 0)
                                   .Emit("H_PREFETCH_V")
                                   .Stage("expert_bias")
                                   .Emit("V_ADD_VV", 2)
                                   .Build();
  Recorder recorder;
  emulator::RunDescription run = test::DescribeRich(program);
  run.units = {{emulator::Unit::kVxElem, 2}, {emulator::Unit::kDmaV, 1}};
  recorder.OnBegin(run);
  recorder.OnAccepted({0, 0, 3});
  recorder.OnAttributed({0, Reason::kFill, 0, 3});
  recorder.OnAttributed({0, Reason::kIssue, 3, 4});
  recorder.OnBusy({emulator::Unit::kDmaV, 0, 4, 14});
  recorder.OnTraffic({0, false, 14, 100, 2, 128, 64, 0});
  recorder.OnCompleted({0, 14});
  recorder.OnAttributed({1, Reason::kHbmLatency, 4, 14, 0});
  recorder.OnAccepted({1, 1, 14});
  recorder.OnAttributed({1, Reason::kIssue, 14, 15});
  recorder.OnBusy({emulator::Unit::kVxElem, 1, 15, 18});
  recorder.OnAccepted({2, 2, 15});
  recorder.OnAttributed({2, Reason::kIssue, 15, 16});
  recorder.OnBusy({emulator::Unit::kVxElem, 2, 18, 20});
  recorder.OnCompleted({1, 18});
  recorder.OnCompleted({2, 20});
  recorder.OnAttributed({2, Reason::kDrainVx, 16, 20});
  recorder.OnEnd({.cycles = 20, .instructions = 3});
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  ASSERT_TRUE(WriteProfile(profile).ok()) << WriteProfile(profile).status().message();

  const StageEntry& bias = *FindStage(profile, "expert_bias");
  EXPECT_EQ(bias.origin, "builtin");
  EXPECT_EQ(bias.scope, "pair");
  EXPECT_EQ(bias.static_instructions, 2u);
  EXPECT_EQ(bias.calls, 1u);
  EXPECT_EQ(bias.first_cycle, 14u);
  EXPECT_EQ(bias.last_cycle, 20u);
  EXPECT_EQ(bias.counters.instructions, 2u);
  EXPECT_EQ(bias.counters.cycles, 16u);
  EXPECT_EQ(bias.counters.units[static_cast<int>(emulator::Unit::kVxElem)], 5u);
  EXPECT_EQ(bias.utilisation_ppm[static_cast<int>(emulator::Unit::kVxElem)], 156'250u);  // 5 / 32
  EXPECT_EQ(bias.counters.flops.vector, 128u);
  EXPECT_EQ(bias.cycle_share_ppm, 800'000u);
  EXPECT_EQ(bias.instruction_share_ppm, 666'666u);
  EXPECT_EQ(bias.inclusive, (Work{2, 16}));
  EXPECT_THAT(bias.opcodes, ElementsAre(Field(&OpcodeCount::mnemonic, "V_ADD_VV")));
  ASSERT_TRUE(bias.waits_on.has_value());
  EXPECT_THAT(*bias.waits_on, ElementsAre(Field(&NamedCount::name, "gather")));
  EXPECT_EQ(bias.roofline->bound, "latency");
  EXPECT_FALSE(bias.roofline->intensity_milli.has_value());

  const StageEntry& gather = *FindStage(profile, "gather");
  EXPECT_EQ(gather.counters.read, (TrafficCounters{100, 128, 2, 128, 64}));
  EXPECT_EQ(gather.roofline->intensity_milli, 0u);
  EXPECT_EQ(gather.last_cycle, 14u);
  EXPECT_EQ(profile.opcodes[0].wait_cycles, 10u);
  EXPECT_EQ(profile.overlap->memory_busy, 10u);
  EXPECT_EQ(profile.overlap->compute_busy, 5u);
  EXPECT_EQ(profile.overlap->both, 0u);
  EXPECT_EQ(profile.overlap->data_wait, 10u);
}

TEST(StageEntryTest, WorkInFlightEndsWithTheCut) {
  const isa::Program program = ProgramBuilder().Emit("V_ADD_VV").Build();
  Recorder recorder;
  recorder.OnBegin(test::DescribeRich(program));
  recorder.OnAccepted({0, 0, 0});
  recorder.OnAttributed({0, Reason::kIssue, 0, 1});
  recorder.OnBusy({emulator::Unit::kVxElem, 0, 1, 90});
  recorder.OnCompleted({0, 90});
  emulator::RunEnd end;
  end.reason = emulator::EndReason::kMaxCycles;
  end.cycles = 1;
  end.instructions = 1;
  recorder.OnEnd(end);
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  EXPECT_EQ(profile.stages[0].last_cycle, 1u);
  EXPECT_EQ(profile.totals.counters.units[static_cast<int>(emulator::Unit::kVxElem)], 0u);
  EXPECT_TRUE(WriteProfile(profile).ok());
}

TEST(IdentityTest, NamesOfEnumerations) {
  EXPECT_EQ(Name(isa::AttributionSource::kNone), "none");
  EXPECT_EQ(Name(isa::AttributionSource::kMarkers), "markers");
  EXPECT_EQ(Name(isa::AttributionSource::kSidecar), "sidecar");
  EXPECT_EQ(Name(isa::AttributionSource::kAnnotated), "annotated");
  EXPECT_EQ(Name(isa::StageOrigin::kBucket), "bucket");
  EXPECT_EQ(Name(isa::StageOrigin::kBuiltin), "builtin");
  EXPECT_EQ(Name(isa::StageOrigin::kExtension), "extension");
  EXPECT_EQ(Name(isa::StageScope::kLayer), "layer");
  EXPECT_EQ(Name(isa::StageScope::kPair), "pair");
}

TEST(IdentityTest, EndsOfEveryKind) {
  emulator::RunEnd end;
  end.cycles = 9;
  for (std::size_t i = 0; i < emulator::kEndReasonNames.size(); ++i) {
    end.reason = static_cast<emulator::EndReason>(i);
    EXPECT_EQ(EndOf(end).reason, emulator::kEndReasonNames[i]);
    EXPECT_EQ(EndOf(end).cycle, 9u);
    EXPECT_FALSE(EndOf(end).pc.has_value());
  }
  end.pc = 4;
  end.signal = 15;
  end.limit = 100;
  EXPECT_EQ(EndOf(end).pc, 4u);
  EXPECT_EQ(EndOf(end).signal, 15u);
  EXPECT_EQ(EndOf(end).limit, 100u);
}

TEST(IdentityTest, TheVocabularyHasTheBucketLast) {
  isa::Program program =
      ProgramBuilder().Extension("mine", isa::StageScope::kPair).Emit("V_ADD_VV").Build();
  program.unresolved_markers = {"expert_bais"};
  const ProgramIdentity identity = ProgramOf(program);
  EXPECT_EQ(identity.words, 1u);
  ASSERT_EQ(identity.vocabulary.size(), 16u);
  EXPECT_EQ(identity.vocabulary[0].name, "residual_setup");
  EXPECT_EQ(identity.vocabulary[14].name, "mine");
  EXPECT_EQ(identity.vocabulary[14].origin, "extension");
  EXPECT_EQ(identity.vocabulary[15].name, "unattributed");
  EXPECT_THAT(identity.unresolved_markers, ElementsAre("expert_bais"));
  EXPECT_EQ(identity.sha256, program.WordsHash());
  EXPECT_EQ(identity.stage_table_sha256, program.StageTableHash());
}

TEST(IdentityTest, TruthValuesOfTheConfigurationAreNumbers) {
  const isa::Program program = ProgramBuilder().Emit("V_ADD_VV").Build();
  emulator::RunDescription run = test::Describe(program);
  const MachineIdentity before = MachineOf(run);
  EXPECT_EQ(before.effective[2].key, "MOESCOPE.hbm.refresh");
  EXPECT_FALSE(before.effective[2].is_text);
  EXPECT_EQ(before.effective[2].number, 0u);
  run.effective[2].integer = 1;
  EXPECT_NE(MachineOf(run).sha256, before.sha256);
}

}  // namespace
}  // namespace moescope::profiler
