#include <gtest/gtest.h>

#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

using IntegerSemantics = MachineFixture;

TEST_F(IntegerSemantics, ArithmeticIsModuloTwoToThe32) {
  state->registers.gp[1] = 0xFFFFFFFF;
  state->registers.gp[2] = 3;
  Execute("S_ADD_INT gp3, gp1, gp2\nS_SUB_INT gp4, gp2, gp1\nS_MUL_INT gp5, gp1, gp2");
  EXPECT_EQ(Gp(3), 2u);
  EXPECT_EQ(Gp(4), 4u);
  EXPECT_EQ(Gp(5), 0xFFFFFFFDu);
}

TEST_F(IntegerSemantics, ImmediatesAreZeroExtended) {
  Execute("S_ADDI_INT gp1, gp0, 262143\nS_ADDI_INT gp2, gp1, 1\nS_LUI_INT gp3, 4194303");
  EXPECT_EQ(Gp(1), 262143u);
  EXPECT_EQ(Gp(2), 262144u);
  EXPECT_EQ(Gp(3), 0xFFFFF000u);  // the upper bits shift out
}

TEST_F(IntegerSemantics, TwoInstructionsBuildAnyNumber) {
  Execute("S_LUI_INT gp1, 0x12345\nS_ADDI_INT gp1, gp1, 0x678");
  EXPECT_EQ(Gp(1), 0x12345678u);
}

TEST_F(IntegerSemantics, Gp0ReadsZeroAndIgnoresWrites) {
  Execute("S_ADDI_INT gp0, gp0, 7\nS_ADD_INT gp1, gp0, gp0\nS_LUI_INT gp0, 3");
  EXPECT_EQ(Gp(0), 0u);
  EXPECT_EQ(Gp(1), 0u);
}

TEST_F(IntegerSemantics, DestinationMayBeASource) {
  state->registers.gp[1] = 5;
  Execute("S_ADD_INT gp1, gp1, gp1\nS_MUL_INT gp1, gp1, gp1\nS_SUB_INT gp1, gp1, gp1");
  EXPECT_EQ(Gp(1), 0u);
}

TEST_F(IntegerSemantics, LoadAndStoreReachTheLastWordAndWrapTheAddress) {
  state->registers.gp[1] = 0xFFFFFFFF;  // + 64 = word 63
  state->registers.gp[2] = 0xABCD;
  Execute("S_ST_INT gp2, gp1, 64\nS_LD_INT gp3, gp0, 63\nS_LD_INT gp0, gp0, 63");
  EXPECT_EQ(state->int_mem.Read(63), 0xABCDu);
  EXPECT_EQ(Gp(3), 0xABCDu);
  EXPECT_EQ(Gp(0), 0u);
}

}  // namespace
}  // namespace moescope::test
