// The run loop: limits, interrupts, events, effects, structures and the plain executor.

#include "emulator/run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "emulator/explanations.h"
#include "tests/emulator/counting_listener.h"
#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

using emulator::EndReason;
using emulator::RunEnd;

constexpr char kLongLoop[] =
    "C_LOOP_START gp1, 4194303\nS_ADDI_INT gp2, gp2, 1\nC_LOOP_END gp1\nS_ADDI_INT gp3, gp0, 1";

class RunTest : public MachineFixture {
 protected:
  RunEnd Timed(std::string_view text) {
    state->pc = 0;
    program = AssembleText(text);
    emulator::Listener* listeners[] = {&counts};
    return emulator::Run(program, machine, *state, listeners, options);
  }
  isa::Program program;
  CountingListener counts;
};

TEST_F(RunTest, AnInstructionLimitEndsAtItsBoundary) {
  for (const std::uint64_t limit : {0u, 1u, 2u, 1000u, 1001u}) {
    Reset();
    counts = {};
    options.limits.max_instructions = limit;
    const RunEnd end = Timed(kLongLoop);
    EXPECT_EQ(end.reason, EndReason::kMaxInstructions);
    EXPECT_EQ(end.instructions, limit);
    EXPECT_EQ(end.limit, limit);
    EXPECT_EQ(end.cycles, limit);
    EXPECT_EQ(end.pc, limit == 0 ? 0u : limit == 1 ? 1u : limit % 2 == 0 ? 2u : 1u);
    EXPECT_EQ(counts.attributed, end.cycles);
  }
}

TEST_F(RunTest, ACycleLimitEndsBeforeTheFirstInstructionAfterIt) {
  options.limits.max_cycles = 5;
  SetTile(0, std::vector<float>(16, 1));
  const RunEnd end = Timed("S_ADDI_INT gp1, gp0, 0\nM_MM 0, gp0, gp0\nM_MM 0, gp0, gp0");
  EXPECT_EQ(end.reason, EndReason::kMaxCycles);  // 1 + MLEN 4 = 5 cycles have passed
  EXPECT_EQ(end.instructions, 2u);
  EXPECT_EQ(end.cycles, 5u);
  EXPECT_EQ(end.limit, 5u);
  options.limits.max_cycles = 6;
  EXPECT_EQ(Timed("S_ADDI_INT gp1, gp0, 0\nM_MM 0, gp0, gp0\nM_MM 0, gp0, gp0").reason,
            EndReason::kEnd);
}

TEST_F(RunTest, AProgramThatEndsAtTheLimitEnds) {
  options.limits.max_instructions = 2;
  EXPECT_EQ(Timed("S_ADDI_INT gp1, gp0, 0\nS_ADDI_INT gp1, gp0, 0").reason, EndReason::kEnd);
}

TEST_F(RunTest, ATimeLimitEndsALongRun) {
  options.limits.timeout = std::chrono::milliseconds(1);
  const RunEnd end = Timed(kLongLoop);
  EXPECT_EQ(end.reason, EndReason::kTimeout);
  EXPECT_LT(end.instructions, 8388606u);
  EXPECT_EQ(counts.attributed, end.cycles);
}

TEST_F(RunTest, AnInterruptEndsTheRunWithItsSignal) {
  std::atomic<int> interrupt = 15;
  options.limits.interrupt = &interrupt;
  const RunEnd end = Timed(kLongLoop);
  EXPECT_EQ(end.reason, EndReason::kInterrupt);
  EXPECT_EQ(end.signal, 15);
  EXPECT_TRUE(end.pc.has_value());
}

TEST_F(RunTest, ProgressIsReportedNowAndThen) {
  std::vector<std::uint64_t> instructions;
  options.on_progress = [&](const emulator::Progress& p) {
    instructions.push_back(p.instructions);
    EXPECT_EQ(p.cycle, p.instructions);
  };
  options.limits.max_instructions = 100000;
  Timed(kLongLoop);
  EXPECT_GE(instructions.size(), 3u);
  EXPECT_TRUE(std::is_sorted(instructions.begin(), instructions.end()));
}

TEST_F(RunTest, AFaultIsCutWhereItHappened) {
  const RunEnd end = Timed("S_ADDI_INT gp1, gp0, 1\nS_ADDI_INT gp1, gp0, 1\nS_LD_INT gp1, gp0, 99");
  EXPECT_EQ(end.reason, EndReason::kFault);
  EXPECT_EQ(end.pc, 2u);
  EXPECT_EQ(end.instructions, 2u);
  EXPECT_EQ(end.cycles, 2u);
  EXPECT_EQ(counts.accepted, 2u);  // none for the faulting instruction
}

TEST_F(RunTest, ARunCanGoOnFromAnyPc) {
  const isa::Program text = AssembleText("S_ADDI_INT gp1, gp1, 1\nS_ADDI_INT gp1, gp1, 2");
  options.limits.max_instructions = 1;
  emulator::Run(text, machine, *state, nullptr, {}, options);
  EXPECT_EQ(state->pc, 1u);
  EXPECT_EQ(Gp(1), 1u);
  emulator::Run(text, machine, *state, nullptr, {}, options);
  EXPECT_EQ(Gp(1), 3u);
}

TEST_F(RunTest, ThePlainExecutorAcceptsEverythingAtCycleZero) {
  emulator::Listener* listeners[] = {&counts};
  const isa::Program text = AssembleText("S_ADDI_INT gp1, gp0, 3\nV_ADD_VV gp0, gp0, gp0");
  const RunEnd end = emulator::Run(text, machine, *state, nullptr, listeners, {});
  EXPECT_EQ(end.cycles, 0u);
  EXPECT_EQ(counts.accepted, 2u);
  EXPECT_EQ(counts.attributed, 0u);
  EXPECT_TRUE(counts.description.reasons.empty());
}

TEST_F(RunTest, TheDescriptionTellsTheMachineAndTheModel) {
  machine.dialect.convention = isa::Convention::kReference;
  Reset();
  options.images = {{"hbm", 64, "sha256:x"}};
  Timed("M_MM 0, gp0, gp0\nC_SET_TOPK_REG gp1\n.word 0");
  const emulator::RunDescription& d = counts.description;
  EXPECT_EQ(d.program, &program);
  EXPECT_EQ(d.machine_name, "small");
  EXPECT_EQ(d.timing_model, "serial");
  EXPECT_EQ(d.hbm_model, "dram");
  EXPECT_EQ(d.number_convention, "reference");
  EXPECT_EQ(d.scale_rule, "reference");
  using Dialect = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(d.dialect, (Dialect{{"convention", "reference"},
                                {"scale_rule", "reference"},
                                {"masked_reduction", "enabled"},
                                {"scale_read", "complete"},
                                {"bmm_scale", "0.70710677"},
                                {"strict_encoding", "false"}}));
  EXPECT_EQ(d.mlen, 4u);
  EXPECT_EQ(d.broadcast, 2u);
  EXPECT_EQ(d.hbm_peak_bytes_per_kcycle, 128000u);
  EXPECT_EQ(d.images.size(), 1u);
  EXPECT_EQ(d.cost_class, (std::vector<emulator::CostClass>{emulator::CostClass::kDerived,
                                                            emulator::CostClass::kExtrapolated,
                                                            emulator::CostClass::kUnsupported}));
  EXPECT_EQ(d.issue_model,
            "serial: one instruction at a time, H_* block, dc_lib_en column of LATENCY, HBM dram");
}

TEST_F(RunTest, StructuresTellHowFarAProgramReached) {
  const RunEnd end = Timed(
      "S_LD_INT gp1, gp0, 9\nS_LD_FP f1, gp0, 3\nC_LOOP_START gp1, 1\nC_LOOP_START gp2, 1\n"
      "C_LOOP_END gp2\nC_LOOP_END gp1\nS_ADDI_INT gp3, gp0, 20\nV_ADD_VV gp3, gp0, gp0\n"
      "V_ADD_VV gp0, gp0, gp0\nM_MM 0, gp0, gp0\nH_PREFETCH_V gp0, gp0, a0");
  std::map<std::string, emulator::Structure> structures;
  for (const emulator::Structure& s : end.structures) structures[s.name] = s;
  EXPECT_EQ(structures["int_mem_words"].high_water, 10u);
  EXPECT_EQ(structures["int_mem_words"].capacity, 64u);
  EXPECT_EQ(structures["fp_mem_words"].high_water, 4u);
  EXPECT_EQ(structures["fp_mem_words"].cycle, 1u);
  EXPECT_EQ(structures["loop_depth"].high_water, 2u);
  EXPECT_FALSE(structures["loop_depth"].capacity.has_value());
  EXPECT_EQ(structures["vram_rows"].high_water, 6u);
  EXPECT_EQ(structures["vram_rows"].cycle, 7u);
  EXPECT_EQ(structures["mram_tiles"].high_water, 1u);
  EXPECT_EQ(structures["hbm_address"].high_water, 8u);
}

TEST_F(RunTest, AFaultingInstructionRaisesNoHighWaterMark) {
  const RunEnd end = Timed(
      "S_ADDI_INT gp1, gp0, 8\nS_ADDI_INT gp2, gp0, 256\n"
      "V_ADD_VV gp1, gp1, gp2");
  ASSERT_EQ(end.reason, EndReason::kFault);
  for (const emulator::Structure& s : end.structures) EXPECT_EQ(s.high_water, 0u) << s.name;
}

class EffectRecorder : public emulator::Listener {
 public:
  bool WantsEffects() const override { return true; }
  void OnAccepted(const emulator::Accepted& e) override {
    log.push_back("pc " + std::to_string(e.pc));
  }
  void OnEffect(const emulator::Effect& e) override {
    log.push_back(std::to_string(static_cast<int>(e.kind)) + ": " + std::to_string(e.first) + ".." +
                  std::to_string(e.last) + " = " + std::to_string(e.value) + " (" +
                  std::to_string(e.bytes.size()) + ")");
    if (!e.bytes.empty()) bytes.assign(e.bytes.begin(), e.bytes.end());
  }
  std::vector<std::string> log;
  std::string bytes;
};

TEST_F(RunTest, EffectsFollowTheirInstruction) {
  EffectRecorder recorder_of_effects;
  emulator::Listener* listeners[] = {&recorder_of_effects};
  SetRow(0, {1, 2, 3, 4});
  SetFp(1, 1);
  const isa::Program text = AssembleText(
      "S_ADDI_INT gp1, gp0, 4\nS_ADDI_INT gp0, gp0, 4\nS_ST_INT gp1, gp0, 5\nS_ST_FP f1, gp0, 6\n"
      "S_ADD_FP f2, f1, f1\nC_SET_ADDR_REG a1, gp0, gp1\nV_ADD_VV gp1, gp0, gp0\n"
      "M_MM_WO gp1, gp1, 0\nH_PREFETCH_M gp0, gp0, a0\nH_STORE_V gp0, gp0, a0\n"
      "C_LOOP_START gp2, 2\nC_LOOP_END gp2");
  emulator::Run(text, machine, *state, nullptr, listeners, {});
  const std::vector<std::string> expected = {"pc 0",
                                             "0: 1..1 = 4 (0)",  // gp1
                                             "pc 1",             // gp0: nothing
                                             "pc 2",
                                             "3: 5..5 = 4 (0)",  // int[5]
                                             "pc 3",
                                             "4: 6..6 = 16256 (0)",  // fp[6]
                                             "pc 4",
                                             "1: 2..2 = 16384 (0)",  // f2
                                             "pc 5",
                                             "2: 1..1 = 4 (0)",  // a1
                                             "pc 6",
                                             "5: 1..1 = 0 (8)",  // vram[1]
                                             "pc 7",
                                             "5: 1..1 = 0 (8)",
                                             "5: 5..5 = 0 (8)",  // rows 4 apart
                                             "pc 8",
                                             "6: 0..0 = 0 (64)",  // mram[0]
                                             "pc 9",
                                             "7: 0..3 = 0 (4)",
                                             "7: 0..0 = 0 (1)",
                                             "7: 4..7 = 0 (4)",  // hbm, scales at SCALE 0
                                             "7: 1..1 = 0 (1)",
                                             "pc 10",
                                             "0: 2..2 = 2 (0)",
                                             "8: 2..2 = 2 (0)",  // gp2, loop+
                                             "pc 11",
                                             "0: 2..2 = 1 (0)",
                                             "pc 11",
                                             "0: 2..2 = 0 (0)",
                                             "9: 2..2 = 0 (0)"};  // loop-
  EXPECT_EQ(recorder_of_effects.log, expected);
}

TEST_F(RunTest, EffectBytesAreThoseWritten) {
  EffectRecorder recorder_of_effects;
  emulator::Listener* listeners[] = {&recorder_of_effects};
  SetRow(0, {1, 2, 3, 4});
  const isa::Program text = AssembleText("S_ADDI_INT gp1, gp0, 4\nV_ADD_VV gp1, gp0, gp0");
  emulator::Run(text, machine, *state, nullptr, listeners, {});
  EXPECT_EQ(recorder_of_effects.bytes, std::string("\x00\x40\x80\x40\xC0\x40\x00\x41", 8));
}

// An instruction of a loaded document whose semantics this build lacks.
TEST_F(RunTest, AnInstructionWithoutSemanticsFaultsWhenReached) {
  std::vector<isa::Instruction> rows = isa::InstructionSet::Builtin().instructions();
  for (isa::Instruction& row : rows) {
    if (row.mnemonic == "S_ADD_INT") row.execute = nullptr;
  }
  const isa::InstructionSet set(rows, isa::kIsaVersion);
  options.instructions = &set;
  const RunEnd end = Timed("S_ADDI_INT gp1, gp0, 1\nS_ADD_INT gp1, gp1, gp1");
  ASSERT_TRUE(end.fault.has_value());
  EXPECT_EQ(end.fault->id, "FT703");
  EXPECT_EQ(end.fault->text, "S_ADD_INT can be assembled but has no semantics in this build");
}

TEST(EndReasonIds, AreThoseOfTheExplanations) {
  EXPECT_EQ(emulator::EndReasonId(EndReason::kMaxCycles), "LM001");
  EXPECT_EQ(emulator::EndReasonId(EndReason::kMaxInstructions), "LM002");
  EXPECT_EQ(emulator::EndReasonId(EndReason::kTimeout), "LM003");
  EXPECT_EQ(emulator::EndReasonId(EndReason::kInterrupt), "LM004");
  EXPECT_EQ(emulator::EndReasonId(EndReason::kDeadlock), "FT901");
  EXPECT_EQ(emulator::EndReasonId(EndReason::kEnd), "");
}

}  // namespace
}  // namespace moescope::test
