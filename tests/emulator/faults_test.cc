// Every fault of the emulated program: its category, id and text, and that nothing changed.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "emulator/explanations.h"
#include "tests/emulator/fault_cases.h"
#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

using emulator::EndReason;

class Faults : public MachineFixture, public testing::WithParamInterface<FaultCase> {
 protected:
  // Other contents than zeros, so that an early write shows.
  void Fill() {
    for (int i = 4; i < 16; ++i) state->registers.gp[static_cast<std::size_t>(i)] = 0x77;
    state->accumulators.matrix.assign(state->accumulators.matrix.size(), 1.5f);
    state->accumulators.vector.assign(state->accumulators.vector.size(), 2.5f);
    if (options.sanitize) return;
    for (std::uint64_t row = 0; row < state->vram.rows(); ++row) {
      std::fill_n(state->vram.Write(row), machine.shape.vlen, Bits(3));
    }
    for (std::uint64_t i = 0; i < 64; ++i) state->int_mem.Write(i, 99);
    for (std::uint64_t i = 0; i < 64; ++i) state->fp_mem.Write(i, Bits(4));
  }
};

TEST_P(Faults, AreNamedAndChangeNothing) {
  const FaultCase& c = GetParam();
  if (c.change) c.change(machine);
  options.sanitize = c.sanitize;
  Reset();
  Fill();
  const isa::Program program = AssembleText(c.program);
  const emulator::RunEnd first = Run(program);
  ASSERT_EQ(first.reason, EndReason::kFault);
  const emulator::Fault& fault = *first.fault;
  EXPECT_EQ(fault.id, c.id);
  EXPECT_EQ(fault.category, c.category);
  EXPECT_EQ(fault.text, c.text);
  EXPECT_EQ(first.pc, fault.pc);
  EXPECT_FALSE(first.complete());
  EXPECT_EQ(fault.word, program.words[fault.pc]);
  EXPECT_FALSE(fault.disassembly.empty());
  EXPECT_EQ(fault.place.substr(0, 9), "test.asm:");

  // The state after the fault is the one before the faulting instruction.
  const emulator::MachineState after = *state;
  Reset();
  Fill();
  options.limits.max_instructions = first.instructions;
  Run(program);
  EXPECT_TRUE(*state == after);
}

std::string FaultName(const testing::TestParamInfo<FaultCase>& info) {
  return std::string(info.param.id) + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::ValuesIn(kFaults), FaultName);

// isa.md, 6: decode, unsupported, operand values, alignment, bounds; the first is reported.
class FaultOrder : public MachineFixture {
 protected:
  std::string IdOf(std::string_view program) {
    const emulator::RunEnd end = Run(program);
    return end.fault ? end.fault->id : "";
  }
};

TEST_F(FaultOrder, UnsupportedBeforeAlignment) {
  machine.shape.broadcast = 1;
  Reset();
  EXPECT_EQ(IdOf("S_ADDI_INT gp1, gp0, 1\nM_BMM 0, gp1, gp1"), "FT701");
}

TEST_F(FaultOrder, OperandValuesBeforeAlignment) {
  EXPECT_EQ(IdOf("S_ADDI_INT gp1, gp0, 1\nM_MM_WO gp1, gp2, 0"), "FT207");
  EXPECT_EQ(IdOf("S_ADDI_INT gp1, gp0, 1\nV_TOPK gp1, gp1, gp1, 15"), "FT206");
}

TEST_F(FaultOrder, EveryAlignmentBeforeAnyBound) {
  EXPECT_EQ(IdOf("S_ADDI_INT gp1, gp0, 256\nS_ADDI_INT gp2, gp0, 1\nV_ADD_VV gp1, gp1, gp2"),
            "FT301");
  EXPECT_EQ(IdOf("S_ADDI_INT gp1, gp0, 256\nS_ADDI_INT gp2, gp0, 1\nH_PREFETCH_V gp1, gp2, a0"),
            "FT306");
  EXPECT_EQ(IdOf("S_ADDI_INT gp1, gp0, 256\nS_ADDI_INT gp2, gp0, 20\nM_MM 0, gp2, gp1"), "FT303");
}

TEST_F(FaultOrder, LastLegalNeighboursDoNotFault) {
  for (const char* program :
       {"S_ADDI_INT gp1, gp0, 252\nV_ADD_VV gp1, gp1, gp1", "S_LD_INT gp1, gp0, 63",
        "S_LD_FP f1, gp0, 63", "S_MAP_V_FP gp0, gp0, 60",
        "S_ADDI_INT gp1, gp0, 248\nM_MM 0, gp0, gp1", "S_ADDI_INT gp1, gp0, 56\nM_MM 0, gp1, gp0",
        "S_ADDI_INT gp1, gp0, 63\nM_MM_WO gp0, gp1, 0",
        "S_ADDI_INT gp1, gp0, 65528\nH_PREFETCH_V gp0, gp1, a0",
        "S_ADDI_INT gp1, gp0, 60\nV_TOPK gp1, gp0, gp1, 0"}) {
    EXPECT_EQ(IdOf(program), "") << program;
  }
}

TEST_F(FaultOrder, AnUndecodableWordThatIsNotReachedDoesNotMatter) {
  EXPECT_EQ(IdOf("C_BREAK\n.word 0"), "");
}

TEST_F(FaultOrder, ReportsRegistersAndOpenLoops) {
  const emulator::RunEnd end =
      Run("S_ADDI_INT gp3, gp0, 0x101\nC_LOOP_START gp1, 9\nC_LOOP_START gp2, 9\n"
          "V_ADD_VF gp3, gp0, f2\nC_LOOP_END gp2\nC_LOOP_END gp1");
  ASSERT_TRUE(end.fault.has_value());
  using Operands = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(end.fault->operands,
            (Operands{{"gp3", "0x00000101"}, {"gp0", "0x00000000"}, {"f2", "0x0000"}}));
  using Loops = std::vector<std::pair<std::uint32_t, std::uint8_t>>;
  EXPECT_EQ(end.fault->open_loops, (Loops{{1, 1}, {2, 2}}));
  EXPECT_EQ(end.fault->disassembly, "V_ADD_VF gp3, gp0, f2, 0");
  EXPECT_EQ(end.fault->place, "test.asm:4:1");
}

// A loop of exactly MAX_LOOP_INSTRUCTIONS instructions, its end included, passes.
TEST_F(FaultOrder, TheLoopGuardCountsSinceTheLastJumpBack) {
  machine.max_loop_instructions = 4;
  Reset();
  EXPECT_EQ(IdOf("C_LOOP_START gp1, 9\n.rept 3\nS_ADDI_INT gp2, gp2, 1\n.endr\nC_LOOP_END gp1"),
            "");
  EXPECT_EQ(IdOf("C_LOOP_START gp1, 9\n.rept 4\nS_ADDI_INT gp2, gp2, 1\n.endr\nC_LOOP_END gp1"),
            "FT606");
  Reset();  // the loop is still open
  // Jumps of an inner loop count as well; straight code outside of loops is free.
  EXPECT_EQ(IdOf(".rept 9\nS_ADDI_INT gp2, gp2, 1\n.endr\nC_LOOP_START gp1, 2\n"
                 "C_LOOP_START gp3, 9\nS_ADDI_INT gp2, gp2, 1\nC_LOOP_END gp3\nC_LOOP_END gp1"),
            "");
  machine.max_loop_instructions = 0;
  Reset();
  EXPECT_EQ(IdOf("C_LOOP_START gp1, 2\n.rept 200\nS_ADDI_INT gp2, gp2, 1\n.endr\nC_LOOP_END gp1"),
            "");
}

TEST_F(FaultOrder, SanitizeAcceptsWhatImagesAndInstructionsWrote) {
  options.sanitize = true;
  for (std::uint64_t row = 0; row < 4; ++row) SetRow(row, {1, 2, 3, 4});
  EXPECT_EQ(IdOf("S_ADDI_INT gp1, gp0, 16\nH_PREFETCH_M gp0, gp0, a0\nM_BMM 0, gp0, gp0\n"
                 "M_BMM_WO gp1, 0\nV_ADD_VV gp1, gp1, gp0\nV_SHFT_V gp1, gp1, gp0\n"
                 "H_PREFETCH_V gp1, gp0, a0\nH_STORE_V gp1, gp0, a0\nM_MM 0, gp0, gp0\n"
                 "M_MM_WO gp1, gp0, 0\nM_MM_WO gp1, gp0, 2\nV_RED_MAX f1, gp1"),
            "");
}

// The example of every explanation of a fault faults so.
TEST(FaultExplanations, CoverEveryFaultOfTheTableAndTheirExamplesFault) {
  const std::map<std::string, std::function<void(MachineDescription&, emulator::RunOptions&)>>
      kMachines = {
          {"FT103", [](auto& m, auto&) { Strict(m); }},
          {"FT604", [](auto& m, auto&) { Depth(m); }},
          {"FT606", [](auto& m, auto&) { Guard(m); }},
          {"FT701", [](auto& m, auto&) { m.shape.broadcast = 1; }},
          {"FT702", [](auto& m, auto&) { m.shape.hlen = 1; }},
          {"FT911", [](auto&, auto& o) { o.sanitize = true; }},
          {"FT912", [](auto&, auto& o) { o.sanitize = true; }},
          {"FT913", [](auto&, auto& o) { o.sanitize = true; }},
          {"FT914", [](auto&, auto& o) { o.sanitize = true; }},
      };
  std::set<std::string> explained;
  for (const Explanation& entry : emulator::Explanations()) {
    const std::string id(entry.id);
    explained.insert(id);
    // A document's instruction, and a defect of ours: no program gives them.
    if (!id.starts_with("FT") || id == "FT703" || id == "FT901") continue;
    MachineDescription machine;
    emulator::RunOptions options;
    if (const auto change = kMachines.find(id); change != kMachines.end()) {
      change->second(machine, options);
    }
    emulator::MachineState state(machine);
    const emulator::RunEnd end =
        emulator::Run(AssembleText(entry.example), machine, state, {}, options);
    ASSERT_TRUE(end.fault.has_value()) << id;
    EXPECT_EQ(end.fault->id, id);
  }
  for (const FaultCase& c : kFaults) EXPECT_TRUE(explained.contains(c.id)) << c.id;
}

TEST(FaultExplanations, AreInOrderAndSentences) {
  std::string_view last;
  for (const Explanation& entry : emulator::Explanations()) {
    EXPECT_LT(last, entry.id);
    last = entry.id;
    EXPECT_FALSE(entry.title.empty() || entry.title.ends_with('.')) << entry.id;
    EXPECT_TRUE(entry.cause.ends_with('.')) << entry.id;
    EXPECT_TRUE(entry.fix.ends_with('.')) << entry.id;
    EXPECT_FALSE(entry.example.empty()) << entry.id;
  }
}

}  // namespace
}  // namespace moescope::test
