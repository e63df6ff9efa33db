// An emitter of the layer that serves several stages cannot be called without one.
// expect: too few arguments|no matching function
#include "moe/emit/rows.h"

void Use(moescope::moe::Emission& emission, const moescope::moe::VramMatrix& matrix) {
#ifdef MUST_FAIL
  EmitZeroRows(emission, {matrix, {0}});
#else
  EmitZeroRows(emission, {matrix, {0}}, {.stage = moescope::stages::kAccumulatorInit});
#endif
}
