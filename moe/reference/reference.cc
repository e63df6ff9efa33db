#include "moe/reference/reference.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "moe/layer_check.h"
#include "moe/reference/backward_math.h"
#include "moe/reference/forward_math.h"
#include "moe/reference/lower_operands.h"

namespace moescope::moe::reference {
namespace {

absl::Status CheckInputs(const LayerInputs& in) {
  RETURN_IF_ERROR(Check(in.layer));
  RETURN_IF_ERROR(Check(in.tensors, in.layer));
  RETURN_IF_ERROR(Check(in.routing));
  if (in.routing.experts != in.layer.shape.experts || in.routing.top_k != in.layer.shape.top_k) {
    return absl::InvalidArgumentError(
        absl::StrFormat("routing to %d of %d experts, layer has %d of %d [RC024]", in.routing.top_k,
                        in.routing.experts, in.layer.shape.top_k, in.layer.shape.experts));
  }
  if (in.x.rows != in.routing.tokens || in.x.columns != in.layer.shape.hidden) {
    return absl::InvalidArgumentError(absl::StrFormat("x: expected [%d,%d], got [%d,%d] [RC034]",
                                                      in.routing.tokens, in.layer.shape.hidden,
                                                      in.x.rows, in.x.columns));
  }
  return in.lora == nullptr ? absl::OkStatus() : Check(*in.lora, in.layer);
}

ForwardOutputs ToOutputs(const ForwardValues<float>& values) {
  return {.y = Narrow(values.y),
          .routed = Narrow(values.routed),
          .slot = Narrow(values.slot),
          .gate = Narrow(values.gate),
          .up = Narrow(values.up),
          .hidden = Narrow(values.hidden),
          .z1 = Narrow(values.z1),
          .z3 = Narrow(values.z3),
          .z2 = Narrow(values.z2),
          .shared = Narrow(values.shared),
          .sigma = values.sigma};
}

}  // namespace

std::vector<ExpertRows> RowsPerExpert(const Routing& routing) {
  std::vector<ExpertRows> rows(static_cast<std::size_t>(routing.experts));
  for (std::int64_t pair = 0; pair < routing.pairs(); ++pair) {
    const std::int32_t expert = routing.topk_idx[static_cast<std::size_t>(pair)];
    if (expert < 0) continue;
    rows[static_cast<std::size_t>(expert)].pairs.push_back(pair);
    rows[static_cast<std::size_t>(expert)].tokens.push_back(pair / routing.top_k);
  }
  return rows;
}

absl::StatusOr<ForwardOutputs> Forward(const LayerInputs& inputs, Accumulation accumulation) {
  RETURN_IF_ERROR(CheckInputs(inputs));
  const Fused arithmetic(accumulation);
  const LayerOperands<float> operands = Lower<float>(inputs);
  ASSIGN_OR_RETURN(const ForwardValues<float> values,
                   ForwardPass<Fused>(arithmetic, operands).Run());
  return ToOutputs(values);
}

absl::StatusOr<BackwardOutputs> Backward(const LayerInputs& inputs, const Bf16Matrix& dy,
                                         Accumulation accumulation) {
  RETURN_IF_ERROR(CheckInputs(inputs));
  if (inputs.layer.weighting != Weighting::kPre) {
    return absl::UnimplementedError("backward needs weighting PRE [RC045]");
  }
  if (dy.rows != inputs.x.rows || dy.columns != inputs.x.columns) {
    return absl::InvalidArgumentError(absl::StrFormat("dy: expected [%d,%d], got [%d,%d] [RC034]",
                                                      inputs.x.rows, inputs.x.columns, dy.rows,
                                                      dy.columns));
  }
  const Fused arithmetic(accumulation);
  const LayerOperands<float> operands = Lower<float>(inputs);
  ASSIGN_OR_RETURN(const ForwardValues<float> saved,
                   ForwardPass<Fused>(arithmetic, operands).Run());
  const F32Matrix gradient = Widen<float>(dy);
  ASSIGN_OR_RETURN(BackwardValues<float> values,
                   BackwardPass<Fused>(arithmetic, operands, saved, gradient).Run());
  return BackwardOutputs{.grad_x = Narrow(values.grad_x),
                         .dw = std::move(values.dw),
                         .da1 = std::move(values.da1),
                         .da3 = std::move(values.da3),
                         .db2 = std::move(values.db2),
                         .db1 = std::move(values.db1),
                         .db3 = std::move(values.db3),
                         .da2 = std::move(values.da2)};
}

}  // namespace moescope::moe::reference
