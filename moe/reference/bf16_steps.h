#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "isa/bfloat16.h"
#include "isa/functions.h"

// One rounding per operation, as the vector and scalar units do (isa.md, 4 and 5). Values are held
// as FP32 and are BF16 numbers.

namespace moescope::moe::reference {

inline float Bf(float x) { return isa::Bf16ToFloat(isa::FloatToBf16(x)); }
inline float Add(float a, float b) { return Bf(a + b); }
inline float Subtract(float a, float b) { return Bf(a - b); }
inline float Multiply(float a, float b) { return Bf(a * b); }
inline float Reciprocal(float x) { return Bf(1.0f / x); }
inline float SquareRoot(float x) { return Bf(std::sqrt(x)); }

// exp of the argument clamped to [-88, 88]; NaN passes.
inline float Exponential(float x) {
  return Bf(isa::Exp(x > 88.0f ? 88.0f : x < -88.0f ? -88.0f : x));
}
// Negate, exp, + 1, reciprocal.
inline float SigmoidSteps(float x) { return Reciprocal(Add(Exponential(Subtract(0.0f, x)), 1.0f)); }
// V_MIN_VF, V_MAX_VF: NaN if either is; the limit only where it is strictly smaller (larger).
inline float Minimum(float x, float limit) { return std::isnan(x) ? Bf(x) : limit < x ? limit : x; }
inline float Maximum(float x, float limit) { return std::isnan(x) ? Bf(x) : limit > x ? limit : x; }

// Neighbours are added until one value is left (numerics.md, 7).
inline float PairwiseSum(std::vector<float> values) {
  while (values.size() > 1) {
    std::vector<float> half;
    for (std::size_t i = 0; i + 1 < values.size(); i += 2)
      half.push_back(values[i] + values[i + 1]);
    if (values.size() % 2 != 0) half.push_back(values.back());
    values = std::move(half);
  }
  return values.empty() ? 0.0f : values.front();
}

// The vector-dot path (moe.md, 3.1): every product rounded, every block of `lanes` summed by the
// tree, blocks added to a BF16 running sum.
inline float DotSteps(std::span<const float> a, std::span<const float> b, std::size_t lanes) {
  float sum = 0;
  for (std::size_t first = 0; first < a.size(); first += lanes) {
    std::vector<float> products;
    for (std::size_t i = first; i < first + lanes && i < a.size(); ++i) {
      products.push_back(Multiply(a[i], b[i]));
    }
    sum = Add(sum, PairwiseSum(std::move(products)));
  }
  return sum;
}

}  // namespace moescope::moe::reference
