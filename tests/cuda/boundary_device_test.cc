// T1: every step of the forward recomputed in FP64 from the BF16 operands that the device itself
// produced; and the probes of cuda.md, 12, that the determinism rules rest on.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "isa/bfloat16.h"
#include "moe/compare.h"
#include "moe/reference/activation_math.h"
#include "moe/reference/arithmetic.h"
#include "tests/cuda/device_layer.h"

namespace moescope::cuda::test {
namespace {

double Value(std::uint16_t bits) { return isa::Bf16ToFloat(bits); }

struct Sum {
  double value = 0;
  double magnitudes = 0;
};

Sum Dot(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b) {
  Sum sum;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double product = Value(a[k]) * Value(b[k]);
    sum.value += product;
    sum.magnitudes += std::fabs(product);
  }
  return sum;
}

// Counts what is outside the bound.
struct Boundary {
  std::int64_t checked = 0;
  std::int64_t outside = 0;

  void Add(std::uint16_t actual, double expected, double magnitudes) {
    ++checked;
    if (!moe::WithinBoundary(actual, expected, magnitudes)) ++outside;
  }
};

void CheckRow(const SeededCase& layer, const moe::ExpertMatrices& expert,
              const DeviceOutputs& device, std::int64_t pair, Boundary& projection,
              Boundary& activation, Boundary& down) {
  const std::int32_t row = device.row_of[static_cast<std::size_t>(pair)];
  const auto x = layer.x.Row(pair / layer.layer.shape.top_k);
  const double weight = layer.routing.topk_w[static_cast<std::size_t>(pair)];
  for (std::int64_t i = 0; i < layer.layer.shape.intermediate; ++i) {
    const Sum gate = Dot(x, expert.gate.Row(i));
    const Sum up = Dot(x, expert.up.Row(i));
    projection.Add(device.gate.At(row, i), gate.value, gate.magnitudes);
    projection.Add(device.up.At(row, i), up.value, up.magnitudes);
    const double g = moe::reference::ClampGate(Value(device.gate.At(row, i)), layer.layer.clamp);
    const double u = moe::reference::ClampUp(Value(device.up.At(row, i)), layer.layer.clamp);
    const double h =
        moe::reference::Activate<moe::reference::Exact>(layer.layer.activation, g, u).q * weight;
    activation.Add(device.hidden.At(row, i), h, std::fabs(h));
  }
  for (std::int64_t n = 0; n < layer.layer.shape.hidden; ++n) {
    const Sum out = Dot(device.hidden.Row(row), expert.down.Row(n));
    down.Add(device.slot.At(pair, n), out.value, out.magnitudes);
  }
}

class BoundaryFormats
    : public ::testing::TestWithParam<std::tuple<moe::WeightFormat::Kind, moe::Activation>> {};
INSTANTIATE_TEST_SUITE_P(
    All, BoundaryFormats,
    ::testing::Combine(::testing::Values(moe::WeightFormat::kBf16, moe::WeightFormat::kMxfp8B8,
                                         moe::WeightFormat::kMxfp8B32,
                                         moe::WeightFormat::kMxfp4B32),
                       ::testing::Values(moe::Activation::kSwiglu, moe::Activation::kGptOss,
                                         moe::Activation::kGegluTanh, moe::Activation::kGegluErf)));

TEST_P(BoundaryFormats, EveryStepIsWithinOneUlp) {
  MOESCOPE_NEEDS_DEVICE();
  const auto [format, activation_kind] = GetParam();
  moe::Layer description = SmallLayer(activation_kind, format);
  description.shape = {768, 96, 4, 2};
  description.clamp = 2.0f;
  const SeededCase layer(description, 40);
  Options options = OptionsFor(description);
  options.save_gate_up = true;
  const auto device = RunOnDevice(layer, options);
  ASSERT_TRUE(device.ok()) << device.status();
  const moe::StoredExperts experts(layer.weights.experts, {});
  Boundary projection, activation, down;
  for (int e = 0; e < description.shape.experts; ++e) {
    const moe::ExpertMatrices expert = *experts.Load(e);
    for (std::int64_t pair = 0; pair < layer.routing.pairs(); ++pair) {
      if (layer.routing.topk_idx[static_cast<std::size_t>(pair)] != e) continue;
      CheckRow(layer, expert, *device, pair, projection, activation, down);
    }
  }
  EXPECT_GT(projection.checked, 1000);
  EXPECT_EQ(projection.outside, 0) << "of " << projection.checked;
  EXPECT_EQ(activation.outside, 0) << "of " << activation.checked;
  EXPECT_EQ(down.outside, 0) << "of " << down.checked;
}

// Every finite BF16 gate with u = 1, through the tensor-core kernels: where exp overflows, where it
// nearly does, tiny and huge gates. exp may be 2 ulp off, so h may be one BF16 step off.
TEST(BoundaryDevice, EveryGateValue) {
  MOESCOPE_NEEDS_DEVICE();
  for (const auto& [activation, slope, offset] :
       {std::tuple{moe::Activation::kSwiglu, 1.0f, 0.0}, {moe::Activation::kGptOss, 1.702f, 1.0}}) {
    moe::Layer description = SmallLayer(activation);
    description.shape = {64, 64, 1, 1};
    const std::int64_t tokens = 0x10000 / 63 + 1;
    SeededCase layer(description, tokens, "single");
    moe::ExpertMatrices expert{moe::Bf16Matrix(64, 64), moe::Bf16Matrix(64, 64),
                               moe::Bf16Matrix(64, 64)};
    for (std::int64_t i = 0; i < 63; ++i) expert.gate.At(i, i) = 0x3F80;
    for (std::int64_t i = 0; i < 64; ++i) expert.up.At(i, 63) = 0x3F80;  // u = x of column 63
    layer.weights.experts.gate_up[0] =
        moe::Encode(moe::JoinGateUp(expert.gate, expert.up, moe::GateUpLayout::kHalves),
                    moe::WeightFormat::kBf16, moe::Orientation::kOutputMajor, {});
    const auto gate_bits = [](std::int64_t t, std::int64_t c) {
      const std::int64_t bits = t * 63 + c;
      const bool finite = bits < 0x10000 && (bits & 0x7F80) != 0x7F80;
      return static_cast<std::uint16_t>(finite ? bits : 0);
    };
    for (std::int64_t t = 0; t < tokens; ++t) {
      for (std::int64_t c = 0; c < 63; ++c) layer.x.At(t, c) = gate_bits(t, c);
      layer.x.At(t, 63) = 0x3F80;
      layer.routing.topk_w[static_cast<std::size_t>(t)] = 1.0f;
    }
    const auto device = RunOnDevice(layer, OptionsFor(description));
    ASSERT_TRUE(device.ok()) << device.status();
    std::int64_t different = 0;
    for (std::int64_t t = 0; t < tokens; ++t) {
      const std::int32_t row = device->row_of[static_cast<std::size_t>(t)];
      for (std::int64_t c = 0; c < 63; ++c) {
        const float g = isa::Bf16ToFloat(gate_bits(t, c));
        const float d = 1.0f + std::exp(-(slope * g));
        const std::uint16_t expected = isa::FloatToBf16(static_cast<float>(g / d * (1 + offset)));
        const std::uint16_t got = device->hidden.At(row, c);
        ASSERT_LE(moe::UlpDistance(got, expected), 1) << g << " gives " << isa::Bf16ToFloat(got);
        different += got == expected ? 0 : 1;
      }
    }
    EXPECT_LT(different, 50);
  }
}

// P1: the result of a token depends neither on its column nor on how many tokens there are.
TEST(ProbeDevice, ARowIsIndependentOfItsColumnAndOfN) {
  MOESCOPE_NEEDS_DEVICE();
  moe::Layer description = SmallLayer();
  description.shape = {320, 192, 1, 1};
  const SeededCase one(description, 1, "single");
  const auto alone = RunOnDevice(one, OptionsFor(description));
  ASSERT_TRUE(alone.ok()) << alone.status();
  for (const std::int64_t tokens : {8, 16, 33, 64, 129, 256}) {
    SeededCase many(description, tokens, "single");
    for (std::int64_t t = 0; t < tokens; t += 5) {
      std::copy(one.x.values.begin(), one.x.values.end(), many.x.Row(t).begin());
      many.routing.topk_w[static_cast<std::size_t>(t)] = one.routing.topk_w[0];
    }
    const auto device = RunOnDevice(many, OptionsFor(description));
    ASSERT_TRUE(device.ok()) << device.status();
    for (std::int64_t t = 0; t < tokens; t += 5) {
      const auto row = device->y.Row(t);
      EXPECT_TRUE(std::equal(row.begin(), row.end(), alone->y.values.begin()))
          << "token " << t << " of " << tokens;
    }
  }
}

// P2: subnormal BF16 operands are exact in wgmma.
TEST(ProbeDevice, SubnormalOperandsAreExact) {
  MOESCOPE_NEEDS_DEVICE();
  moe::Layer description = SmallLayer();
  description.shape = {64, 64, 1, 1};
  SeededCase layer(description, 64, "single");
  moe::ExpertMatrices identity{moe::Bf16Matrix(64, 64), moe::Bf16Matrix(64, 64),
                               moe::Bf16Matrix(64, 64)};
  for (std::int64_t i = 0; i < 64; ++i) {
    identity.gate.At(i, i) = 0x3F80;
    identity.up.At(i, i) = 0x3F00;  // one half: shifts the subnormals by one bit
    identity.down.At(i, i) = 0x3F80;
  }
  layer.weights.experts.gate_up[0] =
      moe::Encode(moe::JoinGateUp(identity.gate, identity.up, moe::GateUpLayout::kHalves),
                  moe::WeightFormat::kBf16, moe::Orientation::kOutputMajor, {});
  for (std::int64_t t = 0; t < 64; ++t) {
    for (std::int64_t c = 0; c < 64; ++c) {
      layer.x.At(t, c) = static_cast<std::uint16_t>(t == c ? 2 * t : 0);  // 0 to 126: subnormal
    }
  }
  Options options = OptionsFor(description);
  options.save_gate_up = true;
  const auto device = RunOnDevice(layer, options);
  ASSERT_TRUE(device.ok()) << device.status();
  for (std::int64_t t = 0; t < 64; ++t) {
    EXPECT_EQ(device->gate.At(t, t), 2 * t);
    EXPECT_EQ(device->up.At(t, t), t);
  }
}

// The exact range of the scales reaches down to subnormal weights.
TEST(ProbeDevice, SubnormalPackedWeightsAreExact) {
  MOESCOPE_NEEDS_DEVICE();
  moe::Layer description = SmallLayer(moe::Activation::kSwiglu, moe::WeightFormat::kMxfp4B32);
  description.shape = {64, 64, 1, 1};
  SeededCase layer(description, 16, "single");
  auto& matrix = layer.weights.experts.gate_up[0];
  for (std::size_t i = 0; i < matrix.scales.size(); ++i) {
    matrix.scales[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : 252);
  }
  for (auto& value : layer.x.values) value = 0;
  for (std::int64_t t = 0; t < 16; ++t) layer.x.At(t, 4 * t) = 0x3F80;
  Options options = OptionsFor(description);
  options.save_gate_up = true;
  const auto device = RunOnDevice(layer, options);
  ASSERT_TRUE(device.ok()) << device.status();
  const moe::ExpertMatrices expert = *moe::StoredExperts(layer.weights.experts, {}).Load(0);
  for (std::int64_t t = 0; t < 16; ++t) {
    for (std::int64_t i = 0; i < 64; ++i) {
      const std::uint16_t gate = expert.gate.At(i, 4 * t);
      EXPECT_EQ(device->gate.At(t, i), gate == 0x8000 ? 0 : gate);
    }
  }
}

}  // namespace
}  // namespace moescope::cuda::test
