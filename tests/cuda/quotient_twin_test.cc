// The division of the activation, cuda/device/quotient.h, on the host: whatever a reciprocal that
// is at most 1 ulp off gives, the quotient must be the correctly rounded one. One exception is
// known: a denominator whose fraction bits are all ones needs the rounded reciprocal. The fast path
// of div.rn.f32 is the same sequence and correctly rounded, so the device has it there.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "cuda/device/quotient.h"
#include "isa/bfloat16.h"

namespace moescope::cuda {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The reciprocal is the correctly rounded one moved by `kUlps`. Like rcp.approx.f32, 1 / inf = 0.
template <int kUlps>
struct HostArithmetic {
  static float Magnitude(float a) { return std::fabs(a); }
  static float Multiply(float a, float b) { return a * b; }
  static float MultiplyAdd(float a, float b, float c) { return std::fma(a, b, c); }
  static float ReciprocalApproximate(float x) {
    const float exact = 1.0f / x;
    if (std::isnan(exact) || exact == 0.0f) return exact;
    return std::bit_cast<float>(std::bit_cast<std::int32_t>(exact) + kUlps);
  }
  static float ReciprocalOfNormal(float x) { return ReciprocalApproximate(x); }
};

void ExpectCorrect(float g, float d) {
  const auto expected = std::bit_cast<std::uint32_t>(g / d);
  const float low = device::Quotient<HostArithmetic<-1>>(g, d);
  const float exact = device::Quotient<HostArithmetic<0>>(g, d);
  const float high = device::Quotient<HostArithmetic<1>>(g, d);
  ASSERT_EQ(std::bit_cast<std::uint32_t>(exact), expected) << std::hexfloat << g << " / " << d;
  const bool all_ones = (std::bit_cast<std::uint32_t>(d) & 0x7FFFFFu) == 0x7FFFFFu;
  const bool beyond = std::fabs(g) > 0x1p100f;  // d is 1
  if (all_ones || beyond) return;
  ASSERT_EQ(std::bit_cast<std::uint32_t>(low), expected) << std::hexfloat << g << " / " << d;
  ASSERT_EQ(std::bit_cast<std::uint32_t>(high), expected) << std::hexfloat << g << " / " << d;
}

// Every finite BF16 gate with the denominators of swiglu and gpt_oss.
TEST(QuotientTwinTest, EveryGate) {
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const float g = isa::Bf16ToFloat(static_cast<std::uint16_t>(bits));
    if (!std::isfinite(g)) continue;
    for (const float slope : {1.0f, 1.702f}) {
      const float d = 1.0f + std::exp(-(slope * g));
      if (std::isinf(d)) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectCorrect(g, d));
    }
  }
}

// Units in the last place between two finite numbers of one sign.
std::int32_t Distance(float a, float b) {
  return std::abs(std::bit_cast<std::int32_t>(a) - std::bit_cast<std::int32_t>(b));
}

// Every BF16 gate of the quick path, with every denominator that an exp of up to 3 ulp error can
// give (gates below 2^-25 have 2): the correctly rounded quotient from the correctly rounded
// reciprocal, at most one neighbour away from one that is 1 ulp off. What the device's own
// reciprocals give is compared there, quotient_device_test.cc.
TEST(QuotientTwinTest, EveryQuickGate) {
  std::int64_t checked = 0;
  std::int64_t neighbours = 0;
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const float g = isa::Bf16ToFloat(static_cast<std::uint16_t>(bits));
    if (!(g >= device::kLowestQuickGate) || std::isinf(g)) continue;
    for (const float slope : {1.0f, 1.702f}) {
      const float e = std::exp(-(slope * g));
      for (int ulps = -3; ulps <= 3; ++ulps) {
        const float moved =
            std::bit_cast<float>(std::max(std::bit_cast<std::int32_t>(e) + ulps, 0));
        const float d = std::fabs(g) < 0x1p-25f ? 2.0f : 1.0f + moved;
        ASSERT_LE(d, 0x1p126f);
        const float expected = g / d;
        ASSERT_EQ(std::bit_cast<std::uint32_t>(device::QuickQuotient<HostArithmetic<0>>(g, d)),
                  std::bit_cast<std::uint32_t>(expected))
            << std::hexfloat << g << " / " << d;
        ++checked;
        if ((std::bit_cast<std::uint32_t>(d) & 0x7FFFFFu) == 0x7FFFFFu) continue;  // see above
        for (const float off : {device::QuickQuotient<HostArithmetic<-1>>(g, d),
                                device::QuickQuotient<HostArithmetic<1>>(g, d)}) {
          ASSERT_LE(Distance(off, expected), 1) << std::hexfloat << g << " / " << d;
          neighbours += Distance(off, expected);
        }
      }
    }
  }
  EXPECT_GT(checked, 600'000);
  EXPECT_LE(neighbours, 10);  // hardly any
}

// What the epilogue must notice: an infinite gate, and denominators beyond the reciprocals.
TEST(QuotientTwinTest, TheQuickPathEndsWhereItSaysSo) {
  EXPECT_EQ(isa::FloatToBf16(device::kLowestQuickGate), device::kLowestQuickGateBits);
  EXPECT_TRUE(std::isnan(device::QuickQuotient<HostArithmetic<0>>(kInfinity, 1.0f)));
  EXPECT_TRUE(std::isnan(device::QuickQuotient<HostArithmetic<0>>(-90.0f, kInfinity)));
  EXPECT_LT(1.0f + std::exp(1.702f * -device::kLowestQuickGate), 0x1p126f);
}

// Denominators that no exp gives, anywhere in [1, 2^64], and their neighbours.
TEST(QuotientTwinTest, RandomOperands) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> fraction(1.0f, 2.0f);
  for (int i = 0; i < 300000; ++i) {
    const float d = std::ldexp(fraction(random), static_cast<int>(random() % 64));
    const float g = std::ldexp(fraction(random), static_cast<int>(random() % 60) - 50);
    ASSERT_NO_FATAL_FAILURE(ExpectCorrect(i % 2 == 0 ? g : -g, d));
  }
}

// Denominators just above 1 and quotients near a power of two are where corrections go wrong.
TEST(QuotientTwinTest, NearPowersOfTwo) {
  float d = 1.0f;
  for (int i = 0; i < 2000; ++i) {
    float g = d;
    for (int k = 0; k < 8; ++k) {
      ASSERT_NO_FATAL_FAILURE(ExpectCorrect(g, d));
      ASSERT_NO_FATAL_FAILURE(ExpectCorrect(-g * 0.5f, d));
      g = std::nextafter(g, 4.0f);
    }
    d = std::nextafter(d, 4.0f);
  }
}

// Both sides of every bound at which the scaling changes.
TEST(QuotientTwinTest, BothSidesOfEveryBound) {
  for (const float bound : {0x1p-60f, 0x1p-126f, 0x1p-133f}) {
    for (const float g : {std::nextafter(bound, 0.0f), bound, std::nextafter(bound, 1.0f)}) {
      ASSERT_NO_FATAL_FAILURE(ExpectCorrect(g, 2.0f));
      ASSERT_NO_FATAL_FAILURE(ExpectCorrect(-g, 2.0f));
    }
  }
  for (const float d :
       {std::nextafter(0x1p64f, 0.0f), 0x1p64f, std::nextafter(0x1p64f, kInfinity), 0x1p127f}) {
    ASSERT_NO_FATAL_FAILURE(ExpectCorrect(-45.0f, d));
    ASSERT_NO_FATAL_FAILURE(ExpectCorrect(-87.5f, d));
  }
  ASSERT_NO_FATAL_FAILURE(ExpectCorrect(0x1p100f, 1.0f));
  // Beyond, the denominator is 1 and its reciprocal exact.
  for (const float g : {std::nextafter(0x1p100f, kInfinity), std::numeric_limits<float>::max()}) {
    EXPECT_EQ(device::Quotient<HostArithmetic<0>>(g, 1.0f), g);
    EXPECT_EQ(device::Quotient<HostArithmetic<0>>(-g, 1.0f), -g);
  }
}

TEST(QuotientTwinTest, SpecialValues) {
  using A = HostArithmetic<0>;
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  EXPECT_EQ(bits(device::Quotient<A>(0.0f, 2.0f)), bits(0.0f));
  EXPECT_EQ(bits(device::Quotient<A>(-0.0f, 2.0f)), bits(-0.0f));
  EXPECT_EQ(bits(device::Quotient<A>(-90.0f, kInfinity)), bits(-0.0f));
  EXPECT_EQ(device::Quotient<A>(kInfinity, 1.0f), kInfinity);
  EXPECT_TRUE(std::isnan(device::Quotient<A>(-kInfinity, kInfinity)));
  EXPECT_TRUE(std::isnan(device::Quotient<A>(std::nanf(""), 2.0f)));
  EXPECT_TRUE(std::isnan(device::Quotient<A>(1.0f, std::nanf(""))));
}

}  // namespace
}  // namespace moescope::cuda
