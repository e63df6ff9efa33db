// Transfers beside compute under `pipelined` (timing.md, 4.4 and 9: T6), worked by hand for the
// memory `fixed` (first row 12 clocks after its start, then one per cycle) and, where it says so,
// `dram`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/timing/pipelined/pipelined_model.h"
#include "tests/emulator/timing/transfer.h"

namespace moescope::test {
namespace {

using emulator::Cycle;
using emulator::HbmModelKind;
using emulator::MachineDescription;
using emulator::Reason;
using emulator::Unit;
using testing::ElementsAre;

MachineDescription Machine(HbmModelKind model = HbmModelKind::kFixed) {
  MachineDescription machine;
  machine.timing = emulator::TimingModelKind::kPipelined;
  machine.hbm.model = model;
  return machine;
}

Announced TimeOf(const Stream& stream, const MachineDescription& machine = Machine()) {
  emulator::PipelinedModel model(machine);
  return Feed(model, stream);
}

Stream Fill(Stream stream, std::size_t until) {
  while (7 + stream.steps().size() < until) stream.Add("C_SET_SCALE_REG");
  return stream;
}

emulator::Access ReadRow(std::uint32_t row, std::uint32_t to = 900) {
  return ReadsWrites({row, 1}, {}, {to, 1});
}

// Accepted at 7, first line at 10; row i arrives at 22 + i, is converted for 2 cycles, enters VRAM
// in 24 + i and may be read from 25 + i.
TEST(Prefetch, ARowIsReadyTheCycleAfterItEnteredVram) {
  for (std::uint32_t row = 0; row < 4; ++row) {
    const Cycle ready = 25 + row;
    Stream start;
    start.Add("H_PREFETCH_V", {}, LoadRows(100, 0));
    const Announced early = TimeOf(Fill(start, ready - 1).Add("V_EXP_V", {}, ReadRow(100 + row)));
    EXPECT_EQ(early.accepted.back(), ready + 1) << "the row and one cycle of recovery";
    EXPECT_EQ(early.Of(Reason::kSramFill), 1u);
    const Announced on_time = TimeOf(Fill(start, ready).Add("V_EXP_V", {}, ReadRow(100 + row)));
    EXPECT_EQ(on_time.accepted.back(), ready);
    EXPECT_EQ(on_time.Of(Reason::kSramFill), 0u);
  }
}

TEST(Prefetch, AWaitOfTheWholeLatencyIsCutIntoItsParts) {
  Stream stream;
  stream.Add("H_PREFETCH_V", {}, LoadRows(100, 0)).Add("V_EXP_V", {}, ReadRow(103));
  const Announced run = TimeOf(stream);
  EXPECT_EQ(run.Of(1, Reason::kDmaIssue), 2u);     // [8, 10)
  EXPECT_EQ(run.Of(1, Reason::kHbmLatency), 15u);  // [10, 25)
  EXPECT_EQ(run.Of(1, Reason::kSramFill), 3u);     // [25, 28)
  EXPECT_EQ(run.Of(1, Reason::kRecovery), 1u);
  EXPECT_EQ(run.accepted.back(), 29u);
  EXPECT_EQ((run.blame.at({1, 0})), 20u);
}

// The same with the DRAM, cold: ACT at 10, RD at 17, data at 28.
TEST(Prefetch, AColdLineOfTheDramIsCutIntoItsParts) {
  Stream stream;
  stream.Add("H_PREFETCH_V", {}, LoadRows(100, 0, 1)).Add("V_EXP_V", {}, ReadRow(100));
  const Announced run = TimeOf(stream, Machine(HbmModelKind::kDram));
  EXPECT_EQ(run.Of(1, Reason::kDmaIssue), 2u);     // [8, 10)
  EXPECT_EQ(run.Of(1, Reason::kHbmRow), 7u);       // [10, 17)
  EXPECT_EQ(run.Of(1, Reason::kHbmLatency), 11u);  // [17, 28)
  EXPECT_EQ(run.Of(1, Reason::kSramFill), 3u);     // [28, 31)
  EXPECT_EQ(run.accepted.back(), 32u);
  ASSERT_EQ(run.traffic.size(), 1u);
  EXPECT_EQ(run.traffic[0].burst_bytes, 64u);
}

TEST(Prefetch, UnrelatedComputeRunsBesideIt) {
  Stream stream;
  stream.Add("H_PREFETCH_M", {}, LoadTile(1, 0));
  for (int i = 0; i < 4; ++i) stream.Add("M_MM", {}, Multiply(0, {0, 4, 1}));
  stream.Add("V_EXP_V", {}, ReadRow(50));
  const Announced run = TimeOf(stream);
  EXPECT_THAT(run.accepted, ElementsAre(7, 8, 17, 26, 35, 36 + 3))
      << "8 cycles and recovery apart; V_EXP_V waits for port A only";
  for (const Reason r :
       {Reason::kDmaIssue, Reason::kHbmLatency, Reason::kSramFill, Reason::kDmaSlot}) {
    EXPECT_EQ(run.Of(r), 0u) << emulator::Name(r);
  }
  // 64 rows: the last one arrives at 22 + 63 and has entered one later.
  EXPECT_EQ(run.total, 86u);
  EXPECT_EQ(run.Of(0, Reason::kDrainDma), 86u - 40);
}

TEST(Prefetch, AMultiplyWaitsForTheLastRowOfItsTile) {
  Stream stream;
  stream.Add("H_PREFETCH_M", {}, LoadTile(1, 0)).Add("M_MM", {}, Multiply(1, {0, 4, 1}));
  const Announced run = TimeOf(stream);
  EXPECT_EQ(run.accepted.back(), 87u);
  EXPECT_EQ(run.Of(1, Reason::kHbmLatency), 75u);  // [10, 85)
  EXPECT_EQ(run.Of(1, Reason::kSramFill), 1u);
}

TEST(Prefetch, IntoRowsThatAreStillReadWaitsForTheirReader) {
  Stream start;
  start.Add("M_BMM", {}, Multiply(0, {0, 64, 1}));  // reads until 71
  for (const std::uint32_t row : {0u, 60u, 63u}) {
    const Announced run = TimeOf(Fill(start, 70).Add("H_PREFETCH_V", {}, LoadRows(row, 0)));
    EXPECT_EQ(run.accepted.back(), 72u) << row;
    EXPECT_EQ(run.Of(Reason::kWarWaw), 1u);
    EXPECT_EQ(TimeOf(Fill(start, 71).Add("H_PREFETCH_V", {}, LoadRows(row, 0))).accepted.back(),
              71u);
  }
  EXPECT_EQ(TimeOf(Fill(start, 8).Add("H_PREFETCH_V", {}, LoadRows(64, 0))).accepted.back(), 8u);
}

TEST(Prefetch, IntoATileThatIsStillReadWaitsForItsReader) {
  Stream start;
  start.Add("M_MM", {}, Multiply(1, {0, 4, 1}));  // until 15
  EXPECT_EQ(TimeOf(Fill(start, 14).Add("H_PREFETCH_M", {}, LoadTile(1, 0))).accepted.back(), 16u);
  EXPECT_EQ(TimeOf(Fill(start, 15).Add("H_PREFETCH_M", {}, LoadTile(1, 0))).accepted.back(), 15u);
  EXPECT_EQ(TimeOf(Fill(start, 8).Add("H_PREFETCH_M", {}, LoadTile(2, 0))).accepted.back(), 8u);
}

TEST(Prefetch, IntoRowsThatAWriteOutStillWritesLandsBehindIt) {
  Stream start;
  start.Add("M_MM_WO", {}, Writes({10, 4, 1}));  // until 28
  EXPECT_EQ(TimeOf(Fill(start, 27).Add("H_PREFETCH_V", {}, LoadRows(13, 0))).accepted.back(), 29u);
  EXPECT_EQ(TimeOf(Fill(start, 28).Add("H_PREFETCH_V", {}, LoadRows(13, 0))).accepted.back(), 28u);
  EXPECT_EQ(TimeOf(Fill(start, 8).Add("H_PREFETCH_V", {}, LoadRows(14, 0))).accepted.back(), 8u);
}

TEST(Prefetch, AWriteToItsRowsWaitsUntilTheyLanded) {
  Stream start;
  start.Add("H_PREFETCH_V", {}, LoadRows(100, 0));
  const Announced run = TimeOf(Fill(start, 8).Add("V_EXP_V", {}, ReadRow(50, 102)));
  EXPECT_EQ(run.Of(1, Reason::kWarWaw), 27u - 8);
  EXPECT_EQ(run.accepted.back(), 28u);
  EXPECT_EQ(TimeOf(Fill(start, 27).Add("V_EXP_V", {}, ReadRow(50, 102))).accepted.back(), 27u);
}

// Two tiles in turn: after the first, loading and multiplying go on side by side.
TEST(Prefetch, DoubleBufferingHidesTheShorterOfBoth) {
  constexpr std::uint32_t kTiles = 6;
  const auto time = [](bool overlap) {
    Stream stream;
    if (overlap) stream.Add("H_PREFETCH_M", {}, LoadTile(0, 0));
    for (std::uint32_t i = 0; i < kTiles; ++i) {
      if (!overlap) stream.Add("H_PREFETCH_M", {}, LoadTile(i % 2, i * 4096));
      if (overlap && i + 1 < kTiles) {
        stream.Add("H_PREFETCH_M", {}, LoadTile((i + 1) % 2, (i + 1) * 4096));
      }
      for (int k = 0; k < 4; ++k) stream.Add("M_MM", {}, Multiply(i % 2, {0, 4, 1}));
    }
    return TimeOf(stream);
  };
  const Announced serial = time(false);
  const Announced overlapped = time(true);
  // One load takes 79 cycles from accept to complete; the last of four multiplies issues 28 behind
  // the first.
  EXPECT_GE(serial.total, kTiles * (79 + 28));
  EXPECT_LE(overlapped.total, 7 + kTiles * 81 + 40);
  EXPECT_EQ(serial.busy.at(Unit::kMxCompute), overlapped.busy.at(Unit::kMxCompute));
  EXPECT_EQ(serial.traffic.size(), overlapped.traffic.size());
}

// ---- slots
// ---------------------------------------------------------------------------------------

TEST(Slots, WithoutAQueueTheSecondTransferOfAnEngineWaits) {
  Stream stream;
  stream.Add("H_PREFETCH_V", {}, LoadRows(100, 0)).Add("H_PREFETCH_V", {}, LoadRows(200, 4096));
  const Announced run = TimeOf(stream);
  EXPECT_THAT(run.accepted, ElementsAre(7, 29)) << "complete at 28, and recovery";
  for (const auto& piece : run.pieces) {
    if (piece.reason == Reason::kHbmLatency || piece.reason == Reason::kSramFill) {
      EXPECT_TRUE(piece.waits_for_slot || piece.pc == 1);
    }
  }
  MachineDescription queued = Machine();
  queued.pipelined.dma.queue = 1;
  const Announced one = TimeOf(stream, queued);
  EXPECT_THAT(one.accepted, ElementsAre(7, 8));
  // Its first line follows the one in service: 28 + 12 + 3 rows, 2, 1.
  EXPECT_EQ(one.total, 28u + 12 + 3 + 2 + 1);
  Stream three = stream;
  three.Add("H_PREFETCH_V", {}, LoadRows(300, 8192));
  EXPECT_THAT(TimeOf(three, queued).accepted, ElementsAre(7, 8, 29));
}

TEST(Slots, EnginesAreIndependent) {
  Stream stream;
  stream.Add("H_PREFETCH_M", {}, LoadTile(0, 0)).Add("H_PREFETCH_V", {}, LoadRows(100, 65536));
  EXPECT_THAT(TimeOf(stream).accepted, ElementsAre(7, 8));
  Stream shared;
  shared.Add("H_STORE_V", {}, StoreRows(50, 0)).Add("H_PREFETCH_V", {}, LoadRows(100, 65536));
  EXPECT_THAT(TimeOf(shared).accepted, ElementsAre(7, 15))
      << "a store holds dma_v: rows read in 10 to 13, complete at 14";
}

// ---- stores and memory order
// ---------------------------------------------------------------------

TEST(Store, SourceRowsAreReleasedAsTheyAreRead) {
  for (std::uint32_t row = 0; row < 4; ++row) {
    const Cycle released = 11 + row;
    Stream start;
    start.Add("H_STORE_V", {}, StoreRows(50, 0));
    const Announced early =
        TimeOf(Fill(start, released - 1).Add("V_EXP_V", {}, ReadRow(9, 50 + row)));
    EXPECT_EQ(early.accepted.back(), released + 1) << row;
    EXPECT_EQ(early.Of(Reason::kWarWaw), 1u);
    EXPECT_EQ(
        TimeOf(Fill(start, released).Add("V_EXP_V", {}, ReadRow(9, 50 + row))).accepted.back(),
        released);
  }
}

// Lines that a store covers wholly are not read; of the others each is, once.
TEST(Store, ReadsOnlyTheLinesThatItDoesNotCover) {
  struct Case {
    std::uint64_t address;
    std::uint64_t lines, reads;
  };
  for (const Case& c : {Case{0, 4, 0}, Case{16, 5, 2}, Case{63, 5, 2}}) {
    for (const bool issued : {true, false}) {
      Stream stream;
      stream.Add("H_STORE_V", {}, StoreRows(50, c.address));
      MachineDescription machine = Machine(HbmModelKind::kDram);
      machine.pipelined.dma.store_done_issued = issued;
      const Announced run = TimeOf(stream, machine);
      EXPECT_EQ(run.traffic.size(), c.reads == 0 ? 1u : 2u) << c.address;
      EXPECT_TRUE(run.traffic.back().is_write);
      EXPECT_EQ(run.traffic.back().lines, c.lines);
      EXPECT_EQ(run.traffic.back().rmw_read_bytes, c.reads * 64);
      EXPECT_EQ(run.traffic.back().burst_bytes, c.lines * 64);
    }
  }
}

TEST(Store, ItsSourceRowsMustBeWritten) {
  Stream stream;
  stream.Add("M_MM_WO", {}, Writes({50, 4, 1})).Add("H_STORE_V", {}, StoreRows(53, 0));
  const Announced run = TimeOf(stream);
  EXPECT_EQ(run.Of(1, Reason::kRawVram), 28u - 8);
  EXPECT_EQ(run.accepted.back(), 29u);
}

TEST(MemoryOrder, APrefetchBehindAStoreOfItsLineStartsWhenThatIsComplete) {
  for (const bool same : {true, false}) {
    Stream stream;
    stream.Add("H_STORE_V", {}, StoreRows(50, 4096));
    stream.Add("H_PREFETCH_M", {}, LoadTile(0, same ? 4096 + 3 * 64 : 4096 + 4 * 64, 4));
    stream.Add("M_MM", {}, Multiply(0, {0, 4, 1}));
    MachineDescription machine = Machine();
    machine.shape = {.mlen = 4, .blen = 4, .vlen = 4, .hlen = 4, .broadcast = 1};
    const Announced run = TimeOf(stream, machine);
    EXPECT_EQ(run.accepted[1], 8u) << "it waits in its engine";
    // The store is complete at 14; unordered the first line would leave at 11.
    const Cycle start = same ? 14 : 11;
    EXPECT_EQ(run.accepted[2], start + 12 + 3 + 1 + 1);
    EXPECT_EQ(run.Of(2, Reason::kHbmOrder), same ? 14u - 9 : 0u);
  }
}

TEST(MemoryOrder, AStoreBehindAPrefetchOfItsLineStartsWhenThatIsComplete) {
  Stream stream;
  stream.Add("H_PREFETCH_M", {}, LoadTile(0, 0, 4)).Add("H_STORE_V", {}, StoreRows(50, 64));
  MachineDescription machine = Machine();
  machine.shape = {.mlen = 4, .blen = 4, .vlen = 4, .hlen = 4, .broadcast = 1};
  const Announced run = TimeOf(stream, machine);
  // The load is complete at 22 + 3 + 1 = 26; the store reads its rows from then on.
  EXPECT_EQ(run.total, 26u + 4);
}

TEST(MemoryOrder, TwoPrefetchesOfALineAreNotOrdered) {
  Stream stream;
  stream.Add("H_PREFETCH_M", {}, LoadTile(0, 0)).Add("H_PREFETCH_V", {}, LoadRows(100, 0));
  stream.Add("V_EXP_V", {}, ReadRow(100));
  const Announced run = TimeOf(stream);
  EXPECT_EQ(run.accepted.back(), 27u) << "8 + 3 + 12 + 2 + 1 and recovery";
  EXPECT_EQ(run.Of(Reason::kHbmOrder), 0u);
}

// ---- options
// -------------------------------------------------------------------------------------

TEST(DmaOptions, EachMovesWhatItSays) {
  Stream stream;
  stream.Add("H_PREFETCH_V", {}, LoadRows(100, 0)).Add("V_EXP_V", {}, ReadRow(100));
  const Cycle base = TimeOf(stream).accepted.back();
  EXPECT_EQ(base, 26u);
  MachineDescription machine = Machine();
  machine.pipelined.dma.issue_overhead = 9;
  EXPECT_EQ(TimeOf(stream, machine).accepted.back(), base + 6);
  machine = Machine();
  machine.pipelined.dma.convert_v = 7;
  EXPECT_EQ(TimeOf(stream, machine).accepted.back(), base + 5);
  machine = Machine();
  machine.hbm.fixed_latency = 100;
  EXPECT_EQ(TimeOf(stream, machine).accepted.back(), base + 88);
  machine = Machine();
  machine.hbm.fixed_rows_per_cycle = 4;
  EXPECT_EQ(TimeOf(stream, machine).accepted.back(), base);
  EXPECT_EQ(TimeOf(stream, machine).total, TimeOf(stream).total);
}

TEST(DmaOptions, OneLineInFlightMakesTheDramSerial) {
  MachineDescription machine = Machine(HbmModelKind::kDram);
  Stream stream;
  stream.Add("H_PREFETCH_V", {}, LoadRows(100, 0, 4));
  const Cycle many = TimeOf(stream, machine).total;
  machine.pipelined.dma.max_lines = 1;
  const Announced one = TimeOf(stream, machine);
  EXPECT_GT(one.total, many + 2 * 11) << "each line waits for the one before";
  std::uint64_t most = 0;
  for (const auto& structure : one.end.structures) {
    if (structure.name == "dma_v_lines") most = structure.high_water;
  }
  EXPECT_EQ(most, 1u);
}

TEST(DmaOptions, BlanketInterlocksHoldWhatTheyName) {
  Stream vector;
  vector.Add("H_PREFETCH_V", {}, LoadRows(100, 0)).Add("V_EXP_V", {}, ReadRow(9));
  MachineDescription machine = Machine();
  machine.pipelined.prefetch_v_blocks_vector = true;
  EXPECT_EQ(TimeOf(vector).accepted.back(), 8u);
  EXPECT_EQ(TimeOf(vector, machine).accepted.back(), 29u) << "until the prefetch is complete";
  Stream scalar;
  scalar.Add("H_PREFETCH_V", {}, LoadRows(100, 0)).Add("S_ADD_FP", {.rd = 1});
  EXPECT_EQ(TimeOf(scalar, machine).accepted.back(), 8u) << "vector operations only";

  Stream matrix;
  matrix.Add("H_PREFETCH_M", {}, LoadTile(0, 0)).Add("S_ADD_FP", {.rd = 1});
  machine = Machine();
  machine.pipelined.matrix_load_blocks_all = true;
  EXPECT_EQ(TimeOf(matrix).accepted.back(), 8u);
  EXPECT_EQ(TimeOf(matrix, machine).accepted.back(), 87u);
}

TEST(DmaOptions, StoreDoneAcceptCompletesBeforeTheWritesAreIssued) {
  Stream stream;
  stream.Add("H_STORE_V", {}, StoreRows(50, 0)).Add("H_STORE_V", {}, StoreRows(60, 8192));
  MachineDescription machine = Machine(HbmModelKind::kDram);
  const Announced issued = TimeOf(stream, machine);
  machine.pipelined.dma.store_done_issued = false;
  const Announced accepted = TimeOf(stream, machine);
  EXPECT_LT(accepted.accepted[1], issued.accepted[1]);
  EXPECT_EQ(accepted.traffic.size(), 2u);
  for (const auto& traffic : accepted.traffic) EXPECT_EQ(traffic.burst_bytes, 256u);
}

}  // namespace
}  // namespace moescope::test
