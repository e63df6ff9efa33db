#include "stages/prose_pattern.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/string_view.h"
#include "stages/source_text.h"

namespace moescope::stages {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameCharacter(char c) { return c != ' ' && c != '\t' && c != '[' && c != ':'; }

template <typename Predicate>
std::size_t RunLength(std::string_view text, std::size_t at, Predicate belongs) {
  std::size_t end = at;
  while (end < text.size() && belongs(text[end])) ++end;
  return end - at;
}

}  // namespace

absl::StatusOr<ProsePattern> ProsePattern::Parse(std::string_view text, bool ignore_case) {
  ProsePattern pattern;
  pattern.ignore_case_ = ignore_case;
  if (text.empty()) return absl::InvalidArgumentError("a pattern cannot be empty");
  while (!text.empty()) {
    const std::size_t brace = text.find('{');
    if (brace > 0) {
      RETURN_IF_ERROR(pattern.AppendToAll(
          {{Element::Kind::kLiteral, std::string(text.substr(0, brace)), '\0'}}));
      text.remove_prefix(std::min(brace, text.size()));
      continue;
    }
    const std::size_t end = text.find('}');
    if (end == std::string_view::npos) return absl::InvalidArgumentError("'{' is never closed");
    RETURN_IF_ERROR(pattern.Append(text.substr(1, end - 1)));
    text.remove_prefix(end + 1);
  }
  return pattern;
}

// `inside` is what stands between the braces.
absl::Status ProsePattern::Append(std::string_view inside) {
  if (inside == "n") return AppendToAll({{Element::Kind::kNumber, "", '\0'}});
  if (inside == "*") return AppendToAll({{Element::Kind::kAnything, "", '\0'}});
  if (inside.size() == 1 && inside[0] >= 'a' && inside[0] <= 'z') {
    return AppendToAll({{Element::Kind::kName, "", inside[0]}});
  }
  if (inside.find('|') == std::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown placeholder '{", Absl(inside), "}'; known: {n}, {*}, {a..z}, {x|y}"));
  }
  std::vector<Element> choices;
  for (const absl::string_view choice : absl::StrSplit(Absl(inside), '|')) {
    choices.push_back({Element::Kind::kLiteral, std::string(choice), '\0'});
  }
  return AppendToAll(choices);
}

absl::Status ProsePattern::AppendToAll(const std::vector<Element>& choices) {
  if (sequences_.size() * choices.size() > kMaximumExpansions) {
    return absl::InvalidArgumentError(
        absl::StrCat("the alternatives stand for more than ", kMaximumExpansions, " texts"));
  }
  std::vector<Sequence> longer;
  for (const Sequence& sequence : sequences_) {
    for (const Element& choice : choices) {
      Sequence& extended = longer.emplace_back(sequence);
      const bool joins = choice.kind == Element::Kind::kLiteral && !extended.empty() &&
                         extended.back().kind == Element::Kind::kLiteral;
      if (joins) {
        extended.back().literal += choice.literal;
      } else {
        extended.push_back(choice);
      }
    }
  }
  sequences_ = std::move(longer);
  return absl::OkStatus();
}

bool ProsePattern::MatchesBeginOf(std::string_view text, Captures& captures) const {
  return MatchAny(text, Anchor::kBegin, captures);
}

bool ProsePattern::MatchesAllOf(std::string_view text) const {
  Captures captures;
  return MatchAny(text, Anchor::kBoth, captures);
}

bool ProsePattern::Search(std::string_view text, Captures& captures) const {
  return MatchAny(text, Anchor::kNone, captures);
}

bool ProsePattern::MatchAny(std::string_view text, Anchor anchor, Captures& captures) const {
  return std::any_of(sequences_.begin(), sequences_.end(), [&](const Sequence& sequence) {
    return Match(sequence, text, anchor, captures);
  });
}

bool ProsePattern::HasName(char letter) const {
  return std::all_of(sequences_.begin(), sequences_.end(), [letter](const Sequence& sequence) {
    return std::any_of(sequence.begin(), sequence.end(), [letter](const Element& element) {
      return element.kind == Element::Kind::kName && element.letter == letter;
    });
  });
}

// Every element but {*} has one possible end, which grows with its begin; so it is enough to try
// the ends of the last {*} in order.
bool ProsePattern::Match(const Sequence& sequence, std::string_view text, Anchor anchor,
                         Captures& captures) const {
  std::size_t element = 0;
  std::size_t at = 0;
  bool has_star = anchor == Anchor::kNone;
  std::size_t star_end = 0;     // how far the last {*} reaches
  std::size_t behind_star = 0;  // the element after it
  while (true) {
    const bool is_done = element == sequence.size();
    if (is_done && (anchor != Anchor::kBoth || at == text.size())) return true;
    if (!is_done && sequence[element].kind == Element::Kind::kAnything) {
      has_star = true;
      star_end = at;
      behind_star = ++element;
    } else if (!is_done && Take(sequence[element], text, at, captures)) {
      ++element;
    } else {
      if (!has_star || star_end == text.size()) return false;
      at = ++star_end;
      element = behind_star;
    }
  }
}

bool ProsePattern::Take(const Element& element, std::string_view text, std::size_t& at,
                        Captures& captures) const {
  std::size_t length = element.literal.size();
  switch (element.kind) {
    case Element::Kind::kLiteral: {
      const std::string_view here = text.substr(at, length);
      if (ignore_case_ ? !EqualsIgnoringCase(here, element.literal) : here != element.literal) {
        return false;
      }
      break;
    }
    case Element::Kind::kNumber:
      length = RunLength(text, at, IsDigit);
      if (length == 0) return false;
      captures.number_ = text.substr(at, length);
      break;
    case Element::Kind::kName:
      length = RunLength(text, at, IsNameCharacter);
      if (length == 0) return false;
      captures.names_[static_cast<std::size_t>(element.letter - 'a')] = text.substr(at, length);
      break;
    case Element::Kind::kAnything:
      break;
  }
  at += length;
  return true;
}

}  // namespace moescope::stages
