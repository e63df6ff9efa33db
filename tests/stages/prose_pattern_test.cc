#include "stages/prose_pattern.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <regex>
#include <string>

namespace moescope::stages {
namespace {

ProsePattern Pattern(std::string_view text, bool ignore_case = false) {
  auto pattern = ProsePattern::Parse(text, ignore_case);
  EXPECT_TRUE(pattern.ok()) << pattern.status();
  return *std::move(pattern);
}

TEST(ProsePatternTest, MatchesFromTheFirstCharacterOn) {
  Captures captures;
  EXPECT_TRUE(Pattern("SubBlock [").MatchesBeginOf("SubBlock [0][1]: HBM offset = 64", captures));
  EXPECT_FALSE(Pattern("SubBlock [").MatchesBeginOf("a SubBlock [0]", captures));
  EXPECT_FALSE(Pattern("SubBlock [").MatchesBeginOf("subblock [0]", captures));
  EXPECT_TRUE(Pattern("SubBlock [", true).MatchesBeginOf("subblock [0]", captures));
  EXPECT_FALSE(Pattern("SubBlock [").MatchesBeginOf("SubBlock", captures));
}

TEST(ProsePatternTest, CapturesNamesAndTheNumber) {
  Captures captures;
  ASSERT_TRUE(
      Pattern("=== VRAM Matrix Add: {d}[{*}] += {s}[")
          .MatchesBeginOf("=== VRAM Matrix Add: p15_gate[0:4] += B_e31[0:4] ===", captures));
  EXPECT_EQ(captures.Name('d'), "p15_gate");
  EXPECT_EQ(captures.Name('s'), "B_e31");
  EXPECT_EQ(captures.Name('m'), "");
  ASSERT_TRUE(Pattern("_pair{n}_").Search("step6_pair150_gate[0]", captures));
  EXPECT_EQ(captures.number(), "150");
}

TEST(ProsePatternTest, AnythingBacktracksOverEarlierMatches) {
  Captures captures;
  ASSERT_TRUE(Pattern("rows {*} in {m}").MatchesBeginOf("rows [1] in in acc", captures));
  EXPECT_EQ(captures.Name('m'), "in");
  EXPECT_TRUE(Pattern("{*}_x").MatchesAllOf("a_xb_x"));
  EXPECT_FALSE(Pattern("{*}_x").MatchesAllOf("a_xb_xc"));
  EXPECT_TRUE(Pattern("{*}gather{*}_t{n}").MatchesAllOf("p_gather_v_t_t12"));
  EXPECT_FALSE(Pattern("{*}gather{*}_t{n}").MatchesAllOf("p_gather_t12x"));
}

TEST(ProsePatternTest, AlternativesExpand) {
  const ProsePattern pattern = Pattern("{|x_}{gate|up}");
  EXPECT_TRUE(pattern.MatchesAllOf("gate"));
  EXPECT_TRUE(pattern.MatchesAllOf("x_up"));
  EXPECT_FALSE(pattern.MatchesAllOf("x_"));
}

TEST(ProsePatternTest, ErrorsSayWhatIsWrong) {
  const std::pair<std::string, std::string> kCases[] = {
      {"", "a pattern cannot be empty"},
      {"a{n", "'{' is never closed"},
      {"{nn}", "unknown placeholder '{nn}'; known: {n}, {*}, {a..z}, {x|y}"},
      {"{}", "unknown placeholder '{}'; known: {n}, {*}, {a..z}, {x|y}"},
      {"{M}", "unknown placeholder '{M}'; known: {n}, {*}, {a..z}, {x|y}"},
      {"{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}",
       "the alternatives stand for more than 256 texts"},
  };
  for (const auto& [pattern, expected] : kCases) {
    EXPECT_EQ(ProsePattern::Parse(pattern).status().message(), expected) << pattern;
  }
  EXPECT_TRUE(ProsePattern::Parse("{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}{a|b}").ok());
}

TEST(ProsePatternTest, HasNameWantsItInEveryAlternative) {
  EXPECT_TRUE(Pattern("a {m}:").HasName('m'));
  EXPECT_FALSE(Pattern("a {n}:").HasName('n'));
  EXPECT_FALSE(Pattern("a {m}:").HasName('d'));
}

// The same language written as a regular expression gives the same answers.
TEST(ProsePatternTest, AgreesWithRegularExpressions) {
  std::mt19937 random(5);
  const std::pair<std::string, std::string> kParts[] = {
      {"a", "a"}, {"b", "b"}, {"{*}", ".*"}, {"{n}", "[0-9]+(?![0-9])"}, {"{a|b1}", "(?:a|b1)"}};
  int matches = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string pattern = "a";
    std::string regex = "a";
    for (auto n = random() % 5; n > 0; --n) {
      const auto& [ours, theirs] = kParts[random() % std::size(kParts)];
      pattern += ours;
      regex += theirs;
    }
    std::string text = "a";
    for (auto n = random() % 8; n > 0; --n) text += "ab12"[random() % 4];
    const bool expected = std::regex_match(text, std::regex(regex));
    ASSERT_EQ(Pattern(pattern).MatchesAllOf(text), expected) << pattern << " on " << text;
    matches += expected ? 1 : 0;
  }
  EXPECT_GT(matches, 200);
}

TEST(ProsePatternTest, ManyStarsTakeNoExponentialTime) {
  std::string stars;
  for (int i = 0; i < 60; ++i) stars += "{*}a";
  const ProsePattern pattern = Pattern(stars + "b");
  const std::string text(4096, 'a');
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(pattern.MatchesAllOf(text));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

}  // namespace
}  // namespace moescope::stages
