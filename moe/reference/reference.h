#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "moe/layer.h"
#include "moe/matrix.h"
#include "moe/reference/accumulation.h"
#include "moe/routing.h"
#include "moe/side_lora.h"
#include "moe/weights.h"

// The fused layer on the CPU (moe.md, 5.1, 7, 9): the judge of the CUDA backend. Rounding points R1
// to R6 and no others; the order of sums is an argument.

namespace moescope::moe::reference {

// All references must outlive the call.
struct LayerInputs {
  const Layer& layer;
  const LayerTensors& tensors;
  const ExpertSource& experts;
  const Bf16Matrix& x;     // [T, H]
  const Routing& routing;  // profile `given`
  const SideLora* lora = nullptr;
};

// Everything a stage output can be compared with. Rows of masked slots are zero.
struct ForwardOutputs {
  Bf16Matrix y;              // [T, H]
  Bf16Matrix routed;         // [T, H]: before the shared expert is added
  Bf16Matrix slot;           // o [T K, H]
  Bf16Matrix gate;           // g0 [T K, I]
  Bf16Matrix up;             // u0 [T K, I]
  Bf16Matrix hidden;         // h [T K, I]
  Bf16Matrix z1, z3;         // [T, r]
  Bf16Matrix z2;             // [T K, r]
  Bf16Matrix shared;         // ys [T, H]
  std::vector<float> sigma;  // [T]
};

// The six gradients are FP32 and empty without side-LoRA.
struct BackwardOutputs {
  Bf16Matrix grad_x;                // [T, H]
  std::vector<float> dw;            // [T, K]
  F32Matrix da1, da3;               // [r, H]
  F32Matrix db2;                    // [H, r]
  std::vector<F32Matrix> db1, db3;  // [E] of [I, r]
  std::vector<F32Matrix> da2;       // [E] of [r, I]
};

// InvalidArgument when inputs do not fit together, or what the expert source says.
absl::StatusOr<ForwardOutputs> Forward(const LayerInputs& inputs, Accumulation accumulation);

// Runs the forward again and then the backward of dy [T, H]. Unimplemented for weighting POST and
// INPUT.
absl::StatusOr<BackwardOutputs> Backward(const LayerInputs& inputs, const Bf16Matrix& dy,
                                         Accumulation accumulation);

}  // namespace moescope::moe::reference
