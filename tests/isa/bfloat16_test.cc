#include "isa/bfloat16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "isa/element.h"
#include "tests/isa/bf16_sweep.h"

namespace moescope::isa {
namespace {

struct Rounding {
  std::uint32_t f32;
  Bf16 bf16;
};

// numerics.md, 2.
constexpr Rounding kTable[] = {
    {0x3F808000, 0x3F80}, {0x3F808001, 0x3F81}, {0x3F818000, 0x3F82}, {0x7F800001, 0x7FC0},
    {0x7F7F7FFF, 0x7F7F}, {0x7F7F8000, 0x7F80}, {0x007FFFFF, 0x0080}, {0x7FFFFFFF, 0x7FC0},
    {0x00008000, 0x0000}, {0x00018000, 0x0002}, {0x80000001, 0x8000}, {0xFFC00000, 0x7FC0},
};

TEST(Bfloat16, RoundsAsTheTableSays) {
  for (const Rounding& row : kTable) {
    EXPECT_EQ(FloatToBf16(std::bit_cast<float>(row.f32)), row.bf16) << std::hex << row.f32;
  }
  static_assert(FloatToBf16(1.0F) == kBf16One);
}

TEST(Bfloat16, EveryCodeSurvivesTheWayThroughF32) {
  for (std::uint32_t code = 0; code <= 0xFFFF; ++code) {
    const auto bits = static_cast<Bf16>(code);
    const Bf16 expected = Bf16IsNan(bits) ? kBf16Nan : bits;
    ASSERT_EQ(FloatToBf16(Bf16ToFloat(bits)), expected) << std::hex << code;
    ASSERT_EQ(Bf16IsNan(bits), std::isnan(Bf16ToFloat(bits)));
  }
}

TEST(Bfloat16, MovingToF32KeepsThePayloadOfANan) {
  EXPECT_EQ(std::bit_cast<std::uint32_t>(Bf16ToFloat(Bf16{0xFFA5})), 0xFFA50000U);
}

TEST(Bfloat16, StrideOfAllF32) {
  // A prime, so that every pattern of low bits comes up.
  EXPECT_EQ(SweepBf16(4099), 1047809U);
}

TEST(Bfloat16, SpansConvertLaneByLane) {
  const std::vector<float> values = {1.0F, -2.5F, 0.0F, -0.0F, 3.0e38F};
  std::vector<Bf16> bits(values.size());
  FloatToBf16(std::span<const float>(values), bits);
  std::vector<float> back(values.size());
  Bf16ToFloat(std::span<const Bf16>(bits), back);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(bits[i], FloatToBf16(values[i]));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(back[i]), bits[i] * 65536U);
  }
}

// numerics.md, 8: the fp16 image.
TEST(Fp16Image, RoundsThroughF32ToBf16) {
  EXPECT_EQ(FloatToFp16(65504.0F), 0x7BFF);
  EXPECT_EQ(Fp16ToFloat(0x7BFF), 65504.0F);
  EXPECT_EQ(FloatToBf16(Fp16ToFloat(0x7BFF)), 0x4780);
  EXPECT_EQ(Fp16ToFloat(FloatToFp16(-1.702F)), -1.7021484375F);
  EXPECT_EQ(FloatToBf16(Fp16ToFloat(FloatToFp16(-1.702F))), 0xBFDA);
  EXPECT_EQ(Bf16ToFloat(Bf16{0xBFDA}), -1.703125F);
}

TEST(Fp16Image, IsIeee) {
  EXPECT_EQ(Fp16ToFloat(0x0001), 0x1p-24F);
  EXPECT_EQ(Fp16ToFloat(0x83FF), -0x3FFp-24F);
  EXPECT_EQ(Fp16ToFloat(0x0400), 0x1p-14F);
  EXPECT_EQ(Fp16ToFloat(0xFC00), -INFINITY);
  EXPECT_TRUE(std::isnan(Fp16ToFloat(0x7C01)));
  EXPECT_EQ(FloatToFp16(65519.996F), 0x7BFF);
  EXPECT_EQ(FloatToFp16(65520.0F), 0x7C00);
  EXPECT_EQ(FloatToFp16(-INFINITY), 0xFC00);
  EXPECT_EQ(FloatToFp16(NAN), 0x7E00);
  EXPECT_EQ(FloatToFp16(0x1p-25F), 0x0000);
  EXPECT_EQ(FloatToFp16(0x1.8p-24F), 0x0002);
}

}  // namespace
}  // namespace moescope::isa
