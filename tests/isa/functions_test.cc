#include "isa/functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/isa/exp_sweep.h"
#include "tests/support/random_floats.h"

namespace moescope::isa {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::uint32_t Bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// numerics.md, 6.
TEST(Functions, ExpTable) {
  struct Row {
    float x;
    Bf16 result;
  };
  for (const Row& row :
       {Row{0, 0x3F80}, Row{1, 0x402E}, Row{-1, 0x3EBC}, Row{0.5F, 0x3FD3}, Row{88, 0x7EF9},
        Row{88.5F, 0x7EF9}, Row{kInfinity, 0x7EF9}, Row{-88, 0x0042}, Row{-89, 0x0042},
        Row{-kInfinity, 0x0042}, Row{kNan, 0x7FC0}}) {
    EXPECT_EQ(ExpTable()[FloatToBf16(row.x)], row.result) << row.x;
    EXPECT_EQ(FloatToBf16(ExpClamped(row.x)), row.result) << row.x;
  }
  // The only bf16 inputs where one f32 ulp decides.
  EXPECT_EQ(Bits(Exp(Bf16ToFloat(Bf16{0x40DB}))), 0x446A8001U);
  EXPECT_EQ(ExpTable()[0x40DB], 0x446B);
  EXPECT_EQ(Bits(Exp(Bf16ToFloat(Bf16{0xBE66}))), 0x3F4C8001U);
  EXPECT_EQ(ExpTable()[0xBE66], 0x3F4D);
}

TEST(Functions, ReciprocalAndSquareRootTables) {
  EXPECT_EQ(Reciprocal(FloatToBf16(3)), 0x3EAB);
  EXPECT_EQ(Reciprocal(FloatToBf16(7)), 0x3E12);
  EXPECT_EQ(Reciprocal(0x0000), 0x7F80);
  EXPECT_EQ(Reciprocal(0x8000), 0xFF80);
  EXPECT_EQ(Reciprocal(0x3DCD), 0x4120);
  EXPECT_EQ(Reciprocal(0x7F7F), 0x0020);
  EXPECT_EQ(Reciprocal(0x006D), 0x7E96);
  EXPECT_EQ(Reciprocal(0xFF81), 0x7FC0);
  EXPECT_EQ(SquareRoot(FloatToBf16(2)), 0x3FB5);
  EXPECT_EQ(SquareRoot(FloatToBf16(3)), 0x3FDE);
  EXPECT_EQ(SquareRoot(0x3DCD), 0x3EA2);
  EXPECT_EQ(SquareRoot(0x8000), 0x8000);
  EXPECT_EQ(SquareRoot(FloatToBf16(-1)), 0x7FC0);
  EXPECT_EQ(SquareRoot(kBf16Infinity), kBf16Infinity);
  EXPECT_EQ(SquareRoot(kBf16NegativeInfinity), 0x7FC0);
}

TEST(Functions, UnclampedExpReachesBothEnds) {
  EXPECT_EQ(Exp(-kInfinity), 0.0F);
  EXPECT_EQ(Exp(-104.5F), 0.0F);
  EXPECT_EQ(Bits(Exp(-103.5F)), 1U);
  EXPECT_EQ(Exp(88.75F), kInfinity);
  EXPECT_EQ(Exp(0x1p-28F), 1.0F);
  EXPECT_EQ(Exp(-0x1p-28F), 1.0F);
  EXPECT_TRUE(std::isnan(Exp(kNan)));
  EXPECT_TRUE(std::isnan(ExpClamped(kNan)));
}

// Every bf16 input against 50-digit arithmetic.
TEST(Functions, ExpOfEveryBf16IsCorrectlyRounded) {
  for (std::uint32_t code = 0; code <= 0xFFFF; ++code) {
    const float x = Bf16ToFloat(static_cast<Bf16>(code));
    if (std::isnan(x)) {
      EXPECT_EQ(ExpTable()[code], kBf16Nan);
      continue;
    }
    const float clamped = std::fmin(std::fmax(x, -88.0F), 88.0F);
    const float result = ExpClamped(x);
    ASSERT_TRUE(std::fabs(clamped) == 88.0F && std::fabs(x) > 88.0F
                    ? Bits(result) == Bits(Exp(clamped))
                    : ExpIsCorrectSlowly(clamped, result))
        << code;
    ASSERT_EQ(ExpTable()[code], FloatToBf16(result));
  }
}

using Wide = boost::multiprecision::cpp_bin_float_50;

// The f32 nearest to a positive real number: double arithmetic proposes, wide arithmetic disposes.
// `less(m)`: m is less than the number; exact for f32 midpoints m. Ties do not occur.
TEST(Functions, ReciprocalOfEveryBf16) {
  for (std::uint32_t code = 1; code < kBf16Infinity; ++code) {
    const float x = Bf16ToFloat(static_cast<Bf16>(code));
    const auto proposed = static_cast<float>(1.0 / static_cast<double>(x));
    ASSERT_TRUE(IsNearestPositive(proposed, [&](double m) { return Wide(m) * x < 1; })) << code;
    ASSERT_EQ(ReciprocalTable()[code], FloatToBf16(proposed)) << code;
    ASSERT_EQ(ReciprocalTable()[code | 0x8000], FloatToBf16(-proposed)) << code;
  }
}

TEST(Functions, SquareRootOfEveryBf16) {
  for (std::uint32_t code = 1; code < kBf16Infinity; ++code) {
    const float x = Bf16ToFloat(static_cast<Bf16>(code));
    const auto proposed = static_cast<float>(std::sqrt(static_cast<double>(x)));
    ASSERT_TRUE(IsNearestPositive(proposed, [&](double m) { return Wide(m) * m < x; })) << code;
    ASSERT_EQ(SquareRootTable()[code], FloatToBf16(proposed)) << code;
    ASSERT_EQ(SquareRootTable()[code | 0x8000], kBf16Nan) << code;
  }
}

TEST(Functions, ExpOfAStrideOfF32) { EXPECT_EQ(SweepExp(257), 2187552U); }

// numerics.md, 7.
TEST(TreeSum, OrderOfTheExamples) {
  std::vector<float> first = {0x1p24F, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(TreeSum(first), 16777222.0F);
  std::vector<float> second = {1, 0x1p24F, 1, -0x1p24F};
  EXPECT_EQ(TreeSum(second), 1.0F);
  // An odd last element joins one level later: (a + b) + c, not a + (b + c).
  std::vector<float> odd = {1, 0x1p24F, -0x1p24F};
  EXPECT_EQ(TreeSum(odd), 0.0F);
  std::vector<float> five = {1, 2, 4, 8, 0x1p-20F};
  EXPECT_EQ(TreeSum(five), 15.0F + 0x1p-20F);
  EXPECT_EQ(TreeSum({}), 0.0F);
  std::vector<float> one = {-0.0F};
  EXPECT_TRUE(std::signbit(TreeSum(one)));
}

// One level at a time into a new vector, every sum forced to f32.
float TreeSumByLevels(std::vector<float> level) {
  while (level.size() > 1) {
    std::vector<float> next;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2) {
      const volatile float sum = level[i] + level[i + 1];
      const float stored = sum;
      next.push_back(stored);
    }
    if (level.size() % 2 == 1) next.push_back(level.back());
    level = std::move(next);
  }
  return level[0];
}

TEST(TreeSum, EveryLengthBitForBit) {
  test::RandomFloats random(6);
  for (std::size_t length = 1; length <= 300; ++length) {
    std::vector<float> values(length);
    for (float& value : values) {
      value = random.Near(-10, 20);
    }
    const float expected = TreeSumByLevels(values);
    EXPECT_EQ(Bits(TreeSum(values)), Bits(expected)) << length;
  }
}

}  // namespace
}  // namespace moescope::isa
