#include "cli/session/document_json.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/diagnostic.h"

namespace moescope::session {
namespace {

using Kind = JsonValue::Kind;

JsonValue Parsed(std::string_view text) {
  auto value = ParseLocatedJson(text, "f.json");
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *std::move(value) : JsonValue{};
}

// The tree as text, each value with its place.
std::string Shown(const JsonValue& value) {
  std::string text = std::to_string(value.line) + ":" + std::to_string(value.column);
  switch (value.kind) {
    case Kind::kNull:
      return text + " null";
    case Kind::kBoolean:
      return text + (value.boolean ? " true" : " false");
    case Kind::kInteger:
      return text + (value.negative ? " -" : " ") + std::to_string(value.integer);
    case Kind::kReal:
      return text + " " + value.text;
    case Kind::kText:
      return text + " '" + value.text + "'";
    case Kind::kArray:
      text += " [";
      for (const JsonValue& item : value.items) text += Shown(item) + ";";
      return text + "]";
    case Kind::kObject:
      text += " {";
      for (const JsonValue::Member& member : value.members) {
        text += std::to_string(member.line) + ":" + std::to_string(member.column) + " " +
                member.key + "=" + Shown(member.value) + ";";
      }
      return text + "}";
  }
  return text;
}

struct Case {
  const char* text;
  const char* shown;
};

TEST(LocatedJsonTest, PlacesEveryValue) {
  constexpr Case kCases[] = {
      {"null", "1:1 null"},
      {" true", "1:2 true"},
      {"18446744073709551615", "1:1 18446744073709551615"},
      {"-9223372036854775808", "1:1 -9223372036854775808"},
      {"[0.10, 1e3]", "1:1 [1:2 0.10;1:8 1e3;]"},
      {"\"a\\\"]b\"", "1:1 'a\"]b'"},
      {"{}", "1:1 {}"},
      {"[[],{}]", "1:1 [1:2 [];1:5 {};]"},
      {"{\n  \"a\": 1,\n\t\"b\\\\\" :[ false ]\r\n}\n",
       "1:1 {2:3 a=2:8 1;3:2 b\\=3:9 [3:11 false;];}"},
      {"{\"\xC3\xA9\": \"\xE2\x82\xAC\", \"x\":2}",
       "1:1 {1:2 \xC3\xA9=1:7 '\xE2\x82\xAC';1:12 x=1:16 2;}"},
      {"\xEF\xBB\xBF[1]", "1:2 [1:3 1;]"},
  };
  for (const Case& c : kCases) EXPECT_EQ(Shown(Parsed(c.text)), c.shown);
}

struct Refused {
  std::string text;
  const char* id;
  std::uint32_t line, column;
  const char* message;
};

TEST(LocatedJsonTest, RefusesWithPlaceAndReason) {
  const Refused kRefused[] = {
      {"", "MF001", 1, 1,
       "not JSON: syntax error while parsing value - unexpected end of input; expected '[', '{', "
       "or "
       "a literal"},
      {"{\"a\":1,\n \"a\":2}", "MF006", 2, 2, "key 'a' is given twice"},
      {"{\"a\" 1}", "MF001", 1, 6,
       "not JSON: syntax error while parsing object separator - unexpected number literal; "
       "expected "
       "':'"},
      {"[1] x", "MF001", 1, 5,
       "not JSON: syntax error while parsing value - invalid literal; expected end of input"},
      {"[1e999]", "MF001", 1, 6, "not JSON: a number or text is out of range"},
      {std::string(65, '[') + std::string(65, ']'), "MF001", 1, 65, "nested deeper than 64 levels"},
  };
  for (const Refused& refused : kRefused) {
    const auto value = ParseLocatedJson(refused.text, "f.json");
    ASSERT_FALSE(value.ok()) << refused.text;
    const std::vector<Diagnostic> found = DiagnosticsOf(value.status());
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].id, refused.id);
    EXPECT_EQ(found[0].message, refused.message);
    EXPECT_EQ(found[0].location.file, "f.json");
    EXPECT_EQ(found[0].location.line, refused.line) << refused.text;
    EXPECT_EQ(found[0].location.column, refused.column) << refused.text;
  }
}

TEST(LocatedJsonTest, TakesTheDeepestNestingAllowed) {
  EXPECT_TRUE(ParseLocatedJson(std::string(64, '[') + std::string(64, ']'), "f").ok());
}

// No text may crash the reader: bytes of a valid text are changed, removed and doubled.
TEST(LocatedJsonTest, SurvivesMutatedTexts) {
  const std::string original =
      "{\"a\": [1, -2, 3.5e1, \"x\\u00e9\\\"\", null, true], \"b\": {\"c\": {}, \"d\": []}}";
  constexpr std::string_view kBytes = "{}[]:,\"\\0-9.e \n\x01\xff\xEF\xBB\xBFtnu";
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text = original;
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      const char byte = kBytes[random() % kBytes.size()];
      switch (random() % 3) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.erase(at, 1 + random() % 3);
          break;
        default:
          text.insert(at, 1, byte);
      }
      if (text.empty()) break;
    }
    const auto value = ParseLocatedJson(text, "f.json");
    if (value.ok()) {
      EXPECT_FALSE(Shown(*value).empty());
    }
  }
}

}  // namespace
}  // namespace moescope::session
