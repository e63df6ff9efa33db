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
  int bias = 0;      // 2^(e-1) - 1; 1 for Int{8}, whose magnitudes are those of e = 1
  int emax = 0;      // exponent of the largest finite value
  bool has_infinity = false;
  bool has_nan = false;
  // Codes without the sign bit. `infinity` and `nan` count only where the type has them.
  std::uint32_t sign = 0;
  std::uint32_t largest = 0;
  std::uint32_t infinity = 0;
  std::uint32_t nan = 0;
  float subnormal_step = 0;  // the value of code 1; unset for bf16
  float overflow = 0;        // 2^(emax + 1): above every value; unset for bf16

  bool is_integer() const { return type.kind == ElementType::Kind::kInt; }
  int emin() const { return 1 - bias; }
  // kReference puts the subnormals of every type with e < 8 at half their IEEE value.
  bool halves_subnormals() const {
    return convention == Convention::kReference && type.exponent < 8;
  }
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

// The value of a code. NaN is 0x7FC00000, except that bf16 keeps its bits.
float DecodeElement(const ElementRules& rules, std::uint32_t code);
float DecodeElement(ElementType type, Convention convention, std::uint32_t code);

// What a finite value beyond the largest finite code becomes. MX elements saturate; Plain types
// become infinity if they have one (numerics.md, 3.4). Infinity itself follows the same choice.
enum class Overflow : std::uint8_t { kSaturate, kInfinity };

// The nearest code of a magnitude (>= 0, not NaN), ties to the even code, without sign
// (numerics.md, 3.4); a magnitude too large for the type gives any larger code than `largest`. Not
// for bf16, nor for types whose subnormals kReference halves.
inline std::uint32_t NearestCode(const ElementRules& rules, float magnitude);

// Rule 3.4 for any f32. A type without NaN gives its code 0 for one.
std::uint32_t EncodeNearest(const ElementRules& rules, Overflow overflow, float value);

// A Plain element: nearest, with infinity where the type has it, under both conventions.
std::uint32_t EncodePlain(ElementType type, Convention convention, float value);

// Rule 3.5: one MX element as the public reference emulator writes it; `value` is already divided
// by the block's scale. Fp types under kReference only.
inline std::uint32_t EncodeReference(const ElementRules& rules, float value);

// fp16 as FP_MEM images hold it: IEEE under both conventions (numerics.md, 8).
float Fp16ToFloat(std::uint16_t bits);
std::uint16_t FloatToFp16(float value);

// ---------------------------------------------------------------------------------------------

inline std::uint32_t NearestCode(const ElementRules& rules, float magnitude) {
  // Adding 2^23 steps leaves the number of steps, rounded, in the low bits of the sum. Written
  // without branches, so that loops over it become SIMD code.
  const float bounded = magnitude < rules.overflow ? magnitude : rules.overflow;
  const auto bits = std::bit_cast<std::int32_t>(bounded);
  const std::int32_t exponent = std::max(bits >> 23, rules.emin() + 127);
  const std::int32_t shifter = (exponent + 23 - rules.fraction) << 23;
  const auto steps = std::bit_cast<std::int32_t>(bounded + std::bit_cast<float>(shifter)) - shifter;
  return static_cast<std::uint32_t>(((exponent - 128 + rules.bias) << rules.fraction) + steps);
}

inline std::uint32_t EncodeReference(const ElementRules& rules, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const float magnitude = std::bit_cast<float>(bits & 0x7FFFFFFF);
  const std::int32_t lowest = 127 - rules.bias;
  const std::int32_t nudged = std::bit_cast<std::int32_t>(magnitude + 1e-9F) >> 23;
  const std::int32_t exponent = std::min(std::max(nudged, lowest), 127 + rules.emax);
  const float scaled = magnitude * std::bit_cast<float>((254 - exponent) << 23);
  const float fraction = scaled - (exponent == lowest ? 0.0F : 1.0F);
  // Quarters of a fraction step, cut off. Below zero, where the nudge lifted the exponent, they
  // count as zero; above the last step, where the value is too large, as the last step.
  const std::int32_t steps = std::int32_t{1} << rules.fraction;
  const float quarters = fraction * static_cast<float>(4 * steps);
  const float highest = static_cast<float>(4 * (steps - 1));
  const float raised = quarters > 0.0F ? quarters : 0.0F;
  const auto whole = static_cast<std::int32_t>(raised < highest ? raised : highest);
  const std::int32_t rounded = (whole + 1 + ((whole >> 2) & 1)) >> 2;
  const auto code = static_cast<std::uint32_t>(((exponent - lowest) << rules.fraction) + rounded);
  const std::uint32_t sign = (bits >> 31) * rules.sign;
  const std::uint32_t number = (bits & 0x7FFFFFFF) != 0 ? code | sign : 0;
  const auto one = static_cast<std::uint32_t>(rules.bias) << rules.fraction;
  return (bits & 0x7FFFFFFF) > 0x7F800000 ? one : number;
}

}  // namespace moescope::isa
