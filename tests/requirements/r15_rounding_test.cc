// R15: values half way between two codes go to the even one, and for denormal inputs every
// discarded bit takes part in the rounding.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "isa/bfloat16.h"
#include "isa/element.h"
#include "isa/format_text.h"
#include "isa/mx_block.h"

namespace moescope::isa {
namespace {

constexpr auto kOcp = Convention::kOcp;

// The published example: -0.625 at block scale 0.5 is -1.25, between the E2M1 values -1.0 and -1.5.
TEST(R15_Rounding, HalfWayInABlockGoesToTheEvenCode) {
  const ElementRules e2m1 = RulesFor(kE2M1, kOcp);
  const std::vector<float> values = {-0.625F, 2.0F, 0.625F, 0.875F};
  std::vector<std::uint8_t> codes(values.size());
  const std::uint8_t scale = EncodeBlock(e2m1, ScaleRule::kFloor, values, codes);
  ASSERT_EQ(DecodeScale(kOcp, scale), 0.5F);
  EXPECT_EQ(DecodeElement(e2m1, codes[0]), -1.0F);
  EXPECT_EQ(DecodeElement(e2m1, codes[2]), 1.0F);
  EXPECT_EQ(DecodeElement(e2m1, codes[3]), 2.0F);  // 1.75, between 1.5 (odd) and 2 (even)
}

TEST(R15_Rounding, EveryHalfWayValueOfEveryType) {
  for (ElementType type : {kE4M3, kE5M2, kE3M2, kE2M3, kE2M1, kInt8, kFp16, kBf16}) {
    const ElementRules rules = RulesFor(type, kOcp);
    for (std::uint32_t code = 0; code < rules.largest; ++code) {
      const double low = DecodeElement(rules, code);
      const double high = DecodeElement(rules, code + 1);
      const auto middle = static_cast<float>((low + high) / 2);
      const auto encode = [&](float x) { return EncodeNearest(rules, Overflow::kSaturate, x); };
      ASSERT_EQ(encode(middle), code % 2 == 0 ? code : code + 1) << ElementTypeName(type);
      ASSERT_EQ(encode(std::nextafter(middle, 0.0F)), code) << ElementTypeName(type);
      ASSERT_EQ(encode(std::nextafter(middle, INFINITY)), code + 1) << ElementTypeName(type);
    }
  }
}

// The results below are subnormal codes, so most bits of the input are discarded; one of them, the
// last, decides.
TEST(R15_Rounding, TheLastDiscardedBitDecides) {
  for (ElementType type : {kE4M3, kE5M2, kE3M2, kE2M3, kE2M1, kFp16}) {
    const ElementRules rules = RulesFor(type, kOcp);
    const float half_step = rules.subnormal_step / 2;
    const auto encode = [&](float x) { return EncodeNearest(rules, Overflow::kSaturate, x); };
    EXPECT_EQ(encode(half_step), 0U);
    EXPECT_EQ(encode(std::nextafter(half_step, 1.0F)), 1U);
    EXPECT_EQ(encode(3 * half_step), 2U);
    EXPECT_EQ(encode(std::nextafter(3 * half_step, 0.0F)), 1U);
  }
}

// f32 subnormals are neither flushed nor cut: 2^-149 tips a block of subnormal inputs.
TEST(R15_Rounding, SubnormalF32InputsKeepEveryBit) {
  const ElementRules e4m3 = RulesFor(kE4M3, kOcp);
  // Scale 2^-127: 2^-130 is 0.125 = code 0x20, whose neighbour is 0.140625.
  const float half_way = 0x1p-130F + 0x1p-134F;
  const std::vector<float> values = {half_way, half_way + 0x1p-149F, half_way - 0x1p-149F};
  std::vector<std::uint8_t> codes(values.size());
  EXPECT_EQ(EncodeBlock(e4m3, ScaleRule::kFloor, values, codes), 0);
  EXPECT_EQ(codes, (std::vector<std::uint8_t>{0x20, 0x21, 0x20}));
  EXPECT_EQ(FloatToBf16(0x1.02p-127F), 0x0040);  // a tie
  EXPECT_EQ(FloatToBf16(0x1.02p-127F + 0x1p-149F), 0x0041);
}

}  // namespace
}  // namespace moescope::isa
