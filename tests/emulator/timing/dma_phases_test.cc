// How a DMA wait is cut along the life of its critical burst (timing.md, 7.2; T13): transactions
// made by hand, all eight reasons, every sub-interval of the wait.

#include "emulator/timing/dma/dma_phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace moescope::emulator {
namespace {

using testing::ElementsAre;

const ClockRatio kSameClock(1000, 1000);

DmaLine LineOf(std::uint64_t line, RowSpan rows, const BurstLife& life, Cycle issued) {
  DmaLine l;
  l.plan.line = line;
  l.plan.element_rows = rows;
  l.issued = issued;
  l.last = life;
  l.last.burst.address = line * 64;
  return l;
}

// A prefetch of two rows, a line each; the second arrives last.
DmaTransaction Prefetch() {
  DmaTransaction t;
  t.request.kind = DmaKind::kPrefetchVector;
  t.request.transfer.rows = 2;
  t.ordered_from = 20;
  t.start = 25;
  t.lines = {
      LineOf(0, {0, 1},
             {.admitted = 31, .row_begin = 33, .row_ready = 40, .command = 41, .done = 52}, 30),
      LineOf(1, {1, 1},
             {.admitted = 35, .row_begin = 38, .row_ready = 45, .command = 50, .done = 61}, 31)};
  t.settled = {55, 64};
  t.row_done = {52, 61};
  t.complete = 64;
  return t;
}

std::vector<DmaPhase> Cut(const DmaWaitFor& wait, Cycle from, Cycle to,
                          HbmModelKind model = HbmModelKind::kDram) {
  std::vector<DmaPhase> phases;
  CutDmaWait(wait, from, to, model, kSameClock, phases);
  return phases;
}

TEST(DmaPhases, APrefetchHasSevenReasons) {
  const DmaTransaction t = Prefetch();
  const DmaWaitFor wait{&t, /*slot=*/false, {1, 1}, 10};
  EXPECT_THAT(Cut(wait, 10, 64),
              ElementsAre(DmaPhase{Reason::kHbmOrder, 20}, DmaPhase{Reason::kDmaIssue, 31},
                          DmaPhase{Reason::kHbmQueue, 35}, DmaPhase{Reason::kHbmBandwidth, 38},
                          DmaPhase{Reason::kHbmRow, 45}, DmaPhase{Reason::kHbmBandwidth, 50},
                          DmaPhase{Reason::kHbmLatency, 61}, DmaPhase{Reason::kSramFill, 64}));
}

TEST(DmaPhases, OnlyTheAwaitedRowsCount) {
  const DmaTransaction t = Prefetch();
  EXPECT_THAT(Cut({&t, false, {0, 1}, 10}, 10, 55),
              ElementsAre(DmaPhase{Reason::kHbmOrder, 20}, DmaPhase{Reason::kDmaIssue, 30},
                          DmaPhase{Reason::kHbmQueue, 31}, DmaPhase{Reason::kHbmBandwidth, 33},
                          DmaPhase{Reason::kHbmRow, 40}, DmaPhase{Reason::kHbmBandwidth, 41},
                          DmaPhase{Reason::kHbmLatency, 52}, DmaPhase{Reason::kSramFill, 55}));
  // Rows settled when the wait began do not count: both asked, the first already there.
  EXPECT_THAT(Cut({&t, false, {0, 2}, 56}, 56, 64),
              ElementsAre(DmaPhase{Reason::kHbmLatency, 61}, DmaPhase{Reason::kSramFill, 64}));
}

TEST(DmaPhases, ASlotWaitFollowsTheLastBurstOfTheTransfer) {
  const DmaTransaction t = Prefetch();
  EXPECT_EQ(Cut({&t, /*slot=*/true, {}, 10}, 10, 64), Cut({&t, false, {1, 1}, 10}, 10, 64));
}

TEST(DmaPhases, ARowHitHasNoRowPhase) {
  DmaTransaction t = Prefetch();
  for (DmaLine& line : t.lines) line.last.row_begin = line.last.row_ready = kNever;
  EXPECT_THAT(Cut({&t, true, {}, 32}, 32, 64),
              ElementsAre(DmaPhase{Reason::kHbmQueue, 35}, DmaPhase{Reason::kHbmBandwidth, 50},
                          DmaPhase{Reason::kHbmLatency, 61}, DmaPhase{Reason::kSramFill, 64}));
}

TEST(DmaPhases, TiesGoToTheLowestAddress) {
  DmaTransaction t = Prefetch();
  t.lines[0].last.done = 61;
  t.lines[0].last.command = 50;
  t.lines[0].last.row_ready = 47;
  // Line 0 has the lower address now that both arrive at 61: its own admission and row count.
  EXPECT_THAT(Cut({&t, true, {}, 30}, 30, 64),
              ElementsAre(DmaPhase{Reason::kHbmQueue, 31}, DmaPhase{Reason::kHbmBandwidth, 33},
                          DmaPhase{Reason::kHbmRow, 47}, DmaPhase{Reason::kHbmBandwidth, 50},
                          DmaPhase{Reason::kHbmLatency, 61}, DmaPhase{Reason::kSramFill, 64}));
}

DmaTransaction Store() {
  DmaTransaction t = Prefetch();
  t.request.kind = DmaKind::kStoreVector;
  t.request.transfer.is_store = true;
  t.store_read_end = 28;
  return t;
}

TEST(DmaPhases, AStoreReadsVramThenWaitsForItsWrites) {
  const DmaTransaction t = Store();
  EXPECT_THAT(Cut({&t, true, {}, 10}, 10, 64),
              ElementsAre(DmaPhase{Reason::kHbmOrder, 20}, DmaPhase{Reason::kDmaSlot, 28},
                          DmaPhase{Reason::kDmaIssue, 31}, DmaPhase{Reason::kHbmQueue, 35},
                          DmaPhase{Reason::kHbmBandwidth, 61}, DmaPhase{Reason::kDmaSlot, 64}));
}

// All eight reasons occur between the two kinds.
TEST(DmaPhases, AllEightReasonsHaveTheirPlace) {
  std::set<Reason> seen;
  const DmaTransaction prefetch = Prefetch();
  const DmaTransaction store = Store();
  for (const DmaTransaction* t : {&prefetch, &store}) {
    for (const DmaPhase& phase : Cut({t, true, {}, 10}, 10, 64)) seen.insert(phase.reason);
  }
  EXPECT_THAT(seen, ElementsAre(Reason::kDmaSlot, Reason::kDmaIssue, Reason::kHbmQueue,
                                Reason::kHbmRow, Reason::kHbmBandwidth, Reason::kHbmLatency,
                                Reason::kSramFill, Reason::kHbmOrder));
}

// The pieces of [from, to) are those of the whole wait, clipped: for every from and every to.
TEST(DmaPhases, EverySubIntervalIsTheClippedWhole) {
  const DmaTransaction prefetch = Prefetch();
  const DmaTransaction store = Store();
  for (const DmaTransaction* t : {&prefetch, &store}) {
    const DmaWaitFor wait{t, true, {}, 10};
    std::vector<Reason> of_cycle(70, Reason::kOther);
    Cycle at = 10;
    for (const DmaPhase& phase : Cut(wait, 10, 64)) {
      for (; at < phase.end; ++at) of_cycle[at] = phase.reason;
    }
    ASSERT_EQ(at, 64u);
    for (Cycle from = 10; from < 64; ++from) {
      for (Cycle to = from + 1; to <= 64; ++to) {
        Cycle cycle = from;
        for (const DmaPhase& phase : Cut(wait, from, to)) {
          ASSERT_GT(phase.end, cycle);
          for (; cycle < phase.end; ++cycle) ASSERT_EQ(phase.reason, of_cycle[cycle]) << cycle;
        }
        ASSERT_EQ(cycle, to) << "from " << from;
      }
    }
  }
}

// Clocks become visible late, never early: with a slow core the phases are in core cycles.
TEST(DmaPhases, ClocksAreSeenInCoreCycles) {
  DmaTransaction t = Prefetch();
  t.ordered_from = 0;
  t.lines.pop_back();
  t.lines[0].issued = 5;
  t.settled = {23};
  const ClockRatio slow_core(2500, 1000);
  std::vector<DmaPhase> phases;
  CutDmaWait({&t, true, {}, 4}, 4, 23, HbmModelKind::kDram, slow_core, phases);
  EXPECT_THAT(phases,
              ElementsAre(DmaPhase{Reason::kDmaIssue, 5}, DmaPhase{Reason::kHbmQueue, 13},
                          DmaPhase{Reason::kHbmBandwidth, 14}, DmaPhase{Reason::kHbmRow, 16},
                          DmaPhase{Reason::kHbmBandwidth, 17}, DmaPhase{Reason::kHbmLatency, 21},
                          DmaPhase{Reason::kSramFill, 23}));
}

TEST(DmaPhases, FixedHasIssueLatencyAndFill) {
  DmaTransaction t = Prefetch();
  t.ordered_from = 0;
  t.memory_begin = 25;
  EXPECT_THAT(Cut({&t, false, {1, 1}, 10}, 10, 64, HbmModelKind::kFixed),
              ElementsAre(DmaPhase{Reason::kDmaIssue, 25}, DmaPhase{Reason::kHbmLatency, 61},
                          DmaPhase{Reason::kSramFill, 64}));
  EXPECT_THAT(Cut({&t, false, {0, 1}, 10}, 10, 55, HbmModelKind::kFixed),
              ElementsAre(DmaPhase{Reason::kDmaIssue, 25}, DmaPhase{Reason::kHbmLatency, 52},
                          DmaPhase{Reason::kSramFill, 55}));
}

TEST(DmaPhases, FastWaitsForItsChannelsThenStreams) {
  DmaTransaction t = Prefetch();
  t.ordered_from = 0;
  t.memory_begin = 25;
  t.closed_form_begin = 30;
  EXPECT_THAT(Cut({&t, false, {1, 1}, 10}, 10, 64, HbmModelKind::kFast),
              ElementsAre(DmaPhase{Reason::kDmaIssue, 25}, DmaPhase{Reason::kHbmQueue, 30},
                          DmaPhase{Reason::kHbmBandwidth, 61 - 18},
                          DmaPhase{Reason::kHbmLatency, 61}, DmaPhase{Reason::kSramFill, 64}));
}

// Random lives in any order of events: the pieces always partition the wait.
TEST(DmaPhases, RandomLivesPartitionTheWait) {
  std::mt19937_64 random(4242);
  for (int i = 0; i < 20000; ++i) {
    DmaTransaction t = random() % 3 == 0 ? Store() : Prefetch();
    t.ordered_from = random() % 30;
    t.store_read_end = random() % 40;
    for (DmaLine& line : t.lines) {
      line.issued = random() % 60;
      line.last.admitted = line.issued + random() % 20;
      line.last.row_begin = random() % 4 == 0 ? kNever : line.last.admitted + random() % 9;
      line.last.row_ready = line.last.row_begin == kNever ? kNever : line.last.row_begin + 7;
      line.last.command = line.last.admitted + 8 + random() % 20;
      line.last.done = line.last.command + 11;
    }
    const Cycle from = random() % 90;
    const Cycle to = from + 1 + random() % 60;
    const HbmModelKind models[] = {HbmModelKind::kDram, HbmModelKind::kDram, HbmModelKind::kFixed,
                                   HbmModelKind::kFast};
    Cycle at = from;
    Reason last = Reason::kOther;
    for (const DmaPhase& phase : Cut({&t, true, {}, 0}, from, to, models[random() % 4])) {
      ASSERT_GT(phase.end, at);
      ASSERT_NE(phase.reason, last) << "neighbours are merged";
      ASSERT_NE(phase.reason, Reason::kOther);
      at = phase.end;
      last = phase.reason;
    }
    ASSERT_EQ(at, to);
  }
}

}  // namespace
}  // namespace moescope::emulator
