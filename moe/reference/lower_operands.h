#pragma once

#include <utility>
#include <vector>

#include "base/status.h"
#include "moe/reference/arithmetic.h"
#include "moe/reference/operands.h"
#include "moe/reference/reference.h"

namespace moescope::moe::reference {

template <typename Real>
ExpertOperands<Real> Lower(const ExpertMatrices& matrices) {
  return {Widen<Real>(matrices.gate), Widen<Real>(matrices.up), Widen<Real>(matrices.down)};
}

template <typename Real>
std::vector<Matrix<Real>> Lower(const std::vector<Bf16Matrix>& matrices) {
  std::vector<Matrix<Real>> result;
  for (const Bf16Matrix& matrix : matrices) result.push_back(Widen<Real>(matrix));
  return result;
}

template <typename Real>
LoraOperands<Real> Lower(const SideLora& lora) {
  return {static_cast<Real>(lora.scale), lora.side_rows,       Widen<Real>(lora.a1),
          Widen<Real>(lora.a3),          Widen<Real>(lora.b2), Lower<Real>(lora.b1),
          Lower<Real>(lora.b3),          Lower<Real>(lora.a2)};
}

// The inputs as numbers; a disabled adapter (scale 0) is left out. `inputs` must outlive the
// result.
template <typename Real>
LayerOperands<Real> Lower(const LayerInputs& inputs) {
  const LayerTensors& tensors = inputs.tensors;
  LayerOperands<Real> operands{.layer = inputs.layer,
                               .x = Widen<Real>(inputs.x),
                               .routing = inputs.routing,
                               .weight = {},
                               .expert = {},
                               .gate_bias = Widen<Real>(tensors.gate_bias),
                               .up_bias = Widen<Real>(tensors.up_bias),
                               .down_bias = Widen<Real>(tensors.down_bias),
                               .shared = {},
                               .shared_gate_vector = {},
                               .lora = {}};
  operands.weight.assign(inputs.routing.topk_w.begin(), inputs.routing.topk_w.end());
  operands.expert = [&source = inputs.experts](int e) -> absl::StatusOr<ExpertOperands<Real>> {
    ASSIGN_OR_RETURN(const ExpertMatrices matrices, source.Load(e));
    return Lower<Real>(matrices);
  };
  if (inputs.layer.shared.has_value()) {
    operands.shared =
        Lower<Real>(ExpertMatrices{tensors.shared_gate, tensors.shared_up, tensors.shared_down});
    for (const std::uint16_t bits : tensors.shared_gate_vector) {
      operands.shared_gate_vector.push_back(static_cast<Real>(isa::Bf16ToFloat(bits)));
    }
  }
  if (inputs.lora != nullptr && inputs.lora->scale != 0) operands.lora = Lower<Real>(*inputs.lora);
  return operands;
}

}  // namespace moescope::moe::reference
