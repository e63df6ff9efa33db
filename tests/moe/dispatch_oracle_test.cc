#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "moe/capacity.h"
#include "moe/dispatch.h"
#include "moe/generator.h"
#include "moe/routing_statistics.h"
#include "moe/workload.h"

// Dispatch, capacity and statistics a second time, each as a search over all slots instead of a
// counting sort, over seeded routings of many shapes.

namespace moescope::moe {
namespace {

struct Shape {
  std::int64_t tokens;
  int top_k;
  int experts;
};

const Shape kShapes[] = {{0, 1, 1}, {1, 1, 1},  {1, 4, 4},   {5, 2, 3},
                         {9, 3, 8}, {17, 1, 5}, {33, 4, 64}, {40, 8, 9}};

std::vector<Routing> Routings() {
  std::vector<Routing> routings;
  for (const Shape& shape : kShapes) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      for (const double masked : {0.0, 0.3, 1.0}) {
        routings.push_back(*GenerateRouting(
            {.kind = seed % 2 == 0 ? WorkloadKind::kRagged : WorkloadKind::kUniform,
             .masked = masked},
            {shape.tokens, shape.top_k, shape.experts}, seed));
      }
    }
  }
  return routings;
}

// Row by row: the pairs of expert 0 in order, then padding, then those of expert 1, ...
DispatchMap BySearch(const Routing& routing, int alignment) {
  DispatchMap map{.alignment = alignment};
  map.row_of.assign(routing.topk_idx.size(), -1);
  for (std::int32_t e = 0; e < routing.experts; ++e) {
    map.base.push_back(static_cast<std::int32_t>(map.row_src.size()));
    std::int32_t count = 0;
    for (std::size_t j = 0; j < routing.topk_idx.size(); ++j) {
      if (routing.topk_idx[j] != e) continue;
      map.row_of[j] = static_cast<std::int32_t>(map.row_src.size());
      map.row_src.push_back(static_cast<std::int32_t>(j));
      ++count;
    }
    map.count.push_back(count);
    if (count > 0) map.active.push_back(e);
    while (map.row_src.size() % static_cast<std::size_t>(alignment) != 0) {
      map.row_src.push_back(-1);
    }
  }
  return map;
}

TEST(DispatchOracleTest, EqualsTheSearch) {
  for (const Routing& routing : Routings()) {
    for (const int alignment : {1, 2, 3, 4, 16}) {
      EXPECT_EQ(Dispatch(routing, alignment), BySearch(routing, alignment))
          << routing.tokens << " tokens, alignment " << alignment;
    }
  }
}

TEST(DispatchOracleTest, RowsMaxIsReachedAndNeverPassed) {
  for (const Routing& routing : Routings()) {
    for (const int alignment : {1, 4, 16}) {
      const auto rows = static_cast<std::int64_t>(Dispatch(routing, alignment).row_src.size());
      EXPECT_LE(rows, RowsMax(routing.tokens, routing.top_k, routing.experts, alignment));
    }
  }
  // One row in each of as many experts as there are pairs: every row is padded.
  Routing spread{
      .tokens = 6, .top_k = 1, .experts = 8, .topk_idx = {0, 2, 3, 5, 6, 7}, .topk_w = {}};
  spread.topk_w.assign(6, 1.0f);
  EXPECT_EQ(Dispatch(spread, 4).row_src.size(), 24u);
  EXPECT_EQ(RowsMax(6, 1, 8, 4), 24);
}

// Permuting tokens permutes rows inside their experts; renaming experts moves whole ranges.
TEST(DispatchOracleTest, ReversingTheExpertsReversesTheRanges) {
  for (const Routing& routing : Routings()) {
    Routing reversed = routing;
    for (std::int32_t& id : reversed.topk_idx) id = id < 0 ? id : routing.experts - 1 - id;
    const DispatchMap a = Dispatch(routing);
    const DispatchMap b = Dispatch(reversed);
    std::vector<std::int32_t> expected;
    for (std::int32_t e = routing.experts; e-- > 0;) {
      const auto first = a.row_src.begin() + a.base[static_cast<std::size_t>(e)];
      expected.insert(expected.end(), first, first + a.count[static_cast<std::size_t>(e)]);
    }
    EXPECT_EQ(b.row_src, expected);
  }
}

// Slot j survives unless C better ones of its expert exist: better = larger weight, or equal weight
// and lower number (probabilities); lower number (position).
Routing DroppedBySearch(const Routing& routing, double factor, Drop drop) {
  const double share = factor * static_cast<double>(routing.tokens * routing.top_k);
  const auto capacity = static_cast<std::int64_t>(std::ceil(share / routing.experts));
  Routing result = routing;
  for (std::size_t j = 0; j < routing.topk_idx.size(); ++j) {
    if (routing.topk_idx[j] < 0) continue;
    std::int64_t better = 0;
    for (std::size_t i = 0; i < routing.topk_idx.size(); ++i) {
      if (i == j || routing.topk_idx[i] != routing.topk_idx[j]) continue;
      const bool heavier = routing.topk_w[i] > routing.topk_w[j];
      const bool equal_and_lower = routing.topk_w[i] == routing.topk_w[j] && i < j;
      better += (drop == Drop::kPosition ? i < j : heavier || equal_and_lower) ? 1 : 0;
    }
    if (better >= capacity) {
      result.topk_idx[j] = -1;
      result.topk_w[j] = 0;
    }
  }
  return result;
}

TEST(CapacityOracleTest, EqualsTheSearch) {
  for (Routing routing : Routings()) {
    // Few distinct weights, so that ties happen.
    for (std::size_t j = 0; j < routing.topk_w.size(); ++j) {
      if (routing.topk_idx[j] >= 0) routing.topk_w[j] = 0.25f * static_cast<float>(1 + j % 3);
    }
    for (const double factor : {0.0, 0.5, 1.0, 1.25, 8.0}) {
      for (const Drop drop : {Drop::kProbabilities, Drop::kPosition}) {
        Routing actual = routing;
        const std::int64_t dropped = DropBeyondCapacity(actual, factor, drop);
        const Routing expected = DroppedBySearch(routing, factor, drop);
        EXPECT_EQ(actual, expected) << "factor " << factor;
        EXPECT_TRUE(Check(actual).ok());
        const auto masked = [](const Routing& r) {
          return std::count(r.topk_idx.begin(), r.topk_idx.end(), -1);
        };
        EXPECT_EQ(dropped, masked(actual) - masked(routing));
      }
    }
  }
}

TEST(CapacityOracleTest, NoExpertKeepsMoreThanItsCapacity) {
  for (const Routing& routing : Routings()) {
    for (const double factor : {0.5, 1.0, 1.5}) {
      Routing kept = routing;
      DropBeyondCapacity(kept, factor, Drop::kProbabilities);
      const std::int64_t capacity = Capacity(routing, factor);
      const std::vector<std::int64_t> before = CountPerExpert(routing);
      const std::vector<std::int64_t> after = CountPerExpert(kept);
      for (std::size_t e = 0; e < after.size(); ++e) {
        EXPECT_EQ(after[e], std::min(before[e], capacity));
      }
    }
  }
}

TEST(CapacityOracleTest, DroppingTwiceIsDroppingOnce) {
  for (const Routing& routing : Routings()) {
    Routing once = routing;
    DropBeyondCapacity(once, 0.75, Drop::kProbabilities);
    Routing twice = once;
    EXPECT_EQ(DropBeyondCapacity(twice, 0.75, Drop::kProbabilities), 0);
    EXPECT_EQ(twice, once);
  }
}

// The mean absolute difference of all pairs of counts over twice the mean: Gini's own definition.
double GiniByPairs(const std::vector<std::int64_t>& counts) {
  double differences = 0;
  double sum = 0;
  for (const std::int64_t a : counts) {
    sum += static_cast<double>(a);
    for (const std::int64_t b : counts) differences += std::fabs(static_cast<double>(a - b));
  }
  const auto n = static_cast<double>(counts.size());
  return sum == 0 ? 0 : differences / (n * n) / (2 * sum / n);
}

TEST(StatisticsOracleTest, EqualsTheDefinitions) {
  for (const Routing& routing : Routings()) {
    const RoutingStatistics s = Statistics(routing);
    std::int64_t assignments = 0;
    std::int64_t most = 0;
    int active = 0;
    for (std::int32_t e = 0; e < routing.experts; ++e) {
      const auto count = std::count(routing.topk_idx.begin(), routing.topk_idx.end(), e);
      EXPECT_EQ(s.counts[static_cast<std::size_t>(e)], count);
      assignments += count;
      most = std::max<std::int64_t>(most, count);
      active += count > 0 ? 1 : 0;
    }
    EXPECT_EQ(s.assignments, assignments);
    EXPECT_EQ(s.active_experts, active);
    EXPECT_NEAR(s.gini, GiniByPairs(s.counts), 1e-12);
    if (assignments == 0) continue;
    const auto total = static_cast<double>(assignments);
    EXPECT_NEAR(s.max_over_mean, static_cast<double>(most) / (total / routing.experts), 1e-12);
    EXPECT_NEAR(s.duplicate_factor, total / active, 1e-12);
  }
}

TEST(StatisticsOracleTest, ExtremesOfGini) {
  const auto gini = [](std::vector<std::int32_t> ids, int experts) {
    Routing routing{
        .tokens = static_cast<std::int64_t>(ids.size()), .top_k = 1, .experts = experts};
    routing.topk_w.assign(ids.size(), 1.0f);
    routing.topk_idx = std::move(ids);
    return Statistics(routing).gini;
  };
  EXPECT_NEAR(gini({0, 1, 2, 3}, 4), 0, 1e-12);     // equal
  EXPECT_NEAR(gini({2, 2, 2, 2}, 4), 0.75, 1e-12);  // 1 - 1/n
  EXPECT_NEAR(gini({0, 0, 1, 1}, 2), 0, 1e-12);
  EXPECT_NEAR(gini({0, 0, 0, 1}, 2), 0.25, 1e-12);
}

}  // namespace
}  // namespace moescope::moe
