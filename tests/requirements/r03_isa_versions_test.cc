// R03: two encodings of one instruction across ISA versions can be kept side by side and diffed at
// instruction level.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/document_diff.h"
#include "tests/isa/document_fixture.h"

namespace moescope::isa {
namespace {

using ::testing::ElementsAre;

DocumentDiff After(auto change) {
  Document document = test::Builtin();
  change(document);
  return DiffDocuments(test::Builtin(), document);
}

TEST(R03_IsaVersions, From10To11) {
  EXPECT_EQ(DiffText(DiffDocuments(test::Version10(), test::Builtin())),
            "version 1.0 became 1.1\n"
            "V_TOPK: operands: 'gp_source rd, vector_source rs1, gp_source rs2, policy rs3 "
            "optional {0,1}' became 'gp_source rd, vector_source rs1, gp_source rs2, policy rs3 "
            "optional {0,1,15}'\n"
            "C_SET_TOPK_REG: added: C_SET_TOPK_REG gp\n");
  EXPECT_EQ(DiffText(DiffDocuments(test::Builtin(), test::Builtin())), "no difference\n");
}

TEST(R03_IsaVersions, EncodingsSideBySide) {
  EXPECT_EQ(
      DiffText(After([](Document& document) {
        test::Row(document, "S_ADD_INT").encoding = "bbbb--------------aaaadddd111001";
      })),
      "S_ADD_INT: encoding: opcode 0x21 became 0x39; rs2 moved from bits 17:14 to bits 31:28\n");
}

TEST(R03_IsaVersions, EveryKindOfChange) {
  const DocumentDiff diff = After([](Document& document) {
    test::Row(document, "S_ADD_INT").mnemonic = "S_PLUS_INT";
    test::Row(document, "V_EXP_V").timing = TimingClass::kVectorMax;
    test::Row(document, "V_EXP_V").semantics_version = 2;
    test::Row(document, "V_RECI_V").summary = "Other.";
    test::Row(document, "V_RECI_V").group = Group::kVal;
    std::erase_if(document.instructions,
                  [](const DocumentInstruction& row) { return row.mnemonic == "C_BREAK"; });
  });
  EXPECT_THAT(
      diff.changes,
      ElementsAre(
          InstructionChange{"V_EXP_V", ChangeKind::kTiming,
                            "class 'vector_exp' became 'vector_max'"},
          InstructionChange{"V_EXP_V", ChangeKind::kSemantics,
                            "'V_EXP_V version 1' became 'V_EXP_V version 2'"},
          InstructionChange{"V_RECI_V", ChangeKind::kGroup, "'VEX' became 'VAL'"},
          InstructionChange{"V_RECI_V", ChangeKind::kDocumentation,
                            "summary 'vd = 1 / va, where the mask is set.' became 'Other.'"},
          InstructionChange{"S_PLUS_INT", ChangeKind::kRenamed, "was S_ADD_INT"},
          InstructionChange{"C_BREAK", ChangeKind::kRemoved, "C_BREAK[ 0[, 0[, 0]]]"}));
  EXPECT_FALSE(diff.equal());
  EXPECT_THAT(DiffMarkdown(diff), testing::HasSubstr("| S_PLUS_INT | renamed | was S_ADD_INT |\n"));
}

}  // namespace
}  // namespace moescope::isa
