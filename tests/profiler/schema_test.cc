// The schema file against the code and the document, and the validator on its own.

#include "profiler/schema_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "base/file.h"
#include "profiler/profile_json.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/project_folders.h"
#include "tests/support/shared_folder.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string SchemaText() {
  return *ReadFile(moescope::test::SourceFolder() + "/profiler/schema/profile-v1.schema.json");
}

void CollectProperties(const Json& schema, std::set<std::string>& names) {
  if (schema.is_object() && schema.contains("properties")) {
    for (const auto& [name, value] : schema["properties"].items()) names.insert(name);
  }
  if (schema.is_structured()) {
    for (const Json& child : schema) CollectProperties(child, names);
  }
}

std::set<std::string> Properties() {
  std::set<std::string> names;
  CollectProperties(Json::parse(SchemaText()), names);
  return names;
}

TEST(ProfileSchemaTest, EveryPropertyIsInTheDocument) {
  const std::optional<std::string> shared = moescope::test::SharedFolder();
  if (!shared) GTEST_SKIP() << moescope::test::kNoSharedFolder;
  const absl::StatusOr<std::string> document = ReadFile(*shared + "/design/profile.md");
  ASSERT_TRUE(document.ok());
  for (const std::string& name : Properties()) {
    EXPECT_TRUE(std::regex_search(*document, std::regex("\\b" + name + "\\b"))) << name;
  }
}

// Every property is written by some profile, so that none is left behind when code changes.
TEST(ProfileSchemaTest, EveryPropertyIsWritten) {
  Profile rich = test::RichProfile();
  rich.host = Host{};
  rich.model.missing_interlocks = {{"x", 1}};
  rich.end = {"fault", 1, 1, "FT1", 2, 3};
  rich.not_measured = {{"a", "b"}};
  const std::string text = ProfileText(rich);
  for (const std::string& name : Properties()) {
    EXPECT_NE(text.find("\"" + name + "\":"), std::string::npos) << name;
  }
}

TEST(ProfileSchemaTest, ObjectsAreClosed) {
  std::vector<const Json*> open = {};
  const Json schema = Json::parse(SchemaText());
  std::vector<const Json*> todo = {&schema};
  while (!todo.empty()) {
    const Json* node = todo.back();
    todo.pop_back();
    if (node->is_object() && node->contains("properties")) {
      EXPECT_EQ((*node)["unevaluatedProperties"], false) << node->dump().substr(0, 80);
    }
    if (!node->is_structured()) continue;
    for (const Json& child : *node) todo.push_back(&child);
  }
}

std::vector<std::string> Check(const char* schema, const char* value) {
  return SchemaValidator(schema).Check(Json::parse(value));
}

TEST(SchemaValidatorTest, Keywords) {
  const struct {
    const char* schema;
    const char* good;
    const char* bad;
    const char* violation;
  } rows[] = {
      {R"({"type": "integer", "minimum": 2, "maximum": 4})", "4", "5",
       "the top level: 5 is outside 2..4"},
      {R"({"type": "integer", "minimum": 2})", "2", "1",
       "the top level: 1 is outside 2..18446744073709551615"},
      {R"({"type": "integer", "minimum": 0})", "0", "-1",
       "the top level: -1 is outside 0..18446744073709551615"},
      {R"({"type": ["integer", "string"]})", "\"x\"", "true",
       "the top level: true is not of type integer or string"},
      {R"({"const": "a"})", "\"a\"", "\"b\"", "the top level: \"b\" is not \"a\""},
      {R"({"enum": ["a", "b"]})", "\"a\"", "\"c\"",
       "the top level: \"c\" is not one of \"a\" \"b\""},
      {R"({"type": "string", "maxLength": 2})", "\"\u00e9\u00e9\"", "\"abc\"",
       "the top level: a text of 3 characters is outside 0..2"},
      {R"({"type": "string", "pattern": "^a+$"})", "\"aa\"", "\"ab\"",
       "the top level: \"ab\" does not have the form that is demanded here"},
      {R"({"type": "array", "minItems": 1, "maxItems": 2})", "[1]", "[]",
       "the top level: an array of 0 entries is outside 1..2"},
      {R"({"items": {"type": "integer"}})", "[1]", "[1, null]", "/1: null is not of type integer"},
      {R"({"properties": {"a": {}}, "required": ["a"]})", R"({"a": 1})", "{}",
       "the top level: 'a' is missing"},
      {R"({"properties": {"a": {}}, "unevaluatedProperties": false})", R"({"a": 1})", R"({"b": 1})",
       "the top level: 'b' is not a known member"},
      {R"({"properties": {"a": {}, "b": {}}})", R"({"a": 1, "b": 2})", R"({"b": 1, "a": 2})",
       "the top level: 'a' stands too late"},
      {R"({"propertyNames": {"enum": ["x", "y"]}, "additionalProperties": {}})",
       R"({"x": 1, "y": 2})", R"({"y": 1, "x": 2})", "the top level: 'x' stands too late"},
      {R"({"propertyNames": {"maxLength": 1}, "additionalProperties": {"type": "integer"}})",
       R"({"x": 1})", R"({"xy": 1})",
       "the top level: a text of 2 characters is outside 0..1 (a member name)"},
      {R"({"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}})", "[1, 2]",
       "[\"a\"]", "/0: \"a\" is not of type integer"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(Check(row.schema, row.good), IsEmpty()) << row.schema;
    EXPECT_THAT(Check(row.schema, row.bad), ElementsAre(row.violation)) << row.schema;
  }
}

TEST(SchemaValidatorTest, StopsAtItsLimit) {
  const SchemaValidator validator(R"({"items": {"type": "integer"}})");
  EXPECT_EQ(validator.Check(Json::parse(R"(["a", "b", "c"])"), 2).size(), 2u);
}

TEST(SchemaValidatorDeathTest, UnknownKeywordsAreOurMistake) {
  EXPECT_EXIT(SchemaValidator(R"({"oneOf": []})"), ::testing::ExitedWithCode(70),
              "unknown keyword in a schema");
}

}  // namespace
}  // namespace moescope::profiler
