// T0: the stepwise test kernel equals the CPU twin of compiled programs bit for bit.

#include <gtest/gtest.h>

#include <vector>

#include "isa/bfloat16.h"
#include "moe/compare.h"
#include "moe/reference/stepwise.h"
#include "tests/cuda/device_layer.h"

namespace moescope::cuda::test {
namespace {

using moe::Activation;
using moe::WeightFormat;
using moe::Weighting;

// `count` tiles in chunks of `size`.
std::vector<int> Chunks(int count, int size) {
  std::vector<int> chunks(static_cast<std::size_t>(count / size), size);
  if (count % size != 0) chunks.push_back(count % size);
  return chunks;
}

void ExpectTwin(const moe::Layer& description, int tile, int tiles_per_chunk) {
  SeededCase layer(description, 24);
  for (float& w : layer.routing.topk_w) w = isa::Bf16ToFloat(isa::FloatToBf16(w));
  Options options = OptionsFor(description);
  options.kernels = Kernels::kStepwise;
  options.stepwise = StepwiseOrder{tile, tiles_per_chunk};
  const auto device = RunOnDevice(layer, options);
  ASSERT_TRUE(device.ok()) << device.status();
  moe::StepwisePlan plan;
  plan.tile = tile;
  plan.hidden_chunks = Chunks(description.shape.hidden / tile, tiles_per_chunk);
  plan.intermediate_chunks = Chunks(description.shape.intermediate / tile, tiles_per_chunk);
  const moe::StoredExperts experts(layer.weights.experts, {});
  const auto twin = moe::reference::Stepwise(
      {layer.layer, plan, layer.weights.tensors, experts, layer.x, &layer.routing});
  ASSERT_TRUE(twin.ok()) << twin.status();
  const moe::Metrics slots =
      moe::Compare(ValidRows(device->slot, layer.routing), ValidRows(twin->slot, layer.routing));
  EXPECT_TRUE(moe::Passes(moe::Tier::kBitwise, slots, false)) << "slots: " << moe::Summary(slots);
  const moe::Metrics y = moe::Compare(device->y, twin->y);
  EXPECT_TRUE(moe::Passes(moe::Tier::kBitwise, y, true)) << "y: " << moe::Summary(y);
}

TEST(StepwiseDevice, EqualsTheTwin) {
  MOESCOPE_NEEDS_DEVICE();
  for (const auto activation : {Activation::kSwiglu, Activation::kGptOss}) {
    for (const auto format :
         {WeightFormat::kBf16, WeightFormat::kMxfp8B8, WeightFormat::kMxfp4B32}) {
      for (const auto weighting : {Weighting::kPre, Weighting::kPost}) {
        moe::Layer layer = SmallLayer(activation, format, weighting);
        layer.shape = {192, 128, 8, 3};
        layer.clamp = 1.5f;
        layer.expert_bias = weighting == Weighting::kPost;
        ExpectTwin(layer, 64, 1 << 20);
        ExpectTwin(layer, 16, 4);
        ExpectTwin(layer, 16, 1);
      }
    }
  }
}

}  // namespace
}  // namespace moescope::cuda::test
