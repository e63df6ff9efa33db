#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "moe/layer.h"
#include "moe/matrix.h"
#include "moe/routing.h"
#include "moe/stepwise_plan.h"
#include "moe/weights.h"

// Profile `stepwise` (moe.md, 2 and 5.3): what a compiled program computes, bit for bit. Written
// from the definition, not from the emitters; it shares number conversion and exp with the emulator
// and nothing else.

namespace moescope::moe::reference {

struct StepwiseInputs {
  const Layer& layer;  // the compiled layer's: with the weighting of the lowering
  const StepwisePlan& plan;
  const LayerTensors& tensors;
  const ExpertSource& experts;
  const Bf16Matrix& x;                                      // [T, H]
  const Routing* fixed = nullptr;                           // null: the program routes
  const std::vector<std::uint16_t>* norm_weight = nullptr;  // [H]; residual=norm
};

// Everything a program leaves in its memories. Rows of masked slots are zero.
struct StepwiseOutputs {
  Bf16Matrix logits;                 // [T, E], with br; empty with fixed routing
  Routing routing;                   // weights are BF16 values
  Bf16Matrix gate;                   // [T K, I]: act(gate), the factor of up
  Bf16Matrix hidden;                 // [T K, I]: what the down projection reads
  Bf16Matrix slot;                   // [T K, H]: o, with its route weight when weighting is POST
  Bf16Matrix routed;                 // [T, H]: sum of the slots
  std::vector<std::uint16_t> sigma;  // [T]; empty without shared gate
  Bf16Matrix shared;                 // [T, H]: ys
  Bf16Matrix y;                      // [T, H]
};

absl::StatusOr<StepwiseOutputs> Stepwise(const StepwiseInputs& inputs);

}  // namespace moescope::moe::reference
