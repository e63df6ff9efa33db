// ISA documents as files: every key of every object missing, unknown and of another type, in JSON
// and in TOML; and documents of any content through both forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "isa/document_check.h"
#include "isa/document_diff.h"
#include "isa/document_json.h"
#include "isa/names.h"
#include "tests/isa/document_fixture.h"
#include "tests/isa/scrambled_document.h"

namespace moescope::isa {
namespace {

using ::testing::HasSubstr;

Json BuiltinJson() { return *ParseJson(WriteDocumentJson(test::Builtin()), "isa.json", "IS001"); }

Json& RowJson(Json& document, const std::string& mnemonic) {
  for (Json& row : document["instructions"]) {
    if (row["mnemonic"] == mnemonic) return row;
  }
  return document["instructions"][0];
}

// The message after "isa.json: error: ".
std::string ErrorOf(const Json& document) {
  const absl::StatusOr<Document> read = ReadDocumentJson(document.dump(), "isa.json");
  if (read.ok()) return "";
  const std::string text(read.status().message());
  const std::string start = "isa.json: error: ";
  EXPECT_TRUE(text.starts_with(start)) << text;
  return text.substr(start.size());
}

// ---- Keys ---------------------------------------------------------------------------------------

TEST(DocumentFormsTest, EveryKeyOfTheDocument) {
  for (const char* key : {"schema", "schema_version", "version", "instructions"}) {
    Json document = BuiltinJson();
    document.erase(key);
    EXPECT_EQ(ErrorOf(document), absl::StrCat("the document lacks the key '", key, "' [IS003]"));
  }
  for (const char* key : {"fields", "unused_bits"}) {  // for readers; not needed
    Json document = BuiltinJson();
    document.erase(key);
    EXPECT_EQ(ErrorOf(document), "") << key;
  }
  Json document = BuiltinJson();
  document["instruction"] = 1;
  EXPECT_EQ(ErrorOf(document),
            "the document has the unknown key 'instruction'; did you mean 'instructions'? [IS003]");
  struct Wrong {
    const char* key;
    Json value;
    const char* message;
  };
  const Wrong wrongs[] = {
      {"schema", 5, "the document has a schema that is not a text [IS003]"},
      {"schema_version", "1",
       "the document has a schema_version that is not a number from 0 to 1000000 [IS003]"},
      {"schema_version", 2,
       "'moescope.isa' version 2; this build reads 'moescope.isa' version 1 "
       "[IS002]"},
      {"version", 1.1, "the document has a version that is not a text [IS003]"},
      {"version", "1.x", "the document has the version '1.x', which does not exist [IS004]"},
      {"instructions", "none", "the document has a instructions that is not an array [IS003]"},
  };
  for (const Wrong& wrong : wrongs) {
    document = BuiltinJson();
    document[wrong.key] = wrong.value;
    EXPECT_EQ(ErrorOf(document), wrong.message);
  }
}

TEST(DocumentFormsTest, EveryKeyOfAnInstruction) {
  struct Key {
    const char* name;
    const char* wanted;
  };
  constexpr Key kKeys[] = {{"mnemonic", "a text"},
                           {"encoding", "a text"},
                           {"operands", "an array"},
                           {"group", "a text"},
                           {"timing", "a text"},
                           {"semantics", "a text"},
                           {"semantics_version", "a number from 1 to 1000000"},
                           {"since", "a text"},
                           {"summary", "a text"}};
  const std::size_t index = [] {
    Json document = BuiltinJson();
    return static_cast<std::size_t>(&RowJson(document, "V_EXP_V") - &document["instructions"][0]);
  }();
  for (const Key& key : kKeys) {
    Json document = BuiltinJson();
    Json& row = document["instructions"][index];
    const std::string place = std::string_view(key.name) == "mnemonic"
                                  ? absl::StrCat("instruction ", index + 1)
                                  : "V_EXP_V";
    row.erase(key.name);
    EXPECT_EQ(ErrorOf(document), absl::StrCat(place, " lacks the key '", key.name, "' [IS003]"));
    for (const Json& value : {Json(nullptr), Json(true), Json(-1), Json(Json::object())}) {
      document["instructions"][index][key.name] = value;
      EXPECT_EQ(ErrorOf(document),
                absl::StrCat(place, " has a ", key.name, " that is not ", key.wanted, " [IS003]"))
          << value;
    }
  }
  Json document = BuiltinJson();
  document["instructions"][index] = 7;
  EXPECT_EQ(ErrorOf(document),
            absl::StrCat("instruction ", index + 1, " is not an object [IS003]"));
}

TEST(DocumentFormsTest, EveryKeyOfAnOperandAndOfAnOverlap) {
  const auto after = [](const std::function<void(Json&)>& change) {
    Json document = BuiltinJson();
    change(RowJson(document, "V_TOPK"));
    return ErrorOf(document);
  };
  for (const char* key : {"kind", "field", "presence"}) {
    EXPECT_EQ(after([key](Json& row) { row["operands"][3].erase(key); }),
              absl::StrCat("operand 4 of V_TOPK lacks the key '", key, "' [IS003]"));
    EXPECT_EQ(after([key](Json& row) { row["operands"][3][key] = 3; }),
              absl::StrCat("operand 4 of V_TOPK has a ", key, " that is not a text [IS003]"));
  }
  EXPECT_EQ(after([](Json& row) { row["operands"][3]["kind"] = "policies"; }),
            "operand 4 of V_TOPK has the kind 'policies', which does not exist [IS004]");
  EXPECT_EQ(after([](Json& row) { row["operands"][3]["presence"] = "often"; }),
            "operand 4 of V_TOPK has the presence 'often', which does not exist [IS004]");
  EXPECT_EQ(after([](Json& row) { row["operands"][3]["presence"] = "pad"; }),
            "operand 4 of V_TOPK is a pad and no placeholder [IS004]");
  EXPECT_EQ(after([](Json& row) { row["operands"][3]["accepts_zero"] = 1; }),
            "operand 4 of V_TOPK has a accepts_zero that is not true or false [IS003]");
  EXPECT_EQ(after([](Json& row) { row["operands"][3]["values"] = 1; }),
            "operand 4 of V_TOPK has a values that is not an array [IS003]");
  EXPECT_EQ(after([](Json& row) { row["operands"][0]["values"] = {1}; }),
            "operand 1 of V_TOPK lists values; only those of order, row_stride, precision and "
            "policy are listed [IS004]");
  EXPECT_EQ(after([](Json& row) { row["operands"][3]["default"] = 0; }),
            "operand 4 of V_TOPK has the unknown key 'default' [IS003]");
  EXPECT_EQ(after([](Json& row) { row["operands"][3] = "c"; }),
            "operand 4 of V_TOPK is not an object [IS003]");
  EXPECT_EQ(after([](Json& row) {
              for (int i = 0; i < 3; ++i) row["operands"].push_back(row["operands"][0]);
            }),
            "V_TOPK has more than 6 operands [IS004]");
  EXPECT_EQ(after([](Json& row) {
              row["overlaps"] = {{{"with", "M_MM"}}};
            }),
            "an overlap of V_TOPK lacks the key 'reason' [IS003]");
  EXPECT_EQ(after([](Json& row) {
              row["overlaps"] = {{{"wiht", "M_MM"}, {"reason", "r"}}};
            }),
            "an overlap of V_TOPK has the unknown key 'wiht'; did you mean 'with'? [IS003]");
  Json document = BuiltinJson();
  RowJson(document, "M_MM")["operands"][0]["field"] = "d";
  EXPECT_EQ(ErrorOf(document), "operand 1 of M_MM is a placeholder and has a field [IS004]");
}

// ---- Any content, through both forms ------------------------------------------------------------

// A document whose every part is drawn at random; it need not pass the check.
Document RandomDocument(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](std::size_t limit) { return random() % limit; };
  const auto text = [&](std::size_t longest) {
    constexpr const char* kPieces[] = {"A",  "b",        "_", "7", " ", "\"", "\\",
                                       "\n", "\xC3\xA9", "'", "#", "=", "[",  "."};
    std::string out;
    for (std::size_t left = below(longest + 1); left > 0; --left) {
      out += kPieces[below(std::size(kPieces))];
    }
    return out;
  };
  Document document;
  document.version = {static_cast<int>(below(12)), static_cast<int>(below(30))};
  for (std::size_t rows = below(8); rows > 0; --rows) {
    DocumentInstruction row;
    row.mnemonic = text(8);
    row.encoding = text(5) + test::Builtin().instructions[below(54)].encoding;
    for (std::size_t left = below(OperandList::kCapacity + 1); left > 0; --left) {
      Operand operand;
      operand.kind =
          static_cast<OperandKind>(below(static_cast<std::size_t>(OperandKind::kPlaceholder) + 1));
      const bool is_placeholder = operand.kind == OperandKind::kPlaceholder;
      if (!is_placeholder) operand.field = "dabcfi"[below(6)];
      operand.presence = static_cast<Presence>(below(is_placeholder ? 3 : 2));
      operand.accepts_zero = below(3) == 0;
      if (IsEnumerated(operand.kind)) {
        operand.values = static_cast<std::uint32_t>(1 + below(0xFFFF));
      }
      row.operands.push_back(operand);
    }
    row.group = static_cast<Group>(below(kGroupCount));
    row.timing = static_cast<TimingClass>(below(kTimingClassCount));
    row.semantics = text(8);
    row.semantics_version = static_cast<int>(1 + below(1'000'000));
    row.since = {static_cast<int>(below(3)), static_cast<int>(below(9))};
    row.summary = text(30);
    for (std::size_t left = below(3); left > 0; --left) row.overlaps.push_back({text(6), text(9)});
    document.instructions.push_back(row);
  }
  return document;
}

// The same content as TOML, by a writer that knows the two forms only.
std::string Toml(const Json& value) {
  if (value.is_string()) {
    std::string out = "\"";
    for (const char c : value.get<std::string>()) {
      if (c == '"' || c == '\\') out += '\\';
      out += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return out + "\"";
  }
  if (value.is_array()) {
    std::string out = "[";
    for (const Json& item : value) absl::StrAppend(&out, out == "[" ? "" : ", ", Toml(item));
    return out + "]";
  }
  if (value.is_object()) {
    std::string out = "{";
    for (const auto& [key, item] : value.items()) {
      absl::StrAppend(&out, out == "{" ? "" : ", ", key, " = ", Toml(item));
    }
    return out + "}";
  }
  return value.dump();
}

std::string TomlDocument(const Json& document) {
  std::string text;
  for (const auto& [key, value] : document.items()) {
    if (key == "instructions") continue;
    absl::StrAppend(&text, key, " = ", Toml(value), "\r\n");
  }
  if (document["instructions"].empty()) return text + "instructions = []\n";
  for (const Json& row : document["instructions"]) {
    text += "\n[[instructions]]  # one of them\n";
    for (const auto& [key, value] : row.items()) {
      absl::StrAppend(&text, key, " = ", Toml(value), "\n");
    }
  }
  return text;
}

TEST(DocumentFormsTest, AnyContentSurvivesBothForms) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const Document document = RandomDocument(seed);
    const std::string text = WriteDocumentJson(document);
    const absl::StatusOr<Document> read = ReadDocument(text, "isa.json");
    ASSERT_TRUE(read.ok()) << read.status() << text;
    EXPECT_EQ(WriteDocumentJson(*read), text) << seed;
    const std::string toml = TomlDocument(*ParseJson(text, "isa.json", "IS001"));
    const absl::StatusOr<Document> from_toml = ReadDocument(toml, "isa.toml");
    ASSERT_TRUE(from_toml.ok()) << from_toml.status() << toml;
    EXPECT_EQ(WriteDocumentJson(*from_toml), text) << toml;
    // Whatever it says, checking it gives an answer, and the same one for both forms.
    EXPECT_EQ(CheckDocument(document, "x").diagnostics, CheckDocument(*from_toml, "x").diagnostics);
  }
}

// Every error of one form is an error of the other, with the same text.
TEST(DocumentFormsTest, ErrorsAreTheSameInBothForms) {
  std::mt19937 random(4);
  int errors = 0;
  for (int round = 0; round < 60; ++round) {
    Json document = BuiltinJson();
    Json& row = document["instructions"][random() % document["instructions"].size()];
    std::vector<std::string> keys;
    for (const auto& [key, value] : row.items()) keys.push_back(key);
    const std::string key = keys[random() % keys.size()];
    if (random() % 2 == 0) {
      row.erase(key);
    } else {
      row[key] = random() % 2 == 0 ? Json("wrong value") : Json(4711);
    }
    const absl::StatusOr<Document> json = ReadDocument(document.dump(), "isa.json");
    const absl::StatusOr<Document> toml = ReadDocument(TomlDocument(document), "isa.toml");
    ASSERT_EQ(json.ok(), toml.ok()) << key;
    if (json.ok()) continue;
    ++errors;
    EXPECT_EQ(std::string(json.status().message()).substr(8),
              std::string(toml.status().message()).substr(8));
  }
  EXPECT_GT(errors, 30);
}

// ---- Differences --------------------------------------------------------------------------------

// Each kind of change on each instruction is found, and only that.
TEST(DocumentFormsTest, EachKindOfChangeOfEachInstruction) {
  const Document before = test::Builtin();
  struct Change {
    ChangeKind kind;
    void (*apply)(DocumentInstruction&);
  };
  const Change changes[] = {
      {ChangeKind::kRenamed, [](DocumentInstruction& row) { row.mnemonic = "NEW_NAME"; }},
      {ChangeKind::kTiming,
       [](DocumentInstruction& row) {
         row.timing = row.timing == TimingClass::kMap ? TimingClass::kTopK : TimingClass::kMap;
       }},
      {ChangeKind::kSemantics, [](DocumentInstruction& row) { row.semantics_version = 9; }},
      {ChangeKind::kGroup,
       [](DocumentInstruction& row) {
         row.group = row.group == Group::kMap ? Group::kInt : Group::kMap;
       }},
      {ChangeKind::kDocumentation, [](DocumentInstruction& row) { row.summary = "Other."; }},
      {ChangeKind::kOperands, [](DocumentInstruction& row) { row.operands.push_back(Pad()); }},
      {ChangeKind::kEncoding,
       [](DocumentInstruction& row) { row.encoding.replace(26, 6, "111111"); }},
  };
  for (std::size_t i = 0; i < before.instructions.size(); ++i) {
    for (const Change& change : changes) {
      Document after = before;
      change.apply(after.instructions[i]);
      const DocumentDiff diff = DiffDocuments(before, after);
      ASSERT_EQ(diff.changes.size(), 1u) << before.instructions[i].mnemonic << DiffText(diff);
      EXPECT_EQ(diff.changes[0].kind, change.kind);
      EXPECT_EQ(diff.changes[0].mnemonic, after.instructions[i].mnemonic);
      EXPECT_FALSE(diff.equal());
      EXPECT_THAT(DiffText(diff),
                  HasSubstr(absl::StrCat(after.instructions[i].mnemonic, ": ",
                                         std::string(ChangeKindName(change.kind)), ": ")));
      EXPECT_THAT(DiffMarkdown(diff), HasSubstr("| " + after.instructions[i].mnemonic + " | "));
    }
    Document shorter = before;
    shorter.instructions.erase(shorter.instructions.begin() + static_cast<std::ptrdiff_t>(i));
    const DocumentDiff removed = DiffDocuments(before, shorter);
    ASSERT_EQ(removed.changes.size(), 1u);
    EXPECT_EQ(removed.changes[0].kind, ChangeKind::kRemoved);
    const DocumentDiff added = DiffDocuments(shorter, before);
    ASSERT_EQ(added.changes.size(), 1u);
    EXPECT_EQ(added.changes[0].kind, ChangeKind::kAdded);
    EXPECT_EQ(added.changes[0].text, removed.changes[0].text);
  }
}

// ---- HBM timing classes -------------------------------------------------------------------------

TEST(DocumentFormsTest, TimingClassesOfTransfersBelongToTransfers) {
  int wrong = 0;
  for (const DocumentInstruction& row : test::Builtin().instructions) {
    for (std::size_t timing = 0; timing < kTimingClassCount; ++timing) {
      Document document = test::Builtin();
      test::Row(document, row.mnemonic).timing = static_cast<TimingClass>(timing);
      const DocumentFindings findings = CheckDocument(document, "isa.json");
      const bool was_transfer = row.mnemonic.starts_with("H_");
      const bool is_transfer = timing >= static_cast<std::size_t>(TimingClass::kPrefetchMatrix);
      const bool fits =
          was_transfer ? static_cast<TimingClass>(timing) == row.timing : !is_transfer;
      EXPECT_EQ(findings.errors, fits ? 0u : 1u) << row.mnemonic << " " << timing;
      if (fits) continue;
      ++wrong;
      EXPECT_EQ(findings.diagnostics[0].id, "IS019");
      EXPECT_THAT(findings.diagnostics[0].message, HasSubstr(row.mnemonic + ": timing class '"));
    }
  }
  EXPECT_EQ(wrong, 3 * (34 - 1) + 51 * 3);
  Document document = test::Builtin();
  test::Row(document, "S_ADD_INT").timing = TimingClass::kPrefetchMatrix;
  test::Row(document, "H_STORE_V").timing = TimingClass::kPrefetchVector;
  const DocumentFindings findings = CheckDocument(document, "isa.json");
  ASSERT_EQ(findings.diagnostics.size(), 2u);
  EXPECT_EQ(findings.diagnostics[0].message,
            "S_ADD_INT: timing class 'prefetch_matrix' needs an HBM base and the address of rows "
            "or tiles");
  EXPECT_EQ(findings.diagnostics[1].message,
            "H_STORE_V: timing class 'prefetch_vector' on operands of 'store_vector'");
}

}  // namespace
}  // namespace moescope::isa
