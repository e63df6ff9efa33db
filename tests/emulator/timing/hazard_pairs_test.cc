// Every hazard of timing.md 4.3 as a pair of instructions, one cycle early and on time (T6, T13).

#include <gtest/gtest.h>

#include <ostream>

#include "tests/emulator/timing/act.h"

namespace moescope::test {
namespace {

using emulator::Cycle;
using emulator::MachineDescription;
using emulator::Reason;

// `consumer` may be accepted from cycle kFirst + `after` on; earlier `reason` holds it.
struct Pair {
  Act producer;
  Act consumer;
  Reason reason;
  Cycle after;
};
void PrintTo(const Pair& p, std::ostream* out) {
  *out << p.producer.mnemonic << " then " << p.consumer.mnemonic << ": "
       << emulator::Name(p.reason);
}

class HazardPair : public testing::TestWithParam<Pair> {};

TEST_P(HazardPair, HoldsOneCycleEarlyAndIsGoneOnTime) {
  const Pair& pair = GetParam();
  const MachineDescription machine;
  const Cycle release = kFirst + pair.after;

  const Announced early = Probe(pair.producer, pair.consumer, release - 1, machine);
  const auto waiter = static_cast<std::uint32_t>(early.accepted.size() - 1);
  EXPECT_EQ(early.Of(waiter, pair.reason), 1u) << "one cycle early";
  EXPECT_EQ(early.Of(waiter, Reason::kRecovery), 1u);
  EXPECT_EQ(early.accepted.back(), release + machine.pipelined.recovery);
  EXPECT_EQ((early.blame.at({waiter, 0})), 1u) << "the producer";

  const Announced on_time = Probe(pair.producer, pair.consumer, release, machine);
  EXPECT_EQ(on_time.accepted.back(), release) << "on time";
  EXPECT_EQ(on_time.Of(pair.reason), 0u);
  EXPECT_EQ(on_time.Of(Reason::kRecovery), 0u);

  // As early as it can: everything is one wait, given to this reason.
  const Announced next = Probe(pair.producer, pair.consumer, kFirst + 1, machine);
  EXPECT_EQ(next.accepted.back(), release + machine.pipelined.recovery);
  EXPECT_EQ(next.Of(1, pair.reason), release - kFirst - 1);
}

// M = V = 64, B = H = 4, profile dse.
const Pair kPairs[] = {
    // H1: the last writer of a source register.
    {Scalar("S_ADD_FP", 1), Scalar("S_ST_FP", 1), Reason::kRawFp, 9},
    {Scalar("S_SUB_FP", 1), Scalar("S_EXP_FP", 2, 1), Reason::kRawFp, 9},
    {Scalar("S_MUL_FP", 1), Scalar("S_SQRT_FP", 2, 1), Reason::kRawFp, 7},
    {Scalar("S_MAX_FP", 1), Scalar("S_RECI_FP", 2, 1), Reason::kRawFp, 9},
    {Scalar("S_EXP_FP", 1), Scalar("S_ADD_FP", 2, 3, 1), Reason::kRawFp, 19},
    {Scalar("S_RECI_FP", 1), Scalar("S_MUL_FP", 2, 1, 3), Reason::kRawFp, 9},
    {Scalar("S_SQRT_FP", 1), Scalar("S_MAX_FP", 2, 1, 1), Reason::kRawFp, 5},
    {Scalar("S_ADD_FP", 4), Element("V_ADD_VF", 1, kNone, 2, 4), Reason::kRawFp, 9},
    {Reduce("V_RED_SUM", 1, 0), Scalar("S_ST_FP", 1), Reason::kRawFp, 54},
    {Reduce("V_RED_MAX", 5, 0), Element("V_MUL_VF", 1, kNone, 2, 5), Reason::kRawFp, 19},
    // H2: the last writer of a source row.
    {Element("V_ADD_VV", 0, 1, 3), Reduce("V_RED_SUM", 1, 3), Reason::kRawVram, 12},
    {Element("V_SUB_VV", 0, 1, 3), Element("V_ADD_VV", 4, 3, 5), Reason::kRawVram, 12},
    {Element("V_MUL_VV", 0, 1, 3), Reduce("V_RED_MAX", 1, 3), Reason::kRawVram, 10},
    {Element("V_EXP_V", 0, kNone, 3), Element("V_RECI_V", 3, kNone, 3), Reason::kRawVram, 21},
    {Element("V_RECI_V", 0, kNone, 3), Compute("M_MV", 3, 1), Reason::kRawVram, 11},
    {Element("V_MAX_VF", 0, kNone, 3), Compute("M_MM", 0, 4), Reason::kRawVram, 11},
    {Element("V_ADD_VF", 0, kNone, 3), TopK(128, 2), Reason::kRawVram, 13},
    {WriteOut("M_MM_WO", 8, 4), Element("V_EXP_V", 11, kNone, 0), Reason::kRawVram, 21},
    {WriteOut("M_MV_WO", 8, 1), Reduce("V_RED_SUM", 1, 8), Reason::kRawVram, 4},
    {WriteOut("M_BMV_WO", 8, 4), Reduce("V_RED_SUM", 1, 10), Reason::kRawVram, 7},
    {WriteOut("M_BMM_WO", 0, 256), Reduce("V_RED_MAX", 1, 255), Reason::kRawVram, 273},
    {Map(6), Element("V_ADD_VV", 0, 6, 7), Reason::kRawVram, 67},
    // H4: rows that are still read, or written later than ours would be.
    {Compute("M_MM", 0, 4), Map(3), Reason::kWarWaw, 4},
    {Compute("M_BMM", 0, 64), Element("V_EXP_V", 64, kNone, 63), Reason::kWarWaw, 64},
    {TopK(200, 0), Element("V_EXP_V", 9, kNone, 2), Reason::kWarWaw, 4},
    {WriteOut("M_MM_WO", 8, 4), Element("V_ADD_VV", 0, 1, 9), Reason::kWarWaw, 21 - 12 + 1},
    {WriteOut("M_BMM_WO", 0, 256), Map(9), Reason::kWarWaw, 273 - 67 + 1},
    {Map(6), WriteOut("M_MM_WO", 6, 4), Reason::kWarWaw, 67 - 21 + 1},
    // H5: units and accumulators.
    {Compute("M_MM", 0, 4), Compute("M_TMM", 8, 4), Reason::kMxBusy, 8},
    {Compute("M_BTMM", 0, 64), Compute("M_MM", 64, 4), Reason::kMxBusy, 1028},
    {Compute("M_MV", 0, 1), Compute("M_BMV", 1, 1), Reason::kMxBusy, 68},
    {WriteOut("M_MM_WO", 0, 4), WriteOut("M_MV_WO", 9, 1), Reason::kWoBusy, 21},
    {WriteOut("M_MM_WO", 0, 4), Compute("M_MM", 8, 4), Reason::kWoBusy, 21},
    {WriteOut("M_BMM_WO", 0, 256), Compute("M_BMM", 300, 64), Reason::kWoBusy, 273},
    {WriteOut("M_MV_WO", 0, 1), Compute("M_TMV", 8, 1), Reason::kWoBusy, 4},
    {WriteOut("M_BMV_WO", 0, 4), Compute("M_BTMV", 8, 1), Reason::kWoBusy, 7},
    {Reduce("V_RED_SUM", 1, 0), Reduce("V_RED_MAX", 2, 1), Reason::kVxBusy, 54},
    {Reduce("V_RED_MAX", 1, 0), TopK(32, 1), Reason::kVxBusy, 19},
    {TopK(32, 0), Reduce("V_RED_SUM", 1, 1), Reason::kVxBusy, 128},
    {TopK(100, 0), TopK(32, 4), Reason::kVxBusy, 400},
    {Scalar("S_ADD_FP", 1), Scalar("S_MUL_FP", 2, 3, 4), Reason::kSxBusy, 10},
    {Scalar("S_MUL_FP", 1), Scalar("S_MAX_FP", 2, 3, 4), Reason::kSxBusy, 8},
    {Scalar("S_EXP_FP", 1), Scalar("S_RECI_FP", 2, 3), Reason::kSxBusy, 20},
    {Scalar("S_SQRT_FP", 1), Scalar("S_EXP_FP", 2, 3), Reason::kSxBusy, 6},
    {Map(6), Scalar("S_LD_FP", 1), Reason::kSxBusy, 68},
    {Map(6), Scalar("S_ST_FP", 1), Reason::kSxBusy, 68},
    // H6: a reduction in flight.
    {Reduce("V_RED_SUM", 1, 0), Scalar("S_ADD_FP", 2, 3, 4), Reason::kRedPending, 54},
    {Reduce("V_RED_SUM", 1, 0), Scalar("S_LD_FP", 5), Reason::kRedPending, 54},
    {Reduce("V_RED_MAX", 1, 0), Map(7), Reason::kRedPending, 19},
    {Reduce("V_RED_MAX", 1, 0), Element("V_ADD_VF", 1, kNone, 2, 4), Reason::kRedPending, 19},
    {TopK(32, 0), Scalar("S_EXP_FP", 2, 3), Reason::kRedPending, 128},
    {TopK(32, 0), Scalar("S_LD_INT", 2), Reason::kRedPending, 128},
    {TopK(32, 0), Scalar("S_ST_INT", 2), Reason::kRedPending, 128},
    // H7: scalar arithmetic before V_*_VF, whatever the register.
    {Scalar("S_ADD_FP", 1), Element("V_MUL_VF", 1, kNone, 2, 4), Reason::kSxBusy, 9},
    {Scalar("S_EXP_FP", 1), Element("V_MAX_VF", 1, kNone, 2, 4), Reason::kSxBusy, 19},
};

INSTANTIATE_TEST_SUITE_P(All, HazardPair, testing::ValuesIn(kPairs));

// Pairs that do not hold each other at all.
struct Free {
  Act first;
  Act second;
};
void PrintTo(const Free& p, std::ostream* out) {
  *out << p.first.mnemonic << " then " << p.second.mnemonic;
}
class FreePair : public testing::TestWithParam<Free> {};

TEST_P(FreePair, IssuesBackToBack) {
  const Announced run = Probe(GetParam().first, GetParam().second, kFirst + 1, {});
  EXPECT_EQ(run.accepted.back(), kFirst + 1);
  EXPECT_EQ(run.Of(Reason::kRecovery), 0u);
}

const Free kFree[] = {
    {Scalar("S_ADD_FP", 0), Scalar("S_ST_FP", 0)},      // f0 is never waited for
    {Scalar("S_LD_FP", 1), Scalar("S_ADD_FP", 2, 1)},   // usable in the next slot
    {Scalar("S_ADD_FP", 1), Scalar("S_EXP_FP", 2, 3)},  // another unit
    {Scalar("S_ADD_FP", 1), Scalar("S_LD_FP", 2)},
    {Scalar("S_ADD_FP", 1), Element("V_ADD_VV", 0, 1, 2)},
    {Scalar("S_LD_FP", 1), Element("V_ADD_VF", 0, kNone, 2, 3)},
    {Element("V_ADD_VV", 0, 1, 2), Element("V_SUB_VV", 4, 5, 6)},  // the same latency
    {Element("V_ADD_VV", 0, 1, 2), Reduce("V_RED_SUM", 1, 4)},
    {Reduce("V_RED_SUM", 1, 0), Element("V_EXP_V", 3, kNone, 4)},
    {Reduce("V_RED_SUM", 1, 0), Compute("M_MM", 8, 4)},
    {Reduce("V_RED_SUM", 1, 0), Scalar("S_LD_INT", 2)},
    {TopK(32, 0), Scalar("S_ADD_INT", 2)},
    {Compute("M_MM", 0, 4), WriteOut("M_MM_WO", 8, 4)},  // the write-out queues
    {Compute("M_MM", 0, 4), WriteOut("M_MV_WO", 8, 1)},
    {WriteOut("M_MM_WO", 8, 4), Compute("M_BMV", 16, 1)},  // another accumulator
    {WriteOut("M_MM_WO", 8, 4), Compute("M_MV", 16, 1)},
    {WriteOut("M_MM_WO", 8, 4), Element("V_EXP_V", 12, kNone, 13)},
    {Map(6), Element("V_EXP_V", 12, kNone, 13)},
    {Map(6), Scalar("S_ADD_FP", 1)},
    {Scalar("S_ADD_INT", 1), Scalar("S_MUL_INT", 2, 1, 1)},
};
INSTANTIATE_TEST_SUITE_P(All, FreePair, testing::ValuesIn(kFree));

}  // namespace
}  // namespace moescope::test
