#include "cli/session/number.h"

#include "absl/strings/str_cat.h"
#include "base/number.h"
#include "base/status.h"
#include "base/string_view.h"

namespace moescope::session {

namespace {

// A decimal with at most `places` digits behind the point, in units of 10^-places.
absl::StatusOr<std::uint64_t> ParseFixed(std::string_view text, std::string_view digits,
                                         unsigned places) {
  const std::size_t point = digits.find('.');
  const std::string_view whole = digits.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : digits.substr(point + 1);
  if (fraction.size() > places) {
    return NotANumber(text, absl::StrCat("more than ", places, " digits behind the point"));
  }
  if (whole.empty() || (point != std::string_view::npos && fraction.empty())) {
    return NotANumber(text, "a digit is missing");
  }
  std::uint64_t value = 0;
  for (const char c :
       absl::StrCat(Absl(whole), Absl(fraction), std::string(places - fraction.size(), '0'))) {
    if (c < '0' || c > '9')
      return NotANumber(text, absl::StrCat("unexpected '", std::string(1, c), "'"));
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return NotANumber(text, "too large");
    value = value * 10 + digit;
  }
  return value;
}

}  // namespace

absl::StatusOr<std::uint32_t> ParsePercentPpm(std::string_view text) {
  if (text.empty() || text.back() != '%') {
    return absl::InvalidArgumentError(
        absl::StrCat("'", Absl(text), "' is not a percentage: write it as 5% or 0.25%"));
  }
  ASSIGN_OR_RETURN(const std::uint64_t ppm, ParseFixed(text, text.substr(0, text.size() - 1), 4));
  if (ppm > 1000000) {
    return absl::InvalidArgumentError(absl::StrCat("'", Absl(text), "' is above 100%"));
  }
  return static_cast<std::uint32_t>(ppm);
}

absl::StatusOr<std::uint64_t> ParseSecondsMs(std::string_view text) {
  return ParseFixed(text, text, 3);
}

}  // namespace moescope::session
