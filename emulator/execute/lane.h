#pragma once

#include "isa/bfloat16.h"
#include "isa/functions.h"
#include "isa/machine.h"

// One lane of the scalar and vector instructions (isa.md, 4 and 5.1): an f32 operation on bf16
// inputs, rounded by bf.

namespace moescope::emulator {

namespace lane {

inline isa::Bf16 Add(isa::Bf16 a, isa::Bf16 b) {
  return isa::FloatToBf16(isa::Bf16ToFloat(a) + isa::Bf16ToFloat(b));
}
inline isa::Bf16 Subtract(isa::Bf16 a, isa::Bf16 b) {
  return isa::FloatToBf16(isa::Bf16ToFloat(a) - isa::Bf16ToFloat(b));
}
inline isa::Bf16 Multiply(isa::Bf16 a, isa::Bf16 b) {
  return isa::FloatToBf16(isa::Bf16ToFloat(a) * isa::Bf16ToFloat(b));
}
// NaN if either is NaN; b where it is strictly greater (less); else a, whose sign of zero stays.
inline isa::Bf16 Maximum(isa::Bf16 a, isa::Bf16 b) {
  const isa::Bf16 chosen = isa::Bf16ToFloat(b) > isa::Bf16ToFloat(a) ? b : a;
  return isa::Bf16IsNan(a) || isa::Bf16IsNan(b) ? isa::kBf16Nan : chosen;
}
inline isa::Bf16 Minimum(isa::Bf16 a, isa::Bf16 b) {
  const isa::Bf16 chosen = isa::Bf16ToFloat(b) < isa::Bf16ToFloat(a) ? b : a;
  return isa::Bf16IsNan(a) || isa::Bf16IsNan(b) ? isa::kBf16Nan : chosen;
}

}  // namespace lane

// The value of a function for every bf16 number, indexed by its bits.
const isa::Bf16Table& FunctionTable(isa::Function function);

}  // namespace moescope::emulator
