#include "isa/mx_block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace moescope::isa {

namespace {

constexpr std::uint32_t kInfinityBits = 0x7F800000;
constexpr std::uint32_t kNanBits = 0x7FC00000;
constexpr int kScaleBias = 127;

std::uint32_t MagnitudeBits(float value) {
  return std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFF;
}

// |x| of floats compares like their bits, and NaN above infinity.
std::uint32_t LargestMagnitudeBits(std::span<const float> values) {
  std::uint32_t largest = 0;
  for (float value : values) largest = std::max(largest, MagnitudeBits(value));
  return largest;
}

std::uint32_t LargestIgnoringNan(std::span<const float> values) {
  std::uint32_t largest = 0;
  for (float value : values) {
    const std::uint32_t bits = MagnitudeBits(value);
    if (bits <= kInfinityBits) largest = std::max(largest, bits);
  }
  return largest;
}

// Largest finite value / 2^emax, as a 24-bit significand.
std::uint32_t LargestSignificand(const ElementRules& rules) {
  if (rules.is_integer()) return 127U << 17;
  const std::uint32_t one = std::uint32_t{1} << rules.fraction;
  return (one | (rules.largest & (one - 1))) << (23 - rules.fraction);
}

// Whether the rule takes one more than floor(log2 amax) - emax.
bool RoundsUp(const ElementRules& rules, ScaleRule rule, std::uint32_t significand) {
  switch (rule) {
    case ScaleRule::kFloor:
      return false;
    case ScaleRule::kCeil:
      return significand > (1U << 23);
    case ScaleRule::kEven:  // f >= 2 - 2^-(m+1)
      return significand >= (1U << 24) - (1U << (22 - rules.fraction));
    case ScaleRule::kRceil:
      return significand > LargestSignificand(rules);
  }
  CHECK(false);
}

BlockScale FromExponent(int exponent) {
  return {static_cast<std::uint8_t>(exponent + kScaleBias), exponent, false};
}

BlockScale ChooseOcp(const ElementRules& rules, ScaleRule rule, std::span<const float> values) {
  const std::uint32_t largest = LargestMagnitudeBits(values);
  if (largest >= kInfinityBits) return {kNanScale, 0, true};
  if (largest == 0) return FromExponent(-kScaleBias);
  return FromExponent(ScaleExponent(rules, rule, std::bit_cast<float>(largest)));
}

BlockScale ChooseReference(std::span<const float> values) {
  const std::uint32_t largest = LargestIgnoringNan(values);
  if (largest == 0) return {0, 0, true};
  if (largest == kInfinityBits) return FromExponent(kScaleBias);
  const float nudged = std::bit_cast<float>(largest) + 1e-9F;
  return FromExponent(std::min(FloorLog2(nudged), kScaleBias));
}

}  // namespace

float DecodeScale(Convention convention, std::uint8_t byte) {
  const bool reference = convention == Convention::kReference;
  if (byte == 0xFF) return std::bit_cast<float>(reference ? kInfinityBits : kNanBits);
  if (byte == 0) return reference ? 0.0F : 0x1p-127F;
  return PowerOfTwo(byte - kScaleBias);
}

float DecodeInBlock(const ElementRules& rules, float scale, std::uint32_t code) {
  const float value = DecodeElement(rules, code) * scale;
  return std::isnan(value) ? std::bit_cast<float>(kNanBits) : value;
}

void DecodeBlock(const ElementRules& rules, std::uint8_t scale, std::span<const std::uint8_t> codes,
                 std::span<float> values) {
  CHECK(codes.size() == values.size());
  const float factor = DecodeScale(rules.convention, scale);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    values[i] = DecodeInBlock(rules, factor, codes[i]);
  }
}

int ScaleExponent(const ElementRules& rules, ScaleRule rule, float largest) {
  const Magnitude magnitude = MagnitudeOf(largest);
  const int up = RoundsUp(rules, rule, magnitude.significand) ? 1 : 0;
  return std::clamp(magnitude.exponent - rules.emax + up, -kScaleBias, kScaleBias);
}

BlockScale ChooseScale(const ElementRules& rules, ScaleRule rule, std::span<const float> values) {
  return rules.convention == Convention::kOcp ? ChooseOcp(rules, rule, values)
                                              : ChooseReference(values);
}

std::uint32_t EncodeInBlock(const ElementRules& rules, const BlockScale& scale, float value) {
  if (scale.zero_codes) return 0;
  if (rules.convention == Convention::kReference) {
    return EncodeReference(rules, value / PowerOfTwo(scale.exponent));
  }
  // Dividing by the scale is exact: it moves the exponent of the f32 value.
  Magnitude magnitude = MagnitudeOf(value);
  magnitude.exponent -= scale.exponent;
  const std::uint32_t code = EncodeMagnitude(rules, magnitude, Overflow::kSaturate);
  if (!std::signbit(value)) return code;
  return rules.is_integer() ? (0x100 - code) & 0xFF : code | rules.sign;
}

std::uint8_t EncodeBlock(const ElementRules& rules, ScaleRule rule, std::span<const float> values,
                         std::span<std::uint8_t> codes) {
  CHECK(codes.size() == values.size());
  const BlockScale scale = ChooseScale(rules, rule, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    codes[i] = static_cast<std::uint8_t>(EncodeInBlock(rules, scale, values[i]));
  }
  return scale.byte;
}

}  // namespace moescope::isa
