#include "isa/instruction_set.h"

#include <gtest/gtest.h>

#include "isa/table.h"

namespace moescope::isa {
namespace {

const InstructionSet& Set() { return InstructionSet::Builtin(); }

struct Example {
  std::uint32_t word;
  const char* text;
};

// The examples of isa.md, section 2.
constexpr Example kExamples[] = {{0x00014062, "S_ADDI_INT gp1, gp0, 5"},
                                 {0x00040493, "V_EXP_V gp2, gp1, 1"},
                                 {0x00004801, "M_MM 0, gp2, gp1"},
                                 {0x00040855, "V_RED_SUM f1, gp2, 1"},
                                 {0x000000C6, "M_MM_WO gp3, gp0, 0"},
                                 {0x00100045, "M_BMM_WO gp1, 64"},
                                 {0x0044C868, "H_PREFETCH_M gp1, gp2, a3, 1, 1"},
                                 {0x00400490, "V_SUB_VF gp2, gp1, f0, 0, 1"},
                                 {0x0000412F, "C_LOOP_START gp4, 16"},
                                 {0x003CC877, "V_TOPK gp1, gp2, gp3, 15"},
                                 {0x00000034, "C_BREAK"}};

TEST(InstructionSetTest, TextOfTheDocumentedWords) {
  for (const Example& example : kExamples) EXPECT_EQ(Set().Text(example.word), example.text);
}

TEST(InstructionSetTest, DecodeAndEncodeAreInverse) {
  for (const Example& example : kExamples) {
    const Decoded decoded = Set().Decode(example.word, /*strict=*/true);
    ASSERT_EQ(decoded.problem, DecodeProblem::kNone) << example.text;
    EXPECT_EQ(Encode(*decoded.instruction, decoded.operands), example.word);
  }
}

// Canonical words of one row: legal values of each field multiplied.
std::uint64_t CanonicalWords(const Instruction& row) {
  std::uint64_t count = 1;
  for (const Operand& operand : row.operands) {
    if (operand.field == '\0') continue;
    std::uint64_t legal = 0;
    const std::uint64_t values = std::uint64_t{1} << FieldOf(row.encoding, operand.field).width;
    for (std::uint32_t value = 0; value < values; ++value)
      legal += IsLegalValue(operand.kind, value);
    count *= legal;
  }
  return count;
}

TEST(InstructionSetTest, NumberOfCanonicalWords) {
  std::uint64_t total = 0;
  for (const Instruction& row : Set().instructions()) total += CanonicalWords(row);
  EXPECT_EQ(total, 545'732'353u);
}

TEST(InstructionSetTest, NonCanonicalWordsPrintAsRawWords) {
  EXPECT_EQ(Set().Text(0x00000000), ".word 0x00000000 ; undefined");
  EXPECT_EQ(Set().Text(0x80000034), ".word 0x80000034 ; C_BREAK (unused bits set)");
  EXPECT_EQ(Set().Text(0x000800 << 6 | 0x17),
            ".word 0x00020017 ; S_ADD_FP with reserved f register 8");
}

TEST(InstructionSetTest, BroadcastMultipliesNeedAZeroDestinationField) {
  const std::uint32_t plain = 0x00004801;
  EXPECT_EQ(Set().Decode(plain | 1 << 6).problem, DecodeProblem::kNone);
  for (const std::uint32_t opcode : {0x03u, 0x04u}) {
    EXPECT_EQ(Set().Decode(0x00004800 | opcode).problem, DecodeProblem::kNone);
    EXPECT_EQ(Set().Decode(0x00004840 | opcode).problem, DecodeProblem::kUndefined);
  }
}

TEST(InstructionSetTest, OpNamesTheRowOfAMnemonic) {
  EXPECT_EQ(kInstructions[Op("V_TOPK")].mnemonic, "V_TOPK");
  EXPECT_EQ(Set().Find("v_topk"), &Set().instructions()[Op("V_TOPK")]);
  EXPECT_EQ(Set().Find("V_PS_V"), nullptr);
}

}  // namespace
}  // namespace moescope::isa
