#pragma once

// A second, slow statement of numerics.md, 3 and 4: values from the formulas in double, codes by
// searching the table of all values, scales by their definition. It shares no code with isa/ beyond
// the type descriptions, and looks at no bit of a float.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "isa/number_format.h"

namespace moescope::isa::model {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline bool IsInt(ElementType type) { return type.kind == ElementType::Kind::kInt; }

// numerics.md, 3.1 and 3.2.
inline double Value(ElementType type, Convention convention, unsigned code) {
  if (IsInt(type)) return (code < 128 ? code : code - 256.0) / 64.0;
  const int e = type.exponent;
  const int m = type.mantissa;
  const unsigned sign_weight = 1U << (e + m);
  const double sign = code / sign_weight % 2 == 1 ? -1.0 : 1.0;
  const int exponent = static_cast<int>(code % sign_weight) >> m;
  const double fraction = std::ldexp(code % (1U << m), -m);
  const int top = (1 << e) - 1;
  const int bias = (1 << (e - 1)) - 1;
  const bool ocp = convention == Convention::kOcp;
  if (ocp && type == kE4M3) {
    if (exponent == top && fraction == 0.875) return kNan;
  } else if (!(ocp && type.Bits() < 8) && exponent == top) {
    return fraction == 0 ? sign * kInfinity : kNan;
  }
  if (exponent == 0) {
    const int emin = ocp || e == 8 ? 1 - bias : -bias;
    return sign * std::ldexp(fraction, emin);
  }
  return sign * std::ldexp(1 + fraction, exponent - bias);
}

struct Table {
  ElementType type;
  Convention convention;
  std::vector<double> values;  // of codes 0, 1, ... up to the largest finite one
  double beyond = 0;           // what the code after the largest would be, were it a number

  double largest() const { return values.back(); }
  unsigned sign() const { return 1U << (type.Bits() - 1); }
};

inline Table MakeTable(ElementType type, Convention convention) {
  Table table{type, convention, {}, 0};
  const unsigned positive = 1U << (type.Bits() - 1);
  for (unsigned code = 0; code < positive; ++code) {
    const double value = Value(type, convention, code);
    if (!std::isfinite(value)) break;
    table.values.push_back(value);
  }
  table.beyond = 2 * table.largest() - table.values[table.values.size() - 2];
  return table;
}

// The code of |x| without sign: nearest value, ties to the even code. Beyond the largest finite
// one: that one, or with `to_infinity` the code after it.
inline unsigned NearestMagnitude(const Table& table, double magnitude, bool to_infinity) {
  const std::vector<double>& values = table.values;
  const auto above = std::lower_bound(values.begin(), values.end(), magnitude);
  const auto upper = static_cast<unsigned>(above - values.begin());
  if (upper == 0) return 0;
  const unsigned lower = upper - 1;
  if (upper == values.size() && !to_infinity) return lower;
  const double high = upper == values.size() ? table.beyond : values[upper];
  const double low = values[lower];
  if (magnitude >= high) return upper;
  if (magnitude - low < high - magnitude) return lower;
  if (magnitude - low > high - magnitude) return upper;
  return lower % 2 == 0 ? lower : upper;
}

inline unsigned Signed(const Table& table, unsigned magnitude, double x) {
  if (!std::signbit(x)) return magnitude;
  return IsInt(table.type) ? (256 - magnitude) % 256 : magnitude + table.sign();
}

// Rule 3.4 for a finite or infinite x. `plain`: Plain types with infinity overflow to it.
inline unsigned Nearest(const Table& table, double x, bool plain) {
  const unsigned after = static_cast<unsigned>(table.values.size());
  const bool has_infinity =
      !IsInt(table.type) && std::isinf(Value(table.type, table.convention, after));
  return Signed(table, NearestMagnitude(table, std::fabs(x), plain && has_infinity), x);
}

// floor(log2 x) of x > 0.
inline int FloorLog2(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent - 1;
}

// Rule 3.5: f32 operations, step by step as written there.
inline unsigned ReferenceCode(ElementType type, float y) {
  const int e = type.exponent;
  const int m = type.mantissa;
  const int bias = (1 << (e - 1)) - 1;
  if (y == 0.0F) return 0;
  if (std::isnan(y)) return static_cast<unsigned>(bias) << m;
  const unsigned sign = std::signbit(y) ? 1 : 0;
  const int emax = (1 << e) - 2 - bias;
  const float t = std::fabs(y) + 1e-9F;
  const int q = std::isinf(t) ? 128 : FloorLog2(t);
  const int power = std::clamp(q, -bias, emax);
  const auto top = static_cast<float>((1 << m) - 1);
  float r = top;
  if (q <= emax) {
    const float f = std::fabs(y) / static_cast<float>(std::ldexp(1.0, power));
    float u = power == -bias ? f * std::ldexp(1.0F, m) : (f - 1.0F) * std::ldexp(1.0F, m);
    u = std::floor(4.0F * u) / 4.0F;
    r = std::clamp(std::nearbyintf(u), 0.0F, top);
  }
  return sign << (e + m) | static_cast<unsigned>(power + bias) << m | static_cast<unsigned>(r);
}

// numerics.md, 4.2: p before it is clamped, from the definition of each rule.
inline int ScaleExponent(const Table& table, ScaleRule rule, double amax) {
  const int emax = FloorLog2(table.largest());
  const int fraction = IsInt(table.type) ? 6 : table.type.mantissa;
  const int floor = FloorLog2(amax) - emax;
  switch (rule) {
    case ScaleRule::kFloor:
      return floor;
    case ScaleRule::kCeil:  // smallest power of two that is not below
      return std::ldexp(1.0, floor + emax) < amax ? floor + 1 : floor;
    case ScaleRule::kEven:
      return amax >= std::ldexp(2 - std::ldexp(1.0, -(fraction + 1)), floor + emax) ? floor + 1
                                                                                    : floor;
    case ScaleRule::kRceil: {
      int p = floor - 2;
      while (std::ldexp(table.largest(), p) < amax) ++p;
      return p;
    }
  }
  return 0;
}

struct Block {
  unsigned scale = 0;
  std::vector<unsigned> codes;

  friend bool operator==(const Block&, const Block&) = default;
};

// numerics.md, 4.3.
inline Block EncodeBlock(const Table& table, ScaleRule rule, std::span<const float> values) {
  Block block{0, std::vector<unsigned>(values.size(), 0)};
  const bool ocp = table.convention == Convention::kOcp;
  float amax = 0;
  for (float value : values) {
    if (ocp && !std::isfinite(value)) return {0xFF, block.codes};
    if (!std::isnan(value)) amax = std::max(amax, std::fabs(value));
  }
  if (ocp) {
    const int p = amax == 0.0F ? -127 : std::clamp(ScaleExponent(table, rule, amax), -127, 127);
    block.scale = static_cast<unsigned>(p + 127);
    for (std::size_t i = 0; i < values.size(); ++i) {
      block.codes[i] = Nearest(table, std::ldexp(static_cast<double>(values[i]), -p), false);
    }
    return block;
  }
  if (amax == 0.0F) return block;
  const int p = std::isinf(amax) ? 127 : std::clamp(FloorLog2(amax + 1e-9F), -127, 127);
  block.scale = static_cast<unsigned>(p + 127);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float scaled = values[i] / static_cast<float>(std::ldexp(1.0, p));
    block.codes[i] = ReferenceCode(table.type, scaled);
  }
  return block;
}

// numerics.md, 4.1, in f32.
inline float Decode(const Table& table, unsigned scale, unsigned code) {
  const bool ocp = table.convention == Convention::kOcp;
  double factor = std::ldexp(1.0, static_cast<int>(scale) - 127);
  if (scale == 0xFF) factor = ocp ? kNan : kInfinity;
  if (scale == 0 && !ocp) factor = 0;
  return static_cast<float>(Value(table.type, table.convention, code)) * static_cast<float>(factor);
}

// Every shape of element that a machine file may name.
inline std::vector<ElementType> AllFpElements(int shortest, int longest) {
  std::vector<ElementType> types;
  for (int bits = shortest; bits <= longest; ++bits) {
    for (int e = 2; e <= 8 && e <= bits - 2; ++e) types.push_back(Fp(true, e, bits - 1 - e));
  }
  return types;
}

}  // namespace moescope::isa::model
