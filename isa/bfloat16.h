#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace moescope::isa {

// The bits of one bf16 number: sign, 8 exponent bits, 7 fraction bits.
using Bf16 = std::uint16_t;

inline constexpr Bf16 kBf16Nan = 0x7FC0;  // every NaN that is computed
inline constexpr Bf16 kBf16Infinity = 0x7F80;
inline constexpr Bf16 kBf16NegativeInfinity = 0xFF80;
inline constexpr Bf16 kBf16One = 0x3F80;

// Exact. Keeps the payload of a NaN.
constexpr float Bf16ToFloat(Bf16 bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// bf(x) of numerics.md, 2: round to nearest even, subnormals kept, overflow to infinity, NaN to
// 0x7FC0.
constexpr Bf16 FloatToBf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
  return static_cast<Bf16>(is_nan ? kBf16Nan : rounded);
}

constexpr bool Bf16IsNan(Bf16 bits) { return (bits & 0x7FFF) > kBf16Infinity; }

// Lane by lane; both spans have the same length.
inline void Bf16ToFloat(std::span<const Bf16> from, std::span<float> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = Bf16ToFloat(from[i]);
}
inline void FloatToBf16(std::span<const float> from, std::span<Bf16> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = FloatToBf16(from[i]);
}

}  // namespace moescope::isa
