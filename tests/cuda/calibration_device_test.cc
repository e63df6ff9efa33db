// P7: how far the tensor cores' FP32 sums are from exact ones, as a share of sum |a b|, for
// contractions of 768 to 7,168 terms. Random operands; and cancelling ones, whose exact result is
// small, so that the rounding to BF16 hides nothing of the error.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "isa/bfloat16.h"
#include "moe/compare.h"
#include "tests/cuda/device_layer.h"

namespace moescope::cuda::test {
namespace {

constexpr int kRows = 64;  // of the gate matrix
constexpr int kTokens = 128;

struct Error {
  double largest = 0;   // |device - exact| / sum |a b|, less half a ulp of the BF16 result
  double relative = 0;  // of the result, in ulp
  std::int64_t outside = 0;
};

// Second half of every row: the first half again with the sign turned, but for one term. That term
// is made 2^14 times smaller, so that the exact result is tiny beside the sum of magnitudes.
void MakeCancelling(moe::Bf16Matrix& gate, moe::Bf16Matrix& x) {
  const std::int64_t half = gate.columns / 2;
  for (std::int64_t t = 0; t < x.rows; ++t) {
    for (std::int64_t k = 0; k < half; ++k) x.At(t, k + half) = x.At(t, k);
  }
  for (std::int64_t i = 0; i < gate.rows; ++i) {
    for (std::int64_t k = 0; k < half; ++k) {
      gate.At(i, k + half) = static_cast<std::uint16_t>(gate.At(i, k) ^ 0x8000);
    }
    gate.At(i, gate.columns - 1 - i % 8) = 0;
    std::uint16_t& left = gate.At(i, half - 1 - i % 8);
    left = isa::FloatToBf16(std::ldexp(isa::Bf16ToFloat(left), -14));
  }
}

Error Measure(int contraction, bool cancelling) {
  moe::Layer description{.shape = {contraction, kRows, 1, 1},
                         .weighting = moe::Weighting::kPre,
                         .weights = moe::WeightFormat::kBf16};
  SeededCase layer(description, kTokens, "single");
  moe::ExpertMatrices expert = moe::SeededExpert(description, 0, 1);
  if (cancelling) {
    MakeCancelling(expert.gate, layer.x);
    layer.weights.experts.gate_up[0] =
        moe::Encode(moe::JoinGateUp(expert.gate, expert.up, moe::GateUpLayout::kHalves),
                    moe::WeightFormat::kBf16, moe::Orientation::kOutputMajor, {});
  }
  Options options = OptionsFor(description);
  options.save_gate_up = true;
  const auto device = RunOnDevice(layer, options);
  EXPECT_TRUE(device.ok()) << device.status();
  Error error;
  if (!device.ok()) return error;
  for (std::int64_t t = 0; t < kTokens; ++t) {
    for (std::int64_t i = 0; i < kRows; ++i) {
      double exact = 0;
      double magnitudes = 0;
      for (std::int64_t k = 0; k < contraction; ++k) {
        const double product = static_cast<double>(isa::Bf16ToFloat(expert.gate.At(i, k))) *
                               static_cast<double>(isa::Bf16ToFloat(layer.x.At(t, k)));
        exact += product;
        magnitudes += std::fabs(product);
      }
      const std::uint16_t got = device->gate.At(t, i);
      const double value = isa::Bf16ToFloat(got);
      const double ulp = std::fabs(exact) == 0 ? 0 : std::ldexp(1.0, std::ilogb(exact) - 7);
      const double excess = std::max(0.0, std::fabs(value - exact) - ulp / 2);
      error.largest = std::max(error.largest, excess / magnitudes);
      error.relative = std::max(error.relative, ulp == 0 ? 0 : std::fabs(value - exact) / ulp);
      if (!moe::WithinBoundary(got, exact, magnitudes)) ++error.outside;
    }
  }
  return error;
}

class Calibration : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Contractions, Calibration, ::testing::Values(768, 2048, 4096, 7168));

TEST_P(Calibration, RandomOperands) {
  MOESCOPE_NEEDS_DEVICE();
  const Error error = Measure(GetParam(), false);
  std::printf("P7 random K %d: error beyond rounding %.3g sum|ab| (2^%.1f), %.3f ulp\n", GetParam(),
              error.largest, std::log2(error.largest), error.relative);
  EXPECT_EQ(error.outside, 0);
  EXPECT_LE(error.largest, 0x1p-20);
}

TEST_P(Calibration, CancellingOperands) {
  MOESCOPE_NEEDS_DEVICE();
  const Error error = Measure(GetParam(), true);
  std::printf("P7 cancelling K %d: error beyond rounding %.3g sum|ab| (2^%.1f)\n", GetParam(),
              error.largest, std::log2(error.largest));
  EXPECT_EQ(error.outside, 0);
  EXPECT_LE(error.largest, 0x1p-20);
}

}  // namespace
}  // namespace moescope::cuda::test
