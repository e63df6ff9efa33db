// The selection of the router kernel, on the host: 64-bit keys of cuda/device/order_key.h and K
// rounds of maximum must give the ids of the CPU router and of a stable sort.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "cuda/device/order_key.h"
#include "moe/reference/router.h"
#include "moe/seeded_layer.h"

namespace moescope::cuda {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Canonical as in the kernel: NaN as -infinity, then + 0 turns -0 into +0.
std::uint32_t Ordered(float key) {
  const float canonical = (std::isnan(key) ? -kInfinity : key) + 0.0f;
  return device::OrderedBits(std::bit_cast<std::uint32_t>(canonical));
}

// K rounds: the maximum over all keys, then its key becomes 0. Lanes of a warp see every 32nd key
// first; the maximum does not depend on that order.
std::vector<std::int32_t> TakeBest(std::vector<std::uint32_t> keys, int top_k) {
  std::vector<std::int32_t> taken;
  for (int k = 0; k < top_k; ++k) {
    std::uint64_t best = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t i = lane; i < keys.size(); i += 32) {
        best = std::max(best, device::RankKey(keys[i], static_cast<std::uint32_t>(i)));
      }
    }
    const std::uint32_t index = device::IndexOf(best);
    keys[index] = 0;
    taken.push_back(static_cast<std::int32_t>(index));
  }
  return taken;
}

std::vector<std::int32_t> TopK(const std::vector<float>& logits, int top_k) {
  std::vector<std::uint32_t> keys;
  for (const float logit : logits) keys.push_back(Ordered(logit));
  return TakeBest(std::move(keys), top_k);
}

// The oracle: a stable sort by value, larger first, with NaN as -infinity.
std::vector<std::int32_t> BySort(const std::vector<float>& logits, int top_k) {
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](std::int32_t e) {
    const float logit = logits[static_cast<std::size_t>(e)];
    return std::isnan(logit) ? -kInfinity : logit;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return value(a) > value(b); });
  order.resize(static_cast<std::size_t>(top_k));
  return order;
}

// The worked example of moe.md, 3.2.
TEST(TopKTwinTest, TotalOrder) {
  EXPECT_EQ(TopK({1, kNan, 2, -0.0f, 2, 0.0f, -1, 2}, 8),
            (std::vector<std::int32_t>{2, 4, 7, 0, 3, 5, 6, 1}));
}

TEST(TopKTwinTest, KeysAreMonotone) {
  const float ascending[] = {-kInfinity, -std::numeric_limits<float>::max(),
                             -2.0f,      -1.0f,
                             -0x1p-126f, -0x1p-149f,
                             0.0f,       0x1p-149f,
                             0x1p-126f,  1.0f,
                             2.0f,       std::numeric_limits<float>::max(),
                             kInfinity};
  for (std::size_t i = 1; i < std::size(ascending); ++i) {
    EXPECT_LT(Ordered(ascending[i - 1]), Ordered(ascending[i])) << ascending[i];
  }
  EXPECT_EQ(Ordered(-0.0f), Ordered(0.0f));
  EXPECT_EQ(Ordered(kNan), Ordered(-kInfinity));
  EXPECT_EQ(Ordered(-kInfinity), device::kMinusInfinityKey);
  EXPECT_GT(device::kMinusInfinityKey, 0u);  // 0 marks a taken expert
}

// Every pair of neighbouring binary32 numbers around random points is ordered.
TEST(TopKTwinTest, NeighboursAreOrdered) {
  std::mt19937 random(11);
  for (int i = 0; i < 200000; ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(x) || std::isinf(x)) continue;
    const float next = std::nextafter(x, kInfinity);
    if (x == next) continue;
    ASSERT_LT(Ordered(x), Ordered(next)) << std::hexfloat << x;
  }
}

TEST(TopKTwinTest, IndexSurvivesTheKey) {
  for (const std::uint32_t index : {0u, 1u, 31u, 32u, 1023u, 65534u}) {
    for (const std::uint32_t ordered : {0u, 1u, device::kMinusInfinityKey, 0xFFFFFFFFu}) {
      EXPECT_EQ(device::IndexOf(device::RankKey(ordered, index)), index);
    }
  }
  EXPECT_GT(device::RankKey(5, 3), device::RankKey(5, 4));  // equal keys: the lower index
  EXPECT_GT(device::RankKey(6, 900), device::RankKey(5, 0));
}

std::vector<float> RandomLogits(std::mt19937& random, int experts, bool coarse) {
  std::normal_distribution<float> normal;
  std::vector<float> logits;
  for (int e = 0; e < experts; ++e) {
    const float x = normal(random);
    logits.push_back(coarse ? std::round(x) : x);  // coarse: many ties
    const auto kind = random() % 50;
    if (kind == 0) logits.back() = kNan;
    if (kind == 1) logits.back() = -kInfinity;
    if (kind == 2) logits.back() = -0.0f;
    if (kind == 3) logits.back() = kInfinity;
  }
  return logits;
}

TEST(TopKTwinTest, EqualsAStableSort) {
  std::mt19937 random(2);
  for (const int experts : {1, 2, 31, 32, 33, 60, 128, 256, 384, 512, 1024}) {
    for (const int top_k : {1, 2, 4, 6, 8, 10, 32}) {
      if (top_k > experts) continue;
      for (int round = 0; round < 20; ++round) {
        const auto logits = RandomLogits(random, experts, round % 2 == 0);
        ASSERT_EQ(TopK(logits, top_k), BySort(logits, top_k)) << experts << " " << top_k;
      }
    }
  }
}

// Fewer than K experts are finite: -infinity is taken in index order, never an expert twice.
TEST(TopKTwinTest, ExhaustedKeysStayDistinct) {
  std::vector<float> logits(40, -kInfinity);
  logits[17] = 1.0f;
  const auto taken = TopK(logits, 32);
  EXPECT_EQ(taken.front(), 17);
  for (std::size_t k = 1; k < taken.size(); ++k) {
    EXPECT_EQ(taken[k], static_cast<std::int32_t>(k <= 17 ? k - 1 : k));
  }
}

// The CPU router chooses the same experts from the same logits, in every mode that selects on them.
TEST(TopKTwinTest, EqualsTheRouterOfTheReference) {
  std::mt19937 random(4);
  for (const auto mode : {moe::RouterMode::kSoftmaxTopk, moe::RouterMode::kSoftmaxAll}) {
    for (const int experts : {8, 60, 256}) {
      const int top_k = 6;
      moe::Layer layer{.shape = {64, 16, experts, top_k},
                       .router = {.mode = mode},
                       .weighting = moe::Weighting::kPre,
                       .weights = moe::WeightFormat::kBf16};
      moe::F32Matrix logits(30, experts);
      for (std::int64_t t = 0; t < logits.rows; ++t) {
        const auto row = RandomLogits(random, experts, t % 2 == 0);
        std::copy(row.begin(), row.end(), logits.Row(t).begin());
      }
      const auto routed = moe::reference::RouteLogits(layer, moe::SeededTensors(layer, 1), logits);
      for (std::int64_t t = 0; t < logits.rows; ++t) {
        const auto row = logits.Row(t);
        const auto twin = TopK({row.begin(), row.end()}, top_k);
        const auto first = routed.routing.topk_idx.begin() + t * top_k;
        EXPECT_EQ(twin, std::vector<std::int32_t>(first, first + top_k)) << "token " << t;
      }
    }
  }
}

// Group selection: the sum of the two best of each group, the best groups, -infinity elsewhere.
std::vector<std::int32_t> GroupedTopK(const std::vector<float>& keys, int groups, int kept,
                                      int top_k) {
  const std::size_t size = keys.size() / static_cast<std::size_t>(groups);
  std::vector<std::uint32_t> group_keys;
  for (std::size_t g = 0; g < static_cast<std::size_t>(groups); ++g) {
    std::vector<float> members(keys.begin() + static_cast<std::ptrdiff_t>(g * size),
                               keys.begin() + static_cast<std::ptrdiff_t>((g + 1) * size));
    std::sort(members.begin(), members.end(), std::greater<>());
    group_keys.push_back(Ordered(size > 1 ? members[0] + members[1] : members[0]));
  }
  const auto best = TakeBest(group_keys, kept);
  std::vector<std::uint32_t> ordered;
  for (std::size_t e = 0; e < keys.size(); ++e) {
    const auto group = static_cast<std::int32_t>(e / size);
    const bool inside = std::find(best.begin(), best.end(), group) != best.end();
    ordered.push_back(inside ? Ordered(keys[e]) : device::kMinusInfinityKey);
  }
  return TakeBest(ordered, top_k);
}

// The worked example of moe.md, 3.3: group sums 1.10 and 1.15.
TEST(TopKTwinTest, GroupsOfTheDocument) {
  EXPECT_EQ(GroupedTopK({.9f, .1f, .2f, .8f - 1.0f, .5f, .6f, .55f, .1f}, 2, 1, 3),
            (std::vector<std::int32_t>{5, 6, 4}));
}

TEST(TopKTwinTest, GroupsEqualTheRouterOfTheReference) {
  std::mt19937 random(9);
  std::normal_distribution<float> normal;
  const struct {
    int experts, groups, kept, top_k;
  } cases[] = {{32, 8, 4, 4}, {64, 64, 32, 8}, {256, 8, 4, 8}, {160, 8, 3, 6}, {16, 1, 1, 4}};
  for (const auto& c : cases) {
    moe::Layer layer{.shape = {64, 16, c.experts, c.top_k},
                     .router = {.mode = moe::RouterMode::kSigmoidGroup,
                                .norm = true,
                                .groups = c.groups,
                                .topk_group = c.kept},
                     .weighting = moe::Weighting::kPre,
                     .weights = moe::WeightFormat::kBf16};
    moe::F32Matrix logits(40, c.experts);
    for (float& logit : logits.values) logit = normal(random);
    const auto routed = moe::reference::RouteLogits(layer, moe::SeededTensors(layer, 1), logits);
    for (std::int64_t t = 0; t < logits.rows; ++t) {
      const auto scores = routed.scores.Row(t);
      const auto twin = GroupedTopK({scores.begin(), scores.end()}, c.groups, c.kept, c.top_k);
      const auto first = routed.routing.topk_idx.begin() + t * c.top_k;
      EXPECT_EQ(twin, std::vector<std::int32_t>(first, first + c.top_k))
          << c.experts << " experts, token " << t;
    }
  }
}

}  // namespace
}  // namespace moescope::cuda
