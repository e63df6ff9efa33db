#include "asm/lexer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace moescope::assembler {
namespace {

// The tokens of a line, written as one word per kind with the text where it varies.
std::string Tokens(std::string_view line) {
  Lexer lexer(line);
  std::string out;
  for (;;) {
    const Token token = lexer.Take();
    const std::string text(lexer.TextOf(token));
    if (!out.empty()) out += ' ';
    switch (token.kind) {
      case TokenKind::kEnd:
        return out + "end@" + std::to_string(token.span.begin);
      case TokenKind::kProblem:
        return out + std::string(lexer.problem().id) + "@" +
               std::to_string(lexer.problem().span.begin) + "+" +
               std::to_string(lexer.problem().span.length);
      case TokenKind::kIdentifier:
        out += "name:" + text;
        break;
      case TokenKind::kDirective:
        out += "directive:" + text;
        break;
      case TokenKind::kInteger:
        out += "int:" + std::to_string(token.value);
        break;
      case TokenKind::kString:
        out += "string:" + text;
        break;
      default:
        out += text;
        break;
    }
  }
}

TEST(LexerTest, Tokens) {
  EXPECT_EQ(Tokens(""), "end@0");
  EXPECT_EQ(Tokens(" \t "), "end@3");
  EXPECT_EQ(Tokens("S_ADDI_INT gp1,gp0 , 5"), "name:S_ADDI_INT name:gp1 , name:gp0 , int:5 end@22");
  EXPECT_EQ(Tokens(".equ _a1, 0x1F"), "directive:.equ name:_a1 , int:31 end@14");
  EXPECT_EQ(Tokens("loop:"), "name:loop : end@5");
  EXPECT_EQ(Tokens("()+-~*/%<<>>&^|"), "( ) + - ~ * / % << >> & ^ | end@15");
  EXPECT_EQ(Tokens("a<<b"), "name:a << name:b end@4");
}

TEST(LexerTest, Comments) {
  EXPECT_EQ(Tokens("a ; b"), "name:a end@2");
  EXPECT_EQ(Tokens("a // b"), "name:a end@2");
  EXPECT_EQ(Tokens("a / / b"), "name:a / / name:b end@7");
  EXPECT_EQ(Tokens("4/2//2"), "int:4 / int:2 end@3");
  EXPECT_EQ(Tokens("\"a;b//c\" ;d"), "string:\"a;b//c\" end@9");
}

TEST(LexerTest, Numbers) {
  EXPECT_EQ(Tokens("0 00 007 9223372036854775807"),
            "int:0 int:0 int:7 int:9223372036854775807 end@28");
  EXPECT_EQ(Tokens("0xfF 0X10 0b101 0B1"), "int:255 int:16 int:5 int:1 end@19");
  EXPECT_EQ(Tokens("0x7FFFFFFFFFFFFFFF"), "int:9223372036854775807 end@18");
  EXPECT_EQ(Tokens("0x8000000000000000"), "AS013@0+18");
  EXPECT_EQ(Tokens("9223372036854775808"), "AS013@0+19");
  EXPECT_EQ(Tokens("0x"), "AS013@0+2");
  EXPECT_EQ(Tokens("0b2"), "AS013@0+3");
  EXPECT_EQ(Tokens("1a"), "AS013@0+2");
  EXPECT_EQ(Tokens("0xG"), "AS013@0+3");
}

TEST(LexerTest, CharactersThatAreNotAllowed) {
  EXPECT_EQ(Tokens("a # b"), "name:a AS016@2+1");
  EXPECT_EQ(Tokens("a < b"), "name:a AS016@2+1");
  EXPECT_EQ(Tokens("a > > b"), "name:a AS016@2+1");
  EXPECT_EQ(Tokens("."), "AS016@0+1");
  EXPECT_EQ(Tokens(".1"), "AS016@0+1");
  EXPECT_EQ(Tokens("\xC2\xB5"), "AS016@0+2");
  EXPECT_EQ(Tokens("\xE2\x86\x92"), "AS016@0+3");
  EXPECT_EQ(Tokens("\xF0\x9F\x98\x80"), "AS016@0+4");
  EXPECT_EQ(Tokens("\xE2\x86"), "AS016@0+1");
  EXPECT_EQ(Tokens("\xFF"), "AS016@0+1");
  EXPECT_EQ(Tokens(std::string_view("\0", 1)), "AS016@0+1");
  EXPECT_EQ(Tokens("\x7F"), "AS016@0+1");
  EXPECT_EQ(Tokens("\"a"), "AS013@0+2");
  EXPECT_EQ(Tokens("\"\xC2\xB5\""), "AS016@1+2");
}

TEST(LexerTest, NothingFollowsAProblem) {
  Lexer lexer("$ 5 6");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(lexer.Take().kind, TokenKind::kProblem);
}

TEST(LexerTest, FindCommentAgreesWithTheTokens) {
  std::mt19937 random(3);
  constexpr std::string_view kPieces[] = {"a", " ", ";", "/", "//", "\"", "5", ",", "\t"};
  for (int round = 0; round < 5000; ++round) {
    std::string line;
    for (std::size_t n = random() % 8; n > 0; --n) line += kPieces[random() % std::size(kPieces)];
    Lexer lexer(line);
    Token token = lexer.Take();
    while (token.kind != TokenKind::kEnd && token.kind != TokenKind::kProblem) token = lexer.Take();
    if (token.kind == TokenKind::kEnd) {
      EXPECT_EQ(FindComment(line), token.span.begin) << line;
    }
  }
}

TEST(LexerTest, Trim) {
  EXPECT_EQ(Trim(" \ta b\t "), "a b");
  EXPECT_EQ(Trim(" \t"), "");
  EXPECT_EQ(Trim(""), "");
}

}  // namespace
}  // namespace moescope::assembler
