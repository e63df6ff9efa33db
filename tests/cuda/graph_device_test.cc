// Captured graphs: exactly the planned kernel nodes and no copy or fill, for every combination that
// changes the launches; replays give the bits of plain launches, also on new inputs.

#include "cuda/graph.h"

#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/cuda/device_layer.h"

namespace moescope::cuda::test {
namespace {

using moe::Activation;
using moe::WeightFormat;
using moe::Weighting;

struct GraphCase {
  const char* name;
  moe::Layer layer;
  std::int64_t tokens;
  Kernels kernels = Kernels::kTensorCore;
  bool save = false;
  int launches = 0;  // counted by hand
};

moe::Layer Shared(bool gate, Activation activation = Activation::kSwiglu) {
  moe::Layer layer = SmallLayer(activation);
  layer.shared = moe::SharedExpert{96, gate};
  return layer;
}

std::vector<GraphCase> Cases() {
  const moe::Layer small = SmallLayer();
  const moe::Layer input = SmallLayer(Activation::kSwiglu, WeightFormat::kBf16, Weighting::kInput);
  return {
      {"one block of pairs", small, 341, Kernels::kTensorCore, false, 4},   // 1,023 pairs
      {"two blocks of pairs", small, 342, Kernels::kTensorCore, false, 4},  // 1,026 pairs
      {"eight blocks of pairs", small, 2730, Kernels::kTensorCore, false, 4},
      {"nine blocks of pairs", small, 2731, Kernels::kTensorCore, false, 7},  // 8,193 pairs
      {"plain", small, 20, Kernels::kPlain, false, 4},
      {"input", input, 20, Kernels::kTensorCore, false, 5},
      {"saved", small, 20, Kernels::kTensorCore, true, 5},
      {"geglu", SmallLayer(Activation::kGegluErf), 20, Kernels::kTensorCore, false, 5},
      {"shared", Shared(false), 20, Kernels::kTensorCore, false, 7},
      {"gated shared", Shared(true), 20, Kernels::kTensorCore, false, 8},
      {"gated shared geglu", Shared(true, Activation::kGegluTanh), 20, Kernels::kTensorCore, false,
       10},
      {"mxfp4", SmallLayer(Activation::kSwiglu, WeightFormat::kMxfp4B32), 20, Kernels::kTensorCore,
       false, 4},
  };
}

Options OptionsOf(const GraphCase& c) {
  Options options = OptionsFor(c.layer);
  options.kernels = c.kernels;
  options.save_gate_up = c.save;
  return options;
}

TEST(GraphNodesTest, CountsByHandEqualThePlannedOnes) {
  for (const GraphCase& c : Cases()) {
    const auto plan = MakePlan(c.layer.shape, c.tokens, OptionsOf(c), DesignTraits());
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(ForwardLaunches(*plan), c.launches) << c.name;
  }
}

TEST(GraphNodesDevice, ExactlyThePlannedKernels) {
  MOESCOPE_NEEDS_DEVICE();
  for (const GraphCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    const SeededCase layer(c.layer, c.tokens);
    const Plan plan = *MakePlan(c.layer.shape, c.tokens, OptionsOf(c), TestDevice()->traits);
    const PackedWeights packed = *PackWeights(plan, layer.weights);
    DeviceLayer device(layer, plan, packed);
    const auto direct = device.Run();
    ASSERT_TRUE(direct.ok()) << direct.status();
    const auto graph = Graph::Capture(
        [&](Stream stream) { return Forward(plan, device.tensors(), device.workspace(), stream); });
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(graph->nodes(), (GraphNodes{.kernels = c.launches}));
    for (int replay = 0; replay < 3; ++replay) {
      device.Poison();
      ASSERT_TRUE(graph->Replay({}).ok());
      ASSERT_TRUE(Finish(plan, device.workspace(), {}).ok());
      const DeviceOutputs replayed = device.Outputs();
      EXPECT_EQ(replayed.y, direct->y);
      if (c.save) {
        EXPECT_EQ(replayed.gate, direct->gate);
      }
    }
  }
}

// A graph reads its tensors anew: other ids and inputs in the same buffers give their own result.
TEST(GraphNodesDevice, AReplaySeesNewInputs) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase a(SmallLayer(), 50, "uniform", 1);
  SeededCase b = a;
  b.x = moe::SeededHidden(b.layer, 50, 77);
  b.routing = *moe::GenerateRouting(*moe::ParseWorkload("single"), {50, 3, 8}, 5);
  const auto expected = RunOnDevice(b, OptionsFor(b.layer));
  ASSERT_TRUE(expected.ok()) << expected.status();
  const Plan plan = *MakePlan(a.layer.shape, 50, OptionsFor(a.layer), TestDevice()->traits);
  const PackedWeights packed = *PackWeights(plan, a.weights);
  DeviceLayer device(a, plan, packed);
  const auto graph = Graph::Capture(
      [&](Stream stream) { return Forward(plan, device.tensors(), device.workspace(), stream); });
  ASSERT_TRUE(graph.ok()) << graph.status();
  const ForwardTensors tensors = device.tensors();
  ASSERT_TRUE(CopyToDevice(tensors.x.data, b.x.values.data(), tensors.x.bytes()).ok());
  ASSERT_TRUE(
      CopyToDevice(tensors.topk_idx.data, b.routing.topk_idx.data(), tensors.topk_idx.bytes())
          .ok());
  ASSERT_TRUE(
      CopyToDevice(tensors.topk_w.data, b.routing.topk_w.data(), tensors.topk_w.bytes()).ok());
  ASSERT_TRUE(graph->Replay({}).ok());
  ASSERT_TRUE(Finish(plan, device.workspace(), {}).ok());
  EXPECT_EQ(device.Outputs().y, expected->y);
}

TEST(GraphNodesDevice, RouteIsTwoKernels) {
  MOESCOPE_NEEDS_DEVICE();
  moe::Layer description = SmallLayer();
  description.router.mode = moe::RouterMode::kSoftmaxTopk;
  const SeededCase layer(description, 30);
  const Plan plan = *MakePlan(description.shape, 30, OptionsFor(description), TestDevice()->traits);
  const Guarded x(layer.x.values);
  const Guarded weights(PackWeights(plan, layer.weights)->bytes);
  const Guarded idx(4 * plan.pairs());
  const Guarded w(4 * plan.pairs());
  const Guarded workspace(LayoutOf(plan, Buffer::kWorkspace).bytes);
  const RouteTensors tensors{
      .x = Tensor::Dense(x.data(), ElementType::kBf16, 30, description.shape.hidden),
      .weights = weights.span(),
      .topk_idx = Tensor::Dense(idx.data(), ElementType::kInt32, 30, 3),
      .topk_w = Tensor::Dense(w.data(), ElementType::kFloat32, 30, 3)};
  const auto graph =
      Graph::Capture([&](Stream stream) { return Route(plan, tensors, workspace.span(), stream); });
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->nodes(), (GraphNodes{.kernels = 2}));
}

// A refused call captures nothing and its status comes back.
TEST(GraphNodesDevice, ARefusalInsideACaptureComesBack) {
  MOESCOPE_NEEDS_DEVICE();
  const auto refused =
      Graph::Capture([](Stream) { return absl::InvalidArgumentError("no such layer"); });
  EXPECT_EQ(refused.status(), absl::InvalidArgumentError("no such layer"));
  // The next capture is not disturbed.
  const auto empty = Graph::Capture([](Stream) { return absl::OkStatus(); });
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->nodes(), GraphNodes{});
}

TEST(GraphNodesTest, WithoutADeviceThereIsNoCapture) {
  if (TestDevice() != nullptr) GTEST_SKIP() << "there is a device";
  EXPECT_FALSE(Graph::Capture([](Stream) { return absl::OkStatus(); }).ok());
}

}  // namespace
}  // namespace moescope::cuda::test
