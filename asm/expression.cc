#include "asm/expression.h"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "base/suggestion.h"

namespace moescope::assembler {

namespace {

constexpr int kLowestPrecedence = 1;
constexpr int kMostNesting = 100;

// Higher binds tighter; 0 = not a binary operator.
int PrecedenceOf(TokenKind kind) {
  switch (kind) {
    case TokenKind::kOr:
      return 1;
    case TokenKind::kXor:
      return 2;
    case TokenKind::kAnd:
      return 3;
    case TokenKind::kShiftLeft:
    case TokenKind::kShiftRight:
      return 4;
    case TokenKind::kPlus:
    case TokenKind::kMinus:
      return 5;
    case TokenKind::kStar:
    case TokenKind::kSlash:
    case TokenKind::kPercent:
      return 6;
    default:
      return 0;
  }
}

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

bool IsShift(TokenKind kind) {
  return kind == TokenKind::kShiftLeft || kind == TokenKind::kShiftRight;
}

bool IsDivision(TokenKind kind) { return kind == TokenKind::kSlash || kind == TokenKind::kPercent; }

// Empty on overflow. Divisors are not 0 and shift counts are 0..63.
std::optional<std::int64_t> Combine(TokenKind kind, std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  switch (kind) {
    case TokenKind::kOr:
      return a | b;
    case TokenKind::kXor:
      return a ^ b;
    case TokenKind::kAnd:
      return a & b;
    case TokenKind::kShiftRight:
      return a >> b;
    case TokenKind::kShiftLeft:
      value = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
      if (value >> b != a) return std::nullopt;
      return value;
    case TokenKind::kPlus:
      if (__builtin_add_overflow(a, b, &value)) return std::nullopt;
      return value;
    case TokenKind::kMinus:
      if (__builtin_sub_overflow(a, b, &value)) return std::nullopt;
      return value;
    case TokenKind::kStar:
      if (__builtin_mul_overflow(a, b, &value)) return std::nullopt;
      return value;
    case TokenKind::kSlash:
      if (a == kSmallest && b == -1) return std::nullopt;
      return a / b;
    case TokenKind::kPercent:
      return b == -1 ? 0 : a % b;
    default:
      return std::nullopt;
  }
}

// Precedence climbing over one lexer.
class Evaluator {
 public:
  Evaluator(Lexer& lexer, const SymbolTable& symbols, Problem& problem)
      : lexer_(lexer), symbols_(symbols), problem_(problem) {}

  bool Binary(int lowest, std::int64_t& value) {
    const std::size_t begin = lexer_.Peek().span.begin;
    if (!Unary(value)) return false;
    for (int precedence; (precedence = PrecedenceOf(lexer_.Peek().kind)) >= lowest;) {
      const Token op = lexer_.Take();
      const Token right_begin = lexer_.Peek();
      std::int64_t right = 0;
      if (!Binary(precedence + 1, right)) return false;
      if (IsDivision(op.kind) && right == 0) {
        return Fail("AS013", "division by zero", SpanFrom(right_begin.span.begin));
      }
      if (IsShift(op.kind) && (right < 0 || right > 63)) {
        return Fail("AS013", absl::StrCat("shift count ", right, " is outside 0..63"),
                    SpanFrom(right_begin.span.begin));
      }
      const std::optional<std::int64_t> combined = Combine(op.kind, value, right);
      if (!combined) return Overflow(SpanFrom(begin));
      value = *combined;
    }
    return true;
  }

  std::size_t end() const { return end_; }

 private:
  bool Unary(std::int64_t& value) {
    if (++depth_ > kMostNesting) {
      return Fail("AS013", absl::StrCat("expression nests deeper than ", kMostNesting, " levels"),
                  lexer_.Peek().span);
    }
    const bool ok = UnaryInner(value);
    --depth_;
    return ok;
  }

  bool UnaryInner(std::int64_t& value) {
    const Token token = lexer_.Peek();
    if (token.kind != TokenKind::kMinus && token.kind != TokenKind::kTilde) return Primary(value);
    Advance();
    if (!Unary(value)) return false;
    if (token.kind == TokenKind::kTilde) {
      value = ~value;
      return true;
    }
    if (value == kSmallest) return Overflow(SpanFrom(token.span.begin));
    value = -value;
    return true;
  }

  bool Primary(std::int64_t& value) {
    const Token token = lexer_.Peek();
    switch (token.kind) {
      case TokenKind::kInteger:
        value = token.value;
        Advance();
        return true;
      case TokenKind::kOpen:
        return Parenthesised(value);
      case TokenKind::kIdentifier:
        Advance();
        return lexer_.Peek().kind == TokenKind::kOpen ? Function(token, value) : Name(token, value);
      case TokenKind::kProblem:
        problem_ = lexer_.problem();
        return false;
      default:
        return Fail("AS013", absl::StrCat("expected a value, found ", Describe(lexer_, token)),
                    token.span);
    }
  }

  bool Parenthesised(std::int64_t& value) {
    const Token open = lexer_.Peek();
    Advance();
    if (!Binary(kLowestPrecedence, value)) return false;
    const Token close = lexer_.Peek();
    if (close.kind == TokenKind::kClose) {
      Advance();
      return true;
    }
    if (close.kind == TokenKind::kProblem) {
      problem_ = lexer_.problem();
      return false;
    }
    return Fail("AS013", absl::StrCat("'(' without its ')': found ", Describe(lexer_, close)),
                open.span);
  }

  bool Function(const Token& name, std::int64_t& value) {
    const std::string_view text = lexer_.TextOf(name);
    if (text != "hi" && text != "lo") {
      return Fail("AS013", absl::StrCat("unknown function '", Absl(text), "'; known: hi, lo"),
                  name.span);
    }
    if (!Parenthesised(value)) return false;
    value = text == "hi" ? value >> 12 : value & 0xFFF;
    return true;
  }

  bool Name(const Token& name, std::int64_t& value) {
    const std::string_view text = lexer_.TextOf(name);
    if (ParseRegisterName(text).file != isa::RegisterFile::kNone) {
      return Fail("AS005", absl::StrCat("register '", Absl(text), "' in an expression"), name.span);
    }
    const auto symbol = symbols_.find(text);
    if (symbol != symbols_.end()) {
      value = symbol->second.value;
      return true;
    }
    Fail("AS011", absl::StrCat("undefined symbol '", Absl(text), "'"), name.span);
    problem_.suggestion = [text, &symbols = symbols_] {
      std::vector<std::string_view> known;
      for (const auto& [other, unused] : symbols) known.push_back(other);
      return DidYouMean(text, known);
    };
    return false;
  }

  Span SpanFrom(std::size_t begin) const { return {begin, end_ - begin}; }

  void Advance() { end_ = lexer_.Take().span.end(); }

  bool Overflow(Span span) { return Fail("AS013", "the value does not fit in 64 bits", span); }

  bool Fail(std::string_view id, std::string message, Span span) {
    problem_ = {id, std::move(message), span, {}};
    return false;
  }

  Lexer& lexer_;
  const SymbolTable& symbols_;
  Problem& problem_;
  std::size_t end_ = 0;  // behind the last token of the expression so far
  int depth_ = 0;
};

}  // namespace

RegisterName ParseRegisterName(std::string_view name) {
  if (name.empty()) return {};
  RegisterName result;
  std::size_t prefix = 1;
  switch (name[0]) {
    case 'g':
    case 'G':
      if (name.size() < 2 || (name[1] != 'p' && name[1] != 'P')) return {};
      result.file = isa::RegisterFile::kGp;
      prefix = 2;
      break;
    case 'f':
    case 'F':
      result.file = isa::RegisterFile::kFp;
      break;
    case 'a':
    case 'A':
      result.file = isa::RegisterFile::kAddress;
      break;
    default:
      return {};
  }
  const std::string_view digits = name.substr(prefix);
  if (digits.empty()) return {};
  for (const char c : digits) {
    if (c < '0' || c > '9') return {};
    if (result.index < 1'000'000) result.index = result.index * 10 + static_cast<unsigned>(c - '0');
  }
  result.leading_zero = digits.size() > 1 && digits[0] == '0';
  return result;
}

std::string_view RegisterPrefix(isa::RegisterFile file) {
  switch (file) {
    case isa::RegisterFile::kGp:
      return "gp";
    case isa::RegisterFile::kFp:
      return "f";
    case isa::RegisterFile::kAddress:
      return "a";
    case isa::RegisterFile::kNone:
      return "";
  }
  return "";
}

bool EvaluateExpression(Lexer& lexer, const SymbolTable& symbols, std::int64_t& value,
                        Problem& problem, Span* span) {
  const std::size_t begin = lexer.Peek().span.begin;
  Evaluator evaluator(lexer, symbols, problem);
  if (!evaluator.Binary(kLowestPrecedence, value)) return false;
  if (span != nullptr) *span = {begin, evaluator.end() - begin};
  return true;
}

std::string Describe(const Lexer& lexer, const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the line";
  return absl::StrCat("'", Absl(lexer.TextOf(token)), "'");
}

}  // namespace moescope::assembler
