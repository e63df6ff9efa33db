#pragma once

// bf16 rounding of f32 inputs: a stride of them in bfloat16_test, all of them in sweep_test.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "isa/bfloat16.h"

namespace moescope::isa {

// Nearest by distance in double, ties to the even code. An oracle of FloatToBf16.
inline Bf16 NearestBf16(float value) {
  if (std::isnan(value)) return kBf16Nan;
  const double magnitude = std::fabs(static_cast<double>(value));
  const auto lower = static_cast<Bf16>((std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFF) >> 16);
  const Bf16 sign = std::signbit(value) ? 0x8000 : 0;
  if (lower == kBf16Infinity) return static_cast<Bf16>(sign | lower);
  const auto upper = static_cast<Bf16>(lower + 1);
  const double below = Bf16ToFloat(lower);
  // What the code of infinity would be worth if the exponents went on.
  const double above = upper == kBf16Infinity ? 0x1p128 : Bf16ToFloat(upper);
  Bf16 nearest = lower % 2 == 0 ? lower : upper;
  if (magnitude - below < above - magnitude) nearest = lower;
  if (magnitude - below > above - magnitude) nearest = upper;
  return static_cast<Bf16>(sign | nearest);
}

// Compares every stride-th f32; returns how many.
inline std::uint64_t SweepBf16(std::uint64_t stride) {
  std::uint64_t compared = 0;
  for (std::uint64_t bits = 0; bits <= 0xFFFFFFFF; bits += stride, ++compared) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (FloatToBf16(value) != NearestBf16(value)) {
      ADD_FAILURE() << "bf16 of f32 bits " << std::hex << bits;
      break;
    }
  }
  return compared;
}

}  // namespace moescope::isa
