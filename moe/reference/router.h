#pragma once

#include <vector>

#include "moe/layer.h"
#include "moe/matrix.h"
#include "moe/reference/accumulation.h"
#include "moe/routing.h"
#include "moe/weights.h"

namespace moescope::moe::reference {

struct RouterOptions {
  Accumulation accumulation;
  bool bf16_logits = false;   // one rounding of each logit
  bool bf16_weights = false;  // one rounding of each weight
};

struct RouterResult {
  F32Matrix logits;  // [T, E]
  F32Matrix scores;  // [T, E]: softmax over all experts, sigmoid or sqrtsoftplus
  Routing routing;
};

// Logits, scores, ids and weights (moe.md, 3). The tensors fit the layer (Check); the mode is not
// `given`. T = x.rows.
RouterResult Route(const Layer& layer, const LayerTensors& tensors, const Bf16Matrix& x,
                   const RouterOptions& options);

// The same from logits [T, E] that are already there.
RouterResult RouteLogits(const Layer& layer, const LayerTensors& tensors, F32Matrix logits,
                         bool bf16_weights = false);

// dl [T, E] from dw [T, K] (moe.md, 3.4). Masked slots of the routing have no gradient.
F32Matrix RouterGradient(const Layer& layer, const RouterResult& result,
                         const std::vector<float>& dw);

struct LossOptions {
  float aux = 0;  // c_aux
  float z = 0;    // c_z
};

struct Losses {
  float aux = 0;
  float z = 0;
  F32Matrix dl;  // [T, E]
};

// Losses of moe.md, 3.5, from the routing before capacity drops.
Losses RouterLosses(const Layer& layer, const RouterResult& result, const LossOptions& options);

}  // namespace moescope::moe::reference
