#include "moe/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "moe/routing_statistics.h"
#include "moe/workload.h"

namespace moescope::moe {
namespace {

using testing::ElementsAre;

Routing Example() {
  return {.tokens = 4,
          .top_k = 2,
          .experts = 4,
          .topk_idx = {2, 0, 2, 3, -1, 2, 0, 2},
          .topk_w = {1, 1, 1, 1, 0, 1, 1, 1}};
}

TEST(DispatchTest, ExampleOfTheDesignDocument) {
  const DispatchMap map = Dispatch(Example(), 4);
  EXPECT_THAT(map.count, ElementsAre(2, 0, 4, 1));
  EXPECT_THAT(map.base, ElementsAre(0, 4, 4, 8));
  EXPECT_THAT(map.row_src, ElementsAre(1, 6, -1, -1, 0, 2, 5, 7, 3, -1, -1, -1));
  EXPECT_THAT(map.row_of, ElementsAre(4, 0, 5, 8, -1, 6, 1, 7));
  EXPECT_THAT(map.active, ElementsAre(0, 2, 3));
}

TEST(DispatchTest, StatisticsOfTheDesignDocument) {
  const RoutingStatistics statistics = Statistics(Example());
  EXPECT_THAT(statistics.counts, ElementsAre(2, 0, 4, 1));
  EXPECT_NEAR(statistics.gini, 0.464286, 5e-7);
  EXPECT_NEAR(statistics.duplicate_factor, 2.333333, 5e-7);
  EXPECT_EQ(statistics.active_experts, 3);
  EXPECT_DOUBLE_EQ(statistics.max_over_mean, 16.0 / 7);
}

TEST(DispatchTest, NothingToDispatch) {
  const Routing none{.tokens = 0, .top_k = 2, .experts = 3, .topk_idx = {}, .topk_w = {}};
  const DispatchMap map = Dispatch(none, 16);
  EXPECT_THAT(map.count, ElementsAre(0, 0, 0));
  EXPECT_TRUE(map.row_src.empty() && map.row_of.empty() && map.active.empty());
  EXPECT_EQ(RowsMax(0, 2, 3, 16), 0);
  EXPECT_EQ(Statistics(none).gini, 0);
  const Routing masked{
      .tokens = 1, .top_k = 2, .experts = 3, .topk_idx = {-1, -1}, .topk_w = {0, 0}};
  EXPECT_THAT(Dispatch(masked, 4).row_of, ElementsAre(-1, -1));
  EXPECT_TRUE(Dispatch(masked, 4).row_src.empty());
}

TEST(DispatchTest, TheSameExpertTwiceGivesTwoRows) {
  const Routing twice{.tokens = 1, .top_k = 2, .experts = 2, .topk_idx = {1, 1}, .topk_w = {1, 1}};
  EXPECT_THAT(Dispatch(twice, 1).row_src, ElementsAre(0, 1));
}

TEST(DispatchTest, RowsMaxOfTheDesignDocument) { EXPECT_EQ(RowsMax(16384, 8, 128, 16), 132992); }

// A stable sort of the pairs by expert is the oracle.
TEST(DispatchTest, IsTheStableSort) {
  for (const int alignment : {1, 4, 16}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto tokens = static_cast<std::int64_t>(seed * 3);
      const absl::StatusOr<Routing> routing =
          GenerateRouting({.kind = WorkloadKind::kRagged, .masked = 0.2}, {tokens, 3, 11}, seed);
      ASSERT_TRUE(routing.ok());
      std::vector<std::int32_t> pairs;
      for (std::size_t j = 0; j < routing->topk_idx.size(); ++j) {
        if (routing->topk_idx[j] >= 0) pairs.push_back(static_cast<std::int32_t>(j));
      }
      const auto expert = [&](std::int32_t j) {
        return routing->topk_idx[static_cast<std::size_t>(j)];
      };
      std::stable_sort(pairs.begin(), pairs.end(),
                       [&](std::int32_t a, std::int32_t b) { return expert(a) < expert(b); });
      const DispatchMap map = Dispatch(*routing, alignment);
      std::vector<std::int32_t> live = map.row_src;
      std::erase(live, -1);
      EXPECT_EQ(live, pairs);
      for (std::size_t e = 0; e < map.base.size(); ++e) EXPECT_EQ(map.base[e] % alignment, 0);
      for (std::size_t j = 0; j < map.row_of.size(); ++j) {
        if (map.row_of[j] < 0) continue;
        EXPECT_EQ(map.row_src[static_cast<std::size_t>(map.row_of[j])], static_cast<int>(j));
      }
      EXPECT_LE(static_cast<std::int64_t>(map.row_src.size()), RowsMax(tokens, 3, 11, alignment));
    }
  }
}

TEST(RoutingCheckTest, ExactMessages) {
  EXPECT_TRUE(Check(Example()).ok());
  const auto message = [](void (*change)(Routing&)) {
    Routing routing = Example();
    change(routing);
    return std::string(Check(routing).message());
  };
  EXPECT_EQ(message([](Routing& r) { r.topk_idx[3] = 4; }),
            "topk_idx[1,1] = 4: must be -1 to 3 [RC020]");
  EXPECT_EQ(message([](Routing& r) { r.topk_idx[0] = -2; }),
            "topk_idx[0,0] = -2: must be -1 to 3 [RC020]");
  EXPECT_EQ(message([](Routing& r) { r.topk_w[5] = std::numeric_limits<float>::infinity(); }),
            "topk_w[2,1] = inf: must be finite [RC021]");
  EXPECT_EQ(message([](Routing& r) { r.topk_w[4] = -0.0f; }),
            "topk_w[2,0] = -0: a masked slot has weight +0 [RC022]");
  EXPECT_EQ(message([](Routing& r) { r.topk_w.pop_back(); }),
            "routing of 4 x 2 slots has 8 ids and 7 weights [RC023]");
  EXPECT_EQ(message([](Routing& r) { r.top_k = 0; }),
            "routing of 4 tokens, top_k 0, 4 experts [RC023]");
}

}  // namespace
}  // namespace moescope::moe
