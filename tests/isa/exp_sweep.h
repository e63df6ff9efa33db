#pragma once

// exp of f32 inputs: a stride of them in functions_test, all of them in sweep_test.

#include <gtest/gtest.h>

#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "isa/functions.h"

namespace moescope::isa {

// Whether `result` is the f32 nearest to a real number y >= 0, given what `less(m)` says about m <
// y for the two midpoints around it. No y of a transcendental function is a midpoint.
template <typename Less>
bool IsNearestPositive(float result, Less less) {
  constexpr double kOverflow = 0x1.ffffffp127;  // half way between the largest f32 and 2^128
  if (std::isinf(result)) return less(kOverflow);
  const double value = result;
  const float next = std::nextafter(result, INFINITY);
  const double above = std::isinf(next) ? kOverflow : (value + next) / 2;
  if (less(above)) return false;
  return result == 0.0F || less((value + std::nextafter(result, 0.0F)) / 2);
}

// exp(x) to 50 digits decides.
inline bool ExpIsCorrectSlowly(float x, float result) {
  const boost::multiprecision::cpp_bin_float_50 exact =
      exp(boost::multiprecision::cpp_bin_float_50(x));
  return IsNearestPositive(result, [&](double midpoint) { return exact > midpoint; });
}

// Decides with 64-bit significands where the platform has them and the answer is clear.
inline bool ExpIsCorrect(float x, float result) {
  if constexpr (LDBL_MANT_DIG >= 64) {
    const long double y = std::exp(static_cast<long double>(x));
    const long double slack = y * 0x1p-60L;
    bool clear = true;
    const bool correct = IsNearestPositive(result, [&](double midpoint) {
      clear = clear && (midpoint < y - slack || midpoint > y + slack);
      return y > midpoint;
    });
    if (clear) return correct;
  }
  return ExpIsCorrectSlowly(x, result);
}

// Every stride-th f32 with 2^-27 <= |x| and -104.5 <= x <= 88.75; returns how many.
inline std::uint64_t SweepExp(std::uint32_t stride) {
  std::uint64_t compared = 0;
  for (const float end : {88.75F, -104.5F}) {
    const auto first = std::bit_cast<std::uint32_t>(std::copysign(0x1p-27F, end));
    const auto last = std::bit_cast<std::uint32_t>(end);
    for (std::uint32_t bits = first; bits <= last; bits += stride, ++compared) {
      const auto x = std::bit_cast<float>(bits);
      if (!ExpIsCorrect(x, Exp(x))) {
        ADD_FAILURE() << "exp of f32 bits " << std::hex << bits;
        return compared;
      }
    }
  }
  return compared;
}

}  // namespace moescope::isa
