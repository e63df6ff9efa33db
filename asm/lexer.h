#pragma once

#include <cstdint>
#include <string_view>

#include "asm/problem.h"

namespace moescope::assembler {

enum class TokenKind : std::uint8_t {
  kEnd,  // of the line, or where its comment begins
  kIdentifier,
  kDirective,  // a dot and a name
  kInteger,
  kString,  // in double quotes, which its span includes
  kComma,
  kColon,
  kOpen,
  kClose,
  kPlus,
  kMinus,
  kTilde,
  kStar,
  kSlash,
  kPercent,
  kShiftLeft,
  kShiftRight,
  kAnd,
  kXor,
  kOr,
  kProblem,  // see Lexer::problem(); nothing follows it
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Span span;
  std::int64_t value = 0;  // of kInteger
};

// Splits one line of assembly (without its line end) into tokens, one ahead of the caller.
class Lexer {
 public:
  explicit Lexer(std::string_view line, std::size_t begin = 0) : line_(line), at_(begin) {
    Advance();
  }

  const Token& Peek() const { return token_; }
  Token Take() {
    const Token token = token_;
    Advance();
    return token;
  }
  bool TakeIf(TokenKind kind) {
    if (token_.kind != kind) return false;
    Advance();
    return true;
  }

  std::string_view line() const { return line_; }
  std::string_view TextOf(const Token& token) const {
    return line_.substr(token.span.begin, token.span.length);
  }
  const Problem& problem() const { return problem_; }

 private:
  void Advance();
  void ScanNumber();
  void ScanString();
  void ScanSymbol(char c);
  void RejectCharacter();
  void Finish(TokenKind kind, std::size_t length);
  void Fail(std::string_view id, std::string message, std::size_t length);

  std::string_view line_;
  std::size_t at_;  // behind token_
  Token token_;
  Problem problem_;
};

bool IsNameStart(char c);
bool IsNameCharacter(char c);

// Where the comment of a line begins (`;` or `//` outside a string), or the size of the line.
std::size_t FindComment(std::string_view line);

// Without blanks at both ends.
std::string_view Trim(std::string_view text);

}  // namespace moescope::assembler
