#include "profiler/diff/tolerance.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "profiler/diff/side.h"
#include "profiler/ratio.h"

namespace moescope::profiler {

namespace {

constexpr std::array<std::string_view, 8> kFamilies = {
    "*", "cycles", "instructions", "bytes", "reason", "unit", "opcode", "opcode_instructions"};

absl::Status Malformed(std::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("tolerance '", Absl(text), "': expected METRIC=P% or METRIC=N"));
}

// Digits only, below 10^15.
std::optional<std::uint64_t> Number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool bad = digits.empty() || error != std::errc() || end != digits.data() + digits.size();
  if (bad || value >= 1'000'000'000'000'000) return std::nullopt;
  return value;
}

// "0.5" percent in parts per million, exactly; at most four digits behind the point.
std::optional<std::uint64_t> PercentInPpm(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string digits(text.substr(0, point));
  std::string fraction(text.substr(std::min(point + 1, text.size())));
  if (digits.empty() || fraction.size() > 4 || (point < text.size() && fraction.empty()))
    return std::nullopt;
  fraction.resize(4, '0');
  return Number(digits + fraction);
}

// How closely a selector names a metric of a scope; -1 when it does not.
int Closeness(std::string_view selector, std::string_view metric, std::string_view scope) {
  const std::string_view family = FamilyOf(metric);
  if (selector == "*") return 0;
  if (selector == absl::StrCat(Absl(metric), ":", Absl(scope))) return 4;
  if (selector == absl::StrCat(Absl(family), ":", Absl(scope))) return 3;
  if (selector == metric) return 2;
  if (selector == family) return 1;
  return -1;
}

}  // namespace

bool Tolerance::Allows(std::uint64_t a, std::uint64_t b) const {
  const std::uint64_t distance = a < b ? b - a : a - b;
  if (!is_relative) return distance <= limit;
  return Wide{distance} * 1'000'000 <= Wide{a} * limit;
}

absl::StatusOr<Tolerance> ParseTolerance(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return Malformed(text);
  Tolerance tolerance;
  tolerance.selector = text.substr(0, equals);
  std::string_view value = text.substr(equals + 1);
  std::optional<std::uint64_t> limit;
  if (value.ends_with('%')) {
    value.remove_suffix(1);
    tolerance.is_relative = true;
    limit = PercentInPpm(value);
  } else {
    limit = Number(value);
  }
  if (!limit) return Malformed(text);
  tolerance.limit = *limit;
  const std::string_view family = FamilyOf(tolerance.selector);
  if (std::find(kFamilies.begin(), kFamilies.end(), family) == kFamilies.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tolerance '", Absl(text), "': unknown metric '", Absl(family),
                     "'; known: *, cycles, instructions, bytes, reason, unit, opcode, "
                     "opcode_instructions",
                     DidYouMean(family, kFamilies, 1)));
  }
  return tolerance;
}

std::optional<Tolerance> ToleranceFor(const std::vector<Tolerance>& tolerances,
                                      std::string_view metric, std::string_view scope) {
  std::optional<Tolerance> best;
  int closest = -1;
  for (const Tolerance& tolerance : tolerances) {
    const int closeness = Closeness(tolerance.selector, metric, scope);
    if (closeness < 0 || closeness < closest) continue;
    closest = closeness;
    best = tolerance;
  }
  return best;
}

}  // namespace moescope::profiler
