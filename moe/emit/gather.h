#pragma once

#include "moe/emit/emission.h"

namespace moescope::moe {

// Brings the token rows of a slot's pairs into its gather rows and zeros the rows beside them, as
// gather_padding says. HBM: token byte offsets come from INT_MEM, each prefetch brings B rows of
// which the first is live. VRAM: zero + row.
void EmitGatherHbm(Emission& emission, const Slot& slot);
void EmitGatherVram(Emission& emission, const Slot& slot);

}  // namespace moescope::moe
