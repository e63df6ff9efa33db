#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "isa/bfloat16.h"

// The functions of the machine and the order of its vector sums (numerics.md, 6 and 7).

namespace moescope::isa {

// exp(x), correctly rounded to f32. NaN passes; no clamp: what V_TOPK uses.
float Exp(float x);
// Exp of x clamped to [-88, 88]: what V_EXP_V and S_EXP_FP use before bf.
float ExpClamped(float x);

// bf(ExpClamped(x)), bf(1 / x), bf(sqrt(x)) of every bf16 number, indexed by its bits.
using Bf16Table = std::array<Bf16, 65536>;
const Bf16Table& ExpTable();
const Bf16Table& ReciprocalTable();
const Bf16Table& SquareRootTable();

// One f32 operation, then bf. 1 / +-0 is +-infinity; the root of a negative number is NaN, of -0 is
// -0.
Bf16 Reciprocal(Bf16 x);
Bf16 SquareRoot(Bf16 x);

// The pairwise tree sum of V_RED_SUM: neighbours are added until one is left, an odd last element
// moves down unchanged. Overwrites `values`. No values: +0.
float TreeSum(std::span<float> values);

}  // namespace moescope::isa
