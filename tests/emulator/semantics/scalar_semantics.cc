#include <gtest/gtest.h>

#include <limits>

#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class ScalarSemantics : public MachineFixture {
 protected:
  // One instruction "mnemonic f1, f2[, f3]" on bits.
  isa::Bf16 Apply(const std::string& mnemonic, isa::Bf16 a, std::optional<isa::Bf16> b = {}) {
    state->registers.fp[2] = a;
    state->registers.fp[3] = b.value_or(0);
    Execute(mnemonic + " f1, f2" + (b ? ", f3" : ""));
    return FpBits(1);
  }
};

TEST_F(ScalarSemantics, ArithmeticRoundsOnceToBf16) {
  EXPECT_EQ(Apply("S_ADD_FP", Bits(256), Bits(1)), Bits(256));  // a tie goes to even
  EXPECT_EQ(Apply("S_ADD_FP", Bits(258), Bits(1)), Bits(260));
  EXPECT_EQ(Apply("S_SUB_FP", Bits(1), Bits(3)), Bits(-2));
  EXPECT_EQ(Apply("S_MUL_FP", Bits(1.5), Bits(-2)), Bits(-3));
  EXPECT_EQ(Apply("S_SUB_FP", Bits(kInfinity), Bits(kInfinity)), kNan);
  EXPECT_EQ(Apply("S_MUL_FP", Bits(0), Bits(kInfinity)), kNan);
  EXPECT_EQ(Apply("S_ADD_FP", 0x7F7F, 0x7F7F), Bits(kInfinity));
  EXPECT_EQ(Apply("S_ADD_FP", 0xFFA5, Bits(1)), kNan);      // a computed NaN has one form
  EXPECT_EQ(Apply("S_MUL_FP", 0x0001, Bits(0.5)), 0x0000);  // subnormals round like all else
}

TEST_F(ScalarSemantics, MaximumKeepsTheFirstOfEqualsAndNanWins) {
  EXPECT_EQ(Apply("S_MAX_FP", Bits(1), Bits(2)), Bits(2));
  EXPECT_EQ(Apply("S_MAX_FP", Bits(2), Bits(1)), Bits(2));
  EXPECT_EQ(Apply("S_MAX_FP", Bits(-0.0f), Bits(0)), Bits(-0.0f));
  EXPECT_EQ(Apply("S_MAX_FP", 0x7FA5, Bits(1)), kNan);
  EXPECT_EQ(Apply("S_MAX_FP", Bits(1), 0xFFC1), kNan);
}

TEST_F(ScalarSemantics, FunctionsGiveTheTabulatedBits) {
  EXPECT_EQ(Apply("S_EXP_FP", Bits(1)), 0x402E);
  EXPECT_EQ(Apply("S_EXP_FP", Bits(-1)), 0x3EBC);
  EXPECT_EQ(Apply("S_EXP_FP", Bits(1000)), 0x7EF9);
  EXPECT_EQ(Apply("S_EXP_FP", Bits(-1000)), 0x0042);
  EXPECT_EQ(Apply("S_EXP_FP", 0x40DB), 0x446B);
  EXPECT_EQ(Apply("S_EXP_FP", 0xBE66), 0x3F4D);
  EXPECT_EQ(Apply("S_RECI_FP", Bits(3)), 0x3EAB);
  EXPECT_EQ(Apply("S_RECI_FP", Bits(-0.0f)), 0xFF80);
  EXPECT_EQ(Apply("S_SQRT_FP", Bits(2)), 0x3FB5);
  EXPECT_EQ(Apply("S_SQRT_FP", Bits(-0.0f)), 0x8000);
  EXPECT_EQ(Apply("S_SQRT_FP", Bits(-1)), kNan);
}

TEST_F(ScalarSemantics, F0ReadsZeroAndIgnoresWrites) {
  SetFp(1, 2);
  state->fp_mem.Write(3, Bits(9));
  Execute("S_ADD_FP f0, f1, f1\nS_EXP_FP f0, f1\nS_LD_FP f0, gp0, 3\nS_ADD_FP f2, f0, f0");
  EXPECT_EQ(FpBits(0), 0);
  EXPECT_EQ(FpBits(2), 0);
}

TEST_F(ScalarSemantics, MovesKeepEveryBit) {
  state->fp_mem.Write(5, 0xFFA5);  // a NaN with payload
  Execute("S_LD_FP f1, gp0, 5\nS_ST_FP f1, gp0, 63");
  EXPECT_EQ(FpBits(1), 0xFFA5);
  EXPECT_EQ(state->fp_mem.Read(63), 0xFFA5);
}

TEST_F(ScalarSemantics, MapMovesAWindowToARow) {
  for (std::uint16_t i = 0; i < 4; ++i) {
    state->fp_mem.Write(60 + i, static_cast<isa::Bf16>(0xFFA0 + i));
  }
  state->registers.gp[1] = 8;
  state->registers.gp[2] = 59;
  Execute("S_MAP_V_FP gp1, gp2, 1");
  EXPECT_EQ(RowBits(2), (std::vector<isa::Bf16>{0xFFA0, 0xFFA1, 0xFFA2, 0xFFA3}));
}

}  // namespace
}  // namespace moescope::test
