// The small helpers against the plainest second way to say the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/diagnostic.h"
#include "base/json.h"
#include "base/rule.h"
#include "base/status.h"
#include "base/suggestion.h"

namespace moescope {
namespace {

// ---- Distances and suggestions ------------------------------------------------------------------

// Straight from the definition, without a table: at the ends of both words, keep, substitute,
// insert, delete, or swap the last two.
std::size_t ModelDistance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::string_view x = a.substr(0, a.size() - 1);
  const std::string_view y = b.substr(0, b.size() - 1);
  std::size_t best = ModelDistance(x, y) + (a.back() == b.back() ? 0 : 1);
  best = std::min({best, ModelDistance(x, b) + 1, ModelDistance(a, y) + 1});
  if (x.size() > 0 && y.size() > 0 && a.back() == y.back() && b.back() == x.back()) {
    best = std::min(best, ModelDistance(x.substr(0, x.size() - 1), y.substr(0, y.size() - 1)) + 1);
  }
  return best;
}

TEST(EditDistanceModelTest, AllShortWords) {
  std::vector<std::string> words = {""};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() < 4) {
      for (const char c : {'a', 'b', 'c'}) words.push_back(words[i] + c);
    }
  }
  ASSERT_EQ(words.size(), 1u + 3 + 9 + 27 + 81);
  for (const std::string& a : words) {
    for (const std::string& b : words) {
      ASSERT_EQ(EditDistance(a, b), ModelDistance(a, b)) << a << " " << b;
    }
  }
}

TEST(SuggestionsModelTest, RandomVocabularies) {
  std::mt19937 random(3);
  const auto word = [&random](std::size_t longest) {
    std::string text;
    for (std::size_t length = 1 + random() % longest; length > 0; --length) {
      text += "abAB_"[random() % 5];
    }
    return text;
  };
  for (int round = 0; round < 400; ++round) {
    std::vector<std::string> names;
    for (std::size_t count = random() % 12; count > 0; --count) names.push_back(word(7));
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string asked = word(7);
    const std::size_t allowed = std::max<std::size_t>(2, asked.size() / 4);
    // By rising distance, then in the order given.
    std::vector<std::string> expected;
    for (std::size_t distance = 0; distance <= allowed; ++distance) {
      for (const std::string& name : names) {
        const std::size_t found =
            ModelDistance(absl::AsciiStrToLower(asked), absl::AsciiStrToLower(name));
        const bool replaces_all = found >= std::max(asked.size(), name.size());
        if (found == distance && !replaces_all) expected.push_back(name);
      }
    }
    for (std::size_t limit = 0; limit <= 4; ++limit) {
      std::vector<std::string> first = expected;
      if (first.size() > limit) first.resize(limit);
      ASSERT_EQ(Suggestions(asked, candidates, limit), first) << asked << " round " << round;
    }
    EXPECT_EQ(DidYouMean(asked, candidates).empty(), expected.empty());
  }
}

// ---- Rule levels --------------------------------------------------------------------------------

TEST(RuleLevelsModelTest, EveryCombination) {
  constexpr std::string_view kKnown[] = {"AS101"};
  constexpr const char* kLevels[] = {"", "off", "note", "warning", "error"};
  const Severity severities[] = {Severity::kNote, Severity::kWarning, Severity::kError};
  for (const char* first : kLevels) {
    for (const char* second : kLevels) {
      for (const bool werror : {false, true}) {
        for (const Severity standard : severities) {
          RuleLevels levels;
          for (const char* level : {first, second}) {
            if (*level == '\0') continue;
            ASSERT_TRUE(levels.Set(absl::StrCat("AS101=", level), kKnown).ok());
          }
          levels.SetWarningsAreErrors(werror);
          const std::string last = *second != '\0' ? second : first;  // a later setting wins
          const std::string name = last.empty() ? std::string(SeverityName(standard)) : last;
          const std::optional<Severity> got = levels.SeverityOf("AS101", standard);
          if (name == "off") {
            EXPECT_FALSE(got.has_value());
            continue;
          }
          ASSERT_TRUE(got.has_value());
          const std::string expected = name == "warning" && werror ? "error" : name;
          EXPECT_EQ(SeverityName(*got), expected) << first << " " << second;
        }
      }
    }
  }
}

// A refused setting changes nothing.
TEST(RuleLevelsModelTest, RefusedSettings) {
  constexpr std::string_view kKnown[] = {"AS101", "AS102"};
  RuleLevels levels;
  ASSERT_TRUE(levels.Set("AS101=note", kKnown).ok());
  for (const char* bad : {"AS101", "AS101=", "AS101=Error", "AS101 =error", "=error", "",
                          "AS103=off", "as101=off", "AS101=error=off"}) {
    EXPECT_FALSE(levels.Set(bad, kKnown).ok()) << bad;
    EXPECT_EQ(levels.SeverityOf("AS101", Severity::kError), Severity::kNote) << bad;
    EXPECT_EQ(levels.SeverityOf("AS102", Severity::kError), Severity::kError) << bad;
  }
}

// ---- JSON ---------------------------------------------------------------------------------------

class RandomJson {
 public:
  explicit RandomJson(std::uint32_t seed) : random_(seed) {}

  Json Value(int depth) {
    switch (random_() % (depth > 0 ? 8 : 6)) {
      case 0:
        return nullptr;
      case 1:
        return random_() % 2 == 0;
      case 2:
        return static_cast<std::uint64_t>(random_()) << random_() % 32;
      case 3:
        return -static_cast<std::int64_t>(random_());
      case 4:
        return static_cast<double>(random_()) / 8;
      case 5:
        return Text();
      case 6: {
        Json array = Json::array();
        for (std::size_t left = random_() % 4; left > 0; --left) array.push_back(Value(depth - 1));
        return array;
      }
      default: {
        Json object = Json::object();
        for (std::size_t left = random_() % 4; left > 0; --left) object[Text()] = Value(depth - 1);
        return object;
      }
    }
  }

 private:
  std::string Text() {
    std::string text;
    for (std::size_t left = random_() % 6; left > 0; --left) {
      constexpr const char* kPieces[] = {"a", "\"", "\\", "\n", "\x01", "\xC3\xA9", "/", "\x7F"};
      text += kPieces[random_() % std::size(kPieces)];
    }
    return text;
  }
  std::mt19937 random_;
};

TEST(JsonModelTest, WhatIsWrittenIsReadInTheSameOrder) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const Json json = RandomJson(seed).Value(4);
    const std::string text = JsonText(json);
    const absl::StatusOr<Json> read = ParseJson(text, "a.json", "PC010");
    ASSERT_TRUE(read.ok()) << read.status() << text;
    EXPECT_EQ(*read, json);
    EXPECT_EQ(JsonText(*read), text);
    EXPECT_EQ(text.back(), '\n');
  }
}

// A document that is cut off anywhere is malformed there, on the line and in the column of the cut
// at the latest.
TEST(JsonModelTest, EveryPrefixIsMalformedAtAPlaceInsideIt) {
  const std::string text =
      "{\n  \"\xC3\xA9t\xC3\xA9\": [1, 2.5, \"x\\n\"],\n  \"b\": {\"c\": null, \"d\": true}\n}";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string prefix = text.substr(0, size);
    const absl::StatusOr<Json> json = ParseJson(prefix, "a.json", "PC010");
    ASSERT_FALSE(json.ok()) << prefix;
    const Diagnostic finding = DiagnosticsOf(json.status()).front();
    EXPECT_EQ(finding.id, "PC010");
    std::uint32_t line = 1;
    std::uint32_t column = 1;
    for (const char c : prefix) {
      if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;
      ++column;
      if (c == '\n') ++line, column = 1;
    }
    EXPECT_EQ(finding.location.line, line) << prefix;
    EXPECT_LE(finding.location.column, column) << prefix;
    EXPECT_GE(finding.location.column, 1u);
  }
}

TEST(JsonModelTest, KeysGivenTwiceAtAnyDepth) {
  std::string open;
  std::string close;
  for (int depth = 0; depth < 30; ++depth) {
    const std::string twice = open + R"({"k": 1, "l": {"k": 2}, "k": 3})" + close;
    const std::string once = open + R"({"k": 1, "l": {"k": 2}, "m": 3})" + close;
    EXPECT_EQ(DiagnosticsOf(ParseJson(twice, "a", "X1").status()).front().message,
              "key 'k' is given twice");
    EXPECT_TRUE(ParseJson(once, "a", "X1").ok());
    open += depth % 2 == 0 ? "[" : "{\"k\": ";
    close = (depth % 2 == 0 ? "]" : "}") + close;
  }
}

// ---- Early returns ------------------------------------------------------------------------------

struct Calls {
  int made = 0;
  absl::Status Fail(bool fail) {
    ++made;
    return fail ? absl::NotFoundError("gone") : absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<int>> Make(bool fail) {
    ++made;
    if (fail) return absl::OutOfRangeError("far");
    return std::make_unique<int>(made);
  }
};

absl::Status Both(Calls& calls, bool first, bool second) {
  RETURN_IF_ERROR(calls.Fail(first));
  if (second) RETURN_IF_ERROR(calls.Fail(second));
  return absl::OkStatus();
}

absl::StatusOr<int> Sum(Calls& calls, bool first, bool second) {
  ASSIGN_OR_RETURN(const std::unique_ptr<int> a, calls.Make(first));
  std::unique_ptr<int> b;
  ASSIGN_OR_RETURN(b, calls.Make(second));
  return *a * 10 + *b;
}

TEST(StatusMacrosTest, EachExpressionIsEvaluatedOnceAndTheFirstFailureEnds) {
  Calls calls;
  EXPECT_TRUE(Both(calls, false, false).ok());
  EXPECT_EQ(calls.made, 1);
  EXPECT_EQ(Both(calls, true, true).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(calls.made, 2);
  EXPECT_EQ(Both(calls, false, true).message(), "gone");
  EXPECT_EQ(calls.made, 4);
}

TEST(StatusMacrosTest, ValuesThatCannotBeCopiedAreMoved) {
  Calls calls;
  EXPECT_EQ(*Sum(calls, false, false), 12);
  EXPECT_EQ(Sum(calls, true, false).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(calls.made, 3);
  EXPECT_EQ(Sum(calls, false, true).status().message(), "far");
  EXPECT_EQ(calls.made, 5);
}

}  // namespace
}  // namespace moescope
