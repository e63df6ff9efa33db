// The deadlock detector (timing.md, 9: T10; tools.md, 3.3). A DMA engine without places for lines
// in flight, which no machine file can ask for, is the unit that never completes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/deadlock_report.h"
#include "emulator/explanations.h"
#include "emulator/hbm/clock_ratio.h"
#include "emulator/run.h"
#include "emulator/timing/pipelined/pipelined_model.h"
#include "emulator/timing/rtl/rtl_model.h"
#include "tests/emulator/counting_listener.h"
#include "tests/emulator/machine_fixture.h"
#include "tests/emulator/timing/transfer.h"

namespace moescope::test {
namespace {

using emulator::Cycle;
using emulator::Deadlock;
using emulator::EndReason;
using emulator::MachineDescription;
using emulator::Reason;
using testing::ElementsAre;
using testing::HasSubstr;

MachineDescription StuckMachine(MachineDescription machine = {}) {
  machine.pipelined.dma.max_lines = 0;
  return machine;
}

struct Stuck {
  Announced run;
  Deadlock deadlock;
  bool in_drain = false;
};

// Feeds a stream until the model says "never", then cuts it as a run does.
Stuck FeedUntilStuck(emulator::TimingModel& model, const Stream& stream) {
  Stuck stuck;
  emulator::EventSink sink({&stuck.run});
  std::uint64_t sequence = 0;
  bool never = false;
  for (const StreamStep& step : stream.steps()) {
    const Cycle cycle =
        model.Execute({sequence++, step.pc, step.instruction, step.operands, &step.access}, sink);
    never = cycle == emulator::kNever;
    if (never) break;
  }
  if (!never) {
    stuck.in_drain = true;
    EXPECT_EQ(model.Drain(sink), emulator::kNever);
  }
  stuck.deadlock = model.Explain();
  stuck.run.total = model.Cut(sink);
  return stuck;
}

Cycle SumOf(const Announced& run) {
  Cycle sum = 0;
  for (const auto& [cell, cycles] : run.cells) sum += cycles;
  return sum;
}

TEST(DeadlockTest, AConsumerOfRowsThatNeverArrive) {
  Stream stream;
  stream.Add("S_ADD_INT").Add("H_PREFETCH_V", {}, LoadRows(100, 0));
  stream.Add("V_EXP_V", {}, ReadsWrites({101, 1}, {}, {5, 1}));
  emulator::PipelinedModel model(StuckMachine());
  const Stuck stuck = FeedUntilStuck(model, stream);
  EXPECT_FALSE(stuck.in_drain);
  EXPECT_EQ(stuck.run.accepted.size(), 2u) << "the third is never accepted";
  ASSERT_EQ(stuck.deadlock.waits.size(), 2u);
  EXPECT_EQ(stuck.deadlock.waits[0].pc, 2u);
  EXPECT_EQ(stuck.deadlock.waits[0].resource, "rows in flight");
  EXPECT_EQ(stuck.deadlock.waits[0].holder_pc, 1u);
  EXPECT_EQ(stuck.deadlock.waits[1].pc, 1u);
  EXPECT_EQ(stuck.deadlock.waits[1].resource, "lines and bursts of dma_v");
  EXPECT_EQ(stuck.deadlock.waits[1].holder_pc, emulator::kNoPc);
  EXPECT_EQ(stuck.deadlock.since, 9u);
  EXPECT_EQ(SumOf(stuck.run), stuck.run.total);
}

TEST(DeadlockTest, ASlotThatIsNeverFree) {
  Stream stream;
  stream.Add("H_STORE_V", {}, StoreRows(50, 0)).Add("H_PREFETCH_V", {}, LoadRows(100, 4096));
  emulator::PipelinedModel model(StuckMachine());
  const Stuck stuck = FeedUntilStuck(model, stream);
  ASSERT_EQ(stuck.deadlock.waits.size(), 2u);
  EXPECT_EQ(stuck.deadlock.waits[0].resource, "a transfer slot");
  EXPECT_EQ(stuck.deadlock.waits[0].holder_pc, 0u);
  // The store read its VRAM rows before its lines got stuck: the last event.
  EXPECT_EQ(stuck.run.total, SumOf(stuck.run));
  EXPECT_GE(stuck.run.total, 13u);
  EXPECT_EQ(stuck.run.Of(1, Reason::kDmaSlot), stuck.run.total - 8);
}

TEST(DeadlockTest, AWriteToRowsInFlight) {
  Stream stream;
  stream.Add("H_PREFETCH_V", {}, LoadRows(100, 0));
  stream.Add("V_EXP_V", {}, ReadsWrites({3, 1}, {}, {100, 1}));
  emulator::PipelinedModel model(StuckMachine());
  const Stuck stuck = FeedUntilStuck(model, stream);
  EXPECT_EQ(stuck.deadlock.waits.at(0).resource, "war_waw");
  EXPECT_EQ(stuck.deadlock.waits.at(0).holder_pc, 0u);
}

TEST(DeadlockTest, MemoryOrderIsNamedInTheChain) {
  Stream stream;
  stream.Add("H_STORE_V", {}, StoreRows(50, 0)).Add("H_PREFETCH_M", {}, LoadTile(0, 0));
  stream.Add("M_MM", {}, Multiply(0, {0, 4, 1}));
  emulator::PipelinedModel model(StuckMachine());
  const Stuck stuck = FeedUntilStuck(model, stream);
  ASSERT_EQ(stuck.deadlock.waits.size(), 3u);
  EXPECT_EQ(stuck.deadlock.waits[0].holder_pc, 1u);
  EXPECT_EQ(stuck.deadlock.waits[1].pc, 0u);
  EXPECT_EQ(stuck.deadlock.waits[2].pc, 1u);
  EXPECT_EQ(stuck.deadlock.waits[2].resource, "memory order");
  EXPECT_EQ(stuck.deadlock.waits[2].holder_pc, 0u);
}

TEST(DeadlockTest, ATransferBehindAStuckOneWaitsForItsEngine) {
  MachineDescription machine = StuckMachine();
  machine.pipelined.dma.queue = 1;
  Stream stream;
  stream.Add("H_PREFETCH_V", {}, LoadRows(100, 0)).Add("H_PREFETCH_V", {}, LoadRows(200, 4096));
  emulator::PipelinedModel model(machine);
  const Stuck stuck = FeedUntilStuck(model, stream);
  EXPECT_TRUE(stuck.in_drain);
  ASSERT_EQ(stuck.deadlock.waits.size(), 2u);
  EXPECT_EQ(stuck.deadlock.waits[1].resource, "engine dma_v");
  EXPECT_EQ(stuck.deadlock.waits[1].holder_pc, 0u);
}

TEST(DeadlockTest, ADrainThatNeverEndsGivesItsCyclesToTheTransfer) {
  Stream stream;
  stream.Add("H_PREFETCH_M", {}, LoadTile(0, 0)).Add("M_MV", {}, Multiply(1, {0, 1, 1}));
  emulator::PipelinedModel model(StuckMachine());
  const Stuck stuck = FeedUntilStuck(model, stream);
  EXPECT_TRUE(stuck.in_drain);
  EXPECT_EQ(stuck.run.total, 76u) << "8 + 68: the matrix unit still finishes";
  EXPECT_EQ(stuck.run.Of(0, Reason::kDrainDma), 76u - 9);
  EXPECT_EQ(SumOf(stuck.run), stuck.run.total);
}

TEST(DeadlockTest, UnitsTellWhoHasThem) {
  Stream stream;
  stream.Add("M_MV", {}, Multiply(1, {0, 1, 1})).Add("H_PREFETCH_V", {}, LoadRows(100, 0));
  stream.Add("H_PREFETCH_V", {}, LoadRows(200, 4096));
  emulator::PipelinedModel model(StuckMachine());
  const Deadlock deadlock = FeedUntilStuck(model, stream).deadlock;
  ASSERT_EQ(deadlock.units.size(), emulator::kUnitCount - 1);
  EXPECT_EQ(deadlock.units[0].unit, emulator::Unit::kMxCompute);
  EXPECT_EQ(deadlock.units[0].pc, 0u);
  EXPECT_EQ(deadlock.units[0].until, 75u);
  EXPECT_EQ(deadlock.units[1].pc, emulator::kNoPc) << "never worked";
  EXPECT_EQ(deadlock.units.back().unit, emulator::Unit::kDmaV);
  EXPECT_EQ(deadlock.units.back().pc, 1u);
  EXPECT_FALSE(deadlock.units.back().until.has_value());
}

TEST(DeadlockTest, TheRtlModelDetectsItToo) {
  MachineDescription machine = StuckMachine();
  machine.rtl.ibuf = false;
  Stream stream;
  stream.Add("H_PREFETCH_V", {}, LoadRows(100, 0));
  stream.Add("V_EXP_V", {}, ReadsWrites({3, 1}, {}, {5, 1}));  // R12: any prefetch V holds it
  emulator::RtlModel model(machine);
  const Stuck stuck = FeedUntilStuck(model, stream);
  EXPECT_FALSE(stuck.in_drain);
  EXPECT_EQ(stuck.deadlock.waits.at(0).pc, 1u);
  EXPECT_EQ(stuck.deadlock.waits.at(0).resource, "a transfer slot");
  EXPECT_EQ(SumOf(stuck.run), stuck.run.total);

  Stream drain;
  drain.Add("H_PREFETCH_M", {}, LoadTile(0, 0)).Add("S_ADD_INT");
  emulator::RtlModel other(machine);
  const Stuck end = FeedUntilStuck(other, drain);
  EXPECT_TRUE(end.in_drain);
  EXPECT_EQ(end.deadlock.waits.at(0).resource, "lines and bursts of dma_m");
  EXPECT_EQ(SumOf(end.run), end.run.total);
}

// A run with a stuck model: end reason, counters and report.
class DeadlockRun : public MachineFixture {
 protected:
  emulator::RunEnd RunStuck(const isa::Program& program) {
    MachineDescription stuck = StuckMachine(machine);
    emulator::PipelinedModel model(stuck);
    emulator::Listener* listeners[] = {&counts};
    return emulator::Run(program, machine, *state, &model, listeners, {});
  }
  CountingListener counts;
};

TEST_F(DeadlockRun, EndsTheRunAndKeepsWhatWasMeasured) {
  const isa::Program program = AssembleText(
      "S_ADDI_INT gp1, gp0, 8\nH_PREFETCH_V gp1, gp0, a0\nV_ADD_VV gp0, gp1, gp0\n"
      "S_ADDI_INT gp2, gp0, 1");
  const emulator::RunEnd end = RunStuck(program);
  EXPECT_EQ(end.reason, EndReason::kDeadlock);
  EXPECT_FALSE(end.complete());
  EXPECT_FALSE(end.fault.has_value());
  EXPECT_EQ(emulator::EndReasonId(end.reason), "FT901");
  EXPECT_EQ(end.instructions, 2u);
  EXPECT_EQ(end.pc, 2u);
  EXPECT_EQ(counts.accepted, 2u);
  EXPECT_EQ(counts.attributed, end.cycles);
  EXPECT_TRUE(counts.contiguous);
  ASSERT_TRUE(end.deadlock.has_value());
  EXPECT_THAT(
      emulator::DeadlockLines(*end.deadlock, program, isa::InstructionSet::Builtin()),
      ElementsAre("pc 2 (V_ADD_VV gp0, gp1, gp0, 0) waits for rows in flight, held by pc 1, since "
                  "cycle 9",
                  "pc 1 (H_PREFETCH_V gp1, gp0, a0, 0, 0) waits for lines and bursts of dma_v, "
                  "which nothing pending will give",
                  "units: mx_compute idle, mx_writeout idle, vx_elem idle, vx_red idle, sx_alu "
                  "idle, sx_sfu idle, sx_sram idle, dma_m idle, dma_v with pc 1",
                  "last events, by cycle: 7 pc 0 accepted; 8 pc 0 completed; 8 pc 1 accepted"));
}

TEST_F(DeadlockRun, AProgramThatEndedButCannotDrain) {
  const isa::Program program = AssembleText("H_PREFETCH_V gp0, gp0, a0\nC_BREAK");
  const emulator::RunEnd end = RunStuck(program);
  EXPECT_EQ(end.reason, EndReason::kDeadlock);
  EXPECT_EQ(end.instructions, 2u);
  EXPECT_EQ(end.pc, 0u) << "the transfer";
  EXPECT_EQ(counts.attributed, end.cycles);
}

TEST_F(DeadlockRun, OnlyTheLastEventsAreKept) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "S_ADDI_INT gp2, gp0, 1\n";
  const isa::Program program = AssembleText(text + "H_PREFETCH_V gp0, gp0, a0\nC_BREAK");
  const emulator::RunEnd end = RunStuck(program);
  ASSERT_TRUE(end.deadlock.has_value());
  ASSERT_EQ(end.deadlock->events.size(), 32u);
  EXPECT_TRUE(std::is_sorted(end.deadlock->events.begin(), end.deadlock->events.end(),
                             [](const auto& a, const auto& b) { return a.cycle < b.cycle; }));
}

TEST_F(DeadlockRun, ALimitIsReportedBeforeADeadlock) {
  options.limits.max_instructions = 1;
  const isa::Program program = AssembleText("H_PREFETCH_V gp0, gp0, a0\nV_ADD_VV gp0, gp0, gp0");
  MachineDescription stuck = StuckMachine(machine);
  emulator::PipelinedModel model(stuck);
  const emulator::RunEnd end = emulator::Run(program, machine, *state, &model, {}, options);
  EXPECT_EQ(end.reason, EndReason::kMaxInstructions);
  EXPECT_FALSE(end.deadlock.has_value());
}

TEST(DeadlockLinesTest, NameACycleOfWaits) {
  Deadlock deadlock;
  deadlock.since = 40;
  deadlock.waits = {{9, "rows in flight", 3}, {3, "memory order", 5}, {5, "engine dma_v", 3}};
  deadlock.units = {{emulator::Unit::kHbm, 3, 77}};
  deadlock.events = {{Deadlock::RecentEvent::Kind::kMoved, 4, 39}};
  const isa::Program program = isa::ProgramFromWords({0});
  EXPECT_THAT(
      emulator::DeadlockLines(deadlock, program, isa::InstructionSet::Builtin()),
      ElementsAre("pc 9 waits for rows in flight, held by pc 3, since cycle 40",
                  "pc 3 waits for memory order, held by pc 5",
                  "pc 5 waits for engine dma_v, held by pc 3",
                  "cycle of waits: pc 3 -> pc 5 -> pc 3", "units: hbm with pc 3 until cycle 77",
                  "last events, by cycle: 39 pc 4 moved its bytes"));
}

// Shipped machines and models do not deadlock: the same programs under them end.
TEST(DeadlockTest, TheSamePlacesInATurnEnd) {
  for (const std::uint32_t places : {1u, 2u, 64u}) {
    MachineDescription machine;
    machine.pipelined.dma.max_lines = places;
    Stream stream;
    stream.Add("H_STORE_V", {}, StoreRows(50, 0)).Add("H_PREFETCH_M", {}, LoadTile(0, 0));
    stream.Add("M_MM", {}, Multiply(0, {0, 4, 1}));
    emulator::PipelinedModel model(machine);
    const Announced run = Feed(model, stream);
    EXPECT_EQ(run.accepted.size(), 3u);
    EXPECT_LT(run.total, 10'000u);
    EXPECT_TRUE(model.Explain().waits.empty());
  }
}

}  // namespace
}  // namespace moescope::test
