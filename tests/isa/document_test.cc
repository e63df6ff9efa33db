#include "isa/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/sha256.h"
#include "isa/document_json.h"
#include "isa/isa_hash.h"
#include "tests/isa/document_fixture.h"

namespace moescope::isa {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

std::string ReadError(std::string_view text, const std::string& path = "isa.json") {
  return MessageOf(ReadDocument(text, path).status());
}

// The builtin document with one text replaced by another.
std::string Edited(const std::string& from, const std::string& to) {
  const std::string text = WriteDocumentJson(test::Builtin());
  EXPECT_THAT(text, HasSubstr(from));
  return absl::StrReplaceAll(text, {{from, to}});
}

TEST(DocumentTest, WritingAndReadingGiveTheSameBytes) {
  const std::string text = WriteDocumentJson(test::Builtin());
  const absl::StatusOr<Document> read = ReadDocument(text, "isa.json");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(WriteDocumentJson(*read), text);
  EXPECT_THAT(text, StartsWith("{\n  \"schema\": \"moescope.isa\",\n  \"schema_version\": 1,\n"
                               "  \"version\": \"1.1\",\n"));
  EXPECT_THAT(text, HasSubstr("\"values\":[0,1,15]"));
}

TEST(DocumentTest, TheHashIsThatOfTheDumpAndSurvivesLoading) {
  const std::string text = WriteDocumentJson(test::Builtin());
  EXPECT_EQ(IsaHash(InstructionSet::Builtin()), Sha256Name(text));
  const auto set = MakeInstructionSet(*ReadDocument(text, "isa.json"), "isa.json");
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(IsaHash(**set), IsaHash(InstructionSet::Builtin()));
}

TEST(DocumentTest, TheOrderOfTheFileDoesNotMatter) {
  Document document = test::Builtin();
  std::mt19937 random(7);
  std::shuffle(document.instructions.begin(), document.instructions.end(), random);
  EXPECT_EQ(WriteDocumentJson(document), WriteDocumentJson(test::Builtin()));
}

TEST(DocumentTest, ALoadedSetDecodesAndExecutesLikeTheBuiltin) {
  const auto set = MakeInstructionSet(test::Builtin(), "isa.json");
  ASSERT_TRUE(set.ok()) << set.status();
  const InstructionSet& builtin = InstructionSet::Builtin();
  for (const Instruction& row : builtin.instructions()) {
    EXPECT_EQ((*set)->Find(row.mnemonic)->execute, row.execute) << row.mnemonic;
  }
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto word = static_cast<std::uint32_t>(random());
    ASSERT_EQ((*set)->Text(word), builtin.Text(word));
  }
}

TEST(DocumentTest, TomlWithTheSameKeys) {
  const std::string toml = R"(
schema = "moescope.isa"
schema_version = 1
version = "1.0"
[[instructions]]
mnemonic = "C_BREAK"
encoding = "--------------------------110100"
operands = []
group = "INT"
timing = "control"
semantics = "C_BREAK"
semantics_version = 1
since = "1.0"
summary = "Ends the program."
)";
  const absl::StatusOr<Document> document = ReadDocument(toml, "isa.toml");
  ASSERT_TRUE(document.ok()) << document.status();
  ASSERT_EQ(document->instructions.size(), 1u);
  EXPECT_EQ(document->instructions[0].timing, TimingClass::kControl);
  EXPECT_THAT(ReadError("schema = ", "isa.toml"), StartsWith("isa.toml:1:"));
  EXPECT_THAT(ReadError("schema = ", "isa.toml"), HasSubstr("[IS001]"));
}

TEST(DocumentTest, WhatExecutes) {
  const auto executes = [](auto change) {
    Document document = test::Builtin();
    change(test::Row(document, "V_TOPK"));
    const auto set = MakeInstructionSet(document, "isa.json");
    EXPECT_TRUE(set.ok()) << set.status();
    return set.ok() && (*set)->Find("V_TOPK") != nullptr &&
           (*set)->Find("V_TOPK")->execute != nullptr;
  };
  EXPECT_TRUE(executes([](DocumentInstruction&) {}));
  // Another place, another timing, fewer values, a missing optional operand: the same meaning.
  EXPECT_TRUE(executes(
      [](DocumentInstruction& row) { row.encoding = "------ccccbbbbaaaadddd----110111"; }));
  EXPECT_TRUE(executes([](DocumentInstruction& row) { row.timing = TimingClass::kMap; }));
  EXPECT_TRUE(executes([](DocumentInstruction& row) { row.operands[3].values = 1; }));
  EXPECT_TRUE(executes([](DocumentInstruction& row) {
    row.operands.pop_back();
    row.encoding = "--------------bbbbaaaadddd110111";
  }));
  // Values, fields and meanings that this build does not know.
  EXPECT_FALSE(executes([](DocumentInstruction& row) { row.operands[3].values |= 1 << 2; }));
  EXPECT_FALSE(executes([](DocumentInstruction& row) {
    row.operands[3].kind = OperandKind::kMask;
    row.operands[3].values = 0;
  }));
  EXPECT_FALSE(executes([](DocumentInstruction& row) { row.semantics_version = 2; }));
  EXPECT_FALSE(executes([](DocumentInstruction& row) { row.semantics = "V_TOPK_2"; }));
  EXPECT_FALSE(executes([](DocumentInstruction& row) {
    row.operands.erase(row.operands.begin() + 2, row.operands.end());
    row.encoding = "------------------aaaadddd110111";
  }));
}

TEST(DocumentTest, MalformedDocuments) {
  EXPECT_THAT(ReadError("{"), HasSubstr("[IS001]"));
  EXPECT_EQ(ReadError("{\"schema\": \"x\", \"schema_version\": 1}"),
            "isa.json: error: 'x' version 1; this build reads 'moescope.isa' version 1 [IS002]");
  EXPECT_EQ(ReadError("[]"), "isa.json: error: the document is not an object [IS003]");
  EXPECT_EQ(ReadError(Edited("\"summary\":\"SCALE", "\"sumary\":\"SCALE")),
            "isa.json: error: C_SET_SCALE_REG has the unknown key 'sumary'; did you mean "
            "'summary'? [IS003]");
  EXPECT_EQ(ReadError(Edited(",\"summary\":\"SCALE = gd.\"", "")),
            "isa.json: error: C_SET_SCALE_REG lacks the key 'summary' [IS003]");
  EXPECT_EQ(ReadError(Edited("\"timing\":\"vector_exp\"", "\"timing\":\"vector_expo\"")),
            "isa.json: error: V_EXP_V has the timing 'vector_expo', which does not exist [IS004]");
  EXPECT_EQ(ReadError(Edited("\"values\":[0,1,15]", "\"values\":[0,16]")),
            "isa.json: error: operand 4 of V_TOPK lists a value that is not a number from 0 to 15 "
            "[IS004]");
  EXPECT_EQ(ReadError(Edited("\"version\": \"1.1\"", "\"version\": \"1\"")),
            "isa.json: error: the document has the version '1', which does not exist [IS004]");
  EXPECT_EQ(ReadError(Edited("\"semantics_version\":1", "\"semantics_version\":0")),
            "isa.json: error: M_MM has a semantics_version that is not a number from 1 to 1000000 "
            "[IS003]");
  EXPECT_EQ(ReadError(Edited("{\"kind\":\"policy\",\"field\":\"c\"",
                             "{\"kind\":\"policy\",\"field\":\"x\"")),
            "isa.json: error: operand 4 of V_TOPK has the field 'x'; fields are d, a, b, c, f and "
            "i [IS004]");
}

// Any bytes give a document or an error.
TEST(DocumentTest, MutatedDocuments) {
  const std::string text = WriteDocumentJson(test::Version10());
  std::mt19937 random(3);
  int read = 0;
  for (int i = 0; i < 300; ++i) {
    std::string mutated = text;
    for (int k = 0; k < 3; ++k) {
      mutated[random() % mutated.size()] = static_cast<char>(random() & 0xFF);
    }
    const absl::StatusOr<Document> document = ReadDocument(mutated, "isa.json");
    if (!document.ok()) continue;
    ++read;
    (void)MakeInstructionSet(*document, "isa.json");
  }
  EXPECT_LT(read, 300);
}

}  // namespace
}  // namespace moescope::isa
