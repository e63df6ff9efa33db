#include "profiler/pair_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile_json.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using test::ProgramBuilder;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Runs every word once, in order; the V_TOPKs choose `choices` one after the other.
Profile ProfileOf(const isa::Program& program,
                  std::vector<std::vector<std::uint32_t>> choices = {}) {
  const isa::InstructionSet& set = isa::InstructionSet::Builtin();
  Recorder recorder;
  recorder.OnBegin(test::Describe(program));
  std::size_t execution = 0;
  std::uint64_t cycle = 0;
  for (std::uint32_t pc = 0; pc < program.words.size(); ++pc) {
    recorder.OnAccepted({cycle, pc, cycle});
    recorder.OnAttributed({pc, emulator::Reason::kExecute, cycle, cycle + 1});
    recorder.OnCompleted({pc, ++cycle});
    const isa::Instruction* row = set.Decode(program.words[pc]).instruction;
    if (row->mnemonic == "V_TOPK" && execution < choices.size()) {
      recorder.OnRouted({pc, 8, choices[execution++]});
    }
  }
  recorder.OnEnd({.cycles = cycle, .instructions = cycle});
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  const absl::StatusOr<std::string> text = WriteProfile(profile);
  EXPECT_TRUE(text.ok()) << text.status().message();
  return profile;
}

const PairRow& Row(const Profile& profile, std::size_t index) { return profile.pairs->rows[index]; }

TEST(PairTablesTest, NoPairNoTable) {
  const Profile profile = ProfileOf(ProgramBuilder().Stage("gather").Emit("V_ADD_VV").Build());
  EXPECT_FALSE(profile.pairs.has_value());
  EXPECT_FALSE(profile.experts.has_value());
  EXPECT_FALSE(profile.routing.has_value());
}

TEST(PairTablesTest, RowsAndRestSplitTheTotals) {
  const Profile profile = ProfileOf(ProgramBuilder()
                                        .Emit("S_ADDI_INT", 3)
                                        .Stage("gather", 1)
                                        .Emit("V_ADD_VV", 2)
                                        .Stage("expert_bias", 0)
                                        .Emit("V_ADD_VV")
                                        .Stage("scatter_combine", 1)
                                        .Emit("V_ADD_VV", 4)
                                        .Build());
  ASSERT_THAT(profile.pairs->rows, SizeIs(2));
  EXPECT_EQ(Row(profile, 0).pair, 0u);
  EXPECT_EQ(Row(profile, 0).counters.instructions, 1u);
  EXPECT_EQ(Row(profile, 0).counters.flops.vector, 64u);
  EXPECT_EQ(Row(profile, 1).pair, 1u);
  EXPECT_EQ(Row(profile, 1).counters.instructions, 6u);
  EXPECT_EQ(profile.pairs->none.instructions, 3u);
  EXPECT_THAT(Row(profile, 1).stages, ElementsAre(Field(&PairStage::name, "gather"),
                                                  Field(&PairStage::name, "scatter_combine")));
  EXPECT_EQ(Row(profile, 1).stages[1].instructions, 4u);
}

TEST(PairTablesTest, AMarkerAnywhereOnAPairNamesItsExpert) {
  const Profile profile = ProfileOf(ProgramBuilder()
                                        .Stage("gather", 0)
                                        .Emit("V_ADD_VV")
                                        .Stage("expert_projection", 0, 7)
                                        .Emit("M_MM")
                                        .Stage("gather", 1)
                                        .Emit("V_ADD_VV")
                                        .Build());
  EXPECT_EQ(Row(profile, 0).expert, 7u);
  EXPECT_EQ(Row(profile, 0).expert_source, "marker");
  EXPECT_FALSE(Row(profile, 1).expert.has_value());
  EXPECT_EQ(Row(profile, 1).expert_source, "unknown");
  ASSERT_THAT(profile.experts->rows, SizeIs(1));
  EXPECT_EQ(profile.experts->rows[0].counters.instructions, 2u);
  EXPECT_EQ(profile.experts->rows[0].pairs, 1u);
  EXPECT_EQ(profile.experts->none.instructions, 1u);
}

TEST(PairTablesTest, ExecutedTopKNamesTheExpertsOfPairs) {
  const isa::Program program = ProgramBuilder()
                                   .Stage("router_topk")
                                   .Emit("V_TOPK", 2)
                                   .Stage("gather", 0)
                                   .Emit("V_ADD_VV")
                                   .Stage("gather", 3)
                                   .Emit("V_ADD_VV")
                                   .Stage("gather", 4)
                                   .Emit("V_ADD_VV")
                                   .Build();
  const Profile profile = ProfileOf(program, {{5, 1}, {2, 5}});
  EXPECT_EQ(Row(profile, 0).expert, 5u);  // execution 0, rank 0
  EXPECT_EQ(Row(profile, 0).expert_source, "observed");
  EXPECT_EQ(Row(profile, 1).expert, 5u);  // execution 1, rank 1
  EXPECT_EQ(Row(profile, 2).expert_source, "unknown");
  ASSERT_THAT(profile.experts->rows, SizeIs(1));
  EXPECT_EQ(profile.experts->rows[0].pairs, 2u);
  EXPECT_THAT(profile.routing->counts, ElementsAre(0, 1, 1, 0, 0, 2, 0, 0));
}

TEST(PairTablesTest, ATopKBehindPairWorkIsNotUsed) {
  const isa::Program program = ProgramBuilder()
                                   .Stage("router_topk")
                                   .Emit("V_TOPK")
                                   .Stage("gather", 0)
                                   .Emit("V_ADD_VV")
                                   .Stage("router_topk")
                                   .Emit("V_TOPK")
                                   .Build();
  const Profile profile = ProfileOf(program, {{5}, {1}});
  EXPECT_EQ(Row(profile, 0).expert_source, "unknown");
  EXPECT_FALSE(profile.experts.has_value());
  EXPECT_EQ(profile.routing->executions, 2u);
}

TEST(PairTablesTest, MarkersWinOverObservation) {
  const isa::Program program = ProgramBuilder()
                                   .Stage("router_topk")
                                   .Emit("V_TOPK")
                                   .Stage("gather", 0, 3)
                                   .Emit("V_ADD_VV")
                                   .Build();
  const Profile profile = ProfileOf(program, {{5}});
  EXPECT_EQ(Row(profile, 0).expert, 3u);
  EXPECT_EQ(Row(profile, 0).expert_source, "marker");
}

// Two experts for one pair is an error of the program (MS110); the sums hold all the same.
TEST(PairTablesTest, ContradictingMarkersStillSumUp) {
  const Profile profile = ProfileOf(ProgramBuilder()
                                        .Stage("gather", 0, 1)
                                        .Emit("V_ADD_VV")
                                        .Stage("expert_bias", 0, 2)
                                        .Emit("V_ADD_VV", 2)
                                        .Build());
  EXPECT_EQ(Row(profile, 0).expert, 1u);
  ASSERT_THAT(profile.experts->rows, SizeIs(2));
  EXPECT_EQ(profile.experts->rows[0].counters.instructions, 1u);
  EXPECT_EQ(profile.experts->rows[1].counters.instructions, 2u);
  EXPECT_EQ(profile.experts->rows[1].pairs, 0u);
}

TEST(PairTablesTest, AnExpertWithoutAPairHasItsRow) {
  const Profile profile =
      ProfileOf(ProgramBuilder().Stage("expert_projection", std::nullopt, 6).Emit("M_MM").Build());
  EXPECT_FALSE(profile.pairs.has_value());
  ASSERT_THAT(profile.experts->rows, SizeIs(1));
  EXPECT_EQ(profile.experts->rows[0].expert, 6u);
  EXPECT_EQ(profile.experts->rows[0].pairs, 0u);
}

TEST(PairTablesTest, ARoutedProgramThatNeverRanItsTopKHasAnEmptyRouting) {
  const isa::Program program = ProgramBuilder().Emit("S_ADDI_INT").Emit("V_TOPK").Build();
  Recorder recorder;
  test::RunSerially(program, {0}, recorder);
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  ASSERT_TRUE(profile.routing.has_value());
  EXPECT_EQ(profile.routing->executions, 0u);
  EXPECT_FALSE(profile.routing->top_k.has_value());
  EXPECT_THAT(profile.routing->counts, IsEmpty());
  EXPECT_TRUE(WriteProfile(profile).ok());
}

TEST(PairTablesTest, DifferentShapesAreSaid) {
  const isa::Program program = ProgramBuilder().Stage("router_topk").Emit("V_TOPK", 2).Build();
  const Profile profile = ProfileOf(program, {{5, 1}, {2}});
  EXPECT_FALSE(profile.routing->top_k.has_value());
  EXPECT_EQ(profile.routing->num_experts, 8u);
  bool said = false;
  for (const NotMeasured& entry : profile.not_measured) said |= entry.field == "routing.top_k";
  EXPECT_TRUE(said);
}

isa::Program ManyPairs(std::uint32_t count) {
  ProgramBuilder builder;
  for (std::uint32_t pair = 0; pair < count; ++pair) {
    builder.Stage("gather", pair).Emit("V_ADD_VV");
  }
  return builder.Build();
}

TEST(PairTablesTest, StageMapsEndAt4096Pairs) {
  const Profile most = ProfileOf(ManyPairs(4096));
  EXPECT_EQ(most.pairs->detail, "stages");
  EXPECT_THAT(most.pairs->rows.back().stages, SizeIs(1));
  const Profile more = ProfileOf(ManyPairs(4097));
  EXPECT_EQ(more.pairs->detail, "totals");
  EXPECT_THAT(more.pairs->rows.back().stages, IsEmpty());
  EXPECT_THAT(more.pairs->rows, SizeIs(4097));
}

TEST(PairTablesTest, TheLargestPairNumberCostsNothing) {
  const Profile profile =
      ProfileOf(ProgramBuilder().Stage("gather", 2'147'483'647).Emit("V_ADD_VV").Build());
  EXPECT_EQ(Row(profile, 0).pair, 2'147'483'647u);
}

}  // namespace
}  // namespace moescope::profiler
