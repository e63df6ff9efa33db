#include "cuda/buffer_layout.h"

#include <algorithm>

#include "base/check.h"
#include "cuda/host/layer_matrices.h"

namespace moescope::cuda {
namespace {

constexpr std::int64_t kAlignment = 256;

std::int64_t RoundUp(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

class Layouter {
 public:
  // Absent when it has no elements.
  void Add(std::string_view name, std::int64_t elements, ElementType type, std::string_view writer,
           std::string_view reader) {
    if (elements == 0) return;
    const std::int64_t bytes = elements * BytesOf(type);
    layout_.slices.push_back({name, layout_.bytes, bytes, type, writer, reader});
    layout_.bytes = RoundUp(layout_.bytes + bytes, kAlignment);
  }
  BufferLayout Take() { return std::move(layout_); }

 private:
  BufferLayout layout_;
};

constexpr auto kInt = ElementType::kInt32;
constexpr auto kFloat = ElementType::kFloat32;
constexpr auto kBf16 = ElementType::kBf16;
constexpr auto kByte = ElementType::kUint8;

void AddDispatch(const Plan& plan, Layouter& layout) {
  const std::int64_t experts = plan.shape.experts;
  const std::int64_t chunks = (plan.pairs() + 1023) / 1024;
  layout.Add("status", 2, kInt, "dispatch", "finish");
  layout.Add("chunk_count", chunks > 1 ? chunks * experts : 0, kInt, "histogram", "dispatch");
  layout.Add("count", experts, kInt, "dispatch", "gate_up");
  layout.Add("base", experts, kInt, "dispatch", "gate_up");
  layout.Add("group_size", 1, kInt, "dispatch", "gate_up");
  layout.Add("group_expert", experts, kInt, "dispatch", "gate_up");
  layout.Add("group_prefix", experts + 1, kInt, "dispatch", "gate_up");
  layout.Add("group_odd", experts + 1, kInt, "dispatch", "gate_up");
  layout.Add("row_src", plan.rows_max, kInt, "dispatch", "gate_up");
  layout.Add("row_w", plan.rows_max, kFloat, "dispatch", "gate_up");
  layout.Add("row_of", plan.pairs(), kInt, "dispatch", "caller");
}

void AddShared(const Plan& plan, Layouter& layout) {
  const std::int64_t rows = RoundUp(plan.tokens, kRowAlignment);
  const std::int64_t width = plan.options.shared->intermediate;
  layout.Add("shared_count", 1, kInt, "single_group", "gate_up");
  layout.Add("shared_base", 1, kInt, "single_group", "gate_up");
  layout.Add("shared_group_size", 1, kInt, "single_group", "gate_up");
  layout.Add("shared_group_expert", 1, kInt, "single_group", "gate_up");
  layout.Add("shared_group_prefix", 2, kInt, "single_group", "gate_up");
  layout.Add("shared_group_odd", 2, kInt, "single_group", "gate_up");
  layout.Add("shared_hidden", rows * width, kBf16, "gate_up", "down");
  if (NeedsSeparateActivation(plan.options)) {
    layout.Add("shared_gate", rows * width, kBf16, "gate_up", "activation");
    layout.Add("shared_up", rows * width, kBf16, "gate_up", "activation");
  }
  layout.Add("shared_out", plan.tokens * plan.shape.hidden, kBf16, "down", "combine");
  layout.Add("sigma", plan.options.shared->gate ? plan.tokens : 0, kFloat, "shared_gate", "down");
}

BufferLayout Workspace(const Plan& plan) {
  Layouter layout;
  const std::int64_t rows = plan.rows_max;
  const std::int64_t width = plan.shape.intermediate;
  AddDispatch(plan, layout);
  if (plan.options.router.mode != moe::RouterMode::kGiven) {
    layout.Add("logits", plan.tokens * plan.shape.experts, kFloat, "logits", "select");
  }
  if (plan.options.weighting == moe::Weighting::kInput) {
    layout.Add("scaled_x", plan.tokens * plan.shape.hidden, kBf16, "scale_tokens", "gate_up");
  }
  layout.Add("hidden", rows * width, kBf16, "gate_up", "down");
  if (NeedsSeparateActivation(plan.options) && !plan.options.save_gate_up) {
    layout.Add("gate", rows * width, kBf16, "gate_up", "activation");
    layout.Add("up", rows * width, kBf16, "gate_up", "activation");
  }
  layout.Add("slots", plan.pairs() * plan.shape.hidden, kBf16, "down", "combine");
  if (plan.options.shared.has_value()) AddShared(plan, layout);
  return layout.Take();
}

BufferLayout Packed(const Plan& plan) {
  Layouter layout;
  const moe::LayerShape& s = plan.shape;
  const Options& o = plan.options;
  const auto experts = [&](MatrixShape matrix) {
    return s.experts * MatrixBytes(o.weights, matrix);
  };
  layout.Add("gate_up", experts(GateUpMatrix(plan)), kByte, "pack", "gate_up");
  layout.Add("down", experts(DownMatrix(plan)), kByte, "pack", "down");
  if (o.expert_bias) {
    layout.Add("gate_up_bias", std::int64_t{2} * s.experts * s.intermediate, kBf16, "pack",
               "gate_up");
    layout.Add("down_bias", std::int64_t{1} * s.experts * s.hidden, kBf16, "pack", "down");
  }
  if (o.shared.has_value()) {
    layout.Add("shared_gate_up", std::int64_t{2} * o.shared->intermediate * s.hidden, kBf16, "pack",
               "gate_up");
    layout.Add("shared_down", std::int64_t{1} * o.shared->intermediate * s.hidden, kBf16, "pack",
               "down");
    layout.Add("shared_gate_vector", o.shared->gate ? s.hidden : 0, kBf16, "pack", "shared_gate");
  }
  if (o.router.mode != moe::RouterMode::kGiven) {
    layout.Add("router", std::int64_t{1} * s.experts * s.hidden, kFloat, "pack", "logits");
    layout.Add("router_bias", o.router.logit_bias ? s.experts : 0, kFloat, "pack", "logits");
    layout.Add("correction_bias", o.router.correction_bias ? s.experts : 0, kFloat, "pack",
               "select");
  }
  return layout.Take();
}

}  // namespace

bool BufferLayout::Has(std::string_view name) const {
  return std::any_of(slices.begin(), slices.end(),
                     [&](const Slice& slice) { return slice.name == name; });
}

const Slice& BufferLayout::Find(std::string_view name) const {
  const auto found = std::find_if(slices.begin(), slices.end(),
                                  [&](const Slice& slice) { return slice.name == name; });
  CHECK(found != slices.end());
  return *found;
}

BufferLayout LayoutOf(const Plan& plan, Buffer buffer) {
  return buffer == Buffer::kWorkspace ? Workspace(plan) : Packed(plan);
}

}  // namespace moescope::cuda
