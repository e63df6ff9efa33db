// The quick division of the epilogue on the device, with the device's own exp and reciprocal:
// correctly rounded for every gate that takes it.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cuda/device/quotient.h"
#include "isa/bfloat16.h"
#include "moe/layer_names.h"
#include "tests/cuda/device_layer.h"
#include "tests/cuda/quotients.h"

namespace moescope::cuda::test {
namespace {

TEST(QuotientDevice, EveryQuickGateIsRoundedCorrectly) {
  MOESCOPE_NEEDS_DEVICE();
  for (const auto kind : {moe::Activation::kSwiglu, moe::Activation::kGptOss}) {
    const Guarded quick(kGates * 4);
    const Guarded rounded(kGates * 4);
    ASSERT_EQ(LaunchQuotients(kind, static_cast<float*>(quick.data()),
                              static_cast<float*>(rounded.data())),
              0);
    const auto actual = quick.Read<std::uint32_t>(0, kGates);
    const auto expected = rounded.Read<std::uint32_t>(0, kGates);
    int checked = 0;
    for (std::uint32_t bits = 0; bits < kGates; ++bits) {
      const float g = isa::Bf16ToFloat(static_cast<std::uint16_t>(bits));
      if (!(g >= device::kLowestQuickGate) || std::isinf(g)) continue;
      ++checked;
      ASSERT_EQ(actual[bits], expected[bits]) << std::hexfloat << g << " " << moe::Name(kind);
    }
    EXPECT_GT(checked, 49'000);
  }
}

}  // namespace
}  // namespace moescope::cuda::test
