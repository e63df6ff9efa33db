#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

using ControlSemantics = MachineFixture;
using emulator::EndReason;

TEST_F(ControlSemantics, RegistersStartAtTheirResetValues) {
  EXPECT_EQ(state->registers.stride, 1u);
  EXPECT_EQ(state->registers.scale, 0u);
  EXPECT_EQ(state->registers.vector_mask, 0u);
  EXPECT_FALSE(state->registers.topk.has_value());
}

TEST_F(ControlSemantics, AddressRegisterTakesItsHighHalfFromRs1) {
  state->registers.gp[1] = 0x12;
  state->registers.gp[2] = 0x89ABCDEF;
  Execute("C_SET_ADDR_REG a7, gp1, gp2\nC_SET_ADDR_REG a0, gp2, gp0");
  EXPECT_EQ(state->registers.address[7], 0x1289ABCDEFu);
  EXPECT_EQ(state->registers.address[0], 0x89ABCDEF00000000u);
}

TEST_F(ControlSemantics, ControlRegistersTakeGp) {
  state->registers.gp[1] = 11;
  state->registers.gp[2] = 22;
  state->registers.gp[3] = 33;
  Execute("C_SET_SCALE_REG gp1\nC_SET_STRIDE_REG gp2\nC_SET_V_MASK_REG gp3");
  EXPECT_EQ(state->registers.scale, 11u);
  EXPECT_EQ(state->registers.stride, 22u);
  EXPECT_EQ(state->registers.vector_mask, 33u);
}

// (executed) in isa.md, 4.
TEST_F(ControlSemantics, TopKShapesAreExpertsAndK) {
  const std::pair<const char*, std::uint32_t> kShapes[] = {
      {"32 << 8 | 4", 0x2004},   {"60 << 8 | 4", 0x3C04}, {"64 << 8 | 6", 0x4006},
      {"256 << 8 | 8", 0x10008}, {"16 << 8 | 1", 0x1001}, {"1023 << 8 | 255", 262143}};
  for (const auto& [expression, value] : kShapes) {
    Execute(std::string("S_ADDI_INT gp1, gp0, ") + expression + "\nC_SET_TOPK_REG gp1");
    EXPECT_EQ(state->registers.topk, value);
  }
  Execute("S_LUI_INT gp1, 64\nS_ADDI_INT gp1, gp1, 8\nC_SET_TOPK_REG gp1");
  EXPECT_EQ(state->registers.topk, 1024u << 8 | 8);
}

TEST_F(ControlSemantics, LoopBodiesRunExactlyNTimes) {
  for (const int n : {1, 2, 3, 64}) {
    Execute("C_LOOP_START gp1, " + std::to_string(n) +
            "\nS_ADDI_INT gp2, gp2, 1\nC_LOOP_END gp1\nS_ST_INT gp2, gp0, 0\n"
            "S_ADDI_INT gp2, gp0, 0");
    EXPECT_EQ(state->int_mem.Read(0), static_cast<std::uint32_t>(n));
    EXPECT_EQ(Gp(1), 0u);
  }
}

// (executed) in isa.md, 4: the counters that six passes see.
TEST_F(ControlSemantics, NestedLoopsCountDown) {
  Execute(R"(
    C_LOOP_START gp1, 2
    C_LOOP_START gp2, 3
    S_ST_INT gp1, gp3, 0
    S_ST_INT gp2, gp3, 1
    S_ADDI_INT gp3, gp3, 2
    C_LOOP_END gp2
    C_LOOP_END gp1)");
  const std::vector<std::uint32_t> expected = {2, 3, 2, 2, 2, 1, 1, 3, 1, 2, 1, 1};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(state->int_mem.Read(i), expected[i]) << i;
  }
  EXPECT_EQ(Gp(3), 12u);
  EXPECT_EQ(Gp(1), 0u);
  EXPECT_EQ(Gp(2), 0u);
  EXPECT_TRUE(state->loops.empty());
}

TEST_F(ControlSemantics, LoopEndUsesTheLiveRegister) {
  Execute("C_LOOP_START gp1, 100\nS_ADDI_INT gp2, gp2, 1\nS_ADDI_INT gp1, gp0, 1\nC_LOOP_END gp1");
  EXPECT_EQ(Gp(2), 1u);
  EXPECT_EQ(Gp(1), 0u);
  Execute("C_LOOP_START gp1, 100\nS_ADDI_INT gp3, gp3, 1\nS_ADDI_INT gp1, gp0, 0\nC_LOOP_END gp1");
  EXPECT_EQ(Gp(3), 1u);
  EXPECT_EQ(Gp(1), 0u);
}

TEST_F(ControlSemantics, ALoopRegisterIsFreeAgainAfterItsLoop) {
  Execute(
      "C_LOOP_START gp1, 2\nC_LOOP_END gp1\nC_LOOP_START gp1, 3\nS_ADDI_INT gp2, gp2, 1\n"
      "C_LOOP_END gp1");
  EXPECT_EQ(Gp(2), 3u);
}

TEST_F(ControlSemantics, BreakHaltsAndDropsOpenLoops) {
  const emulator::RunEnd end =
      Run("C_LOOP_START gp1, 5\nC_BREAK\nS_ADDI_INT gp2, gp0, 1\nC_LOOP_END gp1");
  EXPECT_EQ(end.reason, EndReason::kBreak);
  EXPECT_EQ(end.pc, 1u);
  EXPECT_EQ(end.instructions, 2u);
  EXPECT_TRUE(end.complete());
  EXPECT_TRUE(state->loops.empty());
  EXPECT_EQ(Gp(2), 0u);
}

TEST_F(ControlSemantics, AnEmptyProgramEndsAtOnce) {
  const emulator::RunEnd end = Run(isa::ProgramFromWords({}));
  EXPECT_EQ(end.reason, EndReason::kEnd);
  EXPECT_EQ(end.instructions, 0u);
  EXPECT_EQ(end.cycles, 0u);
  EXPECT_FALSE(end.pc.has_value());
}

TEST_F(ControlSemantics, MaskValuesTwoTo15MeanOne) {
  isa::Program program = AssembleText("V_ADD_VV gp1, gp2, gp2, 1");
  SetRow(1, {1, 2, 3, 4});
  state->registers.gp[2] = 4;
  state->registers.vector_mask = 1;
  for (std::uint32_t mask = 1; mask < 16; ++mask) {
    program.words[0] = (program.words[0] & ~(15u << 18)) | mask << 18;
    Run(program);
    EXPECT_EQ(Row(0), (std::vector<float>{2, 4, 3, 4})) << mask;
  }
}

}  // namespace
}  // namespace moescope::test
