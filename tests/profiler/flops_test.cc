#include "profiler/flops.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "isa/instruction_set.h"

namespace moescope::profiler {
namespace {

emulator::RunDescription Machine() {
  emulator::RunDescription run;
  run.mlen = run.vlen = 64;
  run.blen = 4;
  run.hlen = 16;
  run.broadcast = 4;
  return run;
}

Flops Of(const char* mnemonic, const emulator::RunDescription& run = Machine()) {
  return FlopsOf(isa::InstructionSet::Builtin().Find(mnemonic)->timing, run);
}

// Counted by hand from the result shapes of isa.md: a multiply-add is two operations.
TEST(FlopsTest, HandCountedExamples) {
  const struct {
    const char* mnemonic;
    Flops flops;
  } rows[] = {
      {"M_MM", {.matrix = 2 * 64 * 4 * 4}},
      {"M_TMM", {.matrix = 2048}},
      {"M_MV", {.matrix = 2 * 64 * 4}},
      {"M_TMV", {.matrix = 512}},
      {"M_BMM", {.matrix = 2ull * 4 * 64 * 64 * 16}},
      {"M_BTMM", {.matrix = 524'288}},
      {"M_BMV", {.matrix = 2 * 4 * 64 * 16}},
      {"M_BTMV", {.matrix = 8192}},
      {"M_MM_WO", {}},
      {"M_BMV_WO", {}},
      {"V_ADD_VV", {.vector = 64}},
      {"V_SUB_VF", {.vector = 64}},
      {"V_MUL_VV", {.vector = 64}},
      {"V_EXP_V", {.vector = 64}},
      {"V_RECI_V", {.vector = 64}},
      {"V_MAX_VF", {.vector = 64}},
      {"V_MIN_VF", {.vector = 64}},
      {"V_RED_SUM", {.vector = 64}},
      {"V_RED_MAX", {.vector = 64}},
      {"V_SHFT_V", {}},
      {"V_TOPK", {}},
      {"S_ADD_FP", {.scalar = 1}},
      {"S_MUL_FP", {.scalar = 1}},
      {"S_MAX_FP", {.scalar = 1}},
      {"S_EXP_FP", {.scalar = 1}},
      {"S_RECI_FP", {.scalar = 1}},
      {"S_SQRT_FP", {.scalar = 1}},
      {"S_LD_FP", {}},
      {"S_ST_FP", {}},
      {"S_MAP_V_FP", {}},
      {"S_ADD_INT", {}},
      {"C_LOOP_END", {}},
      {"H_PREFETCH_M", {}},
  };
  for (const auto& row : rows) EXPECT_EQ(Of(row.mnemonic), row.flops) << row.mnemonic;
}

// The roofline example: a 64 x 64 tile used by one slot of four rows is 16 M_MM.
TEST(FlopsTest, OneTileOfOneSlot) { EXPECT_EQ(16 * Of("M_MM").matrix, 32'768u); }

TEST(FlopsTest, LargeMachinesDoNotOverflow) {
  emulator::RunDescription run = Machine();
  run.mlen = run.vlen = 2048;
  run.blen = run.hlen = 128;
  run.broadcast = 16;
  EXPECT_EQ(Of("M_BMM", run).matrix, 2ull * 2048 * 2048 * 16 * 128);
  EXPECT_EQ(Of("M_MM", run).matrix, 2ull * 2048 * 128 * 128);
}

TEST(FlopsTest, EveryInstructionIsOfOneKind) {
  for (const isa::Instruction& instruction : isa::InstructionSet::Builtin().instructions()) {
    const Flops flops = FlopsOf(instruction.timing, Machine());
    const int kinds = (flops.matrix > 0) + (flops.vector > 0) + (flops.scalar > 0);
    EXPECT_LE(kinds, 1) << instruction.mnemonic;
    const char first = instruction.mnemonic[0];
    if (flops.matrix > 0) {
      EXPECT_EQ(first, 'M') << instruction.mnemonic;
    }
    if (flops.vector > 0) {
      EXPECT_EQ(first, 'V') << instruction.mnemonic;
    }
    if (flops.scalar > 0) {
      EXPECT_EQ(first, 'S') << instruction.mnemonic;
    }
  }
}

}  // namespace
}  // namespace moescope::profiler
