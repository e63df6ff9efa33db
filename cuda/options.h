#pragma once

#include <cstdint>
#include <optional>

#include "moe/layer.h"

namespace moescope::cuda {

// Which kernels compute the expert MLP. Nothing falls back from one to another.
enum class Kernels : std::uint8_t {
  kTensorCore,  // persistent, warp-specialised wgmma
  kPlain,       // one thread per output, FP32 FMA chain; the oracle of the tuned kernels
  kStepwise,    // one thread per output, BF16 after every step (moe.md, 5.3); for tests
};

// Order of the sums of Kernels::kStepwise: tile(M), and how many tiles one chunk holds.
struct StepwiseOrder {
  int tile = 64;
  int tiles_per_chunk = 1 << 20;

  friend bool operator==(const StepwiseOrder&, const StepwiseOrder&) = default;
};

// What the layer computes and how. Every member has an effect or is refused by MakePlan.
struct Options {
  moe::Weighting weighting;  // these two have no default: leaving them out does not compile
  moe::WeightFormat weights;
  moe::Activation activation = moe::Activation::kSwiglu;
  std::optional<float> clamp;  // L, a BF16 value
  bool expert_bias = false;    // b13 and b2
  std::optional<moe::SharedExpert> shared;
  moe::Router router;              // kGiven: Route is refused
  bool bf16_logits = false;        // one rounding of each logit; needs a router
  bool bf16_weights = false;       // one rounding of each route weight; needs a router
  bool fast_math_forward = false;  // ex2.approx and rcp.approx in the activation; other bits
  bool save_gate_up = false;       // ForwardTensors::gate and ::up receive g0 and u0
  int sm_limit = 0;                // SMs of the persistent kernels, 0 = all; never changes bits
  int token_tile = 0;              // rows of a work item, 0 = by the tile table; never changes bits
  Kernels kernels = Kernels::kTensorCore;
  std::optional<StepwiseOrder> stepwise;  // exactly with Kernels::kStepwise

  friend bool operator==(const Options&, const Options&) = default;
};

// The options that compute `layer`, with nothing else set.
inline Options OptionsFor(const moe::Layer& layer) {
  return {.weighting = layer.weighting,
          .weights = layer.weights,
          .activation = layer.activation,
          .clamp = layer.clamp,
          .expert_bias = layer.expert_bias,
          .shared = layer.shared,
          .router = layer.router};
}

}  // namespace moescope::cuda
