#include "base/number.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/string_view.h"

namespace moescope {

namespace {

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

}  // namespace

absl::Status NotANumber(std::string_view text, std::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", Absl(text), "' is not a number: ", Absl(reason)));
}

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

}  // namespace moescope
