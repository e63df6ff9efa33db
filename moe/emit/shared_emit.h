#pragma once

#include "moe/emit/emission.h"

namespace moescope::moe {

// shared_expert: the dense expert of all token rows, one pass.
void EmitSharedExpert(Emission& emission);

// shared_gate: sigmoid(x . wg) of every token, times its shared row.
void EmitSharedGate(Emission& emission);

// shared_combine: accumulator += shared rows.
void EmitSharedCombine(Emission& emission);

}  // namespace moescope::moe
