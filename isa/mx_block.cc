#include "isa/mx_block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace moescope::isa {

namespace {

constexpr std::int32_t kInfinityBits = 0x7F800000;
constexpr std::int32_t kNanBits = 0x7FC00000;
constexpr int kScaleBias = 127;

// Bits of |x|; as integers they compare like the numbers, and NaN is above infinity.
std::int32_t MagnitudeBits(float value) { return std::bit_cast<std::int32_t>(value) & 0x7FFFFFFF; }

std::int32_t LargestMagnitudeBits(std::span<const float> values) {
  std::int32_t largest = 0;
  for (float value : values) largest = std::max(largest, MagnitudeBits(value));
  return largest;
}

std::int32_t LargestIgnoringNan(std::span<const float> values) {
  std::int32_t largest = 0;
  for (float value : values) {
    const std::int32_t bits = MagnitudeBits(value);
    largest = std::max(largest, bits <= kInfinityBits ? bits : 0);
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
  const std::int32_t largest = LargestMagnitudeBits(values);
  if (largest >= kInfinityBits) return {kNanScale, 0, true};
  if (largest == 0) return FromExponent(-kScaleBias);
  return FromExponent(ScaleExponent(rules, rule, std::bit_cast<float>(largest)));
}

BlockScale ChooseReference(std::span<const float> values) {
  const std::int32_t largest = LargestIgnoringNan(values);
  if (largest == 0) return {0, 0, true};
  if (largest == kInfinityBits) return FromExponent(kScaleBias);
  const float nudged = std::bit_cast<float>(largest) + 1e-9F;
  return FromExponent(std::min(FloorLog2(nudged), kScaleBias));
}

// 2^-exponent, -127 <= exponent <= 127.
float InverseScale(int exponent) { return exponent == 127 ? 0x1p-127F : PowerOfTwo(-exponent); }

// Applies `encode` to every value. The codes are gathered in 32-bit lanes first, so that a block of
// eight is SIMD code as well.
template <typename Encode>
void EncodeEach(std::span<const float> values, std::span<std::uint8_t> codes, Encode encode) {
  std::array<std::uint32_t, 64> lanes;
  for (std::size_t start = 0; start < values.size(); start += lanes.size()) {
    const std::size_t count = std::min(values.size() - start, lanes.size());
    const float* const from = values.data() + start;
    std::uint8_t* const to = codes.data() + start;
    for (std::size_t i = 0; i < count; ++i) lanes[i] = encode(from[i]);
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<std::uint8_t>(lanes[i]);
  }
}

// Without branches, for EncodeEach.
std::uint32_t EncodeScaled(const ElementRules& rules, float factor, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const float magnitude = std::bit_cast<float>(bits & 0x7FFFFFFF) * factor;
  const std::uint32_t code = std::min(NearestCode(rules, magnitude), rules.largest);
  const std::uint32_t negative = bits >> 31;
  return rules.is_integer() ? (code ^ (0 - negative)) + negative : code | negative * rules.sign;
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

void EncodeInBlock(const ElementRules& rules, const BlockScale& scale,
                   std::span<const float> values, std::span<std::uint8_t> codes) {
  CHECK(codes.size() == values.size());
  if (scale.zero_codes) return std::fill(codes.begin(), codes.end(), std::uint8_t{0});
  // The product is exact, or so far below the smallest code that its rounding does not count.
  const float factor = InverseScale(scale.exponent);
  // `rules` is copied: the codes that are written cannot be part of a copy.
  if (rules.convention == Convention::kReference) {
    EncodeEach(values, codes,
               [rules, factor](float value) { return EncodeReference(rules, value * factor); });
  } else {
    EncodeEach(values, codes,
               [rules, factor](float value) { return EncodeScaled(rules, factor, value); });
  }
}

std::uint8_t EncodeBlock(const ElementRules& rules, ScaleRule rule, std::span<const float> values,
                         std::span<std::uint8_t> codes) {
  const BlockScale scale = ChooseScale(rules, rule, values);
  EncodeInBlock(rules, scale, values, codes);
  return scale.byte;
}

}  // namespace moescope::isa
