#include "profiler/diff/side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/report/report.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

std::optional<std::uint64_t> Value(const Scope& scope, std::string_view metric) {
  for (const Metric& m : scope.metrics) {
    if (m.name == metric) return m.value;
  }
  return std::nullopt;
}

Side RichSide(const Filter& filter = {}) {
  const auto side = SideOf(test::RichProfile(), "rich", filter);
  EXPECT_TRUE(side.ok()) << side.status();
  return *side;
}

TEST(SideTest, FactsForTheComparison) {
  const Side side = RichSide();
  EXPECT_EQ(side.label, "rich");
  EXPECT_EQ(side.timing_model, "pipelined");
  EXPECT_EQ(side.clock_period_ps, 1000u);
  EXPECT_TRUE(side.complete);
  EXPECT_TRUE(side.isa.has_value());
  EXPECT_TRUE(side.machine.has_value());
}

TEST(SideTest, TheTotalHasEveryKindOfMetric) {
  const Side side = RichSide();
  EXPECT_EQ(Value(side.total, "cycles"), 245u);
  EXPECT_EQ(Value(side.total, "instructions"), 10u);
  EXPECT_EQ(Value(side.total, "bytes:hbm.read.physical_bytes"), 9088u);
  EXPECT_EQ(Value(side.total, "bytes:hbm.write.rmw_read_bytes"), 256u);
  EXPECT_EQ(Value(side.total, "reason:hbm_bandwidth"), 180u);
  EXPECT_EQ(Value(side.total, "reason:settle"), 0u);  // listed by the model: a real zero
  EXPECT_EQ(Value(side.total, "reason:execute"), std::nullopt);
  EXPECT_EQ(Value(side.total, "unit:dma_m"), 200u);
  EXPECT_EQ(Value(side.total, "opcode:M_MM"), 183u);
  EXPECT_EQ(Value(side.total, "opcode_instructions:M_MM"), 2u);
  EXPECT_TRUE(side.total.has_opcodes);
}

TEST(SideTest, StagesStandInDisplayOrder) {
  const Side side = RichSide();
  EXPECT_EQ(side.stages.size(), 8u);
  EXPECT_EQ(side.stages.front().name, "router_topk");
  EXPECT_EQ(side.stages.back().name, "unattributed");
  ASSERT_NE(side.FindStage("ksplit_add"), nullptr);
  EXPECT_EQ(side.FindStage("nothing"), nullptr);
  EXPECT_THAT(side.pairs, IsEmpty());
}

TEST(SideTest, AGlobSelectsStagesAndSumsThem) {
  const Side side = RichSide({.stage_glob = "*s*t*_*"});
  EXPECT_THAT(side.stages, ElementsAre(Field(&Scope::name, "scatter_combine"),
                                       Field(&Scope::name, "ksplit_add")));
  EXPECT_EQ(Value(side.total, "cycles"), 8u);
  EXPECT_EQ(Value(side.total, "opcode:V_ADD_VV"), 8u);
  const Side none = RichSide({.stage_glob = "nothing"});
  EXPECT_THAT(none.stages, IsEmpty());
  EXPECT_THAT(none.total.metrics, IsEmpty());
}

TEST(SideTest, APairHasItsStagesAndNoSplits) {
  const Side side = RichSide({.pair = 1});
  EXPECT_THAT(side.stages, ElementsAre(Field(&Scope::name, "expert_projection"),
                                       Field(&Scope::name, "scatter_combine")));
  EXPECT_EQ(Value(side.total, "cycles"), 5u);
  EXPECT_EQ(Value(side.total, "reason:issue"), std::nullopt);
  EXPECT_FALSE(side.total.has_opcodes);
  EXPECT_EQ(Value(side.stages[0], "bytes:hbm.read.physical_bytes"), 0u);
}

TEST(SideTest, AnExpertSumsItsPairs) {
  Profile profile = test::RichProfile();
  profile.pairs->rows[0].expert = 9;
  const auto side = SideOf(profile, "p", {.expert = 9});
  ASSERT_TRUE(side.ok());
  EXPECT_EQ(Value(side->total, "instructions"), 7u);
  EXPECT_EQ(Value(*side->FindStage("expert_projection"), "instructions"), 3u);
}

TEST(SideTest, PairsAreScopesOnRequest) {
  const Side side = RichSide({.with_pairs = true});
  EXPECT_THAT(side.pairs,
              ElementsAre(Field(&Scope::name, "pair 0"), Field(&Scope::name, "pair 1")));
}

TEST(SideTest, MissingPairsAndExpertsAreNamed) {
  const Profile profile = test::RichProfile();
  EXPECT_EQ(SideOf(profile, "p.json", {.pair = 5}).status().message(), "p.json has no pair 5");
  EXPECT_EQ(SideOf(profile, "p.json", {.expert = 5}).status().message(),
            "p.json has no pair of expert 5");
  EXPECT_EQ(SideOf(profile, "p.json", {.pair = 0, .expert = 5}).status().message(),
            "p.json has no pair 0 of expert 5");
  EXPECT_EQ(SideOf(test::SerialProfile(), "s", {.expert = 1}).status().message(),
            "s has no pair of expert 1");
}

TEST(SideTest, NanosecondsTouchCyclesOnly) {
  Side side = RichSide();
  side.clock_period_ps = 2500;
  ConvertToNanoseconds(side);
  EXPECT_EQ(Value(side.total, "cycles"), 612u);  // 245 x 2.5 rounded down
  EXPECT_EQ(Value(side.total, "reason:hbm_bandwidth"), 450u);
  EXPECT_EQ(Value(side.total, "unit:dma_m"), 500u);
  EXPECT_EQ(Value(side.total, "opcode:M_MM"), 457u);
  EXPECT_EQ(Value(side.total, "opcode_instructions:M_MM"), 2u);
  EXPECT_EQ(Value(side.total, "instructions"), 10u);
  EXPECT_EQ(Value(side.total, "bytes:hbm.read.logical_bytes"), 5120u);
  EXPECT_EQ(Value(side.stages[0], "cycles"), 7u);
}

TEST(SideTest, AFoldedProfileEqualsItsPublicFile) {
  const Profile profile = test::RichProfile();
  for (const bool all : {false, true}) {
    ReportOptions options;
    options.format = "stage_profile_v2";
    options.all_stages = all;
    const std::string json = *Report(profile, options);
    bool detected_all = !all;
    ASSERT_TRUE(IsPublicStageProfile(json, detected_all));
    EXPECT_EQ(detected_all, all);
    const auto theirs = PublicSideOf(json, "public", false);
    const auto ours = FoldedSideOf(profile, "ours", all);
    ASSERT_TRUE(theirs.ok()) << theirs.status();
    ASSERT_TRUE(ours.ok());
    ASSERT_EQ(theirs->stages.size(), ours->stages.size());
    for (std::size_t i = 0; i < ours->stages.size(); ++i) {
      EXPECT_EQ(theirs->stages[i].name, ours->stages[i].name);
      for (const Metric& metric : ours->stages[i].metrics) {
        EXPECT_EQ(Value(theirs->stages[i], metric.name), metric.value)
            << ours->stages[i].name << " " << metric.name;
      }
    }
    EXPECT_TRUE(theirs->complete);
  }
}

TEST(SideTest, PublicFilesOfIncompleteRunsSaySo) {
  Profile profile = test::RichProfile();
  profile.complete = false;
  const std::string json = *Report(profile, {.format = "stage_profile_v2"});
  EXPECT_FALSE(PublicSideOf(json, "p", false)->complete);
}

TEST(SideTest, VersionOneHasSecondsOnly) {
  const std::string json = *Report(test::RichProfile(), {.format = "stage_profile_v1"});
  EXPECT_EQ(Value(PublicSideOf(json, "p", false)->total, "cycles"), std::nullopt);
  EXPECT_EQ(Value(PublicSideOf(json, "p", true)->total, "cycles"), 245u);
  EXPECT_EQ(Value(PublicSideOf(json, "p", false)->total, "instructions"), 10u);
}

TEST(SideTest, WhatIsNoPublicFile) {
  bool all = false;
  EXPECT_FALSE(IsPublicStageProfile("", all));
  EXPECT_FALSE(IsPublicStageProfile("{}", all));
  EXPECT_FALSE(IsPublicStageProfile("[1]", all));
  EXPECT_FALSE(IsPublicStageProfile("{\"stages\": {}}", all));
  EXPECT_FALSE(
      IsPublicStageProfile("{\"schema\": \"x\", \"stages\": {}, "
                           "\"total_profiled_seconds\": 1}",
                           all));
}

TEST(SideTest, BadPublicFilesNameThePath) {
  const struct {
    const char* json;
    bool in_ns;
    const char* error;
  } rows[] = {
      {"{}", true, "/total_profiled_seconds is not a number of seconds"},
      {"{}", false, "/stages is not an object"},
      {R"({"total_profiled_seconds": -1})", true, "/total_profiled_seconds is out of range"},
      {R"({"total_instructions_executed": "5", "stages": {}})", false,
       "/total_instructions_executed is not a count"},
      {R"({"stages": {"gather": {"wall_cycles": 1.5}}})", false,
       "/stages/gather/wall_cycles is not a count"},
      {R"({"total_profiled_seconds": 0, "stages": {"gather": {}}})", true,
       "/stages/gather/seconds is not a number of seconds"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(PublicSideOf(row.json, "p", row.in_ns).status().message(), row.error);
  }
}

TEST(SideTest, FamiliesOfMetrics) {
  EXPECT_EQ(FamilyOf("cycles"), "cycles");
  EXPECT_EQ(FamilyOf("reason:hbm_row"), "reason");
  EXPECT_EQ(FamilyOf("bytes:hbm.read.lines"), "bytes");
}

}  // namespace
}  // namespace moescope::profiler
