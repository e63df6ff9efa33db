#pragma once

#include <bit>
#include <cstdint>

#include "cuda/packed_layout.h"

// How packed codes become pairs of BF16: masks, shifts and rotations bring sign, exponent and
// fraction to their place (packed_layout.h has put them where few are needed), products correct the
// bias and apply the block's scale, exactly. Bit patterns only, so that the host can check every
// code.

namespace moescope::cuda::device {

// Pair 0 to 7 of a unit of sixteen 4-bit codes, given as two words: 2^-126 of the values.
template <int kPair>
constexpr std::uint32_t Fp4Bits(std::uint32_t first, std::uint32_t second) {
  constexpr std::uint32_t kPlaces = 0x81C081C0u;
  const std::uint32_t word = kPair < 4 ? first : second;
  if constexpr (kPair % 4 == 0) return word & kPlaces;
  if constexpr (kPair % 4 == 1) return std::rotr(word, 6) & kPlaces;
  if constexpr (kPair % 4 == 2) return word << 6 & kPlaces;
  const std::uint32_t mixed = (first & kFp4FromFirst) | (second << 2 & ~kFp4FromFirst);
  return (kPair == 3 ? std::rotr(mixed, 4) : mixed << 2) & kPlaces;
}

// Pair 0 or 1 of a word of four 8-bit codes: 2^-120 of the values.
template <int kPair>
constexpr std::uint32_t Fp8Bits(std::uint32_t word) {
  if constexpr (kPair == 0) return word & 0x87F087F0u;
  return (std::rotr(word, 4) & 0x87808780u) | (word << 4 & 0x00700070u);
}

// What both halves of such a pair are multiplied by, as exponents of BF16 (biased by 127).
//
// Scale bytes up to 127: one product with 2^(byte - 127) and the correction of the bias.
// Other scale bytes: a product with half the correction, then one with twice the scale, so that
// every exponent fits. No format is exact with a byte above 252.
inline constexpr std::uint32_t kLargestSingleScale = 127;

struct ExpansionFactors {
  std::uint32_t bias;  // the correction is 2^bias

  // Of a byte in either half.
  constexpr std::uint32_t Single(std::uint32_t bytes) const {
    return bytes * 0x80u + bias * 0x00800080u;
  }
  constexpr std::uint32_t Rebias() const { return (bias - 1 + 127) * 0x00800080u; }
  static constexpr std::uint32_t TwiceScale(std::uint32_t bytes) {
    return bytes * 0x80u + 0x00800080u;
  }
};
inline constexpr ExpansionFactors kFp4Factors{126};
inline constexpr ExpansionFactors kFp8Factors{120};

}  // namespace moescope::cuda::device
