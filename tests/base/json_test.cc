#include "base/json.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace moescope {
namespace {

std::string ErrorOf(std::string_view text) {
  return std::string(ParseJson(text, "a.json", "PC010").status().message());
}

TEST(JsonTest, KeepsTheOrderOfKeys) {
  const auto json = ParseJson(R"({"b": 1, "a": [true, null, "x"]})", "a.json", "PC010");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(JsonText(*json),
            "{\n  \"b\": 1,\n  \"a\": [\n    true,\n    null,\n    \"x\"\n  ]\n}\n");
}

TEST(JsonTest, SyntaxErrorsHaveAPlace) {
  EXPECT_EQ(ErrorOf("{\n  \"a\": 1,\n  \"\xC3\xA9\" 2}"),
            "a.json:3:7: error: malformed JSON [PC010]");
  EXPECT_EQ(ErrorOf(""), "a.json:1:1: error: malformed JSON [PC010]");
  EXPECT_EQ(ErrorOf("{\"a\": 1} x"), "a.json:1:10: error: malformed JSON [PC010]");
}

TEST(JsonTest, KeysGivenTwice) {
  EXPECT_EQ(ErrorOf(R"({"x": {"a": 1, "b": 2, "a": 3}})"),
            "a.json: error: key 'a' is given twice [PC010]");
  EXPECT_TRUE(ParseJson(R"({"x": {"a": 1}, "a": {"x": 1}})", "a.json", "PC010").ok());
}

TEST(JsonTest, AnyBytesGiveAnAnswer) {
  EXPECT_FALSE(ParseJson(std::string(100'000, '['), "a.json", "PC010").ok());
  EXPECT_FALSE(ParseJson("\"\xFF\"", "a.json", "PC010").ok());
  EXPECT_FALSE(ParseJson(std::string("\0", 1), "a.json", "PC010").ok());
  EXPECT_FALSE(ParseJson("1e999", "a.json", "PC010").ok());
  EXPECT_EQ(JsonText(Json("\xFF")), "\"\xEF\xBF\xBD\"\n");
}

}  // namespace
}  // namespace moescope
