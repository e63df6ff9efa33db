// What the executor tells a timing model about each instruction.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/run.h"
#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

using emulator::Access;
using emulator::Cycle;
using emulator::Rows;

// Keeps a copy of every access; takes no time.
class AccessRecorder : public emulator::TimingModel {
 public:
  void Describe(const isa::Program&, emulator::RunDescription&) const override {}
  Cycle Execute(const emulator::Executed& executed, emulator::EventSink& sink) override {
    accesses.push_back(*executed.access);
    mnemonics.emplace_back(executed.instruction->mnemonic);
    sequences.push_back(executed.sequence);
    pcs.push_back(executed.pc);
    sink.Accept({executed.sequence, executed.pc, 0});
    return 0;
  }
  Cycle Now() const override { return 0; }
  Cycle Drain(emulator::EventSink&) override { return ++drained; }
  Cycle Cut(emulator::EventSink&) override { return ++cut; }
  void Close(emulator::RunEnd&) const override {}

  std::vector<Access> accesses;
  std::vector<std::string> mnemonics;
  std::vector<std::uint64_t> sequences;
  std::vector<std::uint32_t> pcs;
  Cycle drained = 0;
  Cycle cut = 0;
};

class AccessTest : public MachineFixture {
 protected:
  AccessTest() {
    for (std::uint32_t i = 1; i < 16; ++i) state->registers.gp[i] = 4 * i;  // row i
    state->registers.gp[9] = 16;                                            // tile 1
  }
  const Access& Of(std::string_view text) {
    timing = {};
    state->pc = 0;
    end = emulator::Run(AssembleText(text), machine, *state, &timing, {}, options);
    EXPECT_TRUE(end.complete()) << (end.fault ? end.fault->text : "");
    return timing.accesses.back();
  }
  AccessRecorder timing;
  emulator::RunEnd end;
};

void ExpectOnly(const Access& access, Rows read0, Rows read1, Rows write) {
  EXPECT_EQ(access.vram_read[0], read0);
  EXPECT_EQ(access.vram_read[1], read1);
  EXPECT_EQ(access.vram_write, write);
  EXPECT_FALSE(access.jumped);
}

constexpr Rows kNone{};

TEST_F(AccessTest, VectorInstructions) {
  ExpectOnly(Of("V_ADD_VV gp1, gp2, gp3"), {2, 1, 1}, {3, 1, 1}, {1, 1, 1});
  ExpectOnly(Of("V_SUB_VF gp1, gp2, f1"), {2, 1, 1}, kNone, {1, 1, 1});
  ExpectOnly(Of("V_EXP_V gp4, gp5"), {5, 1, 1}, kNone, {4, 1, 1});
  ExpectOnly(Of("V_SHFT_V gp4, gp5, gp6"), {5, 1, 1}, kNone, {4, 1, 1});
  ExpectOnly(Of("V_RED_SUM f1, gp5"), {5, 1, 1}, kNone, kNone);
  ExpectOnly(Of("V_RED_MAX f0, gp5"), {5, 1, 1}, kNone, kNone);
  const Access& topk = Of("V_TOPK gp0, gp5, gp0, 0");
  ExpectOnly(topk, {5, 8, 1}, kNone, kNone);  // 32 experts in rows of 4
  EXPECT_EQ(topk.topk_experts, 32u);
}

TEST_F(AccessTest, ScalarAndControlInstructionsTouchNoRows) {
  for (const char* text : {"S_ADD_INT gp1, gp0, gp0", "S_LD_FP f1, gp0, 3", "S_ADD_FP f1, f2, f3",
                           "C_SET_STRIDE_REG gp0", "S_ST_INT gp0, gp0, 0"}) {
    ExpectOnly(Of(text), kNone, kNone, kNone);
    EXPECT_FALSE(timing.accesses.back().has_transfer);
  }
  ExpectOnly(Of("S_MAP_V_FP gp3, gp0, 0"), kNone, kNone, {3, 1, 1});
}

TEST_F(AccessTest, MatrixInstructions) {
  const char* const kTransposed[] = {"M_TMM 0, gp2, gp9", "M_TMV 0, gp2, gp9"};
  EXPECT_EQ(Of("M_MM 0, gp9, gp2").mram_read, (Rows{1, 1, 1}));
  ExpectOnly(timing.accesses.back(), {2, 2, 1}, kNone, kNone);
  EXPECT_EQ(Of(kTransposed[0]).mram_read, (Rows{1, 1, 1}));
  ExpectOnly(timing.accesses.back(), {2, 2, 1}, kNone, kNone);
  ExpectOnly(Of(kTransposed[1]), {2, 1, 1}, kNone, kNone);
  ExpectOnly(Of("M_MV 0, gp9, gp2"), {2, 1, 1}, kNone, kNone);
  ExpectOnly(Of("M_BMM 0, gp9, gp2"), {2, 4, 1}, kNone, kNone);
  ExpectOnly(Of("M_BTMV gp0, gp9, gp2"), {2, 1, 1}, kNone, kNone);
  EXPECT_EQ(timing.accesses.back().mram_write, kNone);
}

TEST_F(AccessTest, WriteOuts) {
  state->registers.gp[10] = 5;
  ExpectOnly(Of("M_MM_WO gp3, gp0, 2"), kNone, kNone, {3, 2, 1});
  ExpectOnly(Of("M_MM_WO gp3, gp10, 0"), kNone, kNone, {3, 2, 5});
  ExpectOnly(Of("M_MV_WO gp3, 0"), kNone, kNone, {3, 1, 1});
  ExpectOnly(Of("M_BMM_WO gp3, 0"), kNone, kNone, {3, 8, 1});
  ExpectOnly(Of("M_BMV_WO gp3, 4"), kNone, kNone, {4, 2, 1});
}

TEST_F(AccessTest, Transfers) {
  state->registers.address[1] = 1000;
  state->registers.scale = 500;
  state->registers.stride = 12;
  const Access& tile = Of("H_PREFETCH_M gp9, gp3, a1, 1");
  EXPECT_EQ(tile.mram_write, (Rows{1, 1, 1}));
  ExpectOnly(tile, kNone, kNone, kNone);
  ASSERT_TRUE(tile.has_transfer);
  EXPECT_FALSE(tile.transfer.is_store);
  EXPECT_EQ(tile.transfer.rows, 4u);
  EXPECT_EQ(tile.transfer.element_address, 1012u);
  EXPECT_EQ(tile.transfer.element_step, 12u);
  EXPECT_EQ(tile.transfer.element_bytes, 4u);
  EXPECT_EQ(tile.transfer.scale_address, 1503u);
  EXPECT_EQ(tile.transfer.scale_step, 3u);
  EXPECT_EQ(tile.transfer.scale_bytes, 1u);

  const Access& rows = Of("H_PREFETCH_V gp3, gp0, a1, 0, 1");
  ExpectOnly(rows, kNone, kNone, {3, 2, 1});
  EXPECT_EQ(rows.transfer.rows, 2u);
  EXPECT_EQ(rows.transfer.element_bytes, 8u);  // Plain bf16
  EXPECT_EQ(rows.transfer.element_step, 8u);
  EXPECT_EQ(rows.transfer.scale_bytes, 0u);

  const Access& store = Of("H_STORE_V gp3, gp0, a1");
  ExpectOnly(store, {3, 2, 1}, kNone, kNone);
  EXPECT_TRUE(store.transfer.is_store);
}

TEST_F(AccessTest, LoopEndsSayWhetherTheyJumped) {
  Of("C_LOOP_START gp1, 2\nC_LOOP_END gp1");
  ASSERT_EQ(timing.accesses.size(), 3u);
  EXPECT_FALSE(timing.accesses[0].jumped);
  EXPECT_TRUE(timing.accesses[1].jumped);
  EXPECT_FALSE(timing.accesses[2].jumped);
  EXPECT_EQ(timing.pcs, (std::vector<std::uint32_t>{0, 1, 1}));
  EXPECT_EQ(timing.sequences, (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST_F(AccessTest, NothingIsCarriedOverToTheNextInstruction) {
  Of("H_PREFETCH_M gp9, gp0, a0\nV_ADD_VV gp1, gp2, gp3\nV_TOPK gp0, gp5, gp0, 0\n"
     "S_ADDI_INT gp1, gp0, 0");
  ASSERT_EQ(timing.accesses.size(), 4u);
  EXPECT_FALSE(timing.accesses[1].has_transfer);
  EXPECT_EQ(timing.accesses[1].mram_write, kNone);
  EXPECT_EQ(timing.accesses[3].topk_experts, 0u);
  ExpectOnly(timing.accesses[3], kNone, kNone, kNone);
}

TEST_F(AccessTest, CompleteRunsDrainAndOthersAreCut) {
  Of("C_BREAK");
  EXPECT_EQ(timing.drained, 1u);
  EXPECT_EQ(timing.cut, 0u);
  EXPECT_EQ(end.cycles, 1u);
  timing = {};
  state->pc = 0;
  end = emulator::Run(AssembleText("S_LD_INT gp1, gp0, 64"), machine, *state, &timing, {}, {});
  EXPECT_EQ(timing.drained, 0u);
  EXPECT_EQ(timing.cut, 1u);
  EXPECT_TRUE(timing.accesses.empty());
}

}  // namespace
}  // namespace moescope::test
