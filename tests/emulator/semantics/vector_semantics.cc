#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

using Lanes = std::vector<float>;
using LaneBits = std::vector<isa::Bf16>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// gp1 = row 1, gp2 = row 2, gp3 = row 3; f1 = 2; V_MASK enables head 1 (lanes 2 and 3).
class VectorSemantics : public MachineFixture {
 protected:
  VectorSemantics() {
    for (std::uint32_t i = 1; i < 16; ++i) state->registers.gp[i] = 4 * i;
    SetFp(1, 2);
    state->registers.vector_mask = 2;
  }
};

TEST_F(VectorSemantics, ElementwiseOnRows) {
  SetRow(2, {1, -2, 3, 0.5});
  SetRow(3, {4, 4, -4, 2});
  Execute("V_ADD_VV gp1, gp2, gp3\nV_SUB_VV gp4, gp2, gp3\nV_MUL_VV gp5, gp2, gp3");
  EXPECT_EQ(Row(1), (Lanes{5, 2, -1, 2.5}));
  EXPECT_EQ(Row(4), (Lanes{-3, -6, 7, -1.5}));  // rs1 - rs2
  EXPECT_EQ(Row(5), (Lanes{4, -8, -12, 1}));
}

TEST_F(VectorSemantics, ElementwiseWithAScalar) {
  SetRow(2, {1, 2, 3, -0.0f});
  Execute(
      "V_ADD_VF gp4, gp2, f1\nV_MUL_VF gp5, gp2, f1\nV_SUB_VF gp6, gp2, f1\n"
      "V_SUB_VF gp7, gp2, f1, 0, 1\nV_MAX_VF gp8, gp2, f1\nV_MIN_VF gp9, gp2, f1");
  EXPECT_EQ(Row(4), (Lanes{3, 4, 5, 2}));
  EXPECT_EQ(Row(5), (Lanes{2, 4, 6, -0.0f}));
  EXPECT_EQ(Row(6), (Lanes{-1, 0, 1, -2}));
  EXPECT_EQ(Row(7), (Lanes{1, 0, -1, 2}));
  EXPECT_EQ(Row(8), (Lanes{2, 2, 3, 2}));
  EXPECT_EQ(Row(9), (Lanes{1, 2, 2, -0.0f}));
}

TEST_F(VectorSemantics, OrderOneOfEqualsIsPlusZero) {
  SetRow(2, {2, 2, 2, 2});
  Execute("V_SUB_VF gp1, gp2, f1, 0, 1");
  EXPECT_EQ(RowBits(1), LaneBits(4, 0x0000));
}

TEST_F(VectorSemantics, MaximumAndMinimumKeepTheRowOnTiesAndNanWins) {
  state->registers.fp[1] = 0x0000;
  SetRowBits(2, {0x8000, 0x0000, 0xFFA5, 0x3F80});
  Execute("V_MAX_VF gp1, gp2, f1\nV_MIN_VF gp3, gp2, f1");
  EXPECT_EQ(RowBits(1), (LaneBits{0x8000, 0x0000, kNan, 0x3F80}));
  EXPECT_EQ(RowBits(3), (LaneBits{0x8000, 0x0000, kNan, 0x0000}));
  state->registers.fp[1] = 0x7F81;
  Execute("V_MAX_VF gp1, gp2, f1");
  EXPECT_EQ(RowBits(1), LaneBits(4, kNan));
}

TEST_F(VectorSemantics, FunctionsClampAndHandleZero) {
  SetRow(2, {1, 1000, -1000, 0});
  Execute("V_EXP_V gp1, gp2\nV_RECI_V gp3, gp2");
  EXPECT_EQ(RowBits(1), (LaneBits{0x402E, 0x7EF9, 0x0042, 0x3F80}));
  EXPECT_EQ(Row(3),
            (Lanes{1, isa::Bf16ToFloat(Bits(0.001f)), -isa::Bf16ToFloat(Bits(0.001f)), kInfinity}));
}

TEST_F(VectorSemantics, DisabledLanesTakeTheBitsOfRs1) {
  SetRowBits(2, {0xFFA5, 0x0001, 0x3F80, 0x4000});
  SetRow(3, {8, 8, 8, 8});
  const struct {
    const char* text;
    float lane2;
    float lane3;
  } kCases[] = {{"V_ADD_VV gp1, gp2, gp3, 1", 9, 10},  {"V_SUB_VV gp1, gp2, gp3, 1", -7, -6},
                {"V_MUL_VV gp1, gp2, gp3, 1", 8, 16},  {"V_ADD_VF gp1, gp2, f1, 1", 3, 4},
                {"V_SUB_VF gp1, gp2, f1, 1, 1", 1, 0}, {"V_MUL_VF gp1, gp2, f1, 1", 2, 4},
                {"V_MAX_VF gp1, gp2, f1, 1", 2, 2},    {"V_MIN_VF gp1, gp2, f1, 1", 1, 2},
                {"V_RECI_V gp1, gp2, 1", 1, 0.5},      {"V_EXP_V gp1, gp2, 1", 2.71875, 7.375}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.text);
    Execute(c.text);
    EXPECT_EQ(RowBits(1), (LaneBits{0xFFA5, 0x0001, Bits(c.lane2), Bits(c.lane3)}));
  }
}

TEST_F(VectorSemantics, AZeroMaskDisablesEveryLane) {
  state->registers.vector_mask = 0;
  SetRow(2, {1, 2, 3, 4});
  Execute("V_MUL_VF gp1, gp2, f1, 1");
  EXPECT_EQ(Row(1), (Lanes{1, 2, 3, 4}));
}

TEST_F(VectorSemantics, RowsMayAlias) {
  SetRow(1, {1, 2, 3, 4});
  Execute("V_ADD_VV gp1, gp1, gp1\nV_SUB_VV gp1, gp1, gp1, 1");
  EXPECT_EQ(Row(1), (Lanes{2, 4, 0, 0}));
}

TEST_F(VectorSemantics, ShiftMovesToHigherLanes) {
  SetRowBits(2, {0xFFA5, 0x0001, 0x3F80, 0x4000});
  for (const auto& [shift, expected] :
       std::vector<std::pair<std::uint32_t, LaneBits>>{{0, {0xFFA5, 0x0001, 0x3F80, 0x4000}},
                                                       {1, {0, 0xFFA5, 0x0001, 0x3F80}},
                                                       {3, {0, 0, 0, 0xFFA5}},
                                                       {4, {0, 0, 0, 0}},
                                                       {0xFFFFFFFF, {0, 0, 0, 0}}}) {
    state->registers.gp[3] = shift;
    Execute("V_SHFT_V gp1, gp2, gp3");
    EXPECT_EQ(RowBits(1), expected) << shift;
  }
  state->registers.gp[3] = 2;
  Execute("V_SHFT_V gp2, gp2, gp3");  // in place
  EXPECT_EQ(RowBits(2), (LaneBits{0, 0, 0xFFA5, 0x0001}));
}

TEST_F(VectorSemantics, ReductionsStartFromTheRegister) {
  SetRow(2, {1, 2, 3, 4});
  SetFp(1, 10);
  SetFp(2, 3.5);
  Execute("V_RED_SUM f1, gp2\nV_RED_MAX f2, gp2");
  EXPECT_EQ(Fp(1), 20);
  EXPECT_EQ(Fp(2), 4);
}

TEST_F(VectorSemantics, ReductionsSkipDisabledHeads) {
  SetRow(2, {100, kInfinity, 3, 4});
  SetFp(1, 0);
  SetFp(2, -kInfinity);
  Execute("V_RED_SUM f1, gp2, 1\nV_RED_MAX f2, gp2, 1");
  EXPECT_EQ(Fp(1), 7);
  EXPECT_EQ(Fp(2), 4);
}

TEST_F(VectorSemantics, MaximumReductionKeepsTheEarlierOfEqualsAndNanWins) {
  SetRowBits(2, {0x0000, 0x8000, 0x0000, 0x0000});
  state->registers.fp[1] = 0x8000;
  Execute("V_RED_MAX f1, gp2");
  EXPECT_EQ(FpBits(1), 0x8000);
  SetRowBits(2, {0x3F80, 0xFFA5, 0x4000, 0});
  Execute("V_RED_MAX f1, gp2\nV_RED_SUM f2, gp2");
  EXPECT_EQ(FpBits(1), kNan);
  EXPECT_EQ(FpBits(2), kNan);
}

TEST_F(VectorSemantics, AReductionIntoF0OnlyChecks) {
  SetRow(2, {1, 2, 3, 4});
  Execute("V_RED_SUM f0, gp2\nV_RED_MAX f0, gp2");
  EXPECT_EQ(FpBits(0), 0);
}

TEST_F(VectorSemantics, TheReferenceDialectSpreadsHeadSumsAndIgnoresTheMaskOfMax) {
  machine.dialect.masked_reduction = emulator::MaskedReduction::kReference;
  Reset();
  state->registers.gp[2] = 8;
  state->registers.vector_mask = 2;
  SetRow(2, {100, 1, 3, 4});
  Execute("V_RED_SUM f1, gp2, 1\nV_RED_MAX f2, gp2, 1");
  EXPECT_EQ(Fp(1), 100 + 1 + 7 + 7);
  EXPECT_EQ(Fp(2), 100);
}

// (executed) in isa.md, 5.2.
class WideReduction : public MachineFixture {
 protected:
  WideReduction() : MachineFixture(emulator::MachineDescription{}) {
    SetRow(0, Lanes(64, 1));
    state->registers.vector_mask = 1;
  }
};

TEST_F(WideReduction, GivesTheTabulatedSums) {
  Execute("V_RED_SUM f1, gp0, 1\nV_RED_SUM f2, gp0");
  EXPECT_EQ(Fp(1), 16);
  EXPECT_EQ(Fp(2), 64);
  machine.dialect.masked_reduction = emulator::MaskedReduction::kReference;
  Execute("V_RED_SUM f3, gp0, 1");
  EXPECT_EQ(Fp(3), 304);
}

// (executed) in numerics.md, 7: the tree of neighbours, not left to right.
TEST_F(VectorSemantics, SumsAreATreeOfNeighbours) {
  machine.shape = {.mlen = 8, .blen = 2, .vlen = 8, .hlen = 8, .broadcast = 1};
  machine.memory.matrix_rows = 16;
  Reset();
  SetRow(0, {16777216, 1, 1, 1, 1, 1, 1, 1});
  SetFp(1, -16777216);
  Execute("V_RED_SUM f1, gp0");
  EXPECT_EQ(Fp(1), 6);  // 16777222 - 16777216; left to right gives 0
  SetRow(1, {1, 16777216, 1, -16777216, 0, 0, 0, 0});
  state->registers.gp[1] = 8;
  Execute("V_RED_SUM f2, gp1");
  EXPECT_EQ(Fp(2), 1);  // left to right gives 0 + ...
}

}  // namespace
}  // namespace moescope::test
