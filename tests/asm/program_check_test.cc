#include <gtest/gtest.h>

#include <string>

#include "asm/assembler.h"

// When AS101 to AS108 fire and, as important, when they do not. Their texts are pinned in
// bad_inputs.txt.

namespace moescope::assembler {
namespace {

// "AS101@3 AS106@4": the findings of a text with their lines.
std::string Findings(std::string_view text) {
  const absl::StatusOr<Assembly> assembly = Assemble(text, "a.asm");
  EXPECT_TRUE(assembly.ok()) << assembly.status();
  std::string found;
  for (const Diagnostic& finding : assembly->findings) {
    EXPECT_EQ(finding.severity, Severity::kWarning);
    found += (found.empty() ? "" : " ") + finding.id + "@" + std::to_string(finding.location.line);
  }
  return found;
}

TEST(ProgramCheckTest, OnlyDroppedResultsAreReported) {
  EXPECT_EQ(Findings("S_ADDI_INT gp0, gp0, 0"), "");
  EXPECT_EQ(Findings("S_ADDI_INT gp0, gp1, 0"), "AS101@1");
  EXPECT_EQ(Findings("S_ADDI_INT gp0, gp0, 1"), "AS101@1");
  EXPECT_EQ(Findings("S_LD_FP f0, gp1, 0"), "AS101@1");
  // gp0 that is read, or holds an address, is no destination.
  EXPECT_EQ(Findings("S_ST_FP f0, gp0, 0\nS_ST_INT gp0, gp0, 0\nV_ADD_VV gp0, gp0, gp0"), "");
  EXPECT_EQ(Findings("C_SET_ADDR_REG a0, gp0, gp0\nC_SET_SCALE_REG gp0\nM_MM_WO gp0, gp0, 0"), "");
  EXPECT_EQ(Findings(".word 0x00004022"), "AS101@1");
}

TEST(ProgramCheckTest, MarkersThatCoverSomething) {
  EXPECT_EQ(Findings("; @stage=gather\nC_BREAK\n; @stage_end\n"), "");
  EXPECT_EQ(Findings("C_BREAK\n; @stage_end\n; @stage_end\n"), "");
  // A region counts for the stage around it, also when nothing else does.
  EXPECT_EQ(Findings("; @stage=gather\n; @stage_push=expert_bias\nC_BREAK\n; @stage_pop\n"), "");
  EXPECT_EQ(Findings("; @stage=gather\n; @stage_push=expert_bias\n; @stage_push=expert_activation\n"
                     "C_BREAK\n; @stage_pop\n; @stage_pop\n; @stage_end\n"),
            "");
}

TEST(ProgramCheckTest, MarkersThatCoverNothing) {
  EXPECT_EQ(Findings("; @stage=gather\n; @stage_end\nC_BREAK\n"), "AS102@1");
  EXPECT_EQ(Findings("C_BREAK\n; @stage=gather\n"), "AS102@2");
  EXPECT_EQ(Findings("; @stage=gather\n; @stage_push=expert_bias\n; @stage_pop\nC_BREAK\n"),
            "AS102@2");
  EXPECT_EQ(Findings("; @stage=gather\nC_BREAK\n; @stage=expert_bias\nC_SET_SCALE_REG gp1\n"),
            "AS102@3 AS103@4");
  EXPECT_EQ(Findings(".macro M\n; @stage=gather\n.endm\nM\nM\nC_BREAK\n"), "AS102@2");
}

TEST(ProgramCheckTest, OneFindingForAllThatFollowsABreak) {
  EXPECT_EQ(Findings("C_BREAK"), "");
  EXPECT_EQ(Findings("S_LUI_INT gp1, 1\nC_BREAK\nS_LUI_INT gp1, 0x100000\nC_BREAK"), "AS103@3");
  // Nothing that never runs is checked further.
  EXPECT_EQ(Findings("C_LOOP_START gp1, 2\nC_BREAK\nC_LOOP_END gp2\n"), "AS103@3");
}

TEST(ProgramCheckTest, LoopsThatMatch) {
  EXPECT_EQ(Findings("C_LOOP_START gp1, 2\nC_LOOP_START gp2, 2\nC_LOOP_END gp2\nC_LOOP_END gp1\n"
                     "C_LOOP_START gp1, 2\nC_LOOP_END gp1\n"),
            "");
  EXPECT_EQ(Findings(".word 0x0000412F\n.word 0x00000130"), "");
}

TEST(ProgramCheckTest, LoopsThatDoNotMatch) {
  EXPECT_EQ(Findings("C_LOOP_START gp1, 2\nC_LOOP_END gp2\nC_LOOP_END gp1\n"), "AS104@2");
  EXPECT_EQ(Findings("C_LOOP_START gp1, 2\nC_LOOP_START gp2, 2\nC_LOOP_END gp1\nC_LOOP_END gp2\n"),
            "AS104@3");
  EXPECT_EQ(Findings("C_LOOP_START gp1, 2\nC_LOOP_START gp1, 2\nC_LOOP_END gp1\nC_LOOP_END gp1\n"),
            "AS104@2");
  EXPECT_EQ(Findings("C_LOOP_START gp1, 2\nC_LOOP_START gp2, 2\nC_BREAK\n"), "");
  EXPECT_EQ(Findings("C_LOOP_START gp1, 2\nC_LOOP_START gp2, 2\nC_LOOP_END gp2\n"), "AS104@1");
}

TEST(ProgramCheckTest, LoopRegistersInTheBody) {
  const std::string open = "C_LOOP_START gp1, 2\n";
  const std::string close = "\nC_LOOP_END gp1\n";
  EXPECT_EQ(Findings(open + "S_ADDI_INT gp2, gp3, 1" + close), "");
  EXPECT_EQ(Findings(open + "S_ADDI_INT gp1, gp3, 1" + close), "AS105@2");
  EXPECT_EQ(Findings(open + "S_ADDI_INT gp2, gp1, 1" + close), "AS106@2");
  EXPECT_EQ(Findings(open + "V_ADD_VV gp1, gp2, gp3" + close), "AS106@2");
  EXPECT_EQ(Findings(open + "S_ADD_FP f1, f1, f1\nC_SET_ADDR_REG a1, gp2, gp3" + close), "");
  EXPECT_EQ(Findings(open + "C_LOOP_START gp2, 2\nS_ADDI_INT gp3, gp1, 1\nC_LOOP_END gp2" + close),
            "AS106@3");
  EXPECT_EQ(Findings(open + "S_EXP_FP f1, f2" + close + "S_ADDI_INT gp1, gp1, 1\n"), "");
}

TEST(ProgramCheckTest, ImmediatesAndMasks) {
  EXPECT_EQ(Findings("S_LUI_INT gp1, 0xFFFFF\nS_LUI_INT gp1, 0x100000"), "AS107@2");
  EXPECT_EQ(Findings("V_EXP_V gp1, gp2\nV_EXP_V gp1, gp2, 1\nV_RED_SUM f1, gp2, 15"), "AS108@3");
  EXPECT_EQ(Findings("V_TOPK gp1, gp2, gp3, 15"), "");
}

}  // namespace
}  // namespace moescope::assembler
