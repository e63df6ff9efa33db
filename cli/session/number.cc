#include "cli/session/number.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_view.h"

namespace moescope::session {

namespace {

absl::Status NotANumber(std::string_view text, std::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", Absl(text), "' is not a number: ", Absl(reason)));
}

std::optional<std::uint64_t> DigitOf(char c, std::uint64_t base) {
  std::uint64_t digit = 0;
  if (c >= '0' && c <= '9') {
    digit = static_cast<std::uint64_t>(c - '0');
  } else if (absl::ascii_isxdigit(static_cast<unsigned char>(c))) {
    digit =
        static_cast<std::uint64_t>(absl::ascii_tolower(static_cast<unsigned char>(c)) - 'a') + 10;
  } else {
    return std::nullopt;
  }
  if (digit >= base) return std::nullopt;
  return digit;
}

// Powers of two of a suffix in lower case, or nothing when it is none.
std::optional<unsigned> SuffixShift(std::string_view suffix) {
  if (suffix.empty() || suffix == "b") return 0;
  constexpr std::string_view kLetters = "kmgt";
  const std::size_t index = kLetters.find(suffix.front());
  if (index == std::string_view::npos) return std::nullopt;
  const std::string_view rest = suffix.substr(1);
  if (!rest.empty() && rest != "i" && rest != "b" && rest != "ib") return std::nullopt;
  return static_cast<unsigned>(10 * (index + 1));
}

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
    const std::optional<std::uint64_t> digit = DigitOf(c, 10);
    if (!digit) return NotANumber(text, absl::StrCat("unexpected '", std::string(1, c), "'"));
    if (value > (UINT64_MAX - *digit) / 10) return NotANumber(text, "too large");
    value = value * 10 + *digit;
  }
  return value;
}

}  // namespace

absl::StatusOr<std::uint64_t> ParseNumber(std::string_view text) {
  std::string_view rest = text;
  std::uint64_t base = 10;
  if (absl::StartsWith(Absl(rest), "0x") || absl::StartsWith(Absl(rest), "0X")) {
    base = 16;
    rest.remove_prefix(2);
  }
  if (rest.empty() || !DigitOf(rest.front(), base)) return NotANumber(text, "a digit is missing");
  std::uint64_t value = 0;
  while (!rest.empty()) {
    if (rest.front() == '_') {
      if (rest.size() == 1 || !DigitOf(rest[1], base)) {
        return NotANumber(text, "'_' must stand between digits");
      }
      rest.remove_prefix(1);
    }
    const std::optional<std::uint64_t> digit = DigitOf(rest.front(), base);
    if (!digit) break;
    if (value > (UINT64_MAX - *digit) / base) return NotANumber(text, "above 2^64 - 1");
    value = value * base + *digit;
    rest.remove_prefix(1);
  }
  const std::optional<unsigned> shift = SuffixShift(absl::AsciiStrToLower(Absl(rest)));
  if (!shift) {
    return NotANumber(text, absl::StrCat("unknown suffix '", Absl(rest), "'; known: K, M, G, T"));
  }
  if (value > (UINT64_MAX >> *shift)) return NotANumber(text, "above 2^64 - 1");
  return value << *shift;
}

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
