#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace moescope::stages {

// What the variable parts of a pattern matched: operand names by their letter, and the first
// number.
class Captures {
 public:
  std::string_view Name(char letter) const {
    return names_[static_cast<std::size_t>(letter - 'a')];
  }
  std::string_view number() const { return number_; }

 private:
  friend class ProsePattern;
  std::array<std::string_view, 26> names_{};
  std::string_view number_;
};

// A pattern of the annotate rules (profile.md, 4.1): literal text with {n} (digits), {*}
// (anything), {a|b|} (one of these texts) and, for any other single letter, {m} (an operand name:
// characters other than blank, '[' and ':').
class ProsePattern {
 public:
  // Most texts that the alternatives of one pattern may stand for.
  static constexpr std::size_t kMaximumExpansions = 256;

  // InvalidArgument says what is wrong with the pattern.
  static absl::StatusOr<ProsePattern> Parse(std::string_view text, bool ignore_case = false);

  // Whether the text begins with, is, or holds the pattern. Takes time proportional to the product
  // of the lengths at most.
  bool MatchesBeginOf(std::string_view text, Captures& captures) const;
  bool MatchesAllOf(std::string_view text) const;
  bool Search(std::string_view text, Captures& captures) const;

  bool HasName(char letter) const;

 private:
  struct Element {
    enum class Kind { kLiteral, kNumber, kName, kAnything } kind = Kind::kLiteral;
    std::string literal;
    char letter = '\0';
  };
  enum class Anchor { kNone, kBegin, kBoth };
  using Sequence = std::vector<Element>;

  absl::Status Append(std::string_view inside);
  absl::Status AppendToAll(const std::vector<Element>& choices);
  bool MatchAny(std::string_view text, Anchor anchor, Captures& captures) const;
  bool Match(const Sequence& sequence, std::string_view text, Anchor anchor,
             Captures& captures) const;
  bool Take(const Element& element, std::string_view text, std::size_t& at,
            Captures& captures) const;

  std::vector<Sequence> sequences_{{}};
  bool ignore_case_ = false;
};

}  // namespace moescope::stages
