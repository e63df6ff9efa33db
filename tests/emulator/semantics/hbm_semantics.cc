#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "isa/row_codec.h"
#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

using Lanes = std::vector<float>;
using ByteList = std::vector<std::uint8_t>;

// E4M3 code 38 is 1.0, 40 is 2.0, B8 is -1.0; scale 7F is 1, 80 is 2.
class HbmSemantics : public MachineFixture {
 protected:
  void SetHbm(std::uint64_t address, const ByteList& bytes) { state->hbm.Write(address, bytes); }
  ByteList Hbm(std::uint64_t address, std::size_t count) const {
    ByteList bytes(count);
    state->hbm.Read(address, bytes);
    return bytes;
  }
};

TEST_F(HbmSemantics, PrefetchOfATileDecodesRowAfterRow) {
  SetHbm(100, {0x38, 0x40, 0xB8, 0x00, 0x38, 0x38, 0x38, 0x38,  //
               0x40, 0x40, 0x40, 0x40, 0x00, 0x00, 0x00, 0x38});
  SetHbm(100 + 512, {0x7F, 0x80, 0x7E, 0x7F});
  state->registers.address[2] = 96;
  state->registers.scale = 512 + 3;  // + off / R = 1
  state->registers.gp[1] = 16;
  state->registers.gp[2] = 4;
  Execute("H_PREFETCH_M gp1, gp2, a2");
  const float* tile = state->mram.Read(1);
  EXPECT_EQ(Lanes(tile, tile + 16), (Lanes{1, 2, -1, 0, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 1}));
}

TEST_F(HbmSemantics, PrefetchAmountsAreRoundedUpToWholeTiles) {
  machine.rows.matrix_prefetch = 5;
  Reset();
  ByteList ones(32, 0x38);
  SetHbm(0, ones);
  SetHbm(32, ByteList(8, 0x7F));
  state->registers.scale = 32;
  Execute("H_PREFETCH_M gp0, gp0, a0");
  EXPECT_EQ(state->mram.Read(1)[15], 1.0f);
  EXPECT_EQ(state->mram.Read(2)[0], 0.0f);
}

TEST_F(HbmSemantics, StrideCountsBytesAndMovesTheScalesAlong) {
  SetHbm(0, {0x38, 0x38, 0x38, 0x38});
  SetHbm(20, {0x40, 0x40, 0x40, 0x40});
  SetHbm(64, {0x7F, 0, 0, 0, 0, 0x80});  // row 1 at 64 + 20 / 4
  state->registers.scale = 64;
  state->registers.stride = 20;
  state->registers.gp[1] = 8;
  Execute("H_PREFETCH_V gp1, gp0, a0, 1");
  EXPECT_EQ(Row(2), (Lanes{1, 1, 1, 1}));
  EXPECT_EQ(Row(3), (Lanes{4, 4, 4, 4}));
}

TEST_F(HbmSemantics, PrecisionOneSelectsTheSecondFormat) {
  SetHbm(0, {0xA5, 0xFF, 0x80, 0x3F, 0x00, 0x80, 0x01, 0x00});
  state->registers.gp[1] = 8;
  Execute("H_PREFETCH_V gp1, gp0, a0, 0, 1");
  EXPECT_EQ(RowBits(2), (std::vector<isa::Bf16>{0xFFA5, 0x3F80, 0x8000, 0x0001}));  // bit for bit
  Execute("H_PREFETCH_M gp0, gp0, a0, 0, 1");
  EXPECT_EQ(state->mram.Read(0)[1], 1.0f);
  EXPECT_TRUE(std::signbit(state->mram.Read(0)[2]));
}

TEST_F(HbmSemantics, StoreEncodesElementsThenScalesAndLeavesTheRest) {
  SetHbm(4000, ByteList(64, 0xEE));
  SetRow(2, {1, -1, 0.5, 0});
  SetRow(3, {448, 0, 0, -448});
  state->registers.address[1] = 4000;
  state->registers.scale = 32;
  state->registers.stride = 8;
  state->registers.gp[1] = 8;
  Execute("H_STORE_V gp1, gp0, a1, 1");
  EXPECT_EQ(Hbm(4000, 16), (ByteList{0x78, 0xF8, 0x70, 0x00, 0xEE, 0xEE, 0xEE, 0xEE,  //
                                     0x7E, 0x00, 0x00, 0xFE, 0xEE, 0xEE, 0xEE, 0xEE}));
  EXPECT_EQ(Hbm(4032, 4), (ByteList{0x77, 0xEE, 0x7F, 0xEE}));
}

TEST_F(HbmSemantics, StoreOfPlainBf16MovesBits) {
  SetRowBits(2, {0xFFA5, 0x7FC1, 0x8000, 0x0001});
  SetRowBits(3, {1, 2, 3, 4});
  state->registers.gp[1] = 8;
  Execute("H_STORE_V gp1, gp0, a0, 0, 1");
  EXPECT_EQ(Hbm(0, 16), (ByteList{0xA5, 0xFF, 0xC1, 0x7F, 0x00, 0x80, 0x01, 0x00,  //
                                  1, 0, 2, 0, 3, 0, 4, 0}));
}

TEST_F(HbmSemantics, WhatIsStoredIsReadBack) {
  SetRow(2, {1, -2, 0.25, 0});
  SetRow(3, {8, 8, -8, 3});
  state->registers.gp[1] = 8;
  state->registers.gp[2] = 40;
  state->registers.scale = 256;
  Execute("H_STORE_V gp1, gp0, a0\nH_PREFETCH_V gp2, gp0, a0");
  EXPECT_EQ(Row(10), Row(2));
  EXPECT_EQ(Row(11), Row(3));
}

TEST_F(HbmSemantics, TheVeryLastByteCanBeRead) {
  machine.formats.vector_activation = isa::Plain(isa::kE4M3);
  Reset();
  SetHbm(65535, {0x40});
  state->registers.gp[1] = 65536 - 8;
  Execute("H_PREFETCH_V gp0, gp1, a0");
  EXPECT_EQ(Row(1), (Lanes{0, 0, 0, 2}));
}

TEST_F(HbmSemantics, AddressesAreU64AndMayWrap) {
  machine.formats.vector_activation = isa::Plain(isa::kE4M3);
  Reset();
  SetHbm(0, {0x38});
  state->registers.address[3] = ~std::uint64_t{0} - 63;
  state->registers.gp[1] = 64;
  Execute("H_PREFETCH_V gp0, gp1, a3");
  EXPECT_EQ(Row(0)[0], 1.0f);
}

// (executed) in isa.md, 5.6: where rows and scales lie.
class HbmAddresses : public MachineFixture {
 protected:
  HbmAddresses() : MachineFixture(emulator::MachineDescription{}) {}
};

TEST_F(HbmAddresses, AreTheTabulatedOnes) {
  struct Expectation {
    std::uint32_t block;
    std::uint64_t scale_base;
    std::uint64_t scale_step;
    std::uint32_t scale_bytes;
  };
  for (const Expectation& e : {Expectation{8, 17992, 16, 8}, Expectation{32, 17218, 4, 2}}) {
    machine.formats.matrix_weight = isa::Mx(isa::kE4M3, e.block);
    Reset();
    for (std::uint64_t i = 0; i < 64; ++i) {
      const std::uint8_t code = i % 2 == 0 ? 0x38 : 0x40;
      state->hbm.Write(8832 + 128 * i, ByteList(64, code));
      state->hbm.Write(e.scale_base + e.scale_step * i, ByteList(e.scale_bytes, 0x80));
    }
    state->registers.address[1] = 576;
    state->registers.scale = 16384;
    state->registers.stride = 128;
    state->registers.gp[2] = 8256;
    Execute("H_PREFETCH_M gp0, gp2, a1, 1");
    for (std::uint64_t i = 0; i < 64; ++i) {
      EXPECT_EQ(state->mram.Read(0)[i * 64], i % 2 == 0 ? 2.0f : 4.0f) << i;
      EXPECT_EQ(state->mram.Read(0)[i * 64 + 63], i % 2 == 0 ? 2.0f : 4.0f) << i;
    }
  }
}

// scale_read = "single_block": scales behind the first 64-byte line of a row's run read as 0x00.
TEST_F(HbmAddresses, ASingleBlockOfScalesMayCutARow) {
  machine.dialect.scale_read = emulator::ScaleRead::kSingleBlock;
  machine.dialect.convention = isa::Convention::kReference;
  Reset();
  state->hbm.Write(0, ByteList(256, 0x38));
  state->hbm.Write(4156, ByteList(32, 0x7F));
  state->registers.scale = 4156;  // 4 scales in the line, 4 behind it
  Execute("H_PREFETCH_V gp0, gp0, a0");
  EXPECT_EQ(Row(0)[31], 1.0f);
  EXPECT_EQ(Row(0)[32], 0.0f);  // scale 0x00 is 0.0 under the reference convention
  EXPECT_EQ(Row(1)[0], 1.0f);   // its run begins in the next line
  EXPECT_EQ(Row(1)[63], 1.0f);
  machine.dialect.scale_read = emulator::ScaleRead::kComplete;
  Execute("H_PREFETCH_V gp0, gp0, a0");
  EXPECT_EQ(Row(0)[32], 1.0f);
}

}  // namespace
}  // namespace moescope::test
