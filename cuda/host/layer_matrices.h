#pragma once

#include "cuda/packed_layout.h"
#include "cuda/plan.h"

namespace moescope::cuda {

// Matrices of the routed and of the shared experts, [output, contraction].
inline MatrixShape GateUpMatrix(const Plan& plan) {
  return {2, plan.shape.intermediate, plan.shape.hidden};
}
inline MatrixShape DownMatrix(const Plan& plan) {
  return {1, plan.shape.hidden, plan.shape.intermediate};
}
inline MatrixShape SharedGateUpMatrix(const Plan& plan) {
  return {2, plan.options.shared->intermediate, plan.shape.hidden};
}
inline MatrixShape SharedDownMatrix(const Plan& plan) {
  return {1, plan.shape.hidden, plan.options.shared->intermediate};
}

// Whether the tensor-core kernels write g0 and u0 and leave h to the activation kernel: when they
// are wanted, and for the activations whose code would not fit beside the accumulators.
inline bool NeedsSeparateActivation(const Options& options) {
  return options.kernels == Kernels::kTensorCore &&
         (options.save_gate_up || options.activation == moe::Activation::kGegluTanh ||
          options.activation == moe::Activation::kGegluErf);
}

}  // namespace moescope::cuda
