#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "moe/matrix.h"

// How two results of the layer are compared (moe.md, 14).

namespace moescope::moe {

// Steps between two numbers of one format along the ordered line of its values; -0 and +0 are one
// apart, NaN is equal to NaN of any payload and farther than anything from a number.
std::int64_t UlpDistance(std::uint16_t a, std::uint16_t b);
std::int64_t UlpDistance(float a, float b);
inline constexpr std::int64_t kNanDistance = std::int64_t{1} << 40;

// The first element, in row-major order, whose bits differ.
struct Difference {
  std::int64_t row = 0;
  std::int64_t column = 0;
  float actual = 0;
  float expected = 0;
  std::int64_t ulp = 0;
};

struct Metrics {
  std::int64_t count = 0;
  std::int64_t equal = 0;   // equal bits, or NaN on both sides
  std::int64_t broken = 0;  // not finite where the reference is finite
  std::int64_t max_ulp = 0;
  double cosine = 1;       // 1 when both are zero, 0 when one is
  double relative_l2 = 0;  // |a - b| / |b|; infinity for b = 0 and a not
  double mean_error = 0;   // of a - b
  double rms_error = 0;
  std::optional<Difference> first;

  double equal_share() const {
    return count == 0 ? 1 : static_cast<double>(equal) / static_cast<double>(count);
  }
};

// `actual` against `expected`, equal shapes (CHECK). Pairs where either side is not finite take
// part in the counts only.
Metrics Compare(const Bf16Matrix& actual, const Bf16Matrix& expected);
Metrics Compare(const F32Matrix& actual, const F32Matrix& expected);

enum class Tier : std::uint8_t {
  kBitwise,   // T0: equal bytes
  kBoundary,  // T1: one step from its own operands; see WithinBoundary
  kEndToEnd,  // T2: CUDA against `fused`, `ideal`
  kProgram,   // T2p: a program (`stepwise`) against `fused`
  kFastMath,  // T2f
};
std::string_view Name(Tier tier);  // "T0", "T2p"

// Whether the metrics pass the tier. `is_output` adds the bound on y's relative L2 of T2 and T2f.
bool Passes(Tier tier, const Metrics& metrics, bool is_output);

// T1 for one BF16 result: |actual - expected| <= 1 ulp of expected + 2^-20 * sum of |a_k b_k|.
bool WithinBoundary(std::uint16_t actual, double expected, double sum_of_magnitudes);
// T1 for an FP32 gradient of contraction length n: relative L2 <= 5e-6 * max(1, n / 4096).
bool WithinBoundary(const Metrics& metrics, std::int64_t contraction);

// One line: "12 of 4096 elements differ; first at [3,17]: 0.5, expected 0.498, 1 ulp; rel
// L2 1.2e-03", or "all 4096 elements equal".
std::string Summary(const Metrics& metrics);

// The record that every comparison writes.
struct ComparisonRecord {
  std::string subject;   // "y", "slot"
  std::string fixture;   // "sha256:..." of the inputs
  std::string actual;    // profile of the compared side: "stepwise tile(64)"
  std::string expected;  // profile of the reference
  std::string policy;
  Tier tier = Tier::kBitwise;
  std::optional<Metrics> metrics;  // absent: skipped
  std::string skipped;             // why
  bool passed = false;
};

}  // namespace moescope::moe
