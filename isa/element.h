#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "isa/number_format.h"

// One number: code <-> value (numerics.md, 3).
//
// Types that have rules: Fp{1,e,m} with 2 <= e <= 8, m >= 1 and at most 16 bits, and Int{8} under
// kOcp. format_check.h refuses all others when a file names them.

namespace moescope::isa {

// What the fields of a code mean, derived once from a type and a convention.
struct ElementRules {
  ElementType type;
  Convention convention = Convention::kOcp;
  int fraction = 0;  // fraction bits: m; 6 for Int{8}
  int bias = 0;      // 2^(e-1) - 1; 0 for Int{8}
  int emax = 0;      // exponent of the largest finite value
  bool has_infinity = false;
  bool has_nan = false;
  // Codes without the sign bit. `infinity` and `nan` count only where the type has them.
  std::uint32_t sign = 0;
  std::uint32_t largest = 0;
  std::uint32_t infinity = 0;
  std::uint32_t nan = 0;
  float subnormal_step = 0;  // the value of code 1

  bool is_integer() const { return type.kind == ElementType::Kind::kInt; }
  int emin() const { return 1 - bias; }
};

// Precondition: the type has rules.
ElementRules RulesFor(ElementType type, Convention convention);

// A finite |x| as significand * 2^(exponent - 23), 2^23 <= significand < 2^24; 0 is {0, 0}.
struct Magnitude {
  std::uint32_t significand = 0;
  int exponent = 0;  // floor(log2 |x|)
};

constexpr Magnitude MagnitudeOf(float finite) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(finite) & 0x7FFFFFFF;
  if (bits >= 0x00800000) [[likely]] {
    return {(bits & 0x007FFFFF) | 0x00800000, static_cast<int>(bits >> 23) - 127};
  }
  if (bits == 0) return {};
  const int shift = std::countl_zero(bits) - 8;
  return {bits << shift, -126 - shift};
}

// The exponent of |x| > 0, finite: floor(log2 |x|), exact for subnormals.
constexpr int FloorLog2(float value) { return MagnitudeOf(value).exponent; }

// 2^exponent for -126 <= exponent <= 127.
constexpr float PowerOfTwo(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

// significand / 2^shift, ties to even. significand < 2^25, shift >= 1.
constexpr std::uint32_t ShiftRightToEven(std::uint32_t significand, int shift) {
  if (shift > 26) return 0;
  const std::uint32_t odd = (significand >> shift) & 1;
  return (significand + (std::uint32_t{1} << (shift - 1)) - 1 + odd) >> shift;
}

// The value of a code. NaN is 0x7FC00000, except that bf16 keeps its bits.
float DecodeElement(const ElementRules& rules, std::uint32_t code);
float DecodeElement(ElementType type, Convention convention, std::uint32_t code);

// What a finite value beyond the largest finite code becomes. MX elements saturate; Plain types
// become infinity if they have one (numerics.md, 3.4). Infinity itself follows the same choice.
enum class Overflow : std::uint8_t { kSaturate, kInfinity };

// The nearest code of a magnitude, ties to the even code, without sign (numerics.md, 3.4). Under
// kReference the values are those of numerics.md, 3.2. Int{8} gives 0..127.
inline std::uint32_t EncodeMagnitude(const ElementRules& rules, Magnitude magnitude,
                                     Overflow overflow);

// Rule 3.4 for any f32. A type without NaN gives its code 0 for one.
std::uint32_t EncodeNearest(const ElementRules& rules, Overflow overflow, float value);

// A Plain element: nearest, with infinity where the type has it, under both conventions.
std::uint32_t EncodePlain(ElementType type, Convention convention, float value);

// Rule 3.5: one MX element as the public reference emulator writes it; `value` is already divided
// by the block's scale. Fp types under kReference only.
std::uint32_t EncodeReference(const ElementRules& rules, float value);

// fp16 as FP_MEM images hold it: IEEE under both conventions (numerics.md, 8).
float Fp16ToFloat(std::uint16_t bits);
std::uint16_t FloatToFp16(float value);

// ---------------------------------------------------------------------------------------------

// Under kReference the subnormals of a type with e < 8 are half as far apart as IEEE's, so a gap
// opens between the largest subnormal and the smallest normal value. Called for magnitudes below
// the smallest normal value.
std::uint32_t EncodeReferenceSubnormal(const ElementRules& rules, Magnitude magnitude);

inline std::uint32_t EncodeMagnitude(const ElementRules& rules, Magnitude magnitude,
                                     Overflow overflow) {
  if (magnitude.significand == 0) return 0;
  if (rules.is_integer()) {
    if (magnitude.exponent > rules.emax) return rules.largest;
    const int shift = 23 - rules.fraction - magnitude.exponent;
    return std::min(ShiftRightToEven(magnitude.significand, shift), rules.largest);
  }
  if (rules.convention == Convention::kReference && magnitude.exponent < rules.emin() &&
      rules.type.exponent < 8) {
    return EncodeReferenceSubnormal(rules, magnitude);
  }
  const int exponent = std::max(magnitude.exponent, rules.emin());
  const std::uint32_t rounded =
      ShiftRightToEven(magnitude.significand, 23 - rules.fraction + exponent - magnitude.exponent);
  const std::uint32_t code =
      (static_cast<std::uint32_t>(exponent + rules.bias - 1) << rules.fraction) + rounded;
  if (code <= rules.largest) [[likely]]
    return code;
  return overflow == Overflow::kInfinity && rules.has_infinity ? rules.infinity : rules.largest;
}

}  // namespace moescope::isa
