#pragma once

#include "moe/matrix.h"
#include "moe/reference/stepwise.h"

namespace moescope::moe::reference {

// Logits [T, E] with br, as the program's router path computes them. `x` are BF16 values.
F32Matrix StepwiseLogits(const StepwiseInputs& inputs, const F32Matrix& x);

// Ids and BF16 weights from the logits.
Routing StepwiseRoute(const StepwiseInputs& inputs, const F32Matrix& logits);

}  // namespace moescope::moe::reference
