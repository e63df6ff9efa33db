// Every arithmetic instruction over all pairs of special values: zeros, subnormals, the ends of the
// range, infinities and NaNs with and without payload. The executor against the naive machine, and
// the naive machine's own rounding against one written here bit by bit.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "emulator/execute/executor.h"
#include "isa/table.h"
#include "tests/emulator/machine_fixture.h"
#include "tests/emulator/naive_machine.h"

namespace moescope::test {
namespace {

using emulator::MachineDescription;
using isa::Bf16;

constexpr Bf16 kSpecial[] = {
    0x0000, 0x8000,                                  // zeros
    0x0001, 0x8001,                                  // the smallest subnormals
    0x007F, 0x807F,                                  // the largest subnormals
    0x0080, 0x8080,                                  // the smallest normal numbers
    0x3F80, 0xBF80,                                  // 1
    0x3F7F, 0x3F81,                                  // its neighbours
    0x3F00, 0x4000, 0x4049, 0xC2C8, 0x42B1, 0x42B2,  // 0.5, 2, pi, -100, 88.5, 89: around exp's end
    0x7F7F, 0xFF7F,                                  // the largest
    0x7F80, 0xFF80,                                  // infinities
    0x7FC0, 0xFFC0, 0x7F81, 0xFFA5,                  // NaNs, quiet and signalling
};

// Round to nearest even, NaN to 0x7FC0, worked on the bits.
Bf16 Rounded(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return 0x7FC0;
  const std::uint32_t kept = bits >> 16;
  const std::uint32_t rest = bits & 0xFFFF;
  const bool up = rest > 0x8000 || (rest == 0x8000 && (kept & 1) != 0);
  return static_cast<Bf16>(kept + (up ? 1 : 0));
}

float Value(Bf16 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16); }

// The expected result of a two-operand instruction from the definition alone; nothing for the
// others.
std::optional<Bf16> Expected(const std::string& name, Bf16 x, Bf16 y) {
  const float a = Value(x);
  const float b = Value(y);
  if (name == "S_ADD_FP" || name == "V_ADD_VV" || name == "V_ADD_VF") return Rounded(a + b);
  if (name == "S_SUB_FP" || name == "V_SUB_VV" || name == "V_SUB_VF") return Rounded(a - b);
  if (name == "S_MUL_FP" || name == "V_MUL_VV" || name == "V_MUL_VF") return Rounded(a * b);
  if (name == "S_RECI_FP" || name == "V_RECI_V") return Rounded(1.0f / a);
  if (name == "S_SQRT_FP") return Rounded(std::sqrt(a));
  const bool nan = std::isnan(a) || std::isnan(b);
  if (name == "S_MAX_FP" || name == "V_MAX_VF") return nan ? Bf16{0x7FC0} : b > a ? y : x;
  if (name == "V_MIN_VF") return nan ? Bf16{0x7FC0} : b < a ? y : x;
  return std::nullopt;
}

std::string MnemonicOf(const testing::TestParamInfo<const char*>& info) { return info.param; }

class SpecialValues : public testing::TestWithParam<const char*> {
 protected:
  SpecialValues() : machine(SmallMachine()), state(machine), naive(machine) {}

  const isa::Instruction& Row() const { return *isa::InstructionSet::Builtin().Find(GetParam()); }
  // Executes on both; they must agree on everything.
  void ExecuteBoth(const isa::Operands& operands) {
    emulator::Executor executor(machine, state, {});
    ASSERT_EQ(Row().execute(executor, operands), isa::Step::kNext);
    ASSERT_FALSE(naive.Execute(Row(), operands).has_value());
    ASSERT_TRUE(naive.Agrees(state));
  }
  void SetFp(std::uint8_t reg, Bf16 value) { naive.r.fp[reg] = state.registers.fp[reg] = value; }
  void SetLanes(std::uint64_t row, const std::vector<Bf16>& lanes) {
    for (std::uint64_t i = 0; i < lanes.size(); ++i) {
      naive.vram[row * machine.shape.vlen + i] = lanes[i];
      state.vram.Write(row)[i] = lanes[i];
    }
  }

  MachineDescription machine;
  emulator::MachineState state;
  NaiveMachine naive;
};

class ScalarSpecials : public SpecialValues {};

TEST_P(ScalarSpecials, EveryPair) {
  const std::string name = GetParam();
  for (const Bf16 x : kSpecial) {
    for (const Bf16 y : kSpecial) {
      SCOPED_TRACE(testing::Message() << std::hex << x << ", " << y);
      SetFp(1, x);
      SetFp(2, y);
      ExecuteBoth({.rd = 3, .rs1 = 1, .rs2 = 2});
      if (const auto expected = Expected(name, x, y)) {
        ASSERT_EQ(state.registers.fp[3], *expected);
      }
      // The destination may be a source; f0 stays 0.
      ExecuteBoth({.rd = 1, .rs1 = 1, .rs2 = 2});
      ExecuteBoth({.rd = 0, .rs1 = 2, .rs2 = 1});
      ASSERT_EQ(state.registers.fp[0], 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ScalarSpecials,
                         testing::Values("S_ADD_FP", "S_SUB_FP", "S_MUL_FP", "S_MAX_FP", "S_EXP_FP",
                                         "S_RECI_FP", "S_SQRT_FP"),
                         MnemonicOf);

class VectorSpecials : public SpecialValues {};

TEST_P(VectorSpecials, EveryPairInEveryLane) {
  const std::string name = GetParam();
  const std::uint32_t vlen = machine.shape.vlen;
  naive.r.gp[4] = state.registers.gp[4] = vlen;      // row 1
  naive.r.gp[5] = state.registers.gp[5] = 2 * vlen;  // row 2
  naive.r.gp[6] = state.registers.gp[6] = 3 * vlen;  // row 3
  for (const std::uint32_t mask : {0u, 1u, 2u, 3u}) {
    naive.r.vector_mask = state.registers.vector_mask = mask;
    for (std::size_t i = 0; i < std::size(kSpecial); ++i) {
      for (std::size_t j = 0; j < std::size(kSpecial); ++j) {
        std::vector<Bf16> a, b, old;
        for (std::uint32_t lane = 0; lane < vlen; ++lane) {
          a.push_back(kSpecial[(i + lane) % std::size(kSpecial)]);
          b.push_back(kSpecial[(j + 3 * lane) % std::size(kSpecial)]);
          old.push_back(static_cast<Bf16>(0x4100 + lane));
        }
        SetLanes(1, a);
        SetLanes(2, b);
        SetLanes(3, old);
        SetFp(2, kSpecial[j]);
        const bool is_vv = name.ends_with("_VV");
        const auto second = static_cast<std::uint8_t>(is_vv ? 5 : 2);
        isa::Operands operands{.rd = 6, .rs1 = 4, .rs2 = second};
        if (name == "V_EXP_V" || name == "V_RECI_V") operands.rs2 = 0;
        if (name == "V_SHFT_V") {
          operands.rs2 = 7;
          naive.r.gp[7] = state.registers.gp[7] = static_cast<std::uint32_t>(j % (vlen + 2));
        } else {
          operands.rs3 = mask == 0 ? 0 : 1;
        }
        SCOPED_TRACE(testing::Message() << i << ", " << j << ", mask " << mask);
        ExecuteBoth(operands);
        if (operands.rs3 != 0 || HasFatalFailure()) continue;
        for (std::uint32_t lane = 0; lane < vlen; ++lane) {
          const Bf16 y = is_vv ? b[lane] : kSpecial[j];
          if (const auto expected = Expected(name, a[lane], y)) {
            ASSERT_EQ(state.vram.Read(3)[lane], *expected) << "lane " << lane;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, VectorSpecials,
                         testing::Values("V_ADD_VV", "V_SUB_VV", "V_MUL_VV", "V_ADD_VF", "V_SUB_VF",
                                         "V_MUL_VF", "V_MAX_VF", "V_MIN_VF", "V_EXP_V", "V_RECI_V",
                                         "V_SHFT_V"),
                         MnemonicOf);

class ReductionSpecials : public SpecialValues {};

TEST_P(ReductionSpecials, EveryStartAndEveryRotation) {
  naive.r.gp[4] = state.registers.gp[4] = machine.shape.vlen;
  for (const auto reduction :
       {emulator::MaskedReduction::kEnabled, emulator::MaskedReduction::kReference}) {
    machine.dialect.masked_reduction = reduction;
    for (const std::uint32_t mask : {0u, 1u, 2u, 3u}) {
      naive.r.vector_mask = state.registers.vector_mask = mask;
      for (const Bf16 start : kSpecial) {
        for (std::size_t i = 0; i < std::size(kSpecial); ++i) {
          std::vector<Bf16> lanes;
          for (std::uint32_t lane = 0; lane < machine.shape.vlen; ++lane) {
            lanes.push_back(kSpecial[(i + lane) % std::size(kSpecial)]);
          }
          SetLanes(1, lanes);
          SetFp(3, start);
          SCOPED_TRACE(testing::Message() << std::hex << start << ", from " << i);
          ExecuteBoth({.rd = 3, .rs1 = 4, .rs3 = static_cast<std::uint8_t>(mask == 0 ? 0 : 1)});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReductionSpecials, testing::Values("V_RED_SUM", "V_RED_MAX"),
                         MnemonicOf);

class MatrixSpecials : public SpecialValues {};

// Products and sums with infinities, NaNs and subnormals, accumulated three times and written out.
TEST_P(MatrixSpecials, RotationsThroughTileAndVectors) {
  const std::string name = GetParam();
  const std::uint32_t mlen = machine.shape.mlen;
  const bool vector_first = name == "M_TMM" || name == "M_TMV";
  const std::uint32_t rows = name.ends_with("MV") ? 1 : mlen;
  naive.r.gp[5] = state.registers.gp[5] = mlen * mlen;  // tile 1
  naive.r.gp[6] = state.registers.gp[6] = 8 * mlen;     // row 8
  naive.r.gp[7] = state.registers.gp[7] = 16 * mlen;    // row 16
  const isa::Operands operands{.rs1 = static_cast<std::uint8_t>(vector_first ? 6 : 5),
                               .rs2 = static_cast<std::uint8_t>(vector_first ? 5 : 6)};
  const std::string write_out = name.starts_with("M_BM") || name.starts_with("M_BTM")
                                    ? (rows == 1 ? "M_BMV_WO" : "M_BMM_WO")
                                    : (rows == 1 ? "M_MV_WO" : "M_MM_WO");
  for (std::size_t i = 0; i < std::size(kSpecial); ++i) {
    for (std::size_t step : {1u, 5u, 7u}) {
      for (std::uint32_t k = 0; k < mlen * mlen; ++k) {
        const float value = Value(kSpecial[(i + k) % std::size(kSpecial)]);
        naive.mram[mlen * mlen + k] = value;
        state.mram.Write(1)[k] = value;
      }
      for (std::uint32_t row = 0; row < rows; ++row) {
        std::vector<Bf16> lanes;
        for (std::uint32_t lane = 0; lane < mlen; ++lane) {
          lanes.push_back(kSpecial[(step * (row * mlen + lane) + i) % std::size(kSpecial)]);
        }
        SetLanes(8 + row, lanes);
      }
      ExecuteBoth(operands);
      if (HasFatalFailure()) return;
    }
    const isa::Instruction& row = *isa::InstructionSet::Builtin().Find(write_out);
    emulator::Executor executor(machine, state, {});
    ASSERT_EQ(row.execute(executor, {.rd = 7}), isa::Step::kNext);
    ASSERT_FALSE(naive.Execute(row, {.rd = 7}).has_value());
    ASSERT_TRUE(naive.Agrees(state)) << "written out: NaN becomes 0x7FC0, finite values round";
  }
}

INSTANTIATE_TEST_SUITE_P(All, MatrixSpecials,
                         testing::Values("M_MM", "M_TMM", "M_BMM", "M_BTMM", "M_MV", "M_TMV",
                                         "M_BMV", "M_BTMV"),
                         MnemonicOf);

// Top-k with NaN, infinities and ties: NaN counts as the smallest, ties go to the lower id.
TEST(TopKSpecials, EveryRotationOfTheSpecialValues) {
  MachineDescription machine = SmallMachine();
  emulator::MachineState state(machine);
  NaiveMachine naive(machine);
  const isa::Instruction& set = *isa::InstructionSet::Builtin().Find("C_SET_TOPK_REG");
  const isa::Instruction& topk = *isa::InstructionSet::Builtin().Find("V_TOPK");
  emulator::Executor executor(machine, state, {});
  for (const std::uint32_t k : {1u, 2u, 5u}) {
    for (const std::uint32_t experts : {5u, 16u, 26u}) {
      naive.r.gp[3] = state.registers.gp[3] = experts << 8 | k;
      set.execute(executor, {.rd = 3});
      naive.Execute(set, {.rd = 3});
      for (std::size_t i = 0; i < std::size(kSpecial); ++i) {
        for (std::uint32_t lane = 0; lane < 28; ++lane) {
          const Bf16 value = kSpecial[(i + lane * 7) % std::size(kSpecial)];
          naive.vram[lane] = value;
          state.vram.Write(lane / machine.shape.vlen)[lane % machine.shape.vlen] = value;
        }
        executor.ForgetChosenExperts();
        ASSERT_EQ(topk.execute(executor, {.rs3 = 15}), isa::Step::kNext);
        ASSERT_FALSE(naive.Execute(topk, {.rs3 = 15}).has_value());
        ASSERT_TRUE(naive.Agrees(state)) << "experts " << experts << ", k " << k << ", " << i;
      }
    }
  }
}

// The definition used above, on every bf16 value: rounding a value that already is one keeps it.
TEST(Rounding, IsTheIdentityOnBf16AndAgreesWithTheLibrary) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto x = static_cast<Bf16>(bits);
    if (std::isnan(Value(x))) {
      EXPECT_EQ(Rounded(Value(x)), 0x7FC0);
    } else {
      ASSERT_EQ(Rounded(Value(x)), x);
      // Halfway to the next value, one bit less and one bit more.
      for (const std::uint32_t rest : {0x7FFFu, 0x8000u, 0x8001u}) {
        const float between = std::bit_cast<float>(bits << 16 | rest);
        ASSERT_TRUE(std::isnan(between) || isa::FloatToBf16(between) == Rounded(between));
      }
    }
  }
}

}  // namespace
}  // namespace moescope::test
