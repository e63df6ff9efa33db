#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "cuda/buffer_layout.h"
#include "cuda/device.h"
#include "cuda/forward.h"
#include "cuda/memory.h"
#include "cuda/packed_weights.h"
#include "moe/presets.h"
#include "moe/reference/reference.h"
#include "moe/seeded_layer.h"
#include "moe/workload.h"

// Runs a seeded layer on the device. Without a device such tests skip; MOESCOPE_REQUIRE_DEVICE=1
// turns the skip into a failure.

namespace moescope::cuda::test {

inline constexpr char kNoDevice[] = "no CUDA device";

// Null when tests must skip.
inline const Device* TestDevice() {
  static const absl::StatusOr<Device> device = OpenDevice(0);
  static const bool required = [] {
    const char* value = std::getenv("MOESCOPE_REQUIRE_DEVICE");
    return value != nullptr && std::string(value) == "1";
  }();
  if (!device.ok() && required) ADD_FAILURE() << device.status();
  return device.ok() ? &*device : nullptr;
}

#define MOESCOPE_NEEDS_DEVICE()                          \
  if (::moescope::cuda::test::TestDevice() == nullptr) { \
    GTEST_SKIP() << ::moescope::cuda::test::kNoDevice;   \
  }                                                      \
  static_assert(true)

// Device memory with canary bytes behind it.
class Guarded {
 public:
  static constexpr std::int64_t kCanary = 256;

  explicit Guarded(std::int64_t bytes, std::uint8_t fill = 0xFF)
      : memory_(*Memory::Allocate(bytes + kCanary)), bytes_(bytes) {
    EXPECT_TRUE(FillBytes(memory_.data(), fill, bytes).ok());
    EXPECT_TRUE(FillBytes(end(), 0xA5, kCanary).ok());
  }
  template <typename T>
  explicit Guarded(const std::vector<T>& values)
      : Guarded(static_cast<std::int64_t>(values.size() * sizeof(T))) {
    EXPECT_TRUE(CopyToDevice(memory_.data(), values.data(), bytes_).ok());
  }
  ~Guarded() {
    std::vector<std::uint8_t> canary(kCanary);
    EXPECT_TRUE(CopyToHost(canary.data(), end(), kCanary).ok());
    EXPECT_EQ(canary, std::vector<std::uint8_t>(kCanary, 0xA5)) << "bytes behind a buffer changed";
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  void* data() const { return memory_.data(); }
  Span span() const { return {memory_.data(), bytes_}; }

  template <typename T>
  std::vector<T> Read(std::int64_t offset, std::int64_t count) const {
    std::vector<T> values(static_cast<std::size_t>(count));
    const auto* from = static_cast<const std::uint8_t*>(memory_.data()) + offset;
    EXPECT_TRUE(CopyToHost(values.data(), from, count * static_cast<std::int64_t>(sizeof(T))).ok());
    return values;
  }

 private:
  void* end() const { return static_cast<std::uint8_t*>(memory_.data()) + bytes_; }

  Memory memory_;
  std::int64_t bytes_;
};

// A layer with all inputs from a seed, and its weights encoded.
struct SeededCase {
  moe::Layer layer;
  moe::Weights weights;
  moe::Bf16Matrix x;
  moe::Routing routing;

  SeededCase(const moe::Layer& description, std::int64_t tokens,
             const char* workload = "uniform+masked(0.2)", std::uint64_t seed = 1,
             moe::Values values = moe::Values::kRandom,
             moe::GateUpLayout layout = moe::GateUpLayout::kHalves)
      : layer(description), x(moe::SeededHidden(description, tokens, seed, values)) {
    weights.tensors = moe::SeededTensors(layer, seed, values);
    weights.experts.layout = layout;
    for (int e = 0; e < layer.shape.experts; ++e) {
      const moe::ExpertMatrices matrices = moe::SeededExpert(layer, e, seed, values);
      weights.experts.gate_up.push_back(
          moe::Encode(moe::JoinGateUp(matrices.gate, matrices.up, layout), layer.weights,
                      moe::Orientation::kOutputMajor, {}));
      weights.experts.down.push_back(
          moe::Encode(matrices.down, layer.weights, moe::Orientation::kOutputMajor, {}));
    }
    routing = *moe::GenerateRouting(*moe::ParseWorkload(workload),
                                    {tokens, layer.shape.top_k, layer.shape.experts}, seed);
  }

  std::int64_t tokens() const { return x.rows; }

  moe::reference::ForwardOutputs Reference() const {
    const moe::StoredExperts experts(weights.experts, {});
    absl::StatusOr<moe::reference::ForwardOutputs> outputs = moe::reference::Forward(
        {layer, weights.tensors, experts, x, routing}, moe::reference::kIdeal);
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    return *std::move(outputs);
  }
};

struct DeviceOutputs {
  moe::Bf16Matrix y;                  // [T, H]
  moe::Bf16Matrix slot;               // [T K, H]; rows of masked slots are the fill pattern
  moe::Bf16Matrix hidden;             // [rows_max, I]
  moe::Bf16Matrix gate, up;           // [rows_max, I], with save_gate_up
  std::vector<std::int32_t> row_src;  // [rows_max]
  std::vector<std::int32_t> row_of;   // [T K]
  std::vector<std::int32_t> count, base;
  DeviceReport report;
};

// Everything on the device for one plan; Forward can be run any number of times.
class DeviceLayer {
 public:
  DeviceLayer(const SeededCase& layer, const Plan& plan, const PackedWeights& packed)
      : plan_(plan),
        x_(layer.x.values),
        idx_(layer.routing.topk_idx),
        w_(layer.routing.topk_w),
        weights_(packed.bytes),
        y_(2 * plan.tokens * plan.shape.hidden),
        gate_(Saved()),
        up_(Saved()),
        workspace_(LayoutOf(plan, Buffer::kWorkspace).bytes) {}

  ForwardTensors tensors() const {
    const std::int64_t t = plan_.tokens;
    const std::int64_t h = plan_.shape.hidden;
    const std::int64_t k = plan_.shape.top_k;
    ForwardTensors tensors{.x = Tensor::Dense(x_.data(), ElementType::kBf16, t, h),
                           .topk_idx = Tensor::Dense(idx_.data(), ElementType::kInt32, t, k),
                           .topk_w = Tensor::Dense(w_.data(), ElementType::kFloat32, t, k),
                           .weights = weights_.span(),
                           .y = Tensor::Dense(y_.data(), ElementType::kBf16, t, h)};
    if (plan_.options.save_gate_up) {
      const std::int64_t i = plan_.shape.intermediate;
      tensors.gate = Tensor::Dense(gate_.data(), ElementType::kBf16, plan_.rows_max, i);
      tensors.up = Tensor::Dense(up_.data(), ElementType::kBf16, plan_.rows_max, i);
    }
    return tensors;
  }
  Span workspace() const { return workspace_.span(); }
  const Plan& plan() const { return plan_; }

  void Poison() {
    EXPECT_TRUE(FillBytes(y_.data(), 0xFF, y_.span().bytes).ok());
    EXPECT_TRUE(FillBytes(workspace_.data(), 0xFF, workspace_.span().bytes).ok());
  }

  absl::StatusOr<DeviceOutputs> Run(Stream stream = {}) {
    RETURN_IF_ERROR(Forward(plan_, tensors(), workspace(), stream));
    ASSIGN_OR_RETURN(const DeviceReport report, Finish(plan_, workspace(), stream));
    DeviceOutputs out = Outputs();
    out.report = report;
    return out;
  }

  DeviceOutputs Outputs() const {
    DeviceOutputs out;
    const moe::LayerShape& s = plan_.shape;
    out.y = ReadMatrix(y_, 0, plan_.tokens, s.hidden);
    if (plan_.tokens == 0) return out;
    const BufferLayout layout = LayoutOf(plan_, Buffer::kWorkspace);
    out.slot = ReadMatrix(workspace_, layout.Find("slots").offset, plan_.pairs(), s.hidden);
    out.hidden =
        ReadMatrix(workspace_, layout.Find("hidden").offset, plan_.rows_max, s.intermediate);
    out.row_src = workspace_.Read<std::int32_t>(layout.Find("row_src").offset, plan_.rows_max);
    out.row_of = workspace_.Read<std::int32_t>(layout.Find("row_of").offset, plan_.pairs());
    out.count = workspace_.Read<std::int32_t>(layout.Find("count").offset, s.experts);
    out.base = workspace_.Read<std::int32_t>(layout.Find("base").offset, s.experts);
    if (plan_.options.save_gate_up) {
      out.gate = ReadMatrix(gate_, 0, plan_.rows_max, s.intermediate);
      out.up = ReadMatrix(up_, 0, plan_.rows_max, s.intermediate);
    }
    return out;
  }

 private:
  std::int64_t Saved() const {
    return plan_.options.save_gate_up ? 2 * plan_.rows_max * plan_.shape.intermediate : 0;
  }
  static moe::Bf16Matrix ReadMatrix(const Guarded& from, std::int64_t offset, std::int64_t rows,
                                    std::int64_t columns) {
    moe::Bf16Matrix matrix(rows, columns);
    matrix.values = from.Read<std::uint16_t>(offset, rows * columns);
    return matrix;
  }

  Plan plan_;
  Guarded x_, idx_, w_, weights_, y_, gate_, up_, workspace_;
};

// Plans, packs, uploads and runs once.
inline absl::StatusOr<DeviceOutputs> RunOnDevice(const SeededCase& layer, const Options& options) {
  ASSIGN_OR_RETURN(const Plan plan,
                   MakePlan(layer.layer.shape, layer.tokens(), options, TestDevice()->traits));
  ASSIGN_OR_RETURN(const PackedWeights packed, PackWeights(plan, layer.weights));
  DeviceLayer device(layer, plan, packed);
  return device.Run();
}

// A layer of test size.
inline moe::Layer SmallLayer(moe::Activation activation = moe::Activation::kSwiglu,
                             moe::WeightFormat format = moe::WeightFormat::kBf16,
                             moe::Weighting weighting = moe::Weighting::kPre) {
  return {.shape = {192, 144, 8, weighting == moe::Weighting::kInput ? 1 : 3},
          .activation = activation,
          .weighting = weighting,
          .weights = format};
}

// The rows of o that belong to valid slots, in pair order.
inline moe::Bf16Matrix ValidRows(const moe::Bf16Matrix& slots, const moe::Routing& routing) {
  moe::Bf16Matrix rows(0, slots.columns);
  for (std::int64_t pair = 0; pair < slots.rows; ++pair) {
    if (routing.topk_idx[static_cast<std::size_t>(pair)] < 0) continue;
    const auto row = slots.Row(pair);
    rows.values.insert(rows.values.end(), row.begin(), row.end());
    ++rows.rows;
  }
  return rows;
}

}  // namespace moescope::cuda::test
