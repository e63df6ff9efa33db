// What a run measured before it was cut stays: a fault, a limit, under every model (profile.md,
// 5.10). The events up to the cut are the first events of the whole run.

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/emulator/counting_listener.h"
#include "tests/emulator/machine_fixture.h"

namespace moescope::test {
namespace {

using emulator::Cycle;
using emulator::EndReason;
using emulator::HbmModelKind;
using emulator::RunEnd;
using emulator::TimingModelKind;

// A program that uses every unit; each line is one instruction.
constexpr const char* kLines[] = {
    "S_ADDI_INT gp1, gp0, 4",    "S_ADDI_INT gp2, gp0, 16", "H_PREFETCH_M gp2, gp0, a0",
    "H_PREFETCH_V gp1, gp0, a0", "V_ADD_VV gp1, gp1, gp0",  "V_EXP_V gp0, gp1",
    "M_MM 0, gp2, gp0",          "M_MM_WO gp1, gp0, 0",     "S_ADD_FP f1, f2, f3",
    "V_RED_SUM f1, gp1",         "S_EXP_FP f2, f1",         "S_MAP_V_FP gp1, gp0, 3",
    "V_MUL_VF gp0, gp1, f2",     "H_STORE_V gp0, gp0, a0",  "S_LD_INT gp3, gp0, 2",
    "V_TOPK gp0, gp0, gp0, 0",   "S_LD_INT gp3, gp0, 0",    "S_ADD_INT gp3, gp3, gp3"};
constexpr std::size_t kLength = std::size(kLines);

// Keeps the pieces and accepts in order.
class Tape : public CountingListener {
 public:
  void OnAccepted(const emulator::Accepted& e) override {
    CountingListener::OnAccepted(e);
    accepts.emplace_back(e.pc, e.cycle);
  }
  void OnAttributed(const emulator::Attributed& e) override {
    CountingListener::OnAttributed(e);
    pieces.emplace_back(e.pc, e.reason, e.begin, e.end);
  }
  std::vector<std::pair<std::uint32_t, Cycle>> accepts;
  std::vector<std::tuple<std::uint32_t, emulator::Reason, Cycle, Cycle>> pieces;
};

struct Variant {
  TimingModelKind timing;
  HbmModelKind hbm;
};

class CutRuns : public MachineFixture, public testing::WithParamInterface<Variant> {
 protected:
  CutRuns() {
    machine.timing = GetParam().timing;
    machine.hbm.model = GetParam().hbm;
    machine.rtl.ibuf = false;
    Reset();
  }
  static std::string Lines(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += std::string(kLines[i]) + "\n";
    return text;
  }
  RunEnd Timed(const std::string& text, Tape& tape) {
    Reset();
    const isa::Program program = AssembleText(text);
    emulator::Listener* listeners[] = {&tape};
    return emulator::Run(program, machine, *state, listeners, options);
  }
  // `cut` shows the beginning of `whole`: `accepts` of its accepts, and all cycles up to its end.
  static void ExpectBeginning(const Tape& cut, const Tape& whole, std::size_t accepts) {
    ASSERT_EQ(cut.accepts.size(), accepts);
    for (std::size_t i = 0; i < accepts; ++i) EXPECT_EQ(cut.accepts[i], whole.accepts[i]) << i;
    EXPECT_EQ(cut.attributed, cut.end.cycles);
    EXPECT_TRUE(cut.contiguous);
    for (std::size_t i = 0; i < cut.pieces.size(); ++i) {
      EXPECT_EQ(cut.pieces[i], whole.pieces[i]) << "piece " << i;
    }
  }
};

// A fault at every position: everything before it is as in the run without it.
TEST_P(CutRuns, AFaultKeepsWhatWasMeasuredBefore) {
  Tape whole;
  ASSERT_TRUE(Timed(Lines(kLength), whole).complete());
  for (std::size_t k = 0; k <= kLength; ++k) {
    SCOPED_TRACE(k);
    Tape cut;
    const RunEnd end = Timed(Lines(k) + "S_LD_INT gp3, gp0, 200000\n", cut);
    ASSERT_EQ(end.reason, EndReason::kFault);
    EXPECT_EQ(end.instructions, k);
    EXPECT_EQ(end.pc, k);
    ExpectBeginning(cut, whole, k);
  }
}

TEST_P(CutRuns, AnInstructionLimitKeepsTheSame) {
  Tape whole;
  ASSERT_TRUE(Timed(Lines(kLength), whole).complete());
  for (std::size_t k = 0; k < kLength; ++k) {
    SCOPED_TRACE(k);
    Tape limited;
    options.limits.max_instructions = k;
    const RunEnd end = Timed(Lines(kLength), limited);
    options.limits = {};
    ASSERT_EQ(end.reason, EndReason::kMaxInstructions);
    ExpectBeginning(limited, whole, k);
    // A fault in the same place cuts at the same cycle.
    Tape faulted;
    EXPECT_EQ(Timed(Lines(k) + "S_LD_INT gp3, gp0, 200000\n", faulted).cycles, end.cycles);
  }
}

TEST_P(CutRuns, ACycleLimitEndsAtTheFirstInstructionBehindIt) {
  Tape whole;
  const Cycle total = Timed(Lines(kLength), whole).cycles;
  for (Cycle limit = 0; limit <= total + 1; ++limit) {
    Tape cut;
    options.limits.max_cycles = limit;
    const RunEnd end = Timed(Lines(kLength), cut);
    options.limits = {};
    if (end.reason == EndReason::kMaxCycles) {
      EXPECT_GE(end.cycles, limit);
      ExpectBeginning(cut, whole, cut.accepts.size());
    } else {
      EXPECT_EQ(end.reason, EndReason::kEnd);
      EXPECT_EQ(end.cycles, total);
    }
  }
}

// Structures and bytes of a cut run never exceed those of the whole.
TEST_P(CutRuns, MarksAndBytesGrowWithTheRun) {
  std::map<std::string, std::uint64_t> last;
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k <= kLength; ++k) {
    Tape cut;
    options.limits.max_instructions = k;
    const RunEnd end = Timed(Lines(kLength), cut);
    options.limits = {};
    for (const emulator::Structure& structure : end.structures) {
      EXPECT_GE(structure.high_water, last[structure.name]) << structure.name << " at " << k;
      last[structure.name] = structure.high_water;
      EXPECT_LE(structure.high_water, structure.capacity.value_or(structure.high_water));
    }
    EXPECT_GE(cut.read_lines + cut.written_lines, bytes);
    bytes = cut.read_lines + cut.written_lines;
  }
  EXPECT_GT(bytes, 0u);
}

std::string VariantName(const testing::TestParamInfo<Variant>& info) {
  const char* timing[] = {"serial", "pipelined", "rtl"};
  const char* hbm[] = {"dram", "fast", "fixed"};
  return std::string(timing[static_cast<int>(info.param.timing)]) + "_" +
         hbm[static_cast<int>(info.param.hbm)];
}

constexpr Variant kVariants[] = {{TimingModelKind::kSerial, HbmModelKind::kDram},
                                 {TimingModelKind::kSerial, HbmModelKind::kFast},
                                 {TimingModelKind::kSerial, HbmModelKind::kFixed},
                                 {TimingModelKind::kPipelined, HbmModelKind::kDram},
                                 {TimingModelKind::kPipelined, HbmModelKind::kFast},
                                 {TimingModelKind::kPipelined, HbmModelKind::kFixed},
                                 {TimingModelKind::kRtl, HbmModelKind::kDram},
                                 {TimingModelKind::kRtl, HbmModelKind::kFast},
                                 {TimingModelKind::kRtl, HbmModelKind::kFixed}};
INSTANTIATE_TEST_SUITE_P(All, CutRuns, testing::ValuesIn(kVariants), VariantName);

}  // namespace
}  // namespace moescope::test
