// The edge matrix on the device. Each case: T2 of y and of every slot against the CPU reference
// (T2f between fast and exact); T0 between token tiles, between graph replays and plain launches,
// and between a second run in a poisoned workspace and the first. Outputs start as NaN bytes and
// have canary bytes behind them (Guarded).

#include "tests/cuda/edge_matrix.h"

#include <gtest/gtest.h>

#include <string>

#include "cuda/graph.h"
#include "moe/compare.h"
#include "tests/cuda/device_layer.h"

namespace moescope::cuda::test {
namespace {

SeededCase CaseOf(const EdgeCase& c) { return SeededCase(c.layer(), c.tokens(), c.workload()); }

void ExpectReference(const SeededCase& layer, const DeviceOutputs& device) {
  const moe::reference::ForwardOutputs reference = layer.Reference();
  const moe::Metrics y = moe::Compare(device.y, reference.y);
  EXPECT_TRUE(moe::Passes(moe::Tier::kEndToEnd, y, true)) << "y: " << moe::Summary(y);
  if (layer.tokens() == 0) return;
  const moe::Metrics slots =
      moe::Compare(ValidRows(device.slot, layer.routing), ValidRows(reference.slot, layer.routing));
  EXPECT_TRUE(moe::Passes(moe::Tier::kEndToEnd, slots, true)) << "slots: " << moe::Summary(slots);
}

// The exact twin of a fast case: T2 holds for it, T2f between both.
void ExpectNearExact(const SeededCase& layer, const EdgeCase& c, const DeviceOutputs& fast) {
  Options exact = c.options();
  exact.fast_math_forward = false;
  const auto device = RunOnDevice(layer, exact);
  ASSERT_TRUE(device.ok()) << device.status();
  ExpectReference(layer, *device);
  const moe::Metrics metrics = moe::Compare(fast.y, device->y);
  EXPECT_TRUE(moe::Passes(moe::Tier::kFastMath, metrics, true)) << moe::Summary(metrics);
}

void ExpectOtherTilesEqual(const SeededCase& layer, const EdgeCase& c, const DeviceOutputs& first) {
  for (const int tile : {16, 128}) {
    Options options = c.options();
    options.token_tile = tile;
    options.sm_limit = 0;
    const auto device = RunOnDevice(layer, options);
    ASSERT_TRUE(device.ok()) << device.status();
    EXPECT_EQ(device->y, first.y) << "token tile " << tile;
  }
}

void ExpectRepeatable(DeviceLayer& device, const DeviceOutputs& first) {
  device.Poison();
  const auto again = device.Run();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->y, first.y) << "second run";
  const Plan& plan = device.plan();
  if (plan.tokens == 0) return;
  const auto graph = Graph::Capture(
      [&](Stream stream) { return Forward(plan, device.tensors(), device.workspace(), stream); });
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->nodes(), (GraphNodes{.kernels = ForwardLaunches(plan)}));
  for (int replay = 0; replay < 3; ++replay) {
    device.Poison();
    ASSERT_TRUE(graph->Replay({}).ok());
    ASSERT_TRUE(Finish(plan, device.workspace(), {}).ok());
    EXPECT_EQ(device.Outputs().y, first.y) << "replay " << replay;
  }
}

void RunCase(const EdgeCase& c) {
  const SeededCase layer = CaseOf(c);
  const auto plan = MakePlan(c.layer().shape, c.tokens(), c.options(), TestDevice()->traits);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const auto packed = PackWeights(*plan, layer.weights);
  ASSERT_TRUE(packed.ok()) << packed.status();
  DeviceLayer device(layer, *plan, *packed);
  const auto first = device.Run();
  ASSERT_TRUE(first.ok()) << first.status();
  if (c.fast_math()) {
    ExpectNearExact(layer, c, *first);
  } else {
    ExpectReference(layer, *first);
  }
  ExpectOtherTilesEqual(layer, c, *first);
  ExpectRepeatable(device, *first);
}

const EdgeMatrix& Matrix() {
  static const EdgeMatrix& matrix = *new EdgeMatrix(MakeEdgeMatrix());
  return matrix;
}

// The cases in parts of four or five, so that a failure names a short list and parts can run alone,
// also under a sanitizer.
constexpr std::size_t kParts = 40;
class EdgeMatrixDevice : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, EdgeMatrixDevice, ::testing::Range(std::size_t{0}, kParts));

TEST_P(EdgeMatrixDevice, EveryCase) {
  MOESCOPE_NEEDS_DEVICE();
  std::size_t cases = 0;
  for (std::size_t i = GetParam(); i < Matrix().cases.size(); i += kParts) {
    SCOPED_TRACE(Matrix().cases[i].name());
    RunCase(Matrix().cases[i]);
    ++cases;
  }
  std::printf("part %zu: %zu cases\n", GetParam(), cases);
}

// Group sizes at the edges of padding and of every tile, first, middle and last expert empty;
// neighbouring experts differ by a factor of 1,000, so that a wrong row shows.
TEST(EdgeMatrixDevice, GroupSizes) {
  MOESCOPE_NEEDS_DEVICE();
  const int sizes[] = {0,  1,  7,  8,  9,  15, 0,  16,  17,  31,  32,
                       33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 0};
  const int experts = static_cast<int>(std::size(sizes));
  for (const auto format : EdgeValues::kFormats) {
    moe::Layer description{
        .shape = {128, 80, experts, 1}, .weighting = moe::Weighting::kPre, .weights = format};
    std::int64_t tokens = 0;
    for (const int size : sizes) tokens += size;
    SeededCase layer(description, tokens, "uniform");
    std::size_t pair = 0;
    for (int e = 0; e < experts; ++e) {
      for (int i = 0; i < sizes[e]; ++i, ++pair) {
        layer.routing.topk_idx[pair] = e;
        layer.routing.topk_w[pair] = e % 2 == 0 ? 1.0f : 1000.0f;
      }
    }
    std::shuffle(layer.routing.topk_idx.begin(), layer.routing.topk_idx.end(), std::mt19937(1));
    const auto reference = layer.Reference();
    moe::Bf16Matrix first;
    for (const int tile : {16, 32, 64, 128}) {
      Options options = OptionsFor(description);
      options.token_tile = tile;
      const auto device = RunOnDevice(layer, options);
      ASSERT_TRUE(device.ok()) << device.status();
      for (std::int64_t t = 0; t < tokens; ++t) {
        moe::Bf16Matrix actual(1, 128), expected(1, 128);
        std::ranges::copy(device->y.Row(t), actual.values.begin());
        std::ranges::copy(reference.y.Row(t), expected.values.begin());
        const moe::Metrics row = moe::Compare(actual, expected);
        EXPECT_TRUE(moe::Passes(moe::Tier::kEndToEnd, row, true))
            << "token " << t << " tile " << tile << ": " << moe::Summary(row);
      }
      if (tile == 16) first = device->y;
      EXPECT_EQ(device->y, first) << "tile " << tile;
    }
  }
}

}  // namespace
}  // namespace moescope::cuda::test
