// HBM model `fast` under `serial`: the formula of timing.md, 6.5, with the clocks worked by hand.

#include "emulator/timing/fast_transfers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "emulator/timing/dram_transfers.h"

namespace moescope::test {
namespace {

using emulator::DramTransfers;
using emulator::FastTransfers;
using emulator::HbmOptions;
using emulator::HbmTransfer;
using emulator::Reason;
using emulator::ScaleRead;
using emulator::SerialOptions;

HbmTransfer Rows(std::uint32_t rows, std::uint64_t address, std::uint64_t step,
                 std::uint32_t bytes = 64) {
  return {.rows = rows, .element_address = address, .element_step = step, .element_bytes = bytes};
}

FastTransfers Fast(SerialOptions serial = {}) {
  return {HbmOptions{}, serial, ScaleRead::kComplete};
}

TEST(FastTransfers, OneColdLine) {
  FastTransfers fast = Fast();
  // Four channels with one burst and one activate each: w = 2 - 1, time 18 + 1.
  EXPECT_EQ(fast.Run(Rows(1, 0, 64), 0, 100), 119u);
  EXPECT_EQ(fast.bytes().read_lines, 1u);
  EXPECT_EQ(fast.bytes().read_bursts, 4u);
  EXPECT_EQ(fast.bytes().payload_bytes, 64u);
  ASSERT_EQ(fast.phases().size(), 3u);
  EXPECT_EQ(fast.phases()[0], (emulator::WaitPhase{Reason::kHbmRow, 107}));
  EXPECT_EQ(fast.phases()[1], (emulator::WaitPhase{Reason::kHbmBandwidth, 108}));
  EXPECT_EQ(fast.phases()[2], (emulator::WaitPhase{Reason::kHbmLatency, 119}));
}

TEST(FastTransfers, OpenRowsStayOpen) {
  FastTransfers fast = Fast();
  fast.Run(Rows(1, 0, 64), 0, 0);
  EXPECT_EQ(fast.Run(Rows(1, 0, 64), 1, 0), 19u);  // 2q - 1 = 1 without an activate
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  for (const auto& channel : fast.Figures()) {
    hits += channel.row_hits;
    misses += channel.row_misses;
  }
  EXPECT_EQ(hits, 4u);
  EXPECT_EQ(misses, 4u);
}

TEST(FastTransfers, RowChangesOfABankCost24Each) {
  FastTransfers fast = Fast();
  // 131,072 bytes apart: one bank, another row. 8 lines: 7 changes.
  EXPECT_EQ(fast.Run(Rows(8, 0, 131072), 0, 0), 18u + 7 * 24);
  std::uint64_t conflicts = 0;
  for (const auto& channel : fast.Figures()) conflicts += channel.row_conflicts;
  EXPECT_EQ(conflicts, 7u * 4);
}

TEST(FastTransfers, AStoreWaitsForEachOfItsLines) {
  FastTransfers fast = Fast();
  HbmTransfer store = Rows(4, 0, 64);
  store.is_store = true;
  EXPECT_EQ(fast.Run(store, 0, 0), 4u * 19);
  EXPECT_EQ(fast.bytes().read_lines, 4u);
  EXPECT_EQ(fast.bytes().written_lines, 4u);
  EXPECT_EQ(fast.bytes().written_bursts, 16u);
}

TEST(FastTransfers, MergedLinesAreFetchedOnce) {
  HbmTransfer tile = Rows(64, 0, 64);
  tile.scale_address = 65536;
  tile.scale_step = tile.scale_bytes = 8;
  FastTransfers legacy = Fast();
  FastTransfers merged = Fast({.merge_lines = true});
  EXPECT_EQ(legacy.Run(tile, 0, 0), 113u);
  EXPECT_EQ(merged.Run(tile, 0, 0), 61u);
  EXPECT_EQ(legacy.bytes().read_lines, 128u);
  EXPECT_EQ(merged.bytes().read_lines, 72u);
}

TEST(FastTransfers, PhasesPartitionTheTime) {
  std::mt19937 random(2);
  FastTransfers fast = Fast();
  emulator::DramClock now = 0;
  for (int i = 0; i < 500; ++i) {
    HbmTransfer transfer = Rows(1 + random() % 64, random() % (1u << 30), random() % 9000);
    transfer.is_store = random() % 4 == 0;
    const emulator::DramClock end = fast.Run(transfer, 0, now);
    ASSERT_GT(end, now);
    emulator::DramClock at = now;
    for (const emulator::WaitPhase& phase : fast.phases()) {
      ASSERT_GT(phase.end, at);
      at = phase.end;
    }
    EXPECT_EQ(at, end);
    now = end;
  }
}

// On random cold prefetches it is close to the exact model, most of the time: the model keeps the
// order of lines, while the DRAM regroups them by row.
TEST(FastTransfers, IsCloseToTheExactModel) {
  std::mt19937 random(11);
  std::vector<double> errors;
  for (int i = 0; i < 200; ++i) {
    HbmTransfer transfer =
        Rows(1 + random() % 64, random() % (1u << 28) / 64 * 64, 64 * (1 + random() % 64));
    transfer.scale_address = random() % (1u << 28);
    transfer.scale_step = transfer.element_step / 8;
    transfer.scale_bytes = 8;
    const auto fast = static_cast<double>(Fast().Run(transfer, 0, 0));
    DramTransfers dram({}, {}, ScaleRead::kComplete);
    const auto exact = static_cast<double>(dram.Run(transfer, 0, 0));
    errors.push_back(std::abs(fast - exact) / exact);
  }
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 0.15) << "median";
  EXPECT_LT(errors[errors.size() * 95 / 100], 0.35) << "95th percentile";
}

}  // namespace
}  // namespace moescope::test
