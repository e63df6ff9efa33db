#include "asm/lexer.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/string_view.h"

namespace moescope::assembler {

namespace {

constexpr bool IsBlank(char c) { return c == ' ' || c == '\t'; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

constexpr int DigitValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

bool IsCommentStart(std::string_view rest) {
  return rest.front() == ';' || (rest.size() > 1 && rest[0] == '/' && rest[1] == '/');
}

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  // 0 = not UTF-8
};

CodePoint DecodeUtf8(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  if (length == 0 || first > 0xF7 || text.size() < length) return {};
  std::uint32_t value = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    value = value << 6 | (byte & 0x3Fu);
  }
  return {value, length};
}

std::string_view HintFor(char c) {
  switch (c) {
    case '#':
      return "; a comment starts with ';'";
    case '\\':
      return "; parameters exist only in the body of a macro";
    default:
      return "";
  }
}

}  // namespace

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool IsNameCharacter(char c) { return IsNameStart(c) || IsDigit(c); }

std::size_t FindComment(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (!quoted && IsCommentStart(line.substr(i))) return i;
  }
  return line.size();
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

void Lexer::Finish(TokenKind kind, std::size_t length) {
  token_ = {kind, {at_, length}, 0};
  at_ += length;
}

void Lexer::Fail(std::string_view id, std::string message, std::size_t length) {
  token_ = {TokenKind::kProblem, {at_, length}, 0};
  problem_ = {id, std::move(message), token_.span, {}};
  line_ = line_.substr(0, at_ + length);
  at_ = line_.size();
}

void Lexer::Advance() {
  if (token_.kind == TokenKind::kProblem) return;
  while (at_ < line_.size() && IsBlank(line_[at_])) ++at_;
  if (at_ == line_.size() || IsCommentStart(line_.substr(at_))) return Finish(TokenKind::kEnd, 0);
  const char c = line_[at_];
  if (IsDigit(c)) return ScanNumber();
  if (c == '"') return ScanString();
  const bool directive = c == '.' && at_ + 1 < line_.size() && IsNameStart(line_[at_ + 1]);
  if (!IsNameStart(c) && !directive) return ScanSymbol(c);
  std::size_t end = at_ + 1;
  while (end < line_.size() && IsNameCharacter(line_[end])) ++end;
  Finish(directive ? TokenKind::kDirective : TokenKind::kIdentifier, end - at_);
}

void Lexer::ScanNumber() {
  std::size_t end = at_;
  while (end < line_.size() && IsNameCharacter(line_[end])) ++end;
  const std::string_view text = line_.substr(at_, end - at_);
  int base = 10;
  std::string_view digits = text;
  if (text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) base = 16;
  if (text.size() > 1 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) base = 2;
  if (base != 10) digits.remove_prefix(2);
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  std::uint64_t value = 0;
  bool malformed = digits.empty();
  bool too_large = false;
  for (const char c : digits) {
    const int digit = DigitValue(c);
    if (digit >= base) malformed = true;
    if (malformed || too_large) continue;
    const auto wide = static_cast<std::uint64_t>(base);
    too_large = value > (kLargest - static_cast<std::uint64_t>(digit)) / wide;
    value = value * wide + static_cast<std::uint64_t>(digit);
  }
  if (malformed) {
    return Fail("AS013", absl::StrCat("malformed number '", Absl(text), "'"), text.size());
  }
  if (too_large) {
    return Fail("AS013", absl::StrCat("number '", Absl(text), "' does not fit in 64 bits"),
                text.size());
  }
  Finish(TokenKind::kInteger, text.size());
  token_.value = static_cast<std::int64_t>(value);
}

void Lexer::ScanString() {
  for (std::size_t end = at_ + 1; end < line_.size(); ++end) {
    const auto c = static_cast<unsigned char>(line_[end]);
    if (c == '"') return Finish(TokenKind::kString, end + 1 - at_);
    if (c < 0x20 || c > 0x7E) {
      at_ = end;
      return RejectCharacter();
    }
  }
  Fail("AS013", "string without its closing '\"'", line_.size() - at_);
}

void Lexer::ScanSymbol(char c) {
  const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : '\0';
  switch (c) {
    case ',':
      return Finish(TokenKind::kComma, 1);
    case ':':
      return Finish(TokenKind::kColon, 1);
    case '(':
      return Finish(TokenKind::kOpen, 1);
    case ')':
      return Finish(TokenKind::kClose, 1);
    case '+':
      return Finish(TokenKind::kPlus, 1);
    case '-':
      return Finish(TokenKind::kMinus, 1);
    case '~':
      return Finish(TokenKind::kTilde, 1);
    case '*':
      return Finish(TokenKind::kStar, 1);
    case '/':
      return Finish(TokenKind::kSlash, 1);
    case '%':
      return Finish(TokenKind::kPercent, 1);
    case '&':
      return Finish(TokenKind::kAnd, 1);
    case '^':
      return Finish(TokenKind::kXor, 1);
    case '|':
      return Finish(TokenKind::kOr, 1);
    case '<':
      if (next == '<') return Finish(TokenKind::kShiftLeft, 2);
      break;
    case '>':
      if (next == '>') return Finish(TokenKind::kShiftRight, 2);
      break;
    default:
      break;
  }
  RejectCharacter();
}

void Lexer::RejectCharacter() {
  const auto byte = static_cast<unsigned char>(line_[at_]);
  if (byte >= 0x80) {
    const CodePoint point = DecodeUtf8(line_.substr(at_));
    if (point.length == 0) {
      return Fail("AS016", absl::StrFormat("byte 0x%02X is not allowed here", byte), 1);
    }
    return Fail("AS016",
                absl::StrFormat("character '%s' (U+%04X) is allowed in comments only",
                                Absl(line_.substr(at_, point.length)), point.value),
                point.length);
  }
  if (byte < 0x20 || byte == 0x7F) {
    return Fail("AS016", absl::StrFormat("control character 0x%02X is not allowed here", byte), 1);
  }
  const char c = line_[at_];
  Fail("AS016",
       absl::StrCat("character '", std::string(1, c), "' is not allowed here", Absl(HintFor(c))),
       1);
}

}  // namespace moescope::assembler
