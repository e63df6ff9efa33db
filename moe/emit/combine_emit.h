#pragma once

#include <cstdint>

#include "moe/emit/emission.h"

namespace moescope::moe {

// residual_setup: the residual rows are zeroed and the input rows added to them; with residual=norm
// the input rows are then normalised in place and multiplied by the norm weight.
void EmitResidualSetup(Emission& emission);

// accumulator_init: zero rows for the weighted expert outputs.
void EmitAccumulatorInit(Emission& emission);

// scatter_combine: accumulator row of the pair's token += the slot's row.
void EmitScatterAdd(Emission& emission, const Slot& slot, std::size_t row);

// scatter_combine: accumulator = residual + accumulator, token by token; the work of a token counts
// for its last pair.
void EmitResidualAdd(Emission& emission);

}  // namespace moescope::moe
