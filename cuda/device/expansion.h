#pragma once

#include <cstdint>

// How a word of packed codes becomes pairs of BF16: shifts and masks bring exponent and fraction to
// their place, an exact product corrects the bias, another applies the block's scale. Bit patterns
// only, so that the host can check every code.

namespace moescope::cuda::device {

// E2M1 at the place of BF16's exponent and fraction is 2^-126 of the value, exactly.
inline constexpr std::uint32_t kFp4Rebias = 0x7E807E80u;  // 2^126
// E4M3 likewise is 2^-120 of the value.
inline constexpr std::uint32_t kFp8Rebias = 0x7B807B80u;  // 2^120

// Pair 0 to 3 of a word of eight 4-bit codes (packed_layout.h), before the rebias.
template <int kPair>
constexpr std::uint32_t Fp4Bits(std::uint32_t word) {
  const std::uint32_t sign = (word << (12 - 4 * kPair)) & 0x80008000u;
  const std::uint32_t magnitude = kPair == 0   ? word << 6
                                  : kPair == 1 ? word << 2
                                  : kPair == 2 ? word >> 2
                                               : word >> 6;
  return (magnitude & 0x01C001C0u) | sign;
}

// Pair 0 or 1 of a word of four 8-bit codes, before the rebias.
template <int kPair>
constexpr std::uint32_t Fp8Bits(std::uint32_t word) {
  const std::uint32_t sign = kPair == 0 ? word << 8 : word;
  const std::uint32_t magnitude = kPair == 0 ? word << 4 : word >> 4;
  return (magnitude & 0x07F007F0u) | (sign & 0x80008000u);
}

// 2^(byte - 127) as BF16 in both halves. 2^-127 is a subnormal number; byte 255 is not a scale.
constexpr std::uint32_t ScaleBits(std::uint32_t byte) {
  const std::uint32_t bits = byte == 0 ? 0x0040u : byte << 7;
  return bits | bits << 16;
}

}  // namespace moescope::cuda::device
