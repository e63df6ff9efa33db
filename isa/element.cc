#include "isa/element.h"

#include <cmath>

#include "base/check.h"
#include "isa/bfloat16.h"

namespace moescope::isa {

namespace {

constexpr std::uint32_t kNanBits = 0x7FC00000;

ElementRules IntegerRules(ElementType type) {
  ElementRules rules;
  rules.type = type;
  rules.fraction = 6;
  rules.sign = 0x80;
  rules.largest = 127;
  rules.subnormal_step = 0x1p-6F;
  return rules;
}

// Codes of the type that are not finite numbers: numerics.md, 3.1 and 3.2.
void SetSpecials(ElementRules& rules) {
  const std::uint32_t all_ones = ((std::uint32_t{1} << rules.type.exponent) - 1) << rules.fraction;
  const std::uint32_t top_fraction_bit = std::uint32_t{1} << (rules.fraction - 1);
  if (rules.convention == Convention::kOcp && rules.type.Bits() < 8) {
    rules.largest = rules.sign - 1;
    return;
  }
  rules.has_nan = true;
  if (rules.convention == Convention::kOcp && rules.type == kE4M3) {
    rules.nan = rules.sign - 1;
    rules.largest = rules.nan - 1;
    return;
  }
  rules.has_infinity = true;
  rules.infinity = all_ones;
  rules.largest = all_ones - 1;
  rules.nan = rules.type == kE4M3 ? rules.sign - 1 : all_ones | top_fraction_bit;
}

}  // namespace

ElementRules RulesFor(ElementType type, Convention convention) {
  if (type == kInt8 && convention == Convention::kOcp) return IntegerRules(type);
  CHECK(type.kind == ElementType::Kind::kFp && type.is_signed && type.exponent >= 2 &&
        type.exponent <= 8 && type.mantissa >= 1 && type.Bits() <= 16);
  ElementRules rules;
  rules.type = type;
  rules.convention = convention;
  rules.fraction = type.mantissa;
  rules.bias = (1 << (type.exponent - 1)) - 1;
  rules.sign = std::uint32_t{1} << (type.Bits() - 1);
  SetSpecials(rules);
  rules.emax = static_cast<int>(rules.largest >> rules.fraction) - rules.bias;
  const bool halved = convention == Convention::kReference && type.exponent < 8;
  // bf16 is decoded by a shift; every other step is a normal f32.
  if (type != kBf16) {
    rules.subnormal_step = PowerOfTwo((halved ? 0 : 1) - rules.bias - rules.fraction);
  }
  return rules;
}

float DecodeElement(const ElementRules& rules, std::uint32_t code) {
  if (rules.is_integer()) return static_cast<float>(static_cast<std::int8_t>(code)) * 0x1p-6F;
  if (rules.type == kBf16) return Bf16ToFloat(static_cast<Bf16>(code));
  const std::uint32_t magnitude = code & (rules.sign - 1);
  const std::uint32_t sign = (code & rules.sign) != 0 ? 0x80000000 : 0;
  if (magnitude > rules.largest) {
    const bool infinite = rules.has_infinity && magnitude == rules.infinity;
    return std::bit_cast<float>(infinite ? sign | 0x7F800000 : kNanBits);
  }
  const std::uint32_t exponent = magnitude >> rules.fraction;
  const std::uint32_t fraction = magnitude - (exponent << rules.fraction);
  if (exponent == 0) {
    const float value = static_cast<float>(fraction) * rules.subnormal_step;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
  }
  const std::uint32_t biased = exponent + static_cast<std::uint32_t>(127 - rules.bias);
  return std::bit_cast<float>(sign | (biased << 23) | (fraction << (23 - rules.fraction)));
}

float DecodeElement(ElementType type, Convention convention, std::uint32_t code) {
  return DecodeElement(RulesFor(type, convention), code);
}

std::uint32_t EncodeReferenceSubnormal(const ElementRules& rules, Magnitude magnitude) {
  const std::uint32_t first_normal = std::uint32_t{1} << rules.fraction;
  const int steps_shift = 23 - magnitude.exponent - (rules.fraction + rules.bias);
  const std::uint32_t rounded = ShiftRightToEven(magnitude.significand, steps_shift);
  if (rounded < first_normal - 1) return rounded;
  // In half steps: the last subnormal is 2 * (2^m - 1), the first normal 2 * 2^(m+1). A tie goes to
  // the first normal code, which is the even one.
  const std::uint32_t half_steps = magnitude.significand >> (steps_shift - 1);
  return half_steps < 3 * first_normal - 1 ? first_normal - 1 : first_normal;
}

std::uint32_t EncodeNearest(const ElementRules& rules, Overflow overflow, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const bool negative = (bits >> 31) != 0;
  const std::uint32_t magnitude_bits = bits & 0x7FFFFFFF;
  if (magnitude_bits > 0x7F800000) return rules.has_nan ? rules.nan : 0;
  std::uint32_t code = 0;
  if (magnitude_bits == 0x7F800000) {
    const bool keep = overflow == Overflow::kInfinity && rules.has_infinity;
    code = keep ? rules.infinity : rules.largest;
  } else {
    code = EncodeMagnitude(rules, MagnitudeOf(value), overflow);
  }
  if (rules.is_integer()) return negative ? (0x100 - code) & 0xFF : code;
  return negative ? code | rules.sign : code;
}

std::uint32_t EncodePlain(ElementType type, Convention convention, float value) {
  return EncodeNearest(RulesFor(type, convention), Overflow::kInfinity, value);
}

std::uint32_t EncodeReference(const ElementRules& rules, float value) {
  const int m = rules.fraction;
  if (value == 0.0F) return 0;
  if (std::isnan(value)) return static_cast<std::uint32_t>(rules.bias) << m;
  const std::uint32_t sign = std::signbit(value) ? rules.sign : 0;
  const float magnitude = std::fabs(value);
  const float nudged = magnitude + 1e-9F;
  if (std::isinf(nudged) || FloorLog2(nudged) > rules.emax) return sign | rules.largest;

  const int exponent = std::max(FloorLog2(nudged), -rules.bias);
  const float scaled = magnitude / PowerOfTwo(exponent);
  const float whole = PowerOfTwo(m);
  const float fraction = exponent == -rules.bias ? scaled * whole : (scaled - 1.0F) * whole;
  // Quarters below zero appear only where the nudge lifted the exponent; they are fraction 0.
  const auto quarters = static_cast<std::int32_t>(std::floor(fraction * 4.0F));
  const std::uint32_t rounded =
      ShiftRightToEven(static_cast<std::uint32_t>(std::max(quarters, 0)), 2);
  const std::uint32_t field = std::min(rounded, (std::uint32_t{1} << m) - 1);
  return sign | (static_cast<std::uint32_t>(exponent + rules.bias) << m) | field;
}

float Fp16ToFloat(std::uint16_t bits) {
  static const ElementRules rules = RulesFor(kFp16, Convention::kOcp);
  return DecodeElement(rules, bits);
}

std::uint16_t FloatToFp16(float value) {
  static const ElementRules rules = RulesFor(kFp16, Convention::kOcp);
  return static_cast<std::uint16_t>(EncodeNearest(rules, Overflow::kInfinity, value));
}

}  // namespace moescope::isa
