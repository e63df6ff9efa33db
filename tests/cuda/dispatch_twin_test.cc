// The counting sort of the dispatch kernels, written a second time for the host: histogram per
// 1,024 pairs, prefixes over chunks, ranks inside a warp by match in lane order. It must be the
// stable permutation of moe::Dispatch, and so must an independent stable sort.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cuda/plan.h"
#include "moe/dispatch.h"
#include "moe/workload.h"

namespace moescope::cuda {
namespace {

constexpr int kBlockPairs = 1024;
constexpr int kWarps = kBlockPairs / 32;

struct Groups {
  std::vector<std::int32_t> expert;
  std::vector<std::int32_t> prefix;  // token tiles before the group, then all of them
};

struct Sorted {
  moe::DispatchMap map;
  Groups groups;
  std::int64_t first_bad = -1;  // pair with an id out of range
};

bool IsExpert(std::int32_t id, int experts) { return id >= 0 && id < experts; }

// What one block writes: counts [E] of its pairs.
std::vector<std::int32_t> CountBlock(const moe::Routing& routing, std::int64_t first) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(routing.experts));
  const std::int64_t last = std::min(first + kBlockPairs, routing.pairs());
  for (std::int64_t pair = first; pair < last; ++pair) {
    const std::int32_t id = routing.topk_idx[static_cast<std::size_t>(pair)];
    if (IsExpert(id, routing.experts)) ++counts[static_cast<std::size_t>(id)];
  }
  return counts;
}

// Rank of every pair of a block among the pairs of its expert in the block, as 32 warps of 32 lanes
// find it: lanes before it in its warp, then the pairs of earlier warps.
std::vector<int> RanksInBlock(const moe::Routing& routing, std::int64_t first) {
  std::vector<std::array<int, kWarps>> per_warp(static_cast<std::size_t>(routing.experts));
  std::vector<int> ranks(kBlockPairs, 0);
  const auto id_of = [&](int thread) {
    const std::int64_t pair = first + thread;
    return pair < routing.pairs() ? routing.topk_idx[static_cast<std::size_t>(pair)] : -1;
  };
  for (int thread = 0; thread < kBlockPairs; ++thread) {
    if (!IsExpert(id_of(thread), routing.experts)) continue;
    for (int lane = thread / 32 * 32; lane < thread; ++lane) {
      if (id_of(lane) == id_of(thread)) ++ranks[static_cast<std::size_t>(thread)];
    }
    ++per_warp[static_cast<std::size_t>(id_of(thread))][static_cast<std::size_t>(thread / 32)];
  }
  for (int thread = 0; thread < kBlockPairs; ++thread) {
    if (!IsExpert(id_of(thread), routing.experts)) continue;
    const auto& counts = per_warp[static_cast<std::size_t>(id_of(thread))];
    for (int warp = 0; warp < thread / 32; ++warp) {
      ranks[static_cast<std::size_t>(thread)] += counts[static_cast<std::size_t>(warp)];
    }
  }
  return ranks;
}

Sorted SortLikeTheDevice(const moe::Routing& routing, int tile) {
  Sorted result;
  moe::DispatchMap& map = result.map;
  const auto experts = static_cast<std::size_t>(routing.experts);
  const std::int64_t chunks = (routing.pairs() + kBlockPairs - 1) / kBlockPairs;
  std::vector<std::vector<std::int32_t>> before;  // [chunks][E]: exclusive prefixes
  map.alignment = kRowAlignment;
  map.count.assign(experts, 0);
  for (std::int64_t c = 0; c < chunks; ++c) {
    before.push_back(map.count);
    const auto counts = CountBlock(routing, c * kBlockPairs);
    for (std::size_t e = 0; e < experts; ++e) map.count[e] += counts[e];
  }
  std::int32_t rows = 0;
  std::int32_t tiles = 0;
  for (std::size_t e = 0; e < experts; ++e) {
    map.base.push_back(rows);
    rows += (map.count[e] + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
    if (map.count[e] == 0) continue;
    map.active.push_back(static_cast<std::int32_t>(e));
    result.groups.expert.push_back(static_cast<std::int32_t>(e));
    result.groups.prefix.push_back(tiles);
    tiles += (map.count[e] + tile - 1) / tile;
  }
  result.groups.prefix.push_back(tiles);
  map.row_src.assign(static_cast<std::size_t>(rows), -1);
  map.row_of.assign(static_cast<std::size_t>(routing.pairs()), -1);
  for (std::int64_t c = 0; c < chunks; ++c) {
    const std::vector<int> ranks = RanksInBlock(routing, c * kBlockPairs);
    for (int thread = 0; thread < kBlockPairs; ++thread) {
      const std::int64_t pair = c * kBlockPairs + thread;
      if (pair >= routing.pairs()) break;
      const std::int32_t id = routing.topk_idx[static_cast<std::size_t>(pair)];
      if (!IsExpert(id, routing.experts)) {
        if (id != -1 && result.first_bad < 0) result.first_bad = pair;
        continue;
      }
      const auto e = static_cast<std::size_t>(id);
      const std::int32_t row = map.base[e] + before[static_cast<std::size_t>(c)][e] +
                               ranks[static_cast<std::size_t>(thread)];
      map.row_of[static_cast<std::size_t>(pair)] = row;
      map.row_src[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(pair);
    }
  }
  return result;
}

// Rows by a library's stable sort of (expert, pair).
std::vector<std::int32_t> RowsByStableSort(const moe::Routing& routing) {
  std::vector<std::int32_t> pairs(static_cast<std::size_t>(routing.pairs()));
  std::iota(pairs.begin(), pairs.end(), 0);
  const auto id = [&](std::int32_t pair) {
    return routing.topk_idx[static_cast<std::size_t>(pair)];
  };
  std::erase_if(pairs, [&](std::int32_t pair) { return id(pair) < 0; });
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](std::int32_t a, std::int32_t b) { return id(a) < id(b); });
  return pairs;
}

moe::Routing RoutingOf(const char* workload, std::int64_t tokens, int top_k, int experts,
                       std::uint64_t seed = 5) {
  return *moe::GenerateRouting(*moe::ParseWorkload(workload), {tokens, top_k, experts}, seed);
}

constexpr const char* kWorkloads[] = {"balanced",
                                      "uniform",
                                      "uniform+masked(0.2)",
                                      "uniform+masked(1)",
                                      "hot(p=1,n=1)",
                                      "ragged+masked(0.1)",
                                      "empty(first)",
                                      "empty(middle)",
                                      "empty(last)",
                                      "single",
                                      "rotating(n=4,period=3)",
                                      "burst(length=40,gap=3)"};

class DispatchTwin : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Workloads, DispatchTwin, ::testing::ValuesIn(kWorkloads),
                         [](const auto& workload) { return absl::StrCat("n", workload.index); });

TEST_P(DispatchTwin, IsTheStablePermutation) {
  for (const int experts : {8, 32, 60, 128, 256, 1024}) {
    for (const std::int64_t tokens : {0, 1, 15, 16, 17, 255, 256, 257, 1000}) {
      SCOPED_TRACE(absl::StrCat(GetParam(), " E ", experts, " T ", tokens));
      const moe::Routing routing = RoutingOf(GetParam(), tokens, 4, experts);
      const Sorted sorted = SortLikeTheDevice(routing, 64);
      EXPECT_EQ(sorted.map, moe::Dispatch(routing, kRowAlignment));
      EXPECT_EQ(sorted.groups.expert, sorted.map.active);
      EXPECT_EQ(sorted.first_bad, -1);
    }
  }
}

TEST_P(DispatchTwin, ValidRowsInOrderAreAStableSort) {
  for (const int top_k : {1, 2, 6, 8}) {
    const moe::Routing routing = RoutingOf(GetParam(), 700, top_k, 96);
    std::vector<std::int32_t> rows;
    for (const std::int32_t pair : SortLikeTheDevice(routing, 16).map.row_src) {
      if (pair >= 0) rows.push_back(pair);
    }
    EXPECT_EQ(rows, RowsByStableSort(routing)) << top_k;
  }
}

// Rows never exceed what the host allocates for them, and an adversarial routing reaches it.
TEST(DispatchTwinTest, RowsMaxIsABoundAndIsReached) {
  for (const int experts : {1, 8, 33, 256, 1024}) {
    for (const std::int64_t tokens : {1, 7, 16, 100, 1500}) {
      for (const char* workload : kWorkloads) {
        if (experts < 8) continue;
        const moe::Routing routing = RoutingOf(workload, tokens, 2, experts);
        const auto rows =
            static_cast<std::int64_t>(SortLikeTheDevice(routing, 16).map.row_src.size());
        EXPECT_LE(rows, moe::RowsMax(tokens, 2, experts, kRowAlignment));
      }
    }
  }
  moe::Routing routing{.tokens = 24, .top_k = 1, .experts = 8};
  for (int pair = 0; pair < 24; ++pair) {  // every expert one row, one expert the rest: 17
    routing.topk_idx.push_back(pair < 8 ? pair : 0);
    routing.topk_w.push_back(1.0f);
  }
  EXPECT_EQ(moe::RowsMax(24, 1, 8, kRowAlignment), 144);
  EXPECT_EQ(SortLikeTheDevice(routing, 16).map.row_src.size(), 144u);
}

// Group sizes at the edges of padding and of every tile.
TEST(DispatchTwinTest, GroupSizesAtTheEdges) {
  const int sizes[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
  const int experts = static_cast<int>(std::size(sizes));
  for (const int tile : {16, 32, 64, 128}) {
    moe::Routing routing{.top_k = 1, .experts = experts};
    for (int e = 0; e < experts; ++e) {
      for (int i = 0; i < sizes[e]; ++i) routing.topk_idx.push_back(e);
    }
    std::shuffle(routing.topk_idx.begin(), routing.topk_idx.end(), std::mt19937(3));
    routing.tokens = static_cast<std::int64_t>(routing.topk_idx.size());
    routing.topk_w.assign(routing.topk_idx.size(), 0.5f);
    const Sorted sorted = SortLikeTheDevice(routing, tile);
    EXPECT_EQ(sorted.map, moe::Dispatch(routing, kRowAlignment));
    ASSERT_EQ(sorted.groups.expert.size(), std::size(sizes) - 1);
    for (std::size_t g = 0; g < sorted.groups.expert.size(); ++g) {
      const int size = sizes[sorted.groups.expert[g]];
      EXPECT_EQ(sorted.groups.prefix[g + 1] - sorted.groups.prefix[g], (size - 1) / tile + 1);
    }
  }
}

TEST(DispatchTwinTest, AnIdOutOfRangeIsMaskedAndTheFirstIsNamed) {
  moe::Routing routing = RoutingOf("uniform", 600, 3, 16);
  moe::Routing masked = routing;
  for (const std::size_t pair : {1700u, 1023u, 1024u, 40u}) {
    routing.topk_idx[pair] = pair % 2 == 0 ? 16 : -2;
    masked.topk_idx[pair] = -1;
    masked.topk_w[pair] = 0;
  }
  const Sorted sorted = SortLikeTheDevice(routing, 32);
  EXPECT_EQ(sorted.first_bad, 40);
  EXPECT_EQ(sorted.map, moe::Dispatch(masked, kRowAlignment));
}

}  // namespace
}  // namespace moescope::cuda
