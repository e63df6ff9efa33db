#include "stages/marker.h"

#include <array>
#include <charconv>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "stages/vocabulary.h"

namespace moescope::stages {

namespace {

constexpr std::string_view kMalformed =
    "malformed stage marker; expected '; @stage=<name> [pair=<n>] [expert=<n>]'";

struct Directive {
  std::string_view spelling;
  MarkerKind kind;
};
constexpr std::array<Directive, 4> kDirectives = {{{"@stage=", MarkerKind::kStage},
                                                   {"@stage_end", MarkerKind::kEnd},
                                                   {"@stage_push=", MarkerKind::kPush},
                                                   {"@stage_pop", MarkerKind::kPop}}};

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

struct Token {
  std::string_view text;
  std::size_t offset = 0;
};

// Takes the next blank-separated token; its text is empty at the end.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}
  Token Next() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !IsBlank(text_[at_])) ++at_;
    return {text_.substr(begin, at_ - begin), begin};
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

MarkerProblem Problem(std::string_view id, std::string message, const Token& token) {
  return {std::string(id), std::move(message), token.offset, token.text.size()};
}

bool AreDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The value of `digits`, saturated: anything above the limit is just too large.
std::uint64_t ValueOf(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() ? value : UINT64_MAX;
}

std::optional<MarkerProblem> ParseAttribute(const Token& token, Marker& marker) {
  const std::size_t equals = token.text.find('=');
  if (equals == std::string_view::npos) {
    return Problem("MS002", std::string(kMalformed), token);
  }
  const std::string_view key = token.text.substr(0, equals);
  const std::string_view value = token.text.substr(equals + 1);
  if (key != "pair" && key != "expert") {
    return Problem("MS005",
                   absl::StrCat("unknown attribute '", Absl(key), "'; known: pair, expert"), token);
  }
  std::optional<std::uint32_t>& target = key == "pair" ? marker.pair : marker.expert;
  if (target) {
    return Problem("MS005", absl::StrCat("attribute '", Absl(key), "' given twice"), token);
  }
  const bool is_negative = value.starts_with('-') && AreDigits(value.substr(1));
  if (!AreDigits(value) && !is_negative) {
    return Problem("MS002", std::string(kMalformed), token);
  }
  if (is_negative || ValueOf(value) > kMaximumAttribute) {
    return Problem("MS005", absl::StrCat(Absl(token.text), " is outside 0..", kMaximumAttribute),
                   token);
  }
  target = static_cast<std::uint32_t>(ValueOf(value));
  return std::nullopt;
}

// The grammar to the letter.
ParsedComment ParseStrictly(std::string_view text) {
  Tokens tokens(text);
  const Token first = tokens.Next();
  Marker marker;
  bool known = false;
  for (const Directive& directive : kDirectives) {
    const bool has_name = directive.spelling.ends_with('=');
    known =
        has_name ? first.text.starts_with(directive.spelling) : first.text == directive.spelling;
    if (!known) continue;
    marker.kind = directive.kind;
    marker.name = first.text.substr(directive.spelling.size());
    if (has_name && !IsStageName(marker.name)) {
      return Problem("MS002", std::string(kMalformed), first);
    }
    break;
  }
  if (!known) return Problem("MS002", std::string(kMalformed), first);
  const bool takes_attributes =
      marker.kind == MarkerKind::kStage || marker.kind == MarkerKind::kPush;
  for (Token token = tokens.Next(); !token.text.empty(); token = tokens.Next()) {
    if (!takes_attributes) return Problem("MS002", std::string(kMalformed), token);
    if (auto problem = ParseAttribute(token, marker)) return *std::move(problem);
  }
  return marker;
}

// Lower case, no extra comment characters in front, no blanks behind '@' and around '='.
std::string Normalise(std::string_view text) {
  const std::size_t begin = text.find_first_not_of("; \t/");
  if (begin == std::string_view::npos) return "";
  std::string out;
  bool pending_blank = false;
  for (const char c : text.substr(begin)) {
    if (IsBlank(c)) {
      pending_blank = true;
      continue;
    }
    const bool joins = out.empty() || c == '=' || out.back() == '=' || out == "@";
    if (pending_blank && !joins) out += ' ';
    pending_blank = false;
    out += absl::ascii_tolower(static_cast<unsigned char>(c));
  }
  return out;
}

bool LooksLikeMarker(std::string_view text) {
  const std::size_t at = text.find_first_not_of("; \t/");
  if (at == std::string_view::npos || text[at] != '@') return false;
  const std::size_t word = text.find_first_not_of(" \t", at + 1);
  return word != std::string_view::npos &&
         absl::AsciiStrToLower(Absl(text.substr(word, 5))) == "stage";
}

}  // namespace

ParsedComment ParseMarker(std::string_view text, bool is_semicolon, bool stands_alone) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (!LooksLikeMarker(text)) return std::monostate();
  const std::size_t begin = text.find_first_not_of(" \t");
  const std::size_t end = text.find_last_not_of(" \t") + 1;
  const Token whole{text.substr(begin, end - begin), begin};
  if (!stands_alone) {
    return Problem("MS004", "stage marker must stand alone on its line", whole);
  }
  ParsedComment strict = ParseStrictly(text);
  if (is_semicolon && std::holds_alternative<Marker>(strict)) return strict;
  const bool is_spelled_badly = !is_semicolon || std::get<MarkerProblem>(strict).id == "MS002";
  if (is_spelled_badly) {
    const std::string normal = Normalise(text);
    const ParsedComment meant = ParseStrictly(normal);
    if (const Marker* marker = std::get_if<Marker>(&meant)) {
      return Problem(
          "MS011",
          absl::StrCat("this comment looks like a stage marker: write '", MarkerText(*marker), "'"),
          whole);
    }
  }
  if (std::holds_alternative<Marker>(strict))
    return Problem("MS002", std::string(kMalformed), whole);
  return strict;
}

std::string MarkerText(const Marker& marker) {
  std::string text = "; ";
  for (const Directive& directive : kDirectives) {
    if (directive.kind == marker.kind) absl::StrAppend(&text, Absl(directive.spelling));
  }
  absl::StrAppend(&text, Absl(marker.name));
  if (marker.pair) absl::StrAppend(&text, " pair=", *marker.pair);
  if (marker.expert) absl::StrAppend(&text, " expert=", *marker.expert);
  return text;
}

std::vector<std::string> MarkerLines(const isa::Program& program) {
  std::vector<std::string> lines;
  lines.reserve(program.ranges.size());
  for (std::size_t i = 0; i < program.ranges.size(); ++i) {
    const isa::StageRange& range = program.ranges[i];
    const bool is_bucket = range.name == 0;
    // The range in force at a marker is the one before it, so a region is one whose parent is that.
    const bool is_push = i > 0 && range.parent && *range.parent == i - 1;
    const bool is_pop = !is_push && i > 0 && program.ranges[i - 1].parent;
    Marker marker{is_push ? MarkerKind::kPush : is_bucket ? MarkerKind::kEnd : MarkerKind::kStage};
    if (!is_bucket) marker.name = program.names[range.name].name;
    marker.pair = range.pair;
    marker.expert = range.expert;
    if (is_pop) marker = {MarkerKind::kPop};
    const bool is_inexpressible = is_push && is_bucket;
    const bool is_leading = i == 0 && is_bucket && range.line == 0;
    lines.push_back(is_inexpressible || is_leading ? "" : MarkerText(marker));
  }
  return lines;
}

}  // namespace moescope::stages
