// Costs of `serial`: every row of the table with both columns, every toggle, and the anchors of
// timing.md, 3.4.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "emulator/run.h"
#include "emulator/timing/serial_costs.h"
#include "isa/table.h"
#include "tests/emulator/counting_listener.h"
#include "tests/emulator/machine_fixture.h"
#include "tests/support/shared_folder.h"
#include "tests/support/tsv.h"

namespace moescope::test {
namespace {

using emulator::Cycle;
using emulator::MachineDescription;
using emulator::SerialCosts;

const isa::Instruction& RowOf(std::string_view mnemonic) {
  return *isa::InstructionSet::Builtin().Find(mnemonic);
}

// Cost of one execution; `rd` other than 0 unless said.
Cycle CostOf(std::string_view mnemonic, const MachineDescription& machine, std::uint8_t rd = 1,
             std::uint32_t experts = 0) {
  return SerialCosts(machine).Of(RowOf(mnemonic), {.rd = rd}, experts);
}

// What the condition column of the table means.
struct Condition {
  MachineDescription machine;
  std::uint8_t rd = 1;
  std::uint32_t experts = 0;
};

Condition ConditionOf(const std::string& text) {
  Condition c;
  if (text.starts_with("rd == f0")) c.rd = 0;
  if (text.find("shift_as_mul = false") != std::string::npos) {
    c.machine.serial.shift_as_mul = false;
  }
  if (text.find("map_v_double = false") != std::string::npos) {
    c.machine.serial.map_v_double = false;
  }
  if (text == "policy 0") c.experts = 32;
  if (text == "policy 1") c.experts = 128;
  if (text.starts_with("policy 15")) c.experts = 256;
  return c;
}

TEST(SerialCosts, EqualEveryRowOfTheTableInBothColumns) {
  const std::optional<std::string> shared = SharedFolder();
  if (!shared) GTEST_SKIP() << kNoSharedFolder;
  const std::string text = ReadFile(*shared + "/vectors/serial_costs.tsv").value();
  const std::vector<std::vector<std::string>> rows = ReadTsv(text);
  std::set<std::string> seen;
  ASSERT_EQ(rows.size(), 68u);  // with the header line
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string>& row = rows[i];
    seen.insert(row[0]);
    if (row[2] == "memory") {
      EXPECT_EQ(CostOf(row[0], {}), 0u) << row[0];  // the issue cost alone
      continue;
    }
    Condition c = ConditionOf(row.size() > 4 ? row[4] : "");
    EXPECT_EQ(CostOf(row[0], c.machine, c.rd, c.experts), std::stoull(row[2])) << row[0];
    c.machine.dc_enabled = false;
    EXPECT_EQ(CostOf(row[0], c.machine, c.rd, c.experts), std::stoull(row[3])) << row[0];
  }
  for (const isa::Instruction& row : isa::kInstructions) {
    EXPECT_TRUE(seen.contains(std::string(row.mnemonic))) << row.mnemonic;
  }
}

// The same numbers without the table: 54 instructions with DC_EN on and off.
TEST(SerialCosts, AreThoseOfTheManual) {
  const struct {
    const char* mnemonic;
    Cycle enabled;
    Cycle disabled;
  } kCosts[] = {
      {"M_MM", 64, 64},      {"M_TMM", 64, 64},    {"M_BMM", 64, 64},  {"M_BTMM", 64, 64},
      {"M_MV", 64, 64},      {"M_TMV", 64, 64},    {"M_BMV", 1, 1},    {"M_BTMV", 1, 1},
      {"M_MM_WO", 1, 1},     {"M_BMM_WO", 1, 1},   {"M_MV_WO", 1, 1},  {"M_BMV_WO", 1, 1},
      {"V_ADD_VV", 1, 2},    {"V_SUB_VF", 1, 2},   {"V_MUL_VV", 1, 5}, {"V_SHFT_V", 1, 5},
      {"V_EXP_V", 1, 6},     {"V_RECI_V", 2, 7},   {"V_MAX_VF", 4, 4}, {"V_MIN_VF", 4, 4},
      {"V_RED_MAX", 4, 4},   {"V_RED_SUM", 8, 20}, {"S_ADD_FP", 1, 1}, {"S_EXP_FP", 1, 2},
      {"S_RECI_FP", 1, 2},   {"S_SQRT_FP", 1, 2},  {"S_LD_FP", 1, 1},  {"S_MAP_V_FP", 128, 128},
      {"S_ADD_INT", 1, 1},   {"C_LOOP_END", 1, 1}, {"C_BREAK", 1, 1},  {"C_SET_TOPK_REG", 1, 1},
      {"C_LOOP_START", 1, 1}};
  MachineDescription disabled;
  disabled.dc_enabled = false;
  for (const auto& c : kCosts) {
    EXPECT_EQ(CostOf(c.mnemonic, {}), c.enabled) << c.mnemonic;
    EXPECT_EQ(CostOf(c.mnemonic, disabled), c.disabled) << c.mnemonic;
  }
}

TEST(SerialCosts, FollowTheirKeys) {
  MachineDescription machine;
  machine.shape.mlen = machine.shape.vlen = 128;
  for (std::size_t i = 0; i < emulator::kLatencyKeyCount; ++i) {
    machine.latency[i].enabled = static_cast<std::uint32_t>(100 + i);
  }
  EXPECT_EQ(CostOf("M_MM", machine), 100u + 128);
  EXPECT_EQ(CostOf("M_BMV", machine), 101u);
  EXPECT_EQ(CostOf("M_MV", machine), 128u);  // no overhead
  EXPECT_EQ(CostOf("V_ADD_VF", machine), 101u);
  EXPECT_EQ(CostOf("V_MUL_VF", machine), 102u);
  EXPECT_EQ(CostOf("V_EXP_V", machine), 103u);
  EXPECT_EQ(CostOf("V_RECI_V", machine), 104u);
  EXPECT_EQ(CostOf("V_MAX_VF", machine), 105u);
  EXPECT_EQ(CostOf("V_TOPK", machine, 1, 60), 105u * 60);
  EXPECT_EQ(CostOf("V_RED_SUM", machine), 106u);
  machine.serial.shift_as_mul = false;
  EXPECT_EQ(CostOf("V_SHFT_V", machine), 107u);
  EXPECT_EQ(CostOf("S_MUL_FP", machine), 108u);
  EXPECT_EQ(CostOf("S_EXP_FP", machine), 109u);
  EXPECT_EQ(CostOf("S_SQRT_FP", machine), 110u);
  EXPECT_EQ(CostOf("S_RECI_FP", machine), 111u);
  EXPECT_EQ(CostOf("S_ADDI_INT", machine), 112u);
  EXPECT_EQ(CostOf("S_MAP_V_FP", machine), 256u);
}

TEST(SerialCosts, TogglesChangeWhatTheySayAndNothingElse) {
  const auto differing = [](const MachineDescription& machine, std::uint8_t rd) {
    std::set<std::string> names;
    for (const isa::Instruction& row : isa::kInstructions) {
      if (CostOf(row.mnemonic, machine, rd, 32) != CostOf(row.mnemonic, {}, rd, 32)) {
        names.insert(std::string(row.mnemonic));
      }
    }
    return names;
  };
  using Names = std::set<std::string>;
  MachineDescription machine;
  machine.serial.map_v_double = false;
  EXPECT_EQ(differing(machine, 1), Names{"S_MAP_V_FP"});
  machine = {};
  machine.serial.wo_cycles = 7;
  EXPECT_EQ(differing(machine, 1), (Names{"M_BMM_WO", "M_BMV_WO", "M_MM_WO", "M_MV_WO"}));
  EXPECT_EQ(CostOf("M_MM_WO", machine), 7u);
  machine = {};
  machine.serial.dma_issue_cycles = 5;
  EXPECT_EQ(differing(machine, 1), (Names{"H_PREFETCH_M", "H_PREFETCH_V", "H_STORE_V"}));
  machine = {};
  machine.serial.fp0_zero_cost = false;
  EXPECT_EQ(differing(machine, 1), Names{});
  EXPECT_EQ(differing(machine, 0),
            (Names{"S_ADD_FP", "S_EXP_FP", "S_MAX_FP", "S_MUL_FP", "S_RECI_FP", "S_SQRT_FP",
                   "S_SUB_FP", "V_RED_MAX", "V_RED_SUM"}));
  machine = {};
  machine.serial.shift_as_mul = false;
  machine.latency[static_cast<std::size_t>(emulator::LatencyKey::kVectorShift)].enabled = 3;
  EXPECT_EQ(differing(machine, 1), Names{"V_SHFT_V"});
}

class SerialRuns : public MachineFixture {
 protected:
  SerialRuns() : MachineFixture(MachineDescription{}) {}
  Cycle CyclesOf(const std::string& text) {
    Reset();
    const isa::Program program = AssembleText(text);
    counts = {};
    emulator::Listener* listeners[] = {&counts};
    const emulator::RunEnd end = emulator::Run(program, machine, *state, listeners);
    EXPECT_TRUE(end.complete()) << (end.fault ? end.fault->text : "");
    EXPECT_EQ(counts.attributed, end.cycles);
    EXPECT_TRUE(counts.contiguous);
    return end.cycles;
  }
  CountingListener counts;
};

TEST_F(SerialRuns, CostsAddUp) {
  EXPECT_EQ(CyclesOf("V_TOPK gp0, gp0, gp0, 0"), 128u);
  EXPECT_EQ(CyclesOf(".rept 3\nS_ADDI_INT gp1, gp0, 0\n.endr\nV_TOPK gp0, gp0, gp0, 0"), 131u);
  EXPECT_EQ(CyclesOf(".rept 3\nS_ADDI_INT gp1, gp0, 0\n.endr\nV_TOPK gp0, gp0, gp0, 1"), 515u);
  EXPECT_EQ(CyclesOf("S_ADDI_INT gp1, gp0, 60 << 8 | 4\nC_SET_TOPK_REG gp1\n"
                     "V_TOPK gp0, gp0, gp0, 15"),
            2u + 4 * 60);
  for (const char* line : {"M_MM 0, gp0, gp0", "V_RED_SUM f1, gp0", "S_MAP_V_FP gp0, gp0, 0"}) {
    const Cycle one = CyclesOf(line);
    EXPECT_EQ(CyclesOf(std::string(".rept 1000\n") + line + "\n.endr"), 1000 * one) << line;
  }
}

// The projection nest of the public compiler: 16 column groups, k tiles deep.
TEST_F(SerialRuns, ProjectionNest) {
  const struct {
    std::uint64_t k, instructions, cycles;
  } kNests[] = {{1, 275, 1283}, {4, 467, 4499}};
  for (const auto& [k, instructions, cycles] : kNests) {
    std::string text =
        ".rept 2\nS_ADDI_INT gp1, gp0, 0\n.endr\nC_LOOP_START gp2, 16\n"
        ".rept 10\nS_ADDI_INT gp3, gp0, 0\n.endr\nC_LOOP_START gp4, " +
        std::to_string(k) +
        "\nM_MM 0, gp0, gp0\nS_ADDI_INT gp3, gp0, 0\nS_ADDI_INT gp5, gp0, 0\n"
        "C_LOOP_END gp4\nM_MM_WO gp0, gp0, 0\nC_LOOP_END gp2\n";
    EXPECT_EQ(CyclesOf(text), cycles);
    EXPECT_EQ(counts.end.instructions, instructions);
  }
}

TEST_F(SerialRuns, BlockAddOf64Rows) {
  const std::string text = R"(
    S_ADDI_INT gp1, gp0, 0
    S_ADDI_INT gp2, gp0, 0
    S_ADDI_INT gp3, gp0, 0
    C_LOOP_START gp4, 64
    V_ADD_VV gp1, gp2, gp3
    S_ADDI_INT gp1, gp1, 64
    S_ADDI_INT gp2, gp2, 64
    S_ADDI_INT gp3, gp3, 64
    C_LOOP_END gp4)";
  EXPECT_EQ(CyclesOf(text), 324u);
  EXPECT_EQ(counts.end.instructions, 324u);
  machine.dc_enabled = false;
  EXPECT_EQ(CyclesOf(text), 388u);
}

TEST_F(SerialRuns, PrefetchAndComputeAddExactly) {
  const std::string prefetch = "H_PREFETCH_M gp0, gp0, a0\nH_PREFETCH_V gp0, gp0, a0\n";
  const std::string compute = "M_MM 0, gp0, gp0\nM_MM_WO gp0, gp0, 0\n";
  for (const auto model : {emulator::HbmModelKind::kDram, emulator::HbmModelKind::kFast}) {
    machine.hbm.model = model;
    const Cycle alone = CyclesOf(prefetch);
    const std::uint64_t lines = counts.read_lines;
    EXPECT_EQ(CyclesOf(prefetch + compute), alone + CyclesOf(compute));
    CyclesOf(prefetch + compute);
    EXPECT_EQ(counts.read_lines, lines);
  }
}

TEST_F(SerialRuns, BytesAreHandCounted) {
  // 64 rows of 64 element bytes and 8 scale bytes: 64 + 64 lines, of the scale lines 8 distinct.
  CyclesOf("S_ADDI_INT gp1, gp0, 4096\nC_SET_SCALE_REG gp1\nH_PREFETCH_M gp0, gp0, a0");
  EXPECT_EQ(counts.read_lines, 128u);
  EXPECT_EQ(counts.read_payload, 64u * 72);
  EXPECT_EQ(counts.repeat_bytes, 56u * 64);
  // A second time every line is a repeat.
  CyclesOf(
      "S_ADDI_INT gp1, gp0, 4096\nC_SET_SCALE_REG gp1\nH_PREFETCH_M gp0, gp0, a0\n"
      "H_PREFETCH_M gp0, gp0, a0");
  EXPECT_EQ(counts.repeat_bytes, (56u + 128) * 64);
  machine.serial.merge_lines = true;
  CyclesOf("S_ADDI_INT gp1, gp0, 4096\nC_SET_SCALE_REG gp1\nH_PREFETCH_M gp0, gp0, a0");
  EXPECT_EQ(counts.read_lines, 72u);
  EXPECT_EQ(counts.repeat_bytes, 0u);
}

TEST_F(SerialRuns, AStoreReadsAndWritesItsLines) {
  CyclesOf("S_ADDI_INT gp1, gp0, 4096\nC_SET_SCALE_REG gp1\nH_STORE_V gp0, gp0, a0");
  EXPECT_EQ(counts.written_lines, 8u);
  EXPECT_EQ(counts.read_lines, 8u);
  EXPECT_EQ(counts.written_payload, 4u * 72);
  EXPECT_EQ(counts.read_payload, 0u);
  EXPECT_EQ(counts.rmw_bytes, 8u * 64);
}

TEST_F(SerialRuns, DmaTimeIsSplitIntoItsReasons) {
  machine.serial.dma_issue_cycles = 3;
  const Cycle total = CyclesOf("H_PREFETCH_V gp0, gp0, a0\nS_ADDI_INT gp1, gp0, 1");
  EXPECT_EQ(counts.reasons["dma_issue"], 3u);
  EXPECT_EQ(counts.reasons["execute"], 1u);
  EXPECT_EQ(counts.reasons["hbm_latency"], 11u);
  Cycle sum = 0;
  for (const auto& [reason, cycles] : counts.reasons) sum += cycles;
  EXPECT_EQ(sum, total);
  // Every reason that occurs is one that the model announced.
  std::set<std::string> announced;
  for (const emulator::Reason reason : counts.description.reasons) {
    announced.insert(std::string(emulator::Name(reason)));
  }
  for (const auto& [reason, cycles] : counts.reasons) EXPECT_TRUE(announced.contains(reason));
}

TEST_F(SerialRuns, QueuedWritesAreDrainedOnlyOnDemand) {
  const std::string store = "H_STORE_V gp0, gp0, a0";
  const Cycle undrained = CyclesOf(store);
  machine.serial.drain_at_end = true;
  const Cycle drained = CyclesOf(store);
  EXPECT_GT(drained, undrained);
  EXPECT_EQ(counts.reasons["drain_dma"], drained - undrained);
  machine.serial.store_done_issued = true;
  EXPECT_EQ(CyclesOf(store), drained);
  EXPECT_EQ(counts.reasons["drain_dma"], 0u);
}

TEST_F(SerialRuns, ASlowerCoreWaitsFewerCyclesForTheSameClocks) {
  const std::string prefetch = "H_PREFETCH_M gp0, gp0, a0";
  const Cycle at_1000 = CyclesOf(prefetch);
  machine.core_ps = 2000;
  EXPECT_EQ(CyclesOf(prefetch), (at_1000 + 1) / 2);
  machine.core_ps = 1000;
  machine.hbm.dram_ps = 3000;
  EXPECT_EQ(CyclesOf(prefetch), at_1000 * 3);
}

TEST_F(SerialRuns, SparseGathersTakeLongerThanDenseOnes) {
  const std::string setup =
      "S_ADDI_INT gp1, gp0, 4096\nS_LUI_INT gp2, 2048\nC_SET_STRIDE_REG gp1\n"
      "C_SET_SCALE_REG gp2\nH_PREFETCH_M gp0, gp0, a0, ";
  const Cycle dense = CyclesOf(setup + "0");
  const std::uint64_t lines = counts.read_lines;
  const Cycle sparse = CyclesOf(setup + "1");
  EXPECT_EQ(counts.read_lines, lines);
  EXPECT_GT(sparse, dense);
}

}  // namespace
}  // namespace moescope::test
