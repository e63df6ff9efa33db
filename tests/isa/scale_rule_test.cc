// The four scale rules (numerics.md, 4.2) at their thresholds and one f32 ulp either side, for all
// six element types, and everywhere else against their definitions.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "isa/bfloat16.h"
#include "isa/format_text.h"
#include "isa/mx_block.h"
#include "tests/isa/exact_model.h"
#include "tests/support/random_floats.h"

namespace moescope::isa {
namespace {

constexpr auto kOcp = Convention::kOcp;
constexpr ScaleRule kRules[] = {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kEven,
                                ScaleRule::kRceil};
constexpr float kLargest = std::numeric_limits<float>::max();

int Exponent(ElementType type, ScaleRule rule, float amax) {
  return ScaleExponent(RulesFor(type, kOcp), rule, amax);
}

// The f of the table where `up` starts, and whether that f itself counts.
struct Threshold {
  ElementType type;
  int emax;
  float even, rceil;
};

constexpr Threshold kThresholds[] = {
    {kE4M3, 8, 1.9375F, 1.75F},  {kE5M2, 15, 1.875F, 1.75F}, {kE3M2, 4, 1.875F, 1.75F},
    {kE2M3, 2, 1.9375F, 1.875F}, {kE2M1, 2, 1.75F, 1.5F},    {kInt8, 0, 1.9921875F, 1.984375F},
};

TEST(ScaleRule, ThresholdsAndOneUlpEitherSide) {
  int probes = 0;
  for (const Threshold& row : kThresholds) {
    // Also where amax is subnormal or scaled far away: the fraction alone decides.
    for (int power : {0, 1, -1, 40, -100, 100}) {
      const auto up = [&](ScaleRule rule, float f) {
        ++probes;
        return Exponent(row.type, rule, std::ldexp(f, power)) - (power - row.emax);
      };
      const auto below = [](float f) { return std::nextafter(f, 0.0F); };
      const auto above = [](float f) { return std::nextafter(f, 2.0F); };
      const float almost_two = below(2.0F);
      for (float f : {1.0F, above(1.0F), row.even, row.rceil, almost_two}) {
        EXPECT_EQ(up(ScaleRule::kFloor, f), 0);
      }
      EXPECT_EQ(up(ScaleRule::kCeil, below(1.0F)),
                0);  // one binade down, and rounded up from there
      EXPECT_EQ(up(ScaleRule::kCeil, 1.0F), 0);
      EXPECT_EQ(up(ScaleRule::kCeil, above(1.0F)), 1);
      EXPECT_EQ(up(ScaleRule::kCeil, almost_two), 1);
      EXPECT_EQ(up(ScaleRule::kEven, below(row.even)), 0);
      EXPECT_EQ(up(ScaleRule::kEven, row.even), 1);
      EXPECT_EQ(up(ScaleRule::kEven, above(row.even)), 1);
      EXPECT_EQ(up(ScaleRule::kRceil, below(row.rceil)), 0);
      EXPECT_EQ(up(ScaleRule::kRceil, row.rceil), 0);
      EXPECT_EQ(up(ScaleRule::kRceil, above(row.rceil)), 1);
    }
  }
  EXPECT_EQ(probes, 6 * 6 * 15);
}

TEST(ScaleRule, SubnormalAmaxCountsWithItsOwnExponent) {
  const ElementRules e2m1 = RulesFor(kE2M1, kOcp);
  EXPECT_EQ(ScaleExponent(e2m1, ScaleRule::kFloor, 0x1p-125F), -127);
  EXPECT_EQ(ScaleExponent(e2m1, ScaleRule::kFloor, 0x1p-126F), -127);  // -128, clamped
  EXPECT_EQ(ScaleExponent(e2m1, ScaleRule::kFloor, 0x1p-149F), -127);
  const ElementRules int8 = RulesFor(kInt8, kOcp);
  EXPECT_EQ(ScaleExponent(int8, ScaleRule::kFloor, 0x1.8p-127F), -127);
  EXPECT_EQ(ScaleExponent(int8, ScaleRule::kCeil, 0x1.8p-127F), -126);
  EXPECT_EQ(ScaleExponent(int8, ScaleRule::kCeil, 0x1p-126F), -126);
}

TEST(ScaleRule, ClampsAtBothEnds) {
  EXPECT_EQ(Exponent(kInt8, ScaleRule::kFloor, kLargest), 127);
  EXPECT_EQ(Exponent(kInt8, ScaleRule::kCeil, kLargest), 127);  // 128, clamped
  EXPECT_EQ(Exponent(kE4M3, ScaleRule::kCeil, kLargest), 120);
  EXPECT_EQ(Exponent(kE5M2, ScaleRule::kFloor, 0x1p-112F), -127);
  EXPECT_EQ(Exponent(kE5M2, ScaleRule::kFloor, 0x1p-113F), -127);
  EXPECT_EQ(Exponent(kE5M2, ScaleRule::kFloor, 0x1p-111F), -126);
}

// numerics.md, 4.2: amax = 150 in E4M3.
TEST(ScaleRule, WorkedExample) {
  EXPECT_EQ(Exponent(kE4M3, ScaleRule::kFloor, 150) + 127, 126);
  EXPECT_EQ(Exponent(kE4M3, ScaleRule::kCeil, 150) + 127, 127);
  EXPECT_EQ(Exponent(kE4M3, ScaleRule::kEven, 150) + 127, 126);
  EXPECT_EQ(Exponent(kE4M3, ScaleRule::kRceil, 150) + 127, 126);
}

std::vector<float> ManyAmax() {
  std::vector<float> inputs;
  for (std::uint32_t bits = 1; bits < kBf16Infinity; ++bits) {
    inputs.push_back(Bf16ToFloat(static_cast<Bf16>(bits)));
  }
  test::RandomFloats random(5);
  while (inputs.size() < 60000) {
    const float value = std::fabs(random.AnyBits());
    if (std::isfinite(value) && value > 0.0F) inputs.push_back(value);
  }
  return inputs;
}

TEST(ScaleRule, EqualsTheDefinitionForEveryType) {
  const std::vector<float> inputs = ManyAmax();
  std::vector<ElementType> types = model::AllFpElements(4, 8);
  types.push_back(kInt8);
  for (ElementType type : types) {
    const model::Table table = model::MakeTable(type, kOcp);
    const ElementRules rules = RulesFor(type, kOcp);
    for (ScaleRule rule : kRules) {
      for (float amax : inputs) {
        const int expected = std::clamp(model::ScaleExponent(table, rule, amax), -127, 127);
        ASSERT_EQ(ScaleExponent(rules, rule, amax), expected)
            << ElementTypeName(type) << " " << ScaleRuleName(rule) << " " << std::hexfloat << amax;
      }
    }
  }
}

// numerics.md, 4.2: the f32 quotient amax / max, rounded up to a power of two, is `rceil`, and with
// INT8 the product with a rounded reciprocal is not, one ulp above the limit.
TEST(ScaleRule, RceilIsTheRoundedUpQuotient) {
  const auto round_up = [](float quotient) {
    int exponent = 0;
    const float f = std::frexp(quotient, &exponent);
    return f == 0.5F ? exponent - 1 : exponent;
  };
  for (const Threshold& row : kThresholds) {
    const auto largest = static_cast<float>(model::MakeTable(row.type, kOcp).largest());
    test::RandomFloats random(9);
    for (int i = 0; i < 20000; ++i) {
      const float amax = std::fabs(random.Near(-50, 50));
      ASSERT_EQ(Exponent(row.type, ScaleRule::kRceil, amax), round_up(amax / largest));
    }
    const float above = std::nextafter(largest, 1e9F);
    EXPECT_EQ(Exponent(row.type, ScaleRule::kRceil, above), round_up(above / largest));
  }
  const float limit = 127.0F / 64;
  const float above = std::nextafter(limit, 2.0F);
  EXPECT_EQ(Exponent(kInt8, ScaleRule::kRceil, above), 1);
  EXPECT_EQ(round_up(above * (1.0F / limit)), 0);
}

}  // namespace
}  // namespace moescope::isa
