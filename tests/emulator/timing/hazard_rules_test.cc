// Ports, several constraints at once, the drain and the front end (timing.md, 4.1, 4.3, 7.1; T13).

#include <gtest/gtest.h>

#include "tests/emulator/timing/act.h"

namespace moescope::test {
namespace {

using emulator::Access;
using emulator::Cycle;
using emulator::MachineDescription;
using emulator::PipelinedModel;
using emulator::Reason;

// A strided write-out holds exactly its rows, not the box around them.
TEST(StridedWriteOut, HoldsItsRowsAndNotThoseBetween) {
  const Act write_out{"M_MM_WO", {.rs1 = 1}, Writes({10, 4, 3})};  // rows 10 13 16 19
  for (std::uint32_t row = 8; row <= 21; ++row) {
    const bool own = row == 10 || row == 13 || row == 16 || row == 19;
    const Announced run =
        Probe(write_out, Element("V_EXP_V", row, kNone, 40), kFirst + 1, MachineDescription{});
    EXPECT_EQ(run.Of(Reason::kRawVram), own ? 20u : 0u) << "row " << row;
  }
}

// ---- H9: ports
// -----------------------------------------------------------------------------------

// M_MM reads port A in [7, 11).
TEST(PortA, AReadFindsItsExactCyclesFree) {
  const Act reader = Element("V_EXP_V", 20, kNone, 21);
  struct Case {
    Cycle base, accept, wait;
  };
  // A wait of any length costs one cycle of recovery, which may hide the last port cycle.
  for (const Case& c : {Case{8, 11, 2}, {9, 11, 1}, {10, 12, 1}, {11, 11, 0}}) {
    const Announced run = Probe(Compute("M_MM", 0, 4), reader, c.base, {});
    EXPECT_EQ(run.accepted.back(), c.accept) << "base " << c.base;
    EXPECT_EQ(run.Of(Reason::kPortA), c.wait) << "base " << c.base;
  }
}

// V_ADD_VV writes port A in cycle 18; M_MM reads four rows.
TEST(PortA, AReadKeepsOffAWriteThatIsDue) {
  const Act add = Element("V_ADD_VV", 0, 1, 2);
  const Act multiply = Compute("M_MM", 8, 4);
  EXPECT_EQ(Probe(add, multiply, 14, {}).accepted.back(), 14u) << "cycles 14 to 17";
  const Announced held = Probe(add, multiply, 15, {});
  EXPECT_EQ(held.accepted.back(), 19u);
  EXPECT_EQ(held.Of(Reason::kPortA), 3u);
  EXPECT_EQ(Probe(add, multiply, 18, {}).accepted.back(), 20u) << "wait and recovery";
  EXPECT_EQ(Probe(add, multiply, 19, {}).accepted.back(), 19u);
}

// Writes claim the first free cycle: two results that are due at once slip, and their readers wait.
TEST(PortA, AWriteSlipsBehindAReadInItsCycle) {
  Stream stream;
  stream.Add("V_ADD_VV", {}, ReadsWrites({0, 1}, {1, 1}, {2, 1}));  // 7; due at 18
  stream.Add("S_ADD_INT").Add("S_ADD_INT").Add("S_ADD_INT");
  stream.Add("M_BMM", {}, Multiply(0, {100, 64, 1}));
  PipelinedModel model(MachineDescription{});
  const Announced run = Feed(model, stream);
  // The write at 18 was claimed first, so the 64 reads begin behind it.
  EXPECT_EQ(run.accepted.back(), 19u);
  EXPECT_EQ(run.completed.front().cycle, 19u);

  Stream slips;
  slips.Add("M_BMM", {}, Multiply(0, {100, 64, 1}));  // reads [7, 71)
  slips.Add("M_MV_WO", {}, Writes({2, 1, 1}));        // 8; due at 11
  PipelinedModel second(MachineDescription{});
  const Announced late = Feed(second, slips);
  EXPECT_EQ(late.accepted.back(), 8u);
  EXPECT_EQ(late.completed.back().cycle, 72u) << "port A is free in 71";
}

// V_SHFT_V takes one cycle in profile dse, in which it reads port A itself.
TEST(PortA, AWriteSlipsBehindItsOwnRead) {
  const Announced run = Probe(Element("V_SHFT_V", 0, kNone, 2), Element("V_SHFT_V", 4, kNone, 6),
                              kFirst + 1, MachineDescription{});
  EXPECT_EQ(run.completed.front().cycle, 9u);
  EXPECT_EQ(run.Of(1, Reason::kPortA), 1u);
  EXPECT_EQ(run.accepted.back(), 10u);
}

// H10. In the last cycle before the older result is there, its write also holds port A, which comes
// first in the table.
TEST(MixedLatency, HoldsUntilTheOlderResultWhateverTheRows) {
  struct Case {
    Act first, second;
    Cycle result;
  };
  for (const Case& c : {Case{Element("V_ADD_VV", 0, 1, 2), Element("V_MUL_VV", 4, 5, 6), 12},
                        Case{Element("V_MUL_VV", 0, 1, 2), Element("V_EXP_V", 4, kNone, 6), 10},
                        Case{Element("V_EXP_V", 0, kNone, 2), Element("V_RECI_V", 4, kNone, 6), 21},
                        Case{Element("V_ADD_VV", 0, 1, 2), Element("V_ADD_VF", 4, kNone, 6), 12}}) {
    SCOPED_TRACE(c.first.mnemonic);
    const Cycle release = kFirst + c.result;
    const Announced all = Probe(c.first, c.second, kFirst + 1, {});
    EXPECT_EQ(all.accepted.back(), release + 1);
    EXPECT_EQ(all.Of(1, Reason::kMixedLat), c.result - 2);
    EXPECT_EQ(all.Of(1, Reason::kPortA), 1u);
    const Announced early = Probe(c.first, c.second, release - 1, {});
    EXPECT_EQ(early.accepted.back(), release + 1);
    EXPECT_EQ(early.Of(Reason::kPortA), 1u);
    const Announced on_time = Probe(c.first, c.second, release, {});
    EXPECT_EQ(on_time.accepted.back(), release);
    // One latency only: back to back.
    EXPECT_EQ(Probe(c.first, c.first, kFirst + 1, {}).accepted.back(), kFirst + 1);
  }
}

// S_MAP_V_FP writes port B in cycle 73.
TEST(PortB, TheSecondSourceKeepsOffAWrite) {
  const Act map = Map(6);
  const Act add = Element("V_ADD_VV", 0, 1, 2);
  EXPECT_EQ(Probe(map, add, 72, {}).accepted.back(), 72u);
  const Announced held = Probe(map, add, 73, {});
  EXPECT_EQ(held.accepted.back(), 75u);
  EXPECT_EQ(held.Of(Reason::kPortB), 1u);
  EXPECT_EQ((held.blame.at({static_cast<std::uint32_t>(held.accepted.size() - 1), 0})), 1u);
  EXPECT_EQ(Probe(map, Element("V_EXP_V", 0, kNone, 2), 73, {}).accepted.back(), 73u)
      << "no second source";
}

// ---- two constraints at once
// ---------------------------------------------------------------------

// Priority of the table, whichever is released first: the sub-interval between two releases goes to
// the first reason in table order that still holds.
TEST(TwoConstraints, TheFirstOfTheTableThatStillHoldsGetsTheCycles) {
  // f1 at 7 + 9 (raw_fp), the reduction of another instruction at 8 + 19 (red_pending).
  Stream fp_first;
  fp_first.Add("S_ADD_FP", {.rd = 1}).Add("V_RED_MAX", {.rd = 2}, Reads({0, 1}));
  fp_first.Add("S_ST_FP", {.rd = 1});
  PipelinedModel a(MachineDescription{});
  const Announced first = Feed(a, fp_first);
  // The reduction waits for nothing; accepted at 8, done at 27.
  EXPECT_EQ(first.Of(2, Reason::kRawFp), 16u - 9);
  EXPECT_EQ(first.Of(2, Reason::kRedPending), 27u - 16);
  EXPECT_EQ(first.accepted.back(), 28u);

  // The other way round: raw_fp until 8 + 19, the reduction until 7 + 19 < that: all raw_fp.
  Stream red_first;
  red_first.Add("V_RED_MAX", {.rd = 2}, Reads({0, 1}));
  red_first.Add("C_SET_SCALE_REG");
  red_first.Add("S_ST_FP", {.rd = 2});
  PipelinedModel b(MachineDescription{});
  const Announced second = Feed(b, red_first);
  EXPECT_EQ(second.Of(2, Reason::kRawFp), 26u - 9) << "both end at 26: priority";
  EXPECT_EQ(second.Of(Reason::kRedPending), 0u);
}

TEST(TwoConstraints, ThreeReasonsInOneWait) {
  Stream stream;
  stream.Add("V_MUL_VV", {}, ReadsWrites({0, 1}, {1, 1}, {2, 1}));  // 7, row 2 at 17
  stream.Add("V_RED_SUM", {.rd = 1}, Reads({5, 1}));                // 8, unit until 62
  stream.Add("S_EXP_FP", {.rd = 3});                                // waits for the reduction
  stream.Add("V_RED_SUM", {.rd = 4}, Reads({2, 1}));
  PipelinedModel model(MachineDescription{});
  const Announced run = Feed(model, stream);
  EXPECT_EQ(run.accepted[2], 63u);
  EXPECT_EQ(run.Of(2, Reason::kRedPending), 62u - 9);
  // Behind it nothing is left but H6 to H10; the reduction neither reads f3 nor waits for the SFU.
  EXPECT_EQ(run.accepted[3], 64u);

  Stream wait;
  wait.Add("V_MUL_VV", {}, ReadsWrites({0, 1}, {1, 1}, {2, 1}));  // row 2 at 17
  wait.Add("V_RED_MAX", {.rd = 1}, Reads({5, 1}));                // 8, unit until 27
  wait.Add("V_RED_SUM", {.rd = 4}, Reads({2, 1}));
  PipelinedModel other(MachineDescription{});
  const Announced split = Feed(other, wait);
  EXPECT_EQ(split.Of(2, Reason::kRawVram), 17u - 9);
  EXPECT_EQ(split.Of(2, Reason::kVxBusy), 27u - 17);
  EXPECT_EQ((split.blame.at({2, 0})), 8u);
  EXPECT_EQ((split.blame.at({2, 1})), 10u);
}

// ---- the drain
// -----------------------------------------------------------------------------------

TEST(DrainOrder, EachCycleGoesToTheUnitThatFinishesLast) {
  Stream stream;
  stream.Add("S_EXP_FP", {.rd = 1});                           // until 26
  stream.Add("M_MV", {}, Multiply(0, {9, 1, 1}));              // until 76
  stream.Add("V_EXP_V", {}, ReadsWrites({0, 1}, {}, {1, 1}));  // until 30
  PipelinedModel model(MachineDescription{});
  const Announced run = Feed(model, stream);
  EXPECT_EQ(run.total, 76u);
  EXPECT_EQ(run.Of(1, Reason::kDrainMx), 76u - 10) << "the last one gets the whole drain";
  EXPECT_EQ(run.Of(Reason::kDrainSx) + run.Of(Reason::kDrainVx), 0u);
}

TEST(DrainOrder, TiesGoToTheOlderInstruction) {
  Stream stream;
  stream.Add("S_MAP_V_FP", {}, Writes({9, 1, 1}));  // 7 + 67 = 74
  for (Cycle at = 8; at < 74 - 68; ++at) stream.Add("C_SET_SCALE_REG");
  PipelinedModel alone(MachineDescription{});
  EXPECT_EQ(Feed(alone, stream).Of(0, Reason::kDrainSx), 74u - 8);

  Stream tie;
  tie.Add("V_EXP_V", {}, ReadsWrites({0, 1}, {}, {1, 1}));  // 7 + 21 = 28
  tie.Add("C_SET_SCALE_REG");
  tie.Add("S_EXP_FP", {.rd = 1});  // 9 + 19 = 28
  PipelinedModel model(MachineDescription{});
  const Announced run = Feed(model, tie);
  EXPECT_EQ(run.total, 28u);
  EXPECT_EQ(run.Of(0, Reason::kDrainVx), 18u);
  EXPECT_EQ(run.Of(Reason::kDrainSx), 0u);
}

// ---- options of the front end
// --------------------------------------------------------------------

TEST(FrontEnd, LoopBubbleFollowsATakenEndOnly) {
  for (const std::uint32_t redirect : {0u, 1u, 3u, 9u}) {
    MachineDescription machine;
    machine.pipelined.loop_redirect = redirect;
    for (const bool taken : {false, true}) {
      Access access;
      access.jumped = taken;
      Stream stream;
      stream.Add("C_LOOP_END", {.rd = 1}, access).Add("S_ADD_INT");
      PipelinedModel model(machine);
      const Announced run = Feed(model, stream);
      EXPECT_EQ(run.accepted[1], 8u + (taken ? redirect : 0));
      EXPECT_EQ(run.Of(0, Reason::kCtrlLoop), taken ? redirect : 0u);
    }
  }
}

TEST(FrontEnd, SlotsOfThreeAddressOperations) {
  MachineDescription machine;
  machine.pipelined.vv_slots = 2;
  for (const char* name : {"V_ADD_VV", "V_SUB_VV", "V_MUL_VV"}) {
    const Announced run =
        Probe(Element(name, 0, 1, 2), Scalar("S_ADD_INT", 1), kFirst + 1, machine);
    EXPECT_EQ(run.accepted.back(), 9u) << name;
    EXPECT_EQ(run.Of(0, Reason::kIssue), 2u);
  }
  const Announced one =
      Probe(Element("V_EXP_V", 0, kNone, 2), Scalar("S_ADD_INT", 1), kFirst + 1, machine);
  EXPECT_EQ(one.accepted.back(), 8u);
}

TEST(FrontEnd, RecoveryIsAddedOncePerWait) {
  for (const std::uint32_t recovery : {0u, 1u, 2u, 5u}) {
    MachineDescription machine;
    machine.pipelined.recovery = recovery;
    const Announced run =
        Probe(Element("V_EXP_V", 0, kNone, 3), Reduce("V_RED_SUM", 1, 3), kFirst + 1, machine);
    EXPECT_EQ(run.accepted.back(), 28u + recovery);
    EXPECT_EQ(run.Of(Reason::kRecovery), recovery);
  }
}

TEST(FrontEnd, WithoutInOrderRetirementLatenciesMix) {
  MachineDescription machine;
  machine.pipelined.retire_in_order = false;
  const Announced run =
      Probe(Element("V_EXP_V", 0, kNone, 2), Element("V_SHFT_V", 4, kNone, 6), kFirst + 1, machine);
  EXPECT_EQ(run.accepted.back(), 8u);
  // The rows of the older one land later: an overwrite waits just as long as it must.
  const Announced waw =
      Probe(Element("V_EXP_V", 0, kNone, 2), Element("V_ADD_VV", 4, 5, 2), kFirst + 1, machine);
  EXPECT_EQ(waw.Of(Reason::kWarWaw), 28u - 12 + 1 - 8);
  EXPECT_EQ(waw.completed.back().cycle, waw.accepted.back() + 12);
  EXPECT_GT(waw.completed.back().cycle, 28u);
}

}  // namespace
}  // namespace moescope::test
