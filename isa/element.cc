#include "isa/element.h"

#include <algorithm>
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
  rules.bias = 1;
  rules.sign = 0x80;
  rules.largest = 127;
  rules.subnormal_step = 0x1p-6F;
  rules.overflow = 2.0F;
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

// With subnormals at half their IEEE value, a gap opens between the last of them and the smallest
// normal value; `magnitude` is below that one.
std::uint32_t NearestHalvedSubnormal(const ElementRules& rules, float magnitude) {
  const std::uint32_t first_normal = std::uint32_t{1} << rules.fraction;  // 2^(m+1) steps
  const float steps = magnitude / rules.subnormal_step;                   // exact
  const auto whole = static_cast<std::uint32_t>(steps);
  if (whole >= first_normal - 1) {
    // A tie goes to the first normal code, which is even.
    return 2.0F * steps < static_cast<float>(3 * first_normal - 1) ? first_normal - 1
                                                                   : first_normal;
  }
  const float rest = steps - static_cast<float>(whole);
  return whole + (rest > 0.5F || (rest == 0.5F && whole % 2 != 0) ? 1 : 0);
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
  if (type != kBf16) {
    const int half = rules.halves_subnormals() ? 1 : 0;
    rules.subnormal_step = PowerOfTwo(1 - half - rules.bias - rules.fraction);
    rules.overflow = PowerOfTwo(rules.emax + 1);
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

std::uint32_t EncodeNearest(const ElementRules& rules, Overflow overflow, float value) {
  const float magnitude = std::fabs(value);
  if (std::isnan(magnitude)) return rules.has_nan ? rules.nan : 0;
  const bool negative = std::signbit(value);
  if (rules.type == kBf16) {
    const Bf16 code = FloatToBf16(value);
    const bool saturate = overflow == Overflow::kSaturate && (code & 0x7FFF) > rules.largest;
    return saturate ? rules.largest | (code & rules.sign) : code;
  }
  const bool to_infinity = overflow == Overflow::kInfinity && rules.has_infinity;
  const std::uint32_t bound = to_infinity ? rules.infinity : rules.largest;
  const std::uint32_t nearest = rules.halves_subnormals() && magnitude < PowerOfTwo(rules.emin())
                                    ? NearestHalvedSubnormal(rules, magnitude)
                                    : NearestCode(rules, magnitude);
  const std::uint32_t code = std::min(nearest, bound);
  if (!negative) return code;
  return rules.is_integer() ? (0x100 - code) & 0xFF : code | rules.sign;
}

std::uint32_t EncodePlain(ElementType type, Convention convention, float value) {
  return EncodeNearest(RulesFor(type, convention), Overflow::kInfinity, value);
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
