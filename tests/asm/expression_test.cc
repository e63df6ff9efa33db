#include "asm/expression.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <random>
#include <string>

// Random expressions against a model that computes in 128 bits from the tree, not from the text.

namespace moescope::assembler {
namespace {

__extension__ using Wide = __int128;

struct Modelled {
  std::string text;
  std::optional<Wide> value;  // empty: overflow, division by zero or a bad shift count somewhere
  int precedence = 9;         // of the outermost operator; 9 = needs no parentheses anywhere
};

bool Fits(Wide value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

std::optional<Wide> Checked(Wide value) {
  if (!Fits(value)) return std::nullopt;
  return value;
}

std::optional<Wide> Apply(const std::string& op, Wide a, Wide b) {
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "&") return a & b;
  if (op == "+") return Checked(a + b);
  if (op == "-") return Checked(a - b);
  if (op == "*") return Checked(a * b);
  if (op == "/" || op == "%") {
    if (b == 0) return std::nullopt;
    return op == "/" ? Checked(a / b) : std::optional<Wide>(a % b);
  }
  if (b < 0 || b > 63) return std::nullopt;
  Wide result = a;
  for (Wide i = 0; i < b; ++i) {
    if (op == "<<") {
      result *= 2;
      if (!Fits(result)) return result == 0 ? std::optional<Wide>(0) : std::nullopt;
    } else {
      result = result >= 0 ? result / 2 : (result - 1) / 2;  // towards minus infinity
    }
  }
  return result;
}

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Modelled Any(int depth) {
    if (depth == 0 || Below(6) == 0) return Leaf();
    switch (Below(8)) {
      case 0:
        return Unary(depth);
      case 1:
        return Function(depth);
      default:
        return Binary(depth);
    }
  }

 private:
  std::size_t Below(std::size_t limit) { return random_() % limit; }

  Modelled Leaf() {
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    std::uint64_t value = Below(100);
    if (Below(5) == 0) value = (std::uint64_t{random_()} << 32 | random_()) & kLargest;
    if (Below(12) == 0) value = kLargest;
    std::string text = std::to_string(value);
    if (Below(4) == 0) {
      char hex[32];
      std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(value));
      text = hex;
    }
    if (Below(6) == 0) return {"SYMBOL", 42};
    return {text, static_cast<Wide>(value)};
  }

  Modelled Unary(int depth) {
    Modelled inner = Any(depth - 1);
    const bool negate = Below(2) == 0;
    if (inner.precedence < 7) inner.text = "(" + inner.text + ")";
    std::optional<Wide> value;
    if (inner.value) value = negate ? Checked(-*inner.value) : std::optional<Wide>(~*inner.value);
    return {(negate ? "-" : "~") + inner.text, value, 7};
  }

  Modelled Function(int depth) {
    const Modelled inner = Any(depth - 1);
    const bool high = Below(2) == 0;
    std::optional<Wide> value;
    if (inner.value) value = high ? Apply(">>", *inner.value, 12) : Apply("&", *inner.value, 0xFFF);
    return {(high ? "hi(" : "lo(") + inner.text + ")", value};
  }

  Modelled Binary(int depth) {
    struct Operator {
      const char* text;
      int precedence;
    };
    constexpr Operator kOperators[] = {{"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4},
                                       {"+", 5}, {"-", 5}, {"*", 6}, {"/", 6},  {"%", 6}};
    const Operator op = kOperators[Below(std::size(kOperators))];
    Modelled left = Any(depth - 1);
    Modelled right = Any(depth - 1);
    if (left.precedence < op.precedence) left.text = "(" + left.text + ")";
    if (right.precedence <= op.precedence) right.text = "(" + right.text + ")";
    std::optional<Wide> value;
    if (left.value && right.value) value = Apply(op.text, *left.value, *right.value);
    const char* blank = Below(2) == 0 ? " " : "";
    // Without a blank two slashes would begin a comment.
    return {left.text + blank + op.text + blank + right.text, value, op.precedence};
  }

  std::mt19937 random_;
};

SymbolTable Symbols() {
  SymbolTable symbols;
  symbols["SYMBOL"] = {42, {}};
  return symbols;
}

TEST(ExpressionTest, RandomExpressionsEqualTheModel) {
  const SymbolTable symbols = Symbols();
  Generator generate(17);
  int with_value = 0;
  for (int round = 0; round < 50'000; ++round) {
    const Modelled expected = generate.Any(1 + round % 5);
    Lexer lexer(expected.text);
    std::int64_t value = 0;
    Problem problem;
    Span span;
    const bool ok = EvaluateExpression(lexer, symbols, value, problem, &span);
    ASSERT_EQ(ok, expected.value.has_value()) << expected.text << " " << problem.message;
    if (!ok) {
      ASSERT_EQ(problem.id, "AS013") << expected.text;
      ASSERT_LE(problem.span.end(), expected.text.size());
      continue;
    }
    ++with_value;
    ASSERT_TRUE(static_cast<Wide>(value) == *expected.value) << expected.text;
    ASSERT_EQ(span, (Span{0, expected.text.size()})) << expected.text;
  }
  EXPECT_GT(with_value, 20'000);
}

TEST(ExpressionTest, StopsAfterTheExpression) {
  const SymbolTable symbols;
  Lexer lexer("  1 + 2 , gp3");
  std::int64_t value = 0;
  Problem problem;
  Span span;
  ASSERT_TRUE(EvaluateExpression(lexer, symbols, value, problem, &span));
  EXPECT_EQ(value, 3);
  EXPECT_EQ(span, (Span{2, 5}));
  EXPECT_EQ(lexer.Peek().kind, TokenKind::kComma);
}

TEST(ExpressionTest, DepthLimitIsExact) {
  const SymbolTable symbols;
  for (const std::size_t depth : {99u, 100u}) {
    for (const char* opening : {"(", "-", "hi("}) {
      std::string text;
      for (std::size_t i = 0; i < depth; ++i) text += opening;
      text += "1";
      if (opening[0] != '-') text += std::string(depth, ')');
      Lexer lexer(text);
      std::int64_t value = 0;
      Problem problem;
      EXPECT_EQ(EvaluateExpression(lexer, symbols, value, problem), depth == 99) << text;
    }
  }
}

TEST(ExpressionTest, RegisterNames) {
  using isa::RegisterFile;
  EXPECT_EQ(ParseRegisterName("gp15").file, RegisterFile::kGp);
  EXPECT_EQ(ParseRegisterName("GP15").index, 15u);
  EXPECT_EQ(ParseRegisterName("F7").file, RegisterFile::kFp);
  EXPECT_EQ(ParseRegisterName("a0").file, RegisterFile::kAddress);
  EXPECT_FALSE(ParseRegisterName("a0").leading_zero);
  EXPECT_TRUE(ParseRegisterName("a00").leading_zero);
  EXPECT_GT(ParseRegisterName("gp99999999999999999999").index, 15u);
  for (const char* name : {"", "g", "gp", "f", "a", "g1", "gpx", "f1x", "b1", "gp1_", "fp1"}) {
    EXPECT_EQ(ParseRegisterName(name).file, RegisterFile::kNone) << name;
  }
}

}  // namespace
}  // namespace moescope::assembler
