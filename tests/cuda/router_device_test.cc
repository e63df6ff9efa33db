// The router on the device against the CPU router: ids and slot order equal (flips only between
// keys that the order of sums may swap), weights within the tolerance of exp.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "moe/reference/router.h"
#include "tests/cuda/device_layer.h"

namespace moescope::cuda::test {
namespace {

struct Routed {
  std::vector<std::int32_t> idx;
  std::vector<float> w;
};

absl::StatusOr<Routed> RouteOnDevice(const moe::Layer& layer, const moe::Weights& weights,
                                     const moe::Bf16Matrix& x, bool bf16 = false) {
  Options options = OptionsFor(layer);
  options.bf16_logits = options.bf16_weights = bf16;
  ASSIGN_OR_RETURN(const Plan plan, MakePlan(layer.shape, x.rows, options, TestDevice()->traits));
  ASSIGN_OR_RETURN(const PackedWeights packed, PackWeights(plan, weights));
  const Guarded device_x(x.values);
  const Guarded device_weights(packed.bytes);
  const Guarded idx(4 * plan.pairs());
  const Guarded w(4 * plan.pairs());
  const Guarded workspace(LayoutOf(plan, Buffer::kWorkspace).bytes);
  const std::int64_t k = layer.shape.top_k;
  const RouteTensors tensors{
      .x = Tensor::Dense(device_x.data(), ElementType::kBf16, x.rows, x.columns),
      .weights = device_weights.span(),
      .topk_idx = Tensor::Dense(idx.data(), ElementType::kInt32, x.rows, k),
      .topk_w = Tensor::Dense(w.data(), ElementType::kFloat32, x.rows, k)};
  RETURN_IF_ERROR(Route(plan, tensors, workspace.span(), {}));
  return Routed{idx.Read<std::int32_t>(0, plan.pairs()), w.Read<float>(0, plan.pairs())};
}

moe::Layer RoutedLayer(const moe::Router& router, int experts, int top_k) {
  return {.shape = {64, 16, experts, top_k},
          .router = router,
          .weighting = router.mode == moe::RouterMode::kSigmoidInput ? moe::Weighting::kInput
                                                                     : moe::Weighting::kPre,
          .weights = moe::WeightFormat::kBf16};
}

moe::Weights WeightsFor(const moe::Layer& layer) {
  return moe::SeededWeights(layer, 9, moe::GateUpLayout::kHalves, moe::Orientation::kOutputMajor,
                            {});
}

std::vector<moe::Layer> Layers() {
  using Mode = moe::RouterMode;
  return {
      RoutedLayer({.mode = Mode::kSoftmaxTopk}, 32, 4),
      RoutedLayer({.mode = Mode::kSoftmaxTopk, .logit_bias = true}, 100, 10),
      RoutedLayer({.mode = Mode::kSoftmaxAll}, 60, 4),
      RoutedLayer({.mode = Mode::kSoftmaxAll, .norm = true}, 512, 10),
      RoutedLayer({.mode = Mode::kSigmoidGroup,
                   .norm = true,
                   .routed_scale = 2.5f,
                   .groups = 8,
                   .topk_group = 4,
                   .correction_bias = true},
                  256, 8),
      RoutedLayer({.mode = Mode::kSigmoidGroup, .groups = 64, .topk_group = 32}, 64, 8),
      RoutedLayer({.mode = Mode::kSqrtSoftplus,
                   .norm = true,
                   .routed_scale = 1.5f,
                   .correction_bias = true},
                  256, 6),
      RoutedLayer({.mode = Mode::kSigmoidInput}, 16, 1),
      RoutedLayer({.mode = Mode::kSoftmaxTopk}, 1024, 32),
      RoutedLayer({.mode = Mode::kSoftmaxTopk}, 1, 1),
  };
}

TEST(RouterDevice, EveryModeMatchesTheReference) {
  MOESCOPE_NEEDS_DEVICE();
  for (const moe::Layer& layer : Layers()) {
    const moe::Weights weights = WeightsFor(layer);
    const moe::Bf16Matrix x = moe::SeededHidden(layer, 130, 4);
    const auto device = RouteOnDevice(layer, weights, x);
    ASSERT_TRUE(device.ok()) << device.status();
    const moe::reference::RouterResult expected =
        moe::reference::Route(layer, weights.tensors, x, {});
    std::int64_t flips = 0;
    for (std::size_t j = 0; j < device->idx.size(); ++j) {
      if (device->idx[j] != expected.routing.topk_idx[j]) {
        ++flips;
        continue;
      }
      const float w = expected.routing.topk_w[j];
      EXPECT_NEAR(device->w[j], w, 1e-5f * std::fabs(w) + 1e-7f);
    }
    EXPECT_EQ(flips, 0) << "of " << device->idx.size() << " slots, E " << layer.shape.experts;
  }
}

// x selects a row of Wr: logits are chosen freely, and exactly.
moe::Layer ChosenLogits(int experts, int top_k) {
  return RoutedLayer({.mode = moe::RouterMode::kSoftmaxTopk}, experts, top_k);
}

// The worked example of moe.md, 3.2.
TEST(RouterDevice, TotalOrder) {
  MOESCOPE_NEEDS_DEVICE();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> logits = {1, nan, 2, -0.0f, 2, 0.0f, -1, 2};
  const moe::Layer layer = ChosenLogits(8, 8);
  moe::Weights weights = WeightsFor(layer);
  for (std::int64_t e = 0; e < 8; ++e) {
    for (float& value : weights.tensors.router.Row(e)) value = 0;
    weights.tensors.router.At(e, 0) = logits[static_cast<std::size_t>(e)];
  }
  moe::Bf16Matrix x(1, 64);
  x.At(0, 0) = 0x3F80;
  const auto device = RouteOnDevice(layer, weights, x);
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->idx, (std::vector<std::int32_t>{2, 4, 7, 0, 3, 5, 6, 1}));
  EXPECT_EQ(device->w.back(), 0.0f);
}

TEST(RouterDevice, AnInfiniteSumGivesZeroWeights) {
  MOESCOPE_NEEDS_DEVICE();
  const moe::Layer layer = ChosenLogits(8, 2);
  moe::Weights weights = WeightsFor(layer);
  for (float& value : weights.tensors.router.values)
    value = -std::numeric_limits<float>::infinity();
  moe::Bf16Matrix x(1, 64, 0x3F80);
  const auto device = RouteOnDevice(layer, weights, x);
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->idx, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(device->w, (std::vector<float>{0, 0}));
}

TEST(RouterDevice, RoundedLogitsAndWeightsAreBf16) {
  MOESCOPE_NEEDS_DEVICE();
  const moe::Layer layer = ChosenLogits(32, 4);
  const moe::Weights weights = WeightsFor(layer);
  const moe::Bf16Matrix x = moe::SeededHidden(layer, 64, 4);
  const auto device = RouteOnDevice(layer, weights, x, true);
  ASSERT_TRUE(device.ok()) << device.status();
  for (const float w : device->w) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(w) & 0xFFFFu, 0u);
  }
}

}  // namespace
}  // namespace moescope::cuda::test
