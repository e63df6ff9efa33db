#pragma once

#include <cstdint>

#include "moe/emit/emission.h"

namespace moescope::moe {

// Adds the bias row of a slot's expert, from a VRAM table of one row per (expert, column block), to
// every row of a matrix.
struct RowBiasRequest {
  const Slot& slot;
  VramMatrix matrix;
  std::uint32_t table = 0;
};
void EmitRowBias(Emission& emission, const RowBiasRequest& request, const stages::Attribution& at);

// gate = act(gate), up = up * gate (moe.md, 5.3): `up` ends as h before the route weight.
struct ActivationRequest {
  VramMatrix gate;
  VramMatrix up;
  VramMatrix scratch;
  std::uint32_t rows = 0;
};
void EmitActivation(Emission& emission, const ActivationRequest& request,
                    const stages::Attribution& at);

}  // namespace moescope::moe
