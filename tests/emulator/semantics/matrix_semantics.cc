#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <numeric>
#include <random>
#include <vector>

#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

using Lanes = std::vector<float>;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// (executed) in isa.md, 5.4: T = 1..16, rows [1,2,3,4] and [5,6,7,8], bmm_scale 0.5. gp1 is the
// matrix address, gp2 the rows, gp8 where results go.
class MatrixSemantics : public MachineFixture {
 protected:
  MatrixSemantics() {
    machine.dialect.bmm_scale = 0.5f;
    Reset();
    Lanes tile(16);
    std::iota(tile.begin(), tile.end(), 1.0f);
    SetTile(0, tile);
    SetRow(0, {1, 2, 3, 4});
    SetRow(1, {5, 6, 7, 8});
    state->registers.gp[8] = 32;  // row 8
  }
};

TEST_F(MatrixSemantics, ProductsOfBlenRows) {
  state->registers.gp[1] = 8;
  Execute("M_MM 0, gp1, gp2\nM_MM_WO gp8, gp0, 0");
  EXPECT_EQ(Row(8), (Lanes{110, 120, 0, 0}));
  EXPECT_EQ(Row(9), (Lanes{254, 280, 0, 0}));
  Execute("M_TMM 0, gp2, gp1\nM_MM_WO gp8, gp0, 2");
  EXPECT_EQ(Row(8), (Lanes{110, 120, 110, 150}));
  EXPECT_EQ(Row(9), (Lanes{254, 280, 278, 382}));
}

TEST_F(MatrixSemantics, ProductsOfOneRow) {
  state->registers.gp[1] = 8;
  Execute("M_TMV 0, gp2, gp1\nM_MV_WO gp8, 0");
  EXPECT_EQ(Row(8), (Lanes{110, 150, 0, 0}));
  state->registers.gp[1] = 2;
  Execute("M_MV 0, gp1, gp2\nM_MV_WO gp8, 2");
  EXPECT_EQ(Row(8), (Lanes{110, 150, 110, 120}));
}

TEST_F(MatrixSemantics, BroadcastProductsOfOneRow) {
  state->registers.gp[1] = 2;
  Execute("M_BMV gp0, gp1, gp2\nM_BMV_WO gp8, 0");
  EXPECT_EQ(Row(8), (Lanes{24, 26, 28, 30}));
  EXPECT_EQ(Row(9), (Lanes{35, 38, 41, 44}));
  state->registers.gp[1] = 0xFFFFFFFF;  // rd is added modulo 2^32
  state->registers.gp[3] = 3;
  Execute("M_BTMV gp3, gp1, gp2\nM_BMV_WO gp8, 8");
  EXPECT_EQ(Row(10), (Lanes{5.5, 11.5, 17.5, 23.5}));
  EXPECT_EQ(Row(11), (Lanes{12.5, 26.5, 40.5, 54.5}));
}

TEST_F(MatrixSemantics, BroadcastProductsOfMlenRowsAreRowByRowThoseOfOne) {
  SetRow(2, {2, 0, -1, 3});
  SetRow(3, {1, 1, 1, -2});
  state->registers.gp[1] = 2;
  for (const bool transposed : {false, true}) {
    Execute(std::string(transposed ? "M_BTMM" : "M_BMM") + " 0, gp1, gp2\nM_BMM_WO gp8, 0");
    for (std::uint64_t i = 0; i < 4; ++i) {
      state->registers.gp[4] = static_cast<std::uint32_t>(4 * i);
      state->registers.gp[9] = 128;
      Execute(std::string(transposed ? "M_BTMV" : "M_BMV") + " 0, gp1, gp4\nM_BMV_WO gp9, 0");
      EXPECT_EQ(Row(8 + i), Row(32)) << i;      // head 0
      EXPECT_EQ(Row(8 + 4 + i), Row(33)) << i;  // head 1
    }
  }
}

TEST_F(MatrixSemantics, AccumulatorsAddUpUntilTheirWriteOut) {
  Execute("M_MM 0, gp0, gp2\nM_MM 0, gp0, gp2\nM_MM_WO gp8, gp0, 0\nM_MM_WO gp8, gp0, 8");
  EXPECT_EQ(Row(8), (Lanes{180, 200, 0, 0}));
  EXPECT_EQ(Row(10), (Lanes{0, 0, 0, 0}));  // zeroed by the write-out before
}

TEST_F(MatrixSemantics, TheFourAccumulatorsAreIndependent) {
  Execute("M_MM 0, gp0, gp2\nM_MV 0, gp0, gp2\nM_BMM 0, gp0, gp2\nM_BMV 0, gp0, gp2");
  const emulator::Accumulators before = state->accumulators;
  Execute("M_MV_WO gp8, 0");
  EXPECT_EQ(state->accumulators.matrix, before.matrix);
  EXPECT_EQ(state->accumulators.head_matrix, before.head_matrix);
  EXPECT_EQ(state->accumulators.head_vector, before.head_vector);
  EXPECT_EQ(state->accumulators.vector, (Lanes{0, 0}));
  Execute("M_MM_WO gp8, gp0, 0");
  EXPECT_EQ(state->accumulators.head_matrix, before.head_matrix);
  Execute("M_BMM_WO gp8, 0");
  EXPECT_EQ(state->accumulators.head_vector, before.head_vector);
}

TEST_F(MatrixSemantics, WriteOutsOfUnusedAccumulatorsWriteZeros) {
  for (std::uint64_t row = 8; row < 18; ++row) SetRow(row, {7, 7, 7, 7});
  Execute("M_BMM_WO gp8, 0\nM_BMV_WO gp8, 32");
  for (std::uint64_t row = 8; row < 18; ++row) EXPECT_EQ(Row(row), (Lanes{0, 0, 0, 0})) << row;
}

TEST_F(MatrixSemantics, WriteOutRowsMayLieApart) {
  SetRow(8, {9, 9, 9, 9});
  SetRow(11, {9, 9, 9, 9});
  state->registers.gp[3] = 3;
  Execute("M_MM 0, gp0, gp2\nM_MM_WO gp8, gp3, 2");
  EXPECT_EQ(Row(8), (Lanes{9, 9, 90, 100}));
  EXPECT_EQ(Row(11), (Lanes{9, 9, 202, 228}));
}

TEST_F(MatrixSemantics, WriteOutRoundsOnceAndTurnsEveryNanIntoOne) {
  SetTile(1, {16777216, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  SetRow(4, {1, 1, 0, 0});
  state->registers.gp[1] = 16;
  state->registers.gp[2] = 16;
  Execute("M_MV 0, gp1, gp2\nM_MV_WO gp8, 0");
  EXPECT_EQ(Row(8)[0], 16777216);
  SetRowBits(4, {0xFFA5, 0, 0, 0});
  Execute("M_MV 0, gp1, gp2\nM_MV_WO gp8, 0");
  EXPECT_EQ(RowBits(8)[0], kNan);
}

// Random integers small enough that every partial sum is exact: any order gives the same bits, so
// Eigen can be the oracle.
class MatrixOracle : public MachineFixture {
 protected:
  MatrixOracle() : MachineFixture(emulator::MachineDescription{}) {
    std::mt19937 random(20260731);
    const auto small = [&random] {
      return static_cast<float>(static_cast<int>(random() % 17) - 8);
    };
    tile_.resize(64, 64);
    rows_.resize(64, 64);
    for (int i = 0; i < 64 * 64; ++i) {
      tile_.data()[i] = small();
      rows_.data()[i] = small();
    }
    SetTile(3, Lanes(tile_.data(), tile_.data() + 64 * 64));
    for (std::uint64_t i = 0; i < 64; ++i) {
      SetRow(i, Lanes(rows_.data() + i * 64, rows_.data() + (i + 1) * 64));
    }
    state->registers.gp[8] = 100 * 64;
  }
  Matrix Rows(std::uint64_t first, int rows) const {
    Matrix matrix(rows, 64);
    for (int i = 0; i < rows; ++i) {
      const Lanes lanes = Row(first + static_cast<std::uint64_t>(i));
      for (int j = 0; j < 64; ++j) matrix(i, j) = lanes[static_cast<std::size_t>(j)];
    }
    return matrix;
  }
  Matrix Rounded(Matrix matrix) const {
    for (int i = 0; i < matrix.size(); ++i) {
      matrix.data()[i] = isa::Bf16ToFloat(Bits(matrix.data()[i]));
    }
    return matrix;
  }
  Matrix tile_;
  Matrix rows_;
};

TEST_F(MatrixOracle, PlainAndTransposedSlices) {
  for (int c = 0; c < 64; c += 4) {
    state->registers.gp[1] = static_cast<std::uint32_t>(3 * 4096 + c * 64);
    state->registers.gp[2] = 0;
    state->registers.gp[3] = static_cast<std::uint32_t>(3 * 4096 + c);
    Execute(
        "M_MM 0, gp1, gp2\nM_MM_WO gp8, gp0, 0\nM_TMM 0, gp2, gp1\nM_MM_WO gp8, gp0, 4\n"
        "M_MV 0, gp3, gp2\nM_MV_WO gp8, 8\nM_TMV 0, gp2, gp1\nM_MV_WO gp8, 12");
    const Matrix got = Rows(100, 4);
    const Matrix plain = Rounded(rows_.topRows(4) * tile_.middleCols(c, 4));
    const Matrix transposed = Rounded(rows_.topRows(4) * tile_.middleRows(c, 4).transpose());
    EXPECT_EQ(got.leftCols(4), plain) << c;
    EXPECT_EQ(got.middleCols(4, 4), transposed) << c;
    EXPECT_EQ(got.block(0, 8, 1, 4), plain.topRows(1)) << c;
    EXPECT_EQ(got.block(0, 12, 1, 4), transposed.topRows(1)) << c;
  }
}

TEST_F(MatrixOracle, BroadcastHeads) {
  constexpr float kScale = 0.25f;  // 1 / sqrt(16)
  for (int h = 0; h < 64; h += 16) {
    state->registers.gp[1] = static_cast<std::uint32_t>(3 * 4096 + h);
    Execute("M_BMM 0, gp1, gp0\nM_BMM_WO gp8, 0");
    for (int g = 0; g < 4; ++g) {
      Matrix heads(64, 16);
      for (int t = 0; t < 16; ++t) heads.col(t) = rows_.col(t * 4 + g);
      EXPECT_EQ(Rows(100 + static_cast<std::uint64_t>(g) * 64, 64),
                Rounded(kScale * (heads * tile_.middleRows(h, 16))))
          << h << " " << g;
    }
    Execute("M_BTMM 0, gp1, gp0\nM_BMM_WO gp8, 0");
    for (int g = 0; g < 4; ++g) {
      EXPECT_EQ(
          Rows(100 + static_cast<std::uint64_t>(g) * 64, 64),
          Rounded(kScale * (rows_.middleCols(g * 16, 16) * tile_.middleCols(h, 16).transpose())))
          << h << " " << g;
    }
  }
}

// The same random programs of products, data of any size, with and without the processor's FMA.
TEST_F(MatrixOracle, ThePortableMultiplyAddGivesTheSameBits) {
  std::mt19937 random(7);
  for (std::uint64_t i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      state->vram.Write(i)[j] = static_cast<isa::Bf16>(random() % 0x7000 + (random() & 1) * 0x8000);
      const auto bits = static_cast<std::uint32_t>(random() % 0x7000 + (random() & 1) * 0x8000);
      state->mram.Write(3)[i * 64 + static_cast<std::uint64_t>(j)] =
          std::bit_cast<float>(bits << 16);
    }
  }
  state->registers.gp[1] = 3 * 4096;
  const emulator::MachineState start = *state;
  const char* const text =
      "M_MM 0, gp1, gp0\nM_MM_WO gp8, gp0, 0\nM_TMM 0, gp0, gp1\nM_MM_WO gp8, gp0, 4\n"
      "M_BMM 0, gp1, gp0\nM_BMM_WO gp8, 256\nM_BTMV 0, gp1, gp0\nM_BMV_WO gp8, 64\n"
      "M_MV 0, gp1, gp0";
  Execute(text);
  const emulator::MachineState with_hardware = *state;
  *state = start;
  options.fused_multiply = emulator::FusedMultiply::kPortable;
  Execute(text);
  EXPECT_TRUE(*state == with_hardware);
}

}  // namespace
}  // namespace moescope::test
