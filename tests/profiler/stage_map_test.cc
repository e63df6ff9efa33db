#include "profiler/stage_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using test::ProgramBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Names of the stages, in the order of the map.
std::vector<std::string> Names(const isa::Program& program, const StageMap& map) {
  std::vector<std::string> names;
  for (const std::uint32_t name : map.stage_names) names.push_back(program.names[name].name);
  return names;
}

TEST(StageMapTest, AProgramWithoutMarkersIsTheBucket) {
  const isa::Program program = isa::ProgramFromWords({1, 2, 3});
  const StageMap map = MakeStageMap(program);
  EXPECT_THAT(Names(program, map), ElementsAre("unattributed"));
  EXPECT_THAT(map.static_instructions, ElementsAre(3));
  EXPECT_EQ(map.bucket(), 0u);
  EXPECT_FALSE(map.has_regions);
  EXPECT_THAT(map.pairs, IsEmpty());
  EXPECT_EQ(map.first_pair_pc, kNone);
}

TEST(StageMapTest, AnEmptyProgramHasABucket) {
  isa::Program program;
  const StageMap map = MakeStageMap(program);
  EXPECT_THAT(map.static_instructions, ElementsAre(0));
}

TEST(StageMapTest, MarkedStagesStandInDisplayOrderAndTheBucketLast) {
  const isa::Program program = ProgramBuilder()
                                   .Emit("S_ADDI_INT")
                                   .Stage("scatter_combine")
                                   .Emit("V_ADD_VV", 2)
                                   .Stage("gather")
                                   .Stage("router_topk")
                                   .Emit("V_TOPK", 3)
                                   .Build();
  const StageMap map = MakeStageMap(program);
  EXPECT_THAT(Names(program, map),
              ElementsAre("router_topk", "gather", "scatter_combine", "unattributed"));
  EXPECT_THAT(map.static_instructions, ElementsAre(3, 0, 2, 1));
  EXPECT_THAT(map.stage_of_range, ElementsAre(3, 2, 1, 0));
}

TEST(StageMapTest, TriplesAreEqualForEqualAttribution) {
  const isa::Program program = ProgramBuilder()
                                   .Stage("gather", 0)
                                   .Emit("S_ADDI_INT")
                                   .Stage("gather", 1)
                                   .Emit("S_ADDI_INT")
                                   .Stage("gather", 0)
                                   .Emit("S_ADDI_INT")
                                   .Stage("gather", 0, 4)
                                   .Emit("S_ADDI_INT")
                                   .Stage("expert_bias", 0)
                                   .Emit("S_ADDI_INT")
                                   .Build();
  const StageMap map = MakeStageMap(program);
  EXPECT_THAT(map.triple_of_range, ElementsAre(0, 1, 0, 2, 3));
}

TEST(StageMapTest, PairsAreSortedAndDistinct) {
  const isa::Program program = ProgramBuilder()
                                   .Emit("S_ADDI_INT", 2)
                                   .Stage("gather", 9)
                                   .Stage("gather", 2)
                                   .Emit("S_ADDI_INT")
                                   .Stage("expert_bias", 9)
                                   .Emit("S_ADDI_INT")
                                   .Stage("shared_expert")
                                   .Emit("S_ADDI_INT")
                                   .Build();
  const StageMap map = MakeStageMap(program);
  EXPECT_THAT(map.pairs, ElementsAre(2, 9));
  EXPECT_THAT(map.pair_row_of_range, ElementsAre(kNone, 1, 0, 1, kNone));
  // The marker of pair 9 that covers no word does not count.
  EXPECT_EQ(map.first_pair_pc, 2u);
}

TEST(StageMapTest, PathsNestAndResume) {
  const isa::Program program = ProgramBuilder()
                                   .Extension("inner", isa::StageScope::kPair)
                                   .Extension("innermost", isa::StageScope::kPair)
                                   .Stage("expert_projection", 0)
                                   .Emit("M_MM")
                                   .Push("inner")
                                   .Emit("V_ADD_VV")
                                   .Push("innermost")
                                   .Emit("V_ADD_VV")
                                   .Pop()
                                   .Emit("V_ADD_VV")
                                   .Pop()
                                   .Emit("M_MM_WO")
                                   .Build();
  const StageMap map = MakeStageMap(program);
  EXPECT_TRUE(map.has_regions);
  EXPECT_THAT(Names(program, map),
              ElementsAre("expert_projection", "inner", "innermost", "unattributed"));
  EXPECT_THAT(map.paths, ElementsAre(ElementsAre(0), ElementsAre(0, 1), ElementsAre(0, 1, 2)));
  EXPECT_THAT(map.path_of_range, ElementsAre(0, 1, 2, 1, 0));
}

TEST(StageMapTest, TheBucketEnclosesNothing) {
  const isa::Program program = ProgramBuilder()
                                   .Emit("S_ADDI_INT")
                                   .Push("gather")
                                   .Emit("V_ADD_VV")
                                   .Pop()
                                   .Emit("S_ADDI_INT")
                                   .Build();
  const StageMap map = MakeStageMap(program);
  EXPECT_THAT(map.paths, ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_THAT(map.path_of_range, ElementsAre(1, 0, 1));
}

// A marker with an unknown name inside a region is counted in the bucket, inside that region.
TEST(StageMapTest, ABucketInsideARegionKeepsItsPlace) {
  isa::Program program = ProgramBuilder()
                             .Stage("expert_projection")
                             .Emit("M_MM")
                             .Push("gather")
                             .Emit("V_ADD_VV")
                             .Push("expert_bias")
                             .Emit("V_ADD_VV")
                             .Build();
  program.ranges[1].name = 0;
  const StageMap map = MakeStageMap(program);
  EXPECT_THAT(Names(program, map), ElementsAre("expert_projection", "expert_bias", "unattributed"));
  EXPECT_THAT(map.paths, ElementsAre(ElementsAre(0), ElementsAre(0, 2), ElementsAre(0, 2, 1)));
}

TEST(StageMapTest, DeepNestingIsRefusedBeforeItGetsHere) {
  isa::Program program = isa::ProgramFromWords({1});
  program.ranges[0].end_pc = 0;
  for (std::uint32_t i = 0; i < 17; ++i) {
    program.ranges.push_back({.begin_pc = 0, .end_pc = i == 16 ? 1u : 0u, .parent = i});
  }
  EXPECT_EQ(isa::Validate(program).message(), "stage range 17 nests deeper than 16");
  program.ranges.pop_back();
  program.ranges.back().end_pc = 1;
  EXPECT_TRUE(isa::Validate(program).ok());
}

}  // namespace
}  // namespace moescope::profiler
