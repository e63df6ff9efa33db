#include "isa/top_k.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace moescope::isa {
namespace {

using ::testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<std::uint32_t> Select(const std::vector<float>& logits, std::size_t k) {
  std::vector<std::uint32_t> indices(k);
  SelectTopK(logits, indices);
  return indices;
}

std::vector<Bf16> Weights(const std::vector<float>& logits, std::size_t k) {
  std::vector<Bf16> weights(k);
  TopKWeights(logits, Select(logits, k), weights);
  return weights;
}

// isa.md, 5.3.
TEST(TopK, WorkedExample) {
  std::vector<float> logits(32, -1.0F);
  logits[3] = logits[7] = 4;
  logits[9] = 2;
  logits[0] = 1;
  EXPECT_THAT(Select(logits, 4), ElementsAre(3, 7, 9, 0));
  EXPECT_THAT(Weights(logits, 4), ElementsAre(0x3EEA, 0x3EEA, 0x3D7E, 0x3CBB));
}

// The order of the whole project (moe.md): NaN last, zeros equal, ties to the lower index.
TEST(TopK, TotalOrder) {
  EXPECT_THAT(Select({1, kNan, 2, -0.0F, 2, 0.0F, -1, 2}, 8), ElementsAre(2, 4, 7, 0, 3, 5, 6, 1));
  EXPECT_THAT(Select({kNan, -kInfinity, kNan}, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(Select({kInfinity, std::numeric_limits<float>::max(), kInfinity}, 2),
              ElementsAre(0, 2));
  EXPECT_EQ(TopKKey(-0.0F), TopKKey(0.0F));
  EXPECT_EQ(TopKKey(-kNan), TopKKey(-kInfinity));
  EXPECT_LT(TopKKey(-1.0F), TopKKey(-0x1p-149F));
  EXPECT_LT(TopKKey(-0x1p-149F), TopKKey(0.0F));
  EXPECT_LT(TopKKey(0.0F), TopKKey(0x1p-149F));
}

TEST(TopK, EqualsAStableSort) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<float> logits(1 + random() % 300);
    for (float& logit : logits) logit = static_cast<float>(random() % 40) - 20.0F;
    std::vector<std::uint32_t> order(logits.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return logits[a] > logits[b]; });
    order.resize(1 + random() % logits.size());
    ASSERT_EQ(Select(logits, order.size()), order);
  }
}

TEST(TopK, WeightsWithoutAFiniteSumAreZero) {
  EXPECT_THAT(Weights({kNan, kNan, kNan}, 2), ElementsAre(0, 0));
  EXPECT_THAT(Weights({kInfinity, 1, 2}, 2), ElementsAre(0, 0));
  EXPECT_THAT(Weights({-kInfinity, -kInfinity}, 1), ElementsAre(0));
  EXPECT_THAT(Weights({5, kNan}, 2), ElementsAre(0x3F80, 0));
  EXPECT_THAT(Weights({-200, 0}, 2), ElementsAre(0x3F80, 0));
}

// The sum runs from the largest term on: here 1 + 2^-24 is 1 every time, whereas the small terms
// added first would have counted.
TEST(TopK, SumsInRankOrder) {
  constexpr std::size_t kSmall = 64;
  std::vector<float> logits(kSmall + 1, -16.7F);  // exp(-16.7) = 0.93 * 2^-24
  logits[0] = 0;
  std::vector<std::uint32_t> indices = Select(logits, logits.size());
  std::vector<Bf16> weights(indices.size());
  TopKWeights(logits, indices, weights);
  EXPECT_EQ(weights[0], kBf16One);
  EXPECT_EQ(weights[1], FloatToBf16(static_cast<float>(std::exp(-16.7F * 1.0))));
}

}  // namespace
}  // namespace moescope::isa
