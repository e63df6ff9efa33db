// The documents of examples/02_isa_changes are current, clean, and differ from the built-in set by
// what their README says.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/file.h"
#include "isa/document_check.h"
#include "isa/document_diff.h"
#include "isa/document_json.h"
#include "tests/isa/document_fixture.h"
#include "tests/support/project_folders.h"

namespace moescope::isa {
namespace {

struct Example {
  const char* file;
  Document (*make)();
  const char* diff;  // against the built-in set, without the line about the version
};

constexpr Example kExamples[] = {
    {"isa-1.0.json", test::Version10,
     "V_TOPK: operands: 'gp_source rd, vector_source rs1, gp_source rs2, policy rs3 optional "
     "{0,1,15}' became 'gp_source rd, vector_source rs1, gp_source rs2, policy rs3 optional "
     "{0,1}'\nC_SET_TOPK_REG: removed: C_SET_TOPK_REG gp\n"},
    {"moved-opcode.json", test::MovedOpcode, "S_MUL_INT: encoding: opcode 0x24 became 0x39\n"},
    {"changed-latency.json", test::ChangedLatency,
     "V_EXP_V: timing: class 'vector_exp' became 'vector_reciprocal'\n"},
    {"new-field.json", test::NewField,
     "V_SHFT_V: encoding: rs3 moved from nowhere to bits 21:18\n"
     "V_SHFT_V: operands: 'vector_destination rd, vector_source rs1, gp_source rs2' became "
     "'vector_destination rd, vector_source rs1, gp_source rs2, mask rs3 optional'\n"
     "V_SHFT_V: semantics: 'V_SHFT_V version 1' became 'V_SHFT_V version 2'\n"
     "V_SHFT_V: documentation: summary 'vd = va moved gp lanes towards higher lanes, zeros shifted "
     "in.' became 'vd = va moved gp lanes towards higher lanes, zeros shifted in, where the mask "
     "is "
     "set.'\n"},
};

// Run once with MOESCOPE_REGENERATE=1 to write the documents; that run fails.
TEST(ExampleDocumentsTest, AreCurrentAndClean) {
  const char* regenerate = std::getenv("MOESCOPE_REGENERATE");
  for (const Example& example : kExamples) {
    const std::string path =
        moescope::test::SourceFolder() + "/examples/02_isa_changes/" + example.file;
    const std::string text = WriteDocumentJson(example.make());
    if (regenerate != nullptr && std::string_view(regenerate) == "1") {
      ASSERT_TRUE(WriteFile(path, text).ok());
      ADD_FAILURE() << "regenerated " << path;
      continue;
    }
    const absl::StatusOr<Document> document = OpenDocument(path);
    ASSERT_TRUE(document.ok()) << document.status();
    EXPECT_EQ(*ReadFile(path), text) << "run MOESCOPE_REGENERATE=1 ctest -R isa/example_documents";
    EXPECT_EQ(CheckDocument(*document, path).errors, 0u);
    const std::string diff = DiffText(DiffDocuments(test::Builtin(), *document));
    EXPECT_EQ(diff.substr(diff.find('\n') + 1), example.diff);
  }
}

}  // namespace
}  // namespace moescope::isa
