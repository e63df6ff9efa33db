#include "moe/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "isa/bfloat16.h"

namespace moescope::moe {
namespace {

// Position on the line of all values of a sign-magnitude format.
template <typename Signed>
std::int64_t Ordered(Signed bits) {
  const std::int64_t value = bits;
  return value >= 0 ? value : std::int64_t{std::numeric_limits<Signed>::min()} - value - 1;
}

float Value(std::uint16_t bits) { return isa::Bf16ToFloat(bits); }
float Value(float value) { return value; }

// Sums in FP64 over the pairs that are finite on both sides.
struct Sums {
  double aa = 0;
  double bb = 0;
  double ab = 0;
  double dd = 0;
  double d = 0;
  std::int64_t count = 0;

  void Add(double a, double b) {
    aa += a * a;
    bb += b * b;
    ab += a * b;
    dd += (a - b) * (a - b);
    d += a - b;
    ++count;
  }
};

double Cosine(const Sums& sums) {
  if (sums.aa == 0 && sums.bb == 0) return 1;
  if (sums.aa == 0 || sums.bb == 0) return 0;
  return sums.ab / (std::sqrt(sums.aa) * std::sqrt(sums.bb));
}

double RelativeL2(const Sums& sums) {
  if (sums.bb != 0) return std::sqrt(sums.dd / sums.bb);
  return sums.dd == 0 ? 0 : std::numeric_limits<double>::infinity();
}

template <typename T>
Metrics CompareMatrices(const Matrix<T>& actual, const Matrix<T>& expected) {
  CHECK(actual.rows == expected.rows && actual.columns == expected.columns);
  Metrics metrics;
  Sums sums;
  for (std::int64_t r = 0; r < actual.rows; ++r) {
    for (std::int64_t c = 0; c < actual.columns; ++c) {
      const T a = actual.At(r, c);
      const T b = expected.At(r, c);
      const double x = Value(a);
      const double y = Value(b);
      const std::int64_t ulp = UlpDistance(a, b);
      ++metrics.count;
      metrics.max_ulp = std::max(metrics.max_ulp, ulp);
      metrics.broken += std::isfinite(y) && !std::isfinite(x) ? 1 : 0;
      if (ulp == 0) {
        ++metrics.equal;
      } else if (!metrics.first.has_value()) {
        metrics.first = Difference{r, c, Value(a), Value(b), ulp};
      }
      if (std::isfinite(x) && std::isfinite(y)) sums.Add(x, y);
    }
  }
  metrics.cosine = Cosine(sums);
  metrics.relative_l2 = RelativeL2(sums);
  if (sums.count > 0) {
    const auto n = static_cast<double>(sums.count);
    metrics.mean_error = sums.d / n;
    metrics.rms_error = std::sqrt(sums.dd / n);
  }
  return metrics;
}

}  // namespace

std::int64_t UlpDistance(std::uint16_t a, std::uint16_t b) {
  const bool a_nan = isa::Bf16IsNan(a);
  const bool b_nan = isa::Bf16IsNan(b);
  if (a_nan || b_nan) return a_nan && b_nan ? 0 : kNanDistance;
  return std::abs(Ordered(static_cast<std::int16_t>(a)) - Ordered(static_cast<std::int16_t>(b)));
}

std::int64_t UlpDistance(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : kNanDistance;
  return std::abs(Ordered(std::bit_cast<std::int32_t>(a)) -
                  Ordered(std::bit_cast<std::int32_t>(b)));
}

Metrics Compare(const Bf16Matrix& actual, const Bf16Matrix& expected) {
  return CompareMatrices(actual, expected);
}
Metrics Compare(const F32Matrix& actual, const F32Matrix& expected) {
  return CompareMatrices(actual, expected);
}

std::string_view Name(Tier tier) {
  constexpr std::string_view kNames[] = {"T0", "T1", "T2", "T2p", "T2f"};
  return kNames[static_cast<std::size_t>(tier)];
}

bool Passes(Tier tier, const Metrics& m, bool is_output) {
  if (tier == Tier::kBitwise) return m.equal == m.count;
  if (m.broken > 0) return false;
  switch (tier) {
    case Tier::kBoundary:
      return m.cosine > 0.99999;
    case Tier::kEndToEnd:
      return m.cosine > 0.9999 && (!is_output || m.relative_l2 <= 5e-3);
    case Tier::kProgram:
      return m.relative_l2 <= 2e-2 && m.cosine > 0.999 &&
             std::fabs(m.mean_error) <= 0.1 * m.rms_error;
    case Tier::kFastMath:
      return m.cosine > 0.9999 && (!is_output || m.relative_l2 <= 1e-2);
    case Tier::kBitwise:
      break;
  }
  return false;
}

bool WithinBoundary(std::uint16_t actual, double expected, double sum_of_magnitudes) {
  const double value = isa::Bf16ToFloat(actual);
  if (std::isnan(expected)) return std::isnan(value);
  if (std::isinf(expected)) return value == expected;
  int exponent = -133;
  if (expected != 0) std::frexp(expected, &exponent);
  const double ulp = std::ldexp(1.0, std::max(exponent - 8, -133));
  return std::fabs(value - expected) <= ulp + std::ldexp(sum_of_magnitudes, -20);
}

bool WithinBoundary(const Metrics& metrics, std::int64_t contraction) {
  const double factor = std::max(1.0, static_cast<double>(contraction) / 4096);
  return metrics.broken == 0 && metrics.relative_l2 <= 5e-6 * factor;
}

std::string Summary(const Metrics& m) {
  if (!m.first.has_value()) return absl::StrFormat("all %d elements equal", m.count);
  const Difference& d = *m.first;
  const std::string distance = d.ulp == kNanDistance ? "NaN" : absl::StrFormat("%d ulp", d.ulp);
  return absl::StrFormat(
      "%d of %d elements differ; first at [%d,%d]: %.9g, expected %.9g, %s; rel L2 %.3e",
      m.count - m.equal, m.count, d.row, d.column, d.actual, d.expected, distance, m.relative_l2);
}

}  // namespace moescope::moe
