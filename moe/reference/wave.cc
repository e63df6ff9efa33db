#include "moe/reference/wave.h"

#include <cstddef>
#include <utility>

#include "base/check.h"
#include "base/status.h"

namespace moescope::moe::reference {
namespace {

template <typename T>
Matrix<T> SliceRows(const Matrix<T>& rows, const WaveRoot& root) {
  Matrix<T> slice(root.tokens, rows.columns);
  for (std::int64_t t = 0; t < root.tokens; ++t) {
    const auto source = rows.Row(root.first_token + t);
    std::copy(source.begin(), source.end(), slice.Row(t).begin());
  }
  return slice;
}

// A root by itself: what Forward and Backward see.
struct RootInputs {
  Bf16Matrix x;
  Routing routing;
};

RootInputs Slice(const LayerInputs& inputs, const WaveRoot& root) {
  return {RootRows(inputs.x, root), RootRouting(inputs.routing, root)};
}

LayerInputs Alone(const LayerInputs& inputs, const RootInputs& slice, const WaveRoot& root) {
  return {inputs.layer, inputs.tensors, inputs.experts, slice.x, slice.routing, &root.lora};
}

}  // namespace

Routing RootRouting(const Routing& routing, const WaveRoot& root) {
  const auto first = static_cast<std::ptrdiff_t>(root.first_token * routing.top_k);
  const auto last = first + static_cast<std::ptrdiff_t>(root.tokens * routing.top_k);
  return {.tokens = root.tokens,
          .top_k = routing.top_k,
          .experts = routing.experts,
          .topk_idx = {routing.topk_idx.begin() + first, routing.topk_idx.begin() + last},
          .topk_w = {routing.topk_w.begin() + first, routing.topk_w.begin() + last}};
}

Bf16Matrix RootRows(const Bf16Matrix& rows, const WaveRoot& root) { return SliceRows(rows, root); }

RouterResult RootRoute(const RouterResult& result, const WaveRoot& root) {
  return {SliceRows(result.logits, root), SliceRows(result.scores, root),
          RootRouting(result.routing, root)};
}

absl::StatusOr<std::vector<ForwardOutputs>> ForwardWave(const LayerInputs& inputs, const Wave& wave,
                                                        Accumulation accumulation) {
  CHECK(inputs.lora == nullptr);
  RETURN_IF_ERROR(Check(wave, inputs.layer, inputs.x.rows));
  std::vector<ForwardOutputs> outputs;
  for (const WaveRoot& root : wave.roots) {
    const RootInputs slice = Slice(inputs, root);
    ASSIGN_OR_RETURN(ForwardOutputs output, Forward(Alone(inputs, slice, root), accumulation));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

absl::StatusOr<std::vector<BackwardOutputs>> BackwardWave(const LayerInputs& inputs,
                                                          const Wave& wave, const Bf16Matrix& dy,
                                                          Accumulation accumulation) {
  CHECK(inputs.lora == nullptr);
  RETURN_IF_ERROR(Check(wave, inputs.layer, inputs.x.rows));
  std::vector<BackwardOutputs> outputs;
  for (const WaveRoot& root : wave.roots) {
    const RootInputs slice = Slice(inputs, root);
    ASSIGN_OR_RETURN(BackwardOutputs output,
                     Backward(Alone(inputs, slice, root), RootRows(dy, root), accumulation));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

std::vector<Losses> WaveLosses(const Layer& layer, const RouterResult& result, const Wave& wave,
                               const LossOptions& options) {
  std::vector<Losses> losses;
  for (const WaveRoot& root : wave.roots) {
    losses.push_back(RouterLosses(layer, RootRoute(result, root), options));
  }
  return losses;
}

}  // namespace moescope::moe::reference
