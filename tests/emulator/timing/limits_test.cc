// Limits and clock ratios (timing.md, 9: T14, T15): long loops have closed forms, large start
// cycles change nothing but the start, and slow cores see the DRAM late but never early.

#include <gtest/gtest.h>

#include <string>

#include "emulator/hbm/clock_ratio.h"
#include "emulator/timing/attribution_ledger.h"
#include "emulator/timing/pipelined/pipelined_model.h"
#include "emulator/timing/rtl/rtl_model.h"
#include "tests/emulator/counting_listener.h"
#include "tests/emulator/machine_fixture.h"
#include "tests/emulator/timing/transfer.h"

namespace moescope::test {
namespace {

using emulator::Cycle;
using emulator::MachineDescription;
using emulator::Reason;
using emulator::TimingModelKind;

// ---- T15
// -----------------------------------------------------------------------------------------

class LongLoops : public MachineFixture {
 protected:
  emulator::RunEnd Timed(std::string_view text, TimingModelKind timing) {
    return Timed(AssembleText(text), timing);
  }
  emulator::RunEnd Timed(const isa::Program& text, TimingModelKind timing) {
    machine.timing = timing;
    machine.rtl.ibuf = false;
    machine.max_loop_instructions = 0;
    Reset();
    counts = {};
    program = text;
    emulator::Listener* listeners[] = {&counts};
    return emulator::Run(program, machine, *state, listeners, {});
  }
  isa::Program program;
  CountingListener counts;
};

TEST_F(LongLoops, TheLargestTripCount) {
  constexpr std::uint64_t kTrips = (std::uint64_t{1} << 22) - 1;
  const std::string text =
      "C_LOOP_START gp1, 4194303\nS_ADDI_INT gp2, gp2, 1\nC_LOOP_END gp1\nS_ADD_INT gp3, gp2, gp0";
  const emulator::RunEnd serial = Timed(text, TimingModelKind::kSerial);
  EXPECT_EQ(serial.instructions, 2 + 2 * kTrips);
  EXPECT_EQ(serial.cycles, 2 + 2 * kTrips);
  EXPECT_EQ(Gp(3), kTrips);

  // fill, two single instructions, and per iteration two slots and, but for the last, the bubble.
  const emulator::RunEnd pipelined = Timed(text, TimingModelKind::kPipelined);
  EXPECT_EQ(pipelined.cycles, 7 + 2 + 2 * kTrips + 3 * (kTrips - 1));
  EXPECT_EQ(counts.reasons["ctrl_loop"], 3 * (kTrips - 1));
  EXPECT_EQ(counts.reasons["issue"], pipelined.instructions);
  EXPECT_EQ(counts.attributed, pipelined.cycles);

  // rtl: slots 7 and 8 for the start, an iteration of body + 4, one instruction less the empty slot
  // that would follow it.
  const emulator::RunEnd rtl = Timed(text, TimingModelKind::kRtl);
  EXPECT_EQ(counts.attributed, rtl.cycles);
  EXPECT_EQ(rtl.cycles, 9 + 5 * kTrips);
}

TEST_F(LongLoops, ProgramsOfNoneAndOneInstruction) {
  for (const TimingModelKind timing :
       {TimingModelKind::kSerial, TimingModelKind::kPipelined, TimingModelKind::kRtl}) {
    EXPECT_EQ(Timed(isa::ProgramFromWords({}), timing).cycles, 0u);
    EXPECT_EQ(counts.attributed, 0u);
    const Cycle fill = timing == TimingModelKind::kSerial ? 0 : 7;
    EXPECT_EQ(Timed("S_ADD_INT gp1, gp0, gp0", timing).cycles, fill + 1);
    EXPECT_EQ(Timed("C_BREAK", timing).cycles, fill + 1);
  }
}

TEST(LedgerTest, KeepsItsSumsNearTheEndOfTheNumberRange) {
  class Counter : public emulator::Listener {
   public:
    void OnAttributed(const emulator::Attributed& e) override { sum += e.end - e.begin; }
    std::uint64_t sum = 0;
  } counter;
  emulator::EventSink sink({&counter});
  emulator::AttributionLedger ledger;
  const Cycle top = (std::uint64_t{1} << 63) - 1;
  ledger.Give(0, Reason::kFill, 7, sink);
  ledger.Give(0, Reason::kIssue, top - 1, sink);
  ledger.Give(0, Reason::kIssue, top - 1, sink);  // nothing left
  ledger.Give(1, Reason::kDrainMx, top, sink);
  EXPECT_EQ(ledger.End(), top);
  EXPECT_EQ(ledger.SumOf(Reason::kIssue), top - 8);
  EXPECT_EQ(counter.sum, top);
  ledger.Check(top);
}

TEST(LedgerDeathTest, FindsLostCyclesAndCyclesWithoutAReason) {
  emulator::EventSink sink({});
  emulator::AttributionLedger lost;
  lost.Give(0, Reason::kFill, 7, sink);
  EXPECT_EXIT(lost.Check(8), testing::ExitedWithCode(70), "do not sum to the total");
  emulator::AttributionLedger other;
  other.Give(0, Reason::kOther, 3, sink);
  EXPECT_EXIT(other.Check(3), testing::ExitedWithCode(70), "cycles without a reason");
}

// A front end that starts a billion cycles late: everything else is moved by as much.
TEST(LargeCycles, MoveTheRunAndNothingElse) {
  Stream stream;
  stream.Add("H_PREFETCH_M", {}, LoadTile(0, 0)).Add("H_STORE_V", {}, StoreRows(50, 1 << 20));
  stream.Add("M_MM", {}, Multiply(0, {0, 4, 1})).Add("M_MM_WO", {}, Writes({8, 4, 1}));
  stream.Add("V_EXP_V", {}, ReadsWrites({8, 1}, {}, {9, 1}));
  MachineDescription machine;
  machine.pipelined.fill = 0;
  emulator::PipelinedModel early_model(machine);
  const Announced early = Feed(early_model, stream);
  machine.pipelined.fill = 1'000'000'000;
  emulator::PipelinedModel late_model(machine);
  const Announced late = Feed(late_model, stream);
  EXPECT_EQ(late.total, early.total + 1'000'000'000);
  for (std::size_t i = 0; i < early.accepted.size(); ++i) {
    EXPECT_EQ(late.accepted[i], early.accepted[i] + 1'000'000'000);
  }
  std::map<Cell, Cycle> cells = late.cells;
  cells.erase({0, Reason::kFill});
  EXPECT_EQ(cells, early.cells);
}

TEST(Channels, OneToSixtyFourMoveTheSameBytes) {
  Stream stream;
  for (std::uint32_t i = 0; i < 6; ++i) {
    stream.Add("H_PREFETCH_M", {}, LoadTile(i % 3, i * 65536));
    stream.Add("H_STORE_V", {}, StoreRows(50, (1 << 20) + i * 8192));
  }
  std::uint64_t bytes = 0;
  for (std::uint32_t channels = 1; channels <= 64; channels *= 2) {
    MachineDescription machine;
    machine.hbm.channels = channels;
    emulator::PipelinedModel model(machine);
    const Announced run = Feed(model, stream);
    EXPECT_EQ(run.end.channels.size(), channels);
    std::uint64_t served = 0;
    for (const auto& channel : run.end.channels) {
      served += 16 * (channel.bursts_read + channel.bursts_written);
    }
    std::uint64_t asked = 0;
    for (const auto& traffic : run.traffic) asked += traffic.burst_bytes;
    EXPECT_EQ(served, asked) << channels;
    if (bytes == 0) bytes = asked;
    EXPECT_EQ(asked, bytes) << channels;
    EXPECT_EQ(bytes, 6u * (64 + 4) * 64);
  }
}

// ---- T14
// -----------------------------------------------------------------------------------------

// A transfer that begins at the same phase of both clocks takes as long after ten million cycles as
// at the start: nothing drifts.
TEST(ClockRatios, NothingDriftsInATransfer) {
  for (const std::uint32_t core_ps : {1000u, 2500u, 10000u, 700u}) {
    for (const std::uint32_t phase : {0u, 1u, 2u, 3u, 6u}) {
      const auto time = [&](std::uint32_t fill) {
        MachineDescription machine;
        machine.core_ps = core_ps;
        machine.pipelined.fill = fill;
        Stream stream;
        stream.Add("H_PREFETCH_M", {}, LoadTile(0, 0)).Add("M_MM", {}, Multiply(0, {0, 4, 1}));
        emulator::PipelinedModel model(machine);
        return Feed(model, stream).accepted[1] - fill;
      };
      // 10 core cycles are a whole number of DRAM clocks for each of these periods.
      EXPECT_EQ(time(phase), time(10'000'000 + phase)) << core_ps << " ps, phase " << phase;
    }
  }
}

// Data of a cold line arrive 18 clocks behind their offer; a core cycle sees them when it begins at
// or after that time.
TEST(ClockRatios, DataAreNeverSeenEarlyNorOneCycleLate) {
  for (const std::uint32_t core_ps : {250u, 333u, 1000u, 1001u, 2500u, 7777u, 10000u}) {
    MachineDescription machine;
    machine.core_ps = core_ps;
    Stream stream;
    stream.Add("H_PREFETCH_V", {}, LoadRows(100, 0, 1));
    stream.Add("V_EXP_V", {}, ReadsWrites({100, 1}, {}, {5, 1}));
    emulator::PipelinedModel model(machine);
    const Announced run = Feed(model, stream);
    // Accepted at 7, first line at 10; then 2 cycles of conversion, the port, the next cycle, and
    // recovery.
    const std::uint64_t offered = (std::uint64_t{10} * core_ps + 999) / 1000;
    const std::uint64_t arrived_ps = (offered + 18) * 1000;
    const Cycle seen = (arrived_ps + core_ps - 1) / core_ps;
    EXPECT_EQ(run.accepted[1], seen + 2 + 1 + 1) << core_ps;
    EXPECT_GE(seen * core_ps, arrived_ps);
    EXPECT_LT((seen - 1) * core_ps, arrived_ps);
  }
}

// A slower core waits fewer of its cycles for the same clocks, down to the fixed ones.
TEST(ClockRatios, SlowerCoresWaitFewerCycles) {
  Cycle last = ~Cycle{0};
  for (const std::uint32_t core_ps : {500u, 1000u, 2000u, 5000u, 10000u, 100000u}) {
    MachineDescription machine;
    machine.core_ps = core_ps;
    Stream stream;
    stream.Add("H_PREFETCH_M", {}, LoadTile(0, 0)).Add("M_MM", {}, Multiply(0, {0, 4, 1}));
    emulator::PipelinedModel model(machine);
    const Cycle accepted = Feed(model, stream).accepted[1];
    EXPECT_LE(accepted, last) << core_ps;
    last = accepted;
  }
  // The engine issues one line per cycle, and rows enter one per cycle.
  EXPECT_GE(last, 7u + 3 + 64);
}

}  // namespace
}  // namespace moescope::test
