#include "cuda/forward.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <climits>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cuda/buffer_layout.h"
#include "cuda/host/cuda_status.h"
#include "cuda/host/layer_matrices.h"
#include "cuda/host/preconditions.h"
#include "cuda/host/tensor_map.h"
#include "cuda/kernels/launch.cuh"

namespace moescope::cuda {
namespace {

cudaStream_t Handle(Stream stream) { return static_cast<cudaStream_t>(stream.handle); }

// The slices of one buffer in device memory.
class Slices {
 public:
  Slices(const Plan& plan, Buffer buffer, Span memory)
      : layout_(LayoutOf(plan, buffer)), memory_(static_cast<std::uint8_t*>(memory.data)) {}

  // Null when the plan has no such slice.
  template <typename T>
  T* Get(std::string_view name) const {
    return layout_.Has(name) ? reinterpret_cast<T*>(memory_ + layout_.Find(name).offset) : nullptr;
  }

 private:
  BufferLayout layout_;
  std::uint8_t* memory_;
};

// The names of the slices that a pass over experts uses.
struct ExpertSlices {
  std::string_view count, base, group_size, group_expert, group_prefix, group_odd, hidden, gate, up;
};
constexpr ExpertSlices kRouted = {"count",        "base",         "group_size",
                                  "group_expert", "group_prefix", "group_odd",
                                  "hidden",       "gate",         "up"};
constexpr ExpertSlices kShared = {"shared_count",        "shared_base",         "shared_group_size",
                                  "shared_group_expert", "shared_group_prefix", "shared_group_odd",
                                  "shared_hidden",       "shared_gate",         "shared_up"};

// One Forward: what its launches have in common.
class ForwardCall {
 public:
  ForwardCall(const Plan& plan, const ForwardTensors& tensors, Span workspace, Stream stream)
      : plan_(plan),
        tensors_(tensors),
        work_(plan, Buffer::kWorkspace, workspace),
        packed_(plan, Buffer::kPackedWeights, tensors.weights),
        stream_(Handle(stream)) {}

  absl::Status Run() {
    RETURN_IF_ERROR(Dispatch());
    RETURN_IF_ERROR(ScaleInput());
    RETURN_IF_ERROR(Routed());
    if (plan_.options.shared.has_value()) RETURN_IF_ERROR(Shared());
    return Combine();
  }

 private:
  const Options& options() const { return plan_.options; }
  int tokens() const { return static_cast<int>(plan_.tokens); }
  const Bf16* x() const { return static_cast<const Bf16*>(tensors_.x.data); }
  const std::int32_t* idx() const {
    return static_cast<const std::int32_t*>(tensors_.topk_idx.data);
  }
  const float* w() const { return static_cast<const float*>(tensors_.topk_w.data); }

  absl::Status Dispatch() {
    const DispatchArguments arguments{.idx = idx(),
                                      .w = w(),
                                      .pairs = plan_.pairs(),
                                      .experts = plan_.shape.experts,
                                      .token_tile = plan_.token_tile,
                                      .chunk_count = work_.Get<std::int32_t>("chunk_count"),
                                      .count = work_.Get<std::int32_t>("count"),
                                      .base = work_.Get<std::int32_t>("base"),
                                      .group_size = work_.Get<std::int32_t>("group_size"),
                                      .group_expert = work_.Get<std::int32_t>("group_expert"),
                                      .group_prefix = work_.Get<std::int32_t>("group_prefix"),
                                      .group_odd = work_.Get<std::int32_t>("group_odd"),
                                      .row_src = work_.Get<std::int32_t>("row_src"),
                                      .row_w = work_.Get<float>("row_w"),
                                      .row_of = work_.Get<std::int32_t>("row_of"),
                                      .status = work_.Get<std::int32_t>("status")};
    return ToStatus(LaunchDispatch(arguments, stream_), "dispatch");
  }

  absl::Status ScaleInput() {
    if (options().weighting != moe::Weighting::kInput) return absl::OkStatus();
    return ToStatus(LaunchScaleTokens(x(), w(), work_.Get<Bf16>("scaled_x"), tokens(),
                                      plan_.shape.hidden, stream_),
                    "scaling tokens");
  }

  ActivationSettings Activation() const {
    return {options().activation, options().clamp.has_value(), options().clamp.value_or(0.0f),
            options().fast_math_forward};
  }

  ExpertArguments Common(const ExpertSlices& names) const {
    ExpertArguments a{};
    a.groups = {
        work_.Get<std::int32_t>(names.group_size),   work_.Get<std::int32_t>(names.group_expert),
        work_.Get<std::int32_t>(names.group_prefix), work_.Get<std::int32_t>(names.group_odd),
        work_.Get<std::int32_t>(names.count),        work_.Get<std::int32_t>(names.base)};
    a.top_k = plan_.shape.top_k;
    a.activation = Activation();
    a.hidden = work_.Get<Bf16>(names.hidden);
    a.hidden_in = a.hidden;
    a.gate = work_.Get<Bf16>(names.gate);
    a.up = work_.Get<Bf16>(names.up);
    return a;
  }

  static void SetMatrix(ExpertArguments& a, const std::uint8_t* weights, MatrixShape matrix,
                        moe::WeightFormat format) {
    a.weights = weights;
    a.matrix = matrix;
    a.blocks = matrix.column_chunks();
    a.expert_bytes = MatrixBytes(format, matrix);
  }

  absl::Status Routed() {
    ExpertArguments a = Common(kRouted);
    const bool pre = options().weighting == moe::Weighting::kPre;
    a.row_src = work_.Get<std::int32_t>("row_src");
    a.row_w = pre ? work_.Get<float>("row_w") : nullptr;
    a.rows_max = plan_.rows_max;
    a.tokens = options().weighting == moe::Weighting::kInput ? work_.Get<Bf16>("scaled_x") : x();
    a.bias = packed_.Get<Bf16>("gate_up_bias");
    if (options().save_gate_up) {
      a.gate = static_cast<Bf16*>(tensors_.gate.data);
      a.up = static_cast<Bf16*>(tensors_.up.data);
    }
    SetMatrix(a, packed_.Get<std::uint8_t>("gate_up"), GateUpMatrix(plan_), options().weights);
    RETURN_IF_ERROR(GateUp(options().weights, a, plan_.shape.experts));
    a.bias = packed_.Get<Bf16>("down_bias");
    a.weight_bias = pre;
    a.out = work_.Get<Bf16>("slots");
    SetMatrix(a, packed_.Get<std::uint8_t>("down"), DownMatrix(plan_), options().weights);
    return Down(options().weights, a, plan_.shape.experts);
  }

  absl::Status Shared() {
    const SingleGroupArguments group{tokens(),
                                     plan_.token_tile,
                                     work_.Get<std::int32_t>("shared_count"),
                                     work_.Get<std::int32_t>("shared_base"),
                                     work_.Get<std::int32_t>("shared_group_size"),
                                     work_.Get<std::int32_t>("shared_group_expert"),
                                     work_.Get<std::int32_t>("shared_group_prefix"),
                                     work_.Get<std::int32_t>("shared_group_odd")};
    RETURN_IF_ERROR(ToStatus(LaunchSingleGroup(group, stream_), "shared group"));
    ExpertArguments a = Common(kShared);
    a.tokens = x();
    a.rows_max = (plan_.tokens + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
    SetMatrix(a, packed_.Get<std::uint8_t>("shared_gate_up"), SharedGateUpMatrix(plan_),
              moe::WeightFormat::kBf16);
    RETURN_IF_ERROR(GateUp(moe::WeightFormat::kBf16, a, 1));
    a.out = work_.Get<Bf16>("shared_out");
    if (options().shared->gate) {
      RETURN_IF_ERROR(ToStatus(
          LaunchSharedGate(x(), packed_.Get<Bf16>("shared_gate_vector"), work_.Get<float>("sigma"),
                           tokens(), plan_.shape.hidden, stream_),
          "shared gate"));
      a.token_scale = work_.Get<float>("sigma");
    }
    SetMatrix(a, packed_.Get<std::uint8_t>("shared_down"), SharedDownMatrix(plan_),
              moe::WeightFormat::kBf16);
    return Down(moe::WeightFormat::kBf16, a, 1);
  }

  // Blocks of a persistent kernel: no more than there can be items, whole clusters.
  ExpertTile Tile(moe::WeightFormat format, const ExpertArguments& a, int experts,
                  int halves_per_block) const {
    const int rows_per_block = 64 * plan_.warpgroups * halves_per_block;
    const std::int64_t row_blocks = (a.matrix.rows + rows_per_block - 1) / rows_per_block;
    const std::int64_t rows = a.row_src == nullptr ? plan_.tokens : plan_.pairs();
    const std::int64_t tiles = rows / plan_.token_tile + std::min<std::int64_t>(experts, rows);
    const std::int64_t items = row_blocks * std::max<std::int64_t>(tiles, 1);
    const auto blocks = static_cast<int>(std::min<std::int64_t>(plan_.multiprocessors, items));
    const int cluster = ClusterBlocks(plan_, format);
    return {plan_.token_tile, plan_.warpgroups, cluster,
            (blocks + cluster - 1) / cluster * cluster};
  }

  absl::Status WeightMap(moe::WeightFormat format, const ExpertArguments& a, int experts,
                         CUtensorMap& map) const {
    if (format != moe::WeightFormat::kBf16) return absl::OkStatus();
    return EncodeTensorMap(
        {a.weights,
         {a.matrix.columns, std::int64_t{a.matrix.halves} * a.matrix.rows, experts},
         64 * plan_.warpgroups},
        &map);
  }

  StepwiseSettings Order() const {
    return {options().stepwise->tile, options().stepwise->tiles_per_chunk};
  }

  absl::Status GateUp(moe::WeightFormat format, const ExpertArguments& a, int experts) const {
    switch (options().kernels) {
      case Kernels::kPlain:
        return ToStatus(LaunchPlainGateUp(format, a, stream_), "plain gate_up");
      case Kernels::kStepwise:
        return ToStatus(LaunchStepwiseGateUp(format, a, Order(), stream_), "stepwise gate_up");
      case Kernels::kTensorCore:
        break;
    }
    CUtensorMap weights{};
    RETURN_IF_ERROR(WeightMap(format, a, experts, weights));
    RETURN_IF_ERROR(ToStatus(LaunchGateUp(format, a, weights, Tile(format, a, experts, 1), stream_),
                             "gate_up"));
    if (a.gate == nullptr) return absl::OkStatus();
    return ToStatus(LaunchActivation(a, stream_), "activation");
  }

  absl::Status Down(moe::WeightFormat format, const ExpertArguments& a, int experts) const {
    switch (options().kernels) {
      case Kernels::kPlain:
        return ToStatus(LaunchPlainDown(format, a, stream_), "plain down");
      case Kernels::kStepwise: {
        const bool post = options().weighting == moe::Weighting::kPost;
        const float* after = post ? work_.Get<float>("row_w") : nullptr;
        return ToStatus(LaunchStepwiseDown(format, a, Order(), after, stream_), "stepwise down");
      }
      case Kernels::kTensorCore:
        break;
    }
    CUtensorMap weights{};
    CUtensorMap hidden{};
    RETURN_IF_ERROR(WeightMap(format, a, experts, weights));
    RETURN_IF_ERROR(
        EncodeTensorMap({a.hidden_in, {a.matrix.columns, a.rows_max}, plan_.token_tile}, &hidden));
    return ToStatus(LaunchDown(format, a, weights, hidden, Tile(format, a, experts, 2), stream_),
                    "down");
  }

  absl::Status Combine() {
    const bool stepwise = options().kernels == Kernels::kStepwise;
    const bool post = options().weighting == moe::Weighting::kPost && !stepwise;
    const CombineArguments arguments{.idx = idx(),
                                     .w = post ? w() : nullptr,
                                     .slots = work_.Get<Bf16>("slots"),
                                     .shared = work_.Get<Bf16>("shared_out"),
                                     .y = static_cast<Bf16*>(tensors_.y.data),
                                     .tokens = tokens(),
                                     .top_k = plan_.shape.top_k,
                                     .experts = plan_.shape.experts,
                                     .hidden = plan_.shape.hidden,
                                     .stepwise = stepwise};
    return ToStatus(LaunchCombine(arguments, stream_), "combine");
  }

  const Plan& plan_;
  const ForwardTensors& tensors_;
  Slices work_;
  Slices packed_;
  cudaStream_t stream_;
};

}  // namespace

absl::Status Route(const Plan& plan, const RouteTensors& tensors, Span workspace, Stream stream) {
  RETURN_IF_ERROR(CheckRoute(plan, tensors, workspace));
  if (plan.tokens == 0) return absl::OkStatus();
  const Slices work(plan, Buffer::kWorkspace, workspace);
  const Slices packed(plan, Buffer::kPackedWeights, tensors.weights);
  const LogitArguments logits{.x = static_cast<const Bf16*>(tensors.x.data),
                              .weights = packed.Get<float>("router"),
                              .bias = packed.Get<float>("router_bias"),
                              .logits = work.Get<float>("logits"),
                              .tokens = static_cast<int>(plan.tokens),
                              .hidden = plan.shape.hidden,
                              .experts = plan.shape.experts,
                              .round = plan.options.bf16_logits};
  RETURN_IF_ERROR(ToStatus(LaunchLogits(logits, Handle(stream)), "logits"));
  const SelectArguments select{.logits = logits.logits,
                               .correction = packed.Get<float>("correction_bias"),
                               .idx = static_cast<std::int32_t*>(tensors.topk_idx.data),
                               .w = static_cast<float*>(tensors.topk_w.data),
                               .tokens = logits.tokens,
                               .experts = plan.shape.experts,
                               .top_k = plan.shape.top_k,
                               .router = plan.options.router,
                               .round = plan.options.bf16_weights};
  return ToStatus(LaunchSelect(select, Handle(stream)), "select");
}

absl::Status Forward(const Plan& plan, const ForwardTensors& tensors, Span workspace,
                     Stream stream) {
  RETURN_IF_ERROR(CheckForward(plan, tensors, workspace));
  if (plan.tokens == 0) return absl::OkStatus();
  return ForwardCall(plan, tensors, workspace, stream).Run();
}

absl::StatusOr<DeviceReport> Finish(const Plan& plan, Span workspace, Stream stream) {
  RETURN_IF_ERROR(CheckWorkspace(plan, workspace));
  RETURN_IF_ERROR(ToStatus(cudaStreamSynchronize(Handle(stream)), "waiting for the stream"));
  if (plan.tokens == 0) return DeviceReport{};
  const Slices work(plan, Buffer::kWorkspace, workspace);
  std::int32_t status[2] = {};
  std::int32_t groups = 0;
  RETURN_IF_ERROR(ToStatus(
      cudaMemcpy(status, work.Get<std::int32_t>("status"), sizeof status, cudaMemcpyDeviceToHost),
      "reading the status"));
  RETURN_IF_ERROR(ToStatus(cudaMemcpy(&groups, work.Get<std::int32_t>("group_size"), sizeof groups,
                                      cudaMemcpyDeviceToHost),
                           "reading the status"));
  if (status[0] != INT_MAX) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "topk_idx: pair %d (token %d, slot %d) is outside -1 to %d", status[0],
        status[0] / plan.shape.top_k, status[0] % plan.shape.top_k, plan.shape.experts - 1));
  }
  return DeviceReport{status[1], groups};
}

}  // namespace moescope::cuda
