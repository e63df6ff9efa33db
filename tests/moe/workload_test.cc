#include "moe/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>

#include "base/sha256.h"
#include "moe/routing_statistics.h"

namespace moescope::moe {
namespace {

constexpr RoutingShape kShape{100, 4, 17};

Routing Generate(const std::string& text, RoutingShape shape = kShape, std::uint64_t seed = 1) {
  const absl::StatusOr<Workload> workload = ParseWorkload(text);
  EXPECT_TRUE(workload.ok()) << workload.status();
  absl::StatusOr<Routing> routing = GenerateRouting(*workload, shape, seed);
  EXPECT_TRUE(routing.ok()) << routing.status();
  return *routing;
}

std::string Problem(const std::string& text, RoutingShape shape = kShape) {
  const absl::StatusOr<Workload> workload = ParseWorkload(text);
  if (!workload.ok()) return std::string(workload.status().message());
  return std::string(GenerateRouting(*workload, shape, 1).status().message());
}

std::set<std::int32_t> ExpertsOf(const Routing& routing, std::int64_t token) {
  const auto first = routing.topk_idx.begin() + token * routing.top_k;
  return {first, first + routing.top_k};
}

class EveryWorkloadTest : public testing::TestWithParam<const char*> {};

TEST_P(EveryWorkloadTest, GivesDistinctExpertsSortedWeightsAndEqualBytes) {
  const Routing routing = Generate(GetParam());
  EXPECT_TRUE(Check(routing).ok());
  for (std::int64_t t = 0; t < routing.tokens; ++t) {
    EXPECT_EQ(ExpertsOf(routing, t).size(), 4u) << "token " << t;
    const auto w = routing.topk_w.begin() + t * 4;
    EXPECT_TRUE(std::is_sorted(w, w + 4, [](float a, float b) { return a > b; }));
    EXPECT_NEAR(w[0] + w[1] + w[2] + w[3], 1, 1e-6);
  }
  EXPECT_EQ(Generate(GetParam()), routing);
  // A longer run begins with the same tokens: nothing depends on the number of tokens.
  Routing longer = Generate(GetParam(), {200, 4, 17});
  longer.topk_idx.resize(400);
  EXPECT_EQ(longer.topk_idx, routing.topk_idx);
}

TEST_P(EveryWorkloadTest, TextRoundTrips) {
  const absl::StatusOr<Workload> workload = ParseWorkload(GetParam());
  ASSERT_TRUE(workload.ok());
  EXPECT_EQ(*ParseWorkload(Format(*workload)), *workload);
}

INSTANTIATE_TEST_SUITE_P(All, EveryWorkloadTest,
                         testing::Values("balanced", "uniform", "hot(p=0.75,n=2)", "ragged",
                                         "empty(first,middle,last,5)", "single",
                                         "rotating(n=3,period=5)", "burst(length=3,gap=2)"));

TEST(WorkloadTest, BalancedCountsDifferByAtMostOne) {
  const RoutingStatistics statistics = Statistics(Generate("balanced"));
  const auto [least, most] =
      std::minmax_element(statistics.counts.begin(), statistics.counts.end());
  EXPECT_LE(*most - *least, 1);
}

TEST(WorkloadTest, HotPutsTheShareOnTheHotExpert) {
  const Routing all = Generate("hot(p=1,n=1)");
  for (std::int64_t t = 0; t < all.tokens; ++t) {
    EXPECT_EQ(all.topk_idx[static_cast<std::size_t>(t * 4)], all.topk_idx[0]);
  }
  EXPECT_GT(Statistics(Generate("hot(p=0.9,n=1)")).max_over_mean,
            Statistics(Generate("uniform")).max_over_mean);
}

TEST(WorkloadTest, EmptyLeavesTheNamedExpertsIdle) {
  const RoutingStatistics statistics = Statistics(Generate("empty(first,middle,last,5)"));
  for (const std::size_t expert : {0, 8, 16, 5}) EXPECT_EQ(statistics.counts[expert], 0);
  EXPECT_EQ(statistics.active_experts, 13);
}

TEST(WorkloadTest, SingleUsesOneSet) {
  EXPECT_EQ(Statistics(Generate("single")).active_experts, 4);
}

TEST(WorkloadTest, RotatingMovesItsHotSetEachPeriod) {
  const Routing routing = Generate("rotating(n=4,period=5)", {20, 4, 17});
  EXPECT_EQ(ExpertsOf(routing, 0), ExpertsOf(routing, 4));
  EXPECT_NE(ExpertsOf(routing, 4), ExpertsOf(routing, 5));
  std::set<std::int32_t> both = ExpertsOf(routing, 0);
  both.merge(ExpertsOf(routing, 5));
  EXPECT_EQ(both.size(), 8u);
}

TEST(WorkloadTest, BurstSharesOneSetThenDiverges) {
  const Routing routing = Generate("burst(length=3,gap=2)");
  EXPECT_EQ(ExpertsOf(routing, 0), ExpertsOf(routing, 2));
  EXPECT_EQ(ExpertsOf(routing, 5), ExpertsOf(routing, 7));
  std::set<std::set<std::int32_t>> sets;
  for (std::int64_t t = 0; t < 100; ++t) sets.insert(ExpertsOf(routing, t));
  EXPECT_GT(sets.size(), 30u);
}

TEST(WorkloadTest, RaggedIsSkewed) {
  EXPECT_GT(Statistics(Generate("ragged")).gini, 2 * Statistics(Generate("uniform")).gini);
}

TEST(WorkloadTest, MaskingRemovesSlotsAndTheirWeights) {
  const Routing routing = Generate("uniform+masked(0.25)");
  EXPECT_TRUE(Check(routing).ok());
  const auto masked = std::count(routing.topk_idx.begin(), routing.topk_idx.end(), -1);
  EXPECT_GT(masked, 70);
  EXPECT_LT(masked, 130);
  EXPECT_EQ(Statistics(Generate("uniform+masked(1)")).assignments, 0);
  EXPECT_EQ(*ParseWorkload(Format(*ParseWorkload("single+masked(0.5)"))),
            *ParseWorkload("single+masked(0.5)"));
}

TEST(WorkloadTest, ShapesAtTheLimits) {
  EXPECT_TRUE(Generate("uniform", {0, 1, 1}).topk_idx.empty());
  EXPECT_EQ(ExpertsOf(Generate("ragged", {3, 5, 5}), 2).size(), 5u);
  EXPECT_EQ(Generate("single", {1, 1, 1}).topk_w, std::vector<float>{1.0f});
}

// The bytes are part of the format: every fixture depends on them.
TEST(WorkloadTest, BytesAreFixed) {
  const Routing routing = Generate("hot(p=0.5,n=2)+masked(0.1)", {64, 8, 128}, 42);
  const std::string ids(std::bit_cast<const char*>(routing.topk_idx.data()), 64 * 8 * 4);
  const std::string weights(std::bit_cast<const char*>(routing.topk_w.data()), 64 * 8 * 4);
  EXPECT_EQ(Sha256Name(ids + weights),
            "sha256:473bcb24770830512d57490f9d3b20748f781ff7f5ddac40cdc69803c55ee721");
}

TEST(WorkloadTest, MalformedTexts) {
  EXPECT_EQ(Problem("ballanced"),
            "workload 'ballanced': unknown kind 'ballanced'; did you mean 'balanced'? (--workload) "
            "[RC050]");
  EXPECT_EQ(Problem("hot(p=2)"),
            "workload 'hot(p=2)': '2' is not a probability from 0 to 1 (--workload) [RC050]");
  EXPECT_EQ(Problem("hot(n=x)"), "workload 'hot(n=x)': 'x' is not a count (--workload) [RC050]");
  EXPECT_EQ(Problem("hot(n=65536)"),
            "workload 'hot(n=65536)': n is above 65535 (--workload) [RC050]");
  EXPECT_EQ(Problem("uniform(p=1)"),
            "workload 'uniform(p=1)': unknown parameter 'p=1' (--workload) [RC050]");
  EXPECT_EQ(Problem("hot(p=1"), "workload 'hot(p=1': expected ')' at the end (--workload) [RC050]");
  EXPECT_EQ(Problem("uniform+masked"),
            "workload 'uniform+masked': expected +masked(PROBABILITY) (--workload) [RC050]");
  EXPECT_EQ(Problem("replay"), "workload 'replay': expected replay(FILE) (--workload) [RC050]");
}

TEST(WorkloadTest, ParametersThatDoNotSuitTheShape) {
  EXPECT_EQ(Problem("hot(n=18)"),
            "workload: n = 18 hot experts: must be 1 to 17 (--workload) [RC051]");
  EXPECT_EQ(Problem("rotating(n=0)"),
            "workload: n = 0 hot experts: must be 1 to 17 (--workload) [RC051]");
  EXPECT_EQ(Problem("rotating(period=0)"),
            "workload: period = 0: must be at least 1 (--workload) [RC051]");
  EXPECT_EQ(Problem("burst(length=0)"),
            "workload: length = 0: must be at least 1 (--workload) [RC051]");
  EXPECT_EQ(Problem("empty(17)"),
            "workload: empty expert 17 is outside 0 to 16 (--workload) [RC051]");
  EXPECT_EQ(Problem("empty(firts)"),
            "workload: 'firts' is not first, middle, last or an expert id (--workload) [RC051]");
  EXPECT_EQ(Problem("empty(0,1)", {1, 4, 5}),
            "workload: only 3 experts are left for top_k = 4 (--workload) [RC051]");
  EXPECT_EQ(Problem("replay(x.json)"), "workload: replay needs a route trace (--workload) [RC051]");
  EXPECT_EQ(Problem("uniform", {1, 5, 4}),
            "workload: cannot route 1 tokens to 5 of 4 experts (--workload) [RC051]");
}

}  // namespace
}  // namespace moescope::moe
