#include "moe/reference/bf16_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "moe/generator.h"

// The single operations of profile `stepwise`, against their definition and closed forms.

namespace moescope::moe::reference {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::uint16_t Bits(float value) { return isa::FloatToBf16(value); }
float Draw(std::uint64_t i, float sigma = 4.0f) {
  return Bf(sigma * Normal(77, Stream::kHidden, i));
}

TEST(Bf16StepsTest, EveryOperationRoundsOnce) {
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const float a = Draw(2 * i);
    const float b = Draw(2 * i + 1);
    EXPECT_EQ(Bits(Add(a, b)), Bits(a + b));
    EXPECT_EQ(Bits(Subtract(a, b)), Bits(a - b));
    EXPECT_EQ(Bits(Multiply(a, b)), Bits(a * b));
    EXPECT_EQ(Add(a, b), Bf(Add(a, b)));
    if (a != 0) {
      EXPECT_EQ(Bits(Reciprocal(a)), Bits(1 / a));
    }
    EXPECT_EQ(Bits(SquareRoot(a * a)), Bits(std::sqrt(a * a)));
  }
}

TEST(Bf16StepsTest, TiesGoToTheEvenNeighbour) {
  EXPECT_EQ(Bits(Add(256.0f, 1.0f)), Bits(256.0f));  // 257 lies between 256 and 258
  EXPECT_EQ(Bits(Add(258.0f, 1.0f)), Bits(260.0f));  // 259 between 258 and 260
  EXPECT_EQ(Bits(Add(256.0f, 3.0f)), Bits(260.0f));
}

TEST(Bf16StepsTest, ExponentialClampsItsArgument) {
  const std::uint16_t largest = Bits(isa::Exp(88.0f));
  EXPECT_EQ(Bits(Exponential(88.0f)), largest);
  EXPECT_EQ(Bits(Exponential(89.0f)), largest);
  EXPECT_EQ(Bits(Exponential(kInfinity)), largest);
  EXPECT_EQ(Bits(Exponential(-kInfinity)), Bits(isa::Exp(-88.0f)));
  EXPECT_NE(Bits(Exponential(-88.0f)), 0);
  EXPECT_TRUE(std::isnan(Exponential(NAN)));
  EXPECT_EQ(Exponential(0.0f), 1.0f);
}

TEST(Bf16StepsTest, SigmoidIsFourRoundedSteps) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    const float x = Draw(i);
    const float negated = Bf(0.0f - x);
    const float e = Bf(isa::Exp(negated));
    EXPECT_EQ(SigmoidSteps(x), Bf(1 / Bf(e + 1)));
    EXPECT_NEAR(SigmoidSteps(x), 1 / (1 + std::exp(-x)), 0.01);
  }
  EXPECT_EQ(SigmoidSteps(0.0f), 0.5f);
  EXPECT_EQ(SigmoidSteps(kInfinity), 1.0f);
}

TEST(Bf16StepsTest, LimitsPropagateNanAndKeepEqualOperands) {
  EXPECT_EQ(Minimum(3.0f, 7.0f), 3.0f);
  EXPECT_EQ(Minimum(9.0f, 7.0f), 7.0f);
  EXPECT_EQ(Maximum(-9.0f, -7.0f), -7.0f);
  EXPECT_EQ(Maximum(3.0f, -7.0f), 3.0f);
  EXPECT_TRUE(std::isnan(Minimum(NAN, 7.0f)));
  EXPECT_TRUE(std::isnan(Maximum(NAN, 7.0f)));
  EXPECT_TRUE(std::signbit(Minimum(-0.0f, 0.0f)));  // not strictly smaller: the operand stays
  EXPECT_TRUE(std::signbit(Maximum(-0.0f, 0.0f)));
}

TEST(PairwiseSumTest, IsATreeOfNeighbours) {
  EXPECT_EQ(PairwiseSum({}), 0.0f);
  EXPECT_EQ(PairwiseSum({3.0f}), 3.0f);
  EXPECT_EQ(PairwiseSum({1.0f, 2.0f, 4.0f}), 7.0f);
  // (2^24 + 1) + (1 + 1): the neighbours' sum survives, a chain would lose every one.
  EXPECT_EQ(PairwiseSum({16777216.0f, 1.0f, 1.0f, 1.0f}), 16777218.0f);
  EXPECT_EQ(((16777216.0f + 1.0f) + 1.0f) + 1.0f, 16777216.0f);
}

// A recursive tree over powers of two is the second implementation.
float Tree(const std::vector<float>& values, std::size_t first, std::size_t count) {
  if (count == 1) return values[first];
  return Tree(values, first, count / 2) + Tree(values, first + count / 2, count / 2);
}

TEST(PairwiseSumTest, AgreesWithRecursion) {
  for (const std::size_t count : {1u, 2u, 4u, 8u, 16u, 64u, 256u}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<float> values;
      for (std::size_t i = 0; i < count; ++i) values.push_back(Draw(seed * 1000 + i, 1e3f));
      EXPECT_EQ(PairwiseSum(values), Tree(values, 0, count));
    }
  }
}

TEST(DotStepsTest, RoundsProductsBlocksAndTheRunningSum) {
  std::vector<float> a;
  std::vector<float> b;
  for (std::uint64_t i = 0; i < 40; ++i) {
    a.push_back(Draw(i));
    b.push_back(Draw(i + 100));
  }
  for (const std::size_t lanes : {4u, 8u, 16u, 64u}) {
    float sum = 0;
    for (std::size_t first = 0; first < 40; first += lanes) {
      std::vector<float> products;
      for (std::size_t i = first; i < std::min<std::size_t>(first + lanes, 40); ++i) {
        products.push_back(Bf(a[i] * b[i]));
      }
      sum = Bf(sum + PairwiseSum(products));
    }
    EXPECT_EQ(DotSteps(a, b, lanes), sum) << lanes;
  }
  EXPECT_EQ(DotSteps({}, {}, 8), 0.0f);
}

TEST(DotStepsTest, OneBlockOfOnesCounts) {
  const std::vector<float> ones(64, 1.0f);
  EXPECT_EQ(DotSteps(ones, ones, 64), 64.0f);
  // 300 ones in blocks of 4: the BF16 running sum sticks at 256, where 4 is still a full step of 2.
  const std::vector<float> many(300, 1.0f);
  EXPECT_EQ(DotSteps(many, many, 4), 300.0f);
  // In blocks of 1 every addition beyond 256 is a tie that goes back to 256.
  EXPECT_EQ(DotSteps(many, many, 1), 256.0f);
}

}  // namespace
}  // namespace moescope::moe::reference
