#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace moescope::test {

// C++ source as the emitter lint reads it: comments are gone, a #define is one token, other
// directives are left out.
struct SourceToken {
  enum class Kind { kWord, kString, kPunctuation, kDefine };
  Kind kind = Kind::kWord;
  std::string text;  // of a string: its content
  int line = 0;

  bool Is(std::string_view word) const { return kind != Kind::kString && text == word; }
};

using SourceTokens = std::vector<SourceToken>;

SourceTokens Tokenize(std::string_view text);

// The index behind the bracket that closes the one at `open`; the size when it never does.
std::size_t BehindMatch(const SourceTokens& tokens, std::size_t open);

}  // namespace moescope::test
