// What Forward and Route refuse before a launch. Addresses are made up: nothing is dereferenced.

#include "cuda/host/preconditions.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cuda/buffer_layout.h"

namespace moescope::cuda {
namespace {

constexpr std::int64_t kTokens = 48;

Plan PlanWith(bool save = false, moe::RouterMode mode = moe::RouterMode::kGiven) {
  Options options{.weighting = moe::Weighting::kPre, .weights = moe::WeightFormat::kBf16};
  options.save_gate_up = save;
  options.router.mode = mode;
  return *MakePlan({64, 32, 8, 2}, kTokens, options, DesignTraits());
}

// Buffers far apart.
void* At(int buffer) { return reinterpret_cast<void*>(std::uintptr_t{0x10000000} * (buffer + 1)); }

ForwardTensors Tensors(const Plan& plan) {
  return {.x = Tensor::Dense(At(0), ElementType::kBf16, kTokens, 64),
          .topk_idx = Tensor::Dense(At(1), ElementType::kInt32, kTokens, 2),
          .topk_w = Tensor::Dense(At(2), ElementType::kFloat32, kTokens, 2),
          .weights = {At(3), LayoutOf(plan, Buffer::kPackedWeights).bytes},
          .y = Tensor::Dense(At(4), ElementType::kBf16, kTokens, 64)};
}
Span Workspace(const Plan& plan) { return {At(5), LayoutOf(plan, Buffer::kWorkspace).bytes}; }

std::string ForwardRefusal(const std::function<void(ForwardTensors&, Span&)>& change,
                           bool save = false) {
  const Plan plan = PlanWith(save);
  ForwardTensors tensors = Tensors(plan);
  if (save) {
    tensors.gate = Tensor::Dense(At(6), ElementType::kBf16, plan.rows_max, 32);
    tensors.up = Tensor::Dense(At(7), ElementType::kBf16, plan.rows_max, 32);
  }
  Span workspace = Workspace(plan);
  change(tensors, workspace);
  const absl::Status status = CheckForward(plan, tensors, workspace);
  if (status.ok()) return "";
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(PreconditionsTest, AcceptsExactSizes) {
  EXPECT_EQ(ForwardRefusal([](ForwardTensors&, Span&) {}), "");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors&, Span&) {}, true), "");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors&, Span& w) { w.bytes += 1; }), "");
}

TEST(PreconditionsTest, TheWorkspaceIsComparedInFull) {
  const std::int64_t need = LayoutOf(PlanWith(), Buffer::kWorkspace).bytes;
  const std::string text = "workspace: need " + std::to_string(need) + " bytes, got ";
  EXPECT_EQ(ForwardRefusal([](ForwardTensors&, Span& w) { w.bytes -= 1; }),
            text + std::to_string(need - 1));
  EXPECT_EQ(ForwardRefusal([](ForwardTensors&, Span& w) { w.bytes -= 16; }),
            text + std::to_string(need - 16));
  EXPECT_EQ(ForwardRefusal([](ForwardTensors&, Span& w) { w.data = nullptr; }), text + "0");
}

TEST(PreconditionsTest, WeightsAreComparedInFull) {
  const std::int64_t need = LayoutOf(PlanWith(), Buffer::kPackedWeights).bytes;
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.weights.bytes -= 1; }),
            "weights: need " + std::to_string(need) + " bytes, got " + std::to_string(need - 1));
}

TEST(PreconditionsTest, ShapesTypesAndStrides) {
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.topk_w.columns = 6; }),
            "topk_w: expected float32 [48,2], got float32 [48,6]");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.topk_w.type = ElementType::kBf16; }),
            "topk_w: expected float32 [48,2], got bfloat16 [48,2]");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.x.rows = 47; }),
            "x: expected bfloat16 [48,64], got bfloat16 [47,64]");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.x.stride = 128; }),
            "x: expected row stride 64, got 128");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.y.data = nullptr; }),
            "y: expected bfloat16 [48,64], got none");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.topk_idx.type = ElementType::kUint8; }),
            "topk_idx: expected int32 [48,2], got uint8 [48,2]");
}

TEST(PreconditionsTest, Alignment) {
  EXPECT_EQ(
      ForwardRefusal([](ForwardTensors& t, Span&) { t.x.data = static_cast<char*>(t.x.data) + 8; }),
      "x: address 0x10000008 is not aligned to 16 bytes");
  EXPECT_EQ(
      ForwardRefusal([](ForwardTensors&, Span& w) { w.data = static_cast<char*>(w.data) + 2; }),
      "workspace: address 0x60000002 is not aligned to 16 bytes");
}

TEST(PreconditionsTest, Overlap) {
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span& w) {
              t.y.data = static_cast<char*>(w.data) + w.bytes / 16 * 16 - 16;
            }),
            "y overlaps workspace");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span& w) {
              t.y.data = static_cast<char*>(w.data) + w.bytes;
            }),
            "");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.y.data = t.x.data; }), "y overlaps x");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span& w) { t.topk_w.data = w.data; }),
            "workspace overlaps topk_w");
}

TEST(PreconditionsTest, SavedTensorsExactlyWhenAskedFor) {
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.gate = t.x; }),
            "gate: given, but the plan has no save_gate_up");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.up = t.x; }),
            "up: given, but the plan has no save_gate_up");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.gate.rows = 10; }, true),
            "gate: expected bfloat16 [224,32], got bfloat16 [10,32]");
  EXPECT_EQ(ForwardRefusal([](ForwardTensors& t, Span&) { t.up = t.gate; }, true),
            "gate overlaps up");
}

TEST(PreconditionsTest, RouteNeedsARouter) {
  const Plan given = PlanWith();
  const RouteTensors tensors{.x = Tensor::Dense(At(0), ElementType::kBf16, kTokens, 64),
                             .weights = {At(3), std::int64_t{1} << 24},
                             .topk_idx = Tensor::Dense(At(1), ElementType::kInt32, kTokens, 2),
                             .topk_w = Tensor::Dense(At(2), ElementType::kFloat32, kTokens, 2)};
  EXPECT_EQ(CheckRoute(given, tensors, Workspace(given)),
            absl::FailedPreconditionError("Route: router mode given has nothing to compute"));
  const Plan plan = PlanWith(false, moe::RouterMode::kSoftmaxTopk);
  EXPECT_TRUE(CheckRoute(plan, tensors, Workspace(plan)).ok());
  RouteTensors overlapping = tensors;
  overlapping.topk_w.data = tensors.topk_idx.data;
  EXPECT_EQ(CheckRoute(plan, overlapping, Workspace(plan)),
            absl::InvalidArgumentError("topk_idx overlaps topk_w"));
}

}  // namespace
}  // namespace moescope::cuda
