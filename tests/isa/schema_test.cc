// The JSON Schema of ISA documents names exactly what the reader accepts.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/json.h"
#include "isa/document_json.h"
#include "isa/names.h"
#include "tests/isa/document_fixture.h"

namespace moescope::isa {
namespace {

Json Schema() { return *ParseJson(DocumentSchema(), "schema", "IS001"); }

std::set<std::string> Texts(const Json& array) {
  std::set<std::string> texts;
  for (const Json& text : array) texts.insert(text.get<std::string>());
  return texts;
}

TEST(IsaSchemaTest, Enumerations) {
  const Json definitions = Schema()["$defs"];
  const Json& instruction = definitions["instruction"]["properties"];
  std::set<std::string> timings, groups, kinds;
  for (std::size_t i = 0; i < kTimingClassCount; ++i) {
    timings.emplace(TimingClassName(static_cast<TimingClass>(i)));
  }
  for (std::size_t i = 0; i < kGroupCount; ++i) {
    groups.emplace(GroupName(static_cast<Group>(i)));
  }
  for (int i = 0; i <= static_cast<int>(OperandKind::kPlaceholder); ++i) {
    kinds.emplace(OperandKindName(static_cast<OperandKind>(i)));
  }
  EXPECT_EQ(Texts(instruction["timing"]["enum"]), timings);
  EXPECT_EQ(Texts(instruction["group"]["enum"]), groups);
  EXPECT_EQ(Texts(definitions["operand"]["properties"]["kind"]["enum"]), kinds);
}

TEST(IsaSchemaTest, EveryKeyOfADumpIsInTheSchema) {
  Document document = test::Builtin();
  document.instructions[0].overlaps = {{"X", "Reason."}};
  const Json dump = *ParseJson(WriteDocumentJson(document), "isa.json", "IS001");
  const Json schema = Schema();
  for (const auto& [key, value] : dump.items()) EXPECT_TRUE(schema["properties"].contains(key));
  for (const Json& row : dump["instructions"]) {
    for (const auto& [key, value] : row.items()) {
      EXPECT_TRUE(schema["$defs"]["instruction"]["properties"].contains(key)) << key;
    }
    for (const Json& required : schema["$defs"]["instruction"]["required"]) {
      EXPECT_TRUE(row.contains(required.get<std::string>()));
    }
    for (const Json& operand : row["operands"]) {
      for (const auto& [key, value] : operand.items()) {
        EXPECT_TRUE(schema["$defs"]["operand"]["properties"].contains(key)) << key;
      }
    }
  }
}

}  // namespace
}  // namespace moescope::isa
