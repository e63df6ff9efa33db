#include "emulator/hbm/blocking_transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace moescope::emulator {
namespace {

std::vector<PlannedLine> Line(std::uint64_t address) {
  return {{.line = address / kLineBytes, .covered = ~std::uint64_t{0}}};
}

BlockingTransfer Make(const SerialOptions& options = {}, std::uint32_t channels = 8) {
  return BlockingTransfer({.channels = channels}, options, ScaleRead::kComplete);
}

// A tile of 64 rows: 64 bytes of elements, 8 of scales.
HbmTransfer Tile(std::uint64_t stride) {
  return {.rows = 64,
          .element_step = stride,
          .element_bytes = 64,
          .scale_address = 1048576,
          .scale_step = stride / 8,
          .scale_bytes = 8};
}

HbmTransfer Store() {
  return {.is_store = true,
          .rows = 4,
          .element_step = 64,
          .element_bytes = 64,
          .scale_address = 65536,
          .scale_step = 8,
          .scale_bytes = 8};
}

TEST(BlockingTransferTest, ColdLine) {
  EXPECT_EQ(Make().Read(Line(0), 0, 0), 18u);
  EXPECT_EQ(Make().Read(Line(0), 0, 100), 118u);
}

TEST(BlockingTransferTest, WithoutZeroTimeTickAColdLineTakes19) {
  SerialOptions options;
  options.zero_time_tick = false;
  EXPECT_EQ(Make(options).Read(Line(0), 0, 0), 19u);
}

TEST(BlockingTransferTest, RowHitsAndConflicts) {
  BlockingTransfer hit = Make();
  const DramClock first = hit.Read(Line(0), 0, 0);
  const DramClock second = hit.Read(Line(0), 0, first);
  EXPECT_EQ(second - first, 12u) << "back to back";
  EXPECT_EQ(hit.Read(Line(0), 0, second + 200) - second - 200, 11u) << "idle before";
  BlockingTransfer conflict = Make();
  conflict.Read(Line(0), 0, 0);
  EXPECT_EQ(conflict.Read(Line(131072), 0, 18) - 18, 26u);
  EXPECT_EQ(conflict.Read(Line(0), 0, 300) - 300, 25u);
}

TEST(BlockingTransferTest, DistinctRowsOfOneBank) {
  std::vector<PlannedLine> lines;
  for (std::uint64_t i = 0; i < 128; ++i) lines.push_back(Line(131072 * i)[0]);
  EXPECT_EQ(Make().Read(lines, 0, 0), 18u + 127 * 24);
}

TEST(BlockingTransferTest, TileBytesAndTime) {
  BlockingTransfer legacy = Make();
  EXPECT_EQ(legacy.Run(Tile(64), 0, 0), 134u);
  EXPECT_EQ(legacy.bytes(),
            (TransferBytes{.payload_bytes = 4608, .read_lines = 128, .read_bursts = 512}));
  SerialOptions options;
  options.merge_lines = true;
  BlockingTransfer merged = Make(options);
  EXPECT_EQ(merged.Run(Tile(64), 0, 0), 66u);
  EXPECT_EQ(merged.bytes(),
            (TransferBytes{.payload_bytes = 4608, .read_lines = 72, .read_bursts = 288}));
}

TEST(BlockingTransferTest, StoreReadsEveryLineFirst) {
  BlockingTransfer transfer = Make();
  EXPECT_EQ(transfer.Run(Store(), 0, 0), 157u);
  EXPECT_EQ(transfer.bytes().payload_bytes, 4 * 72u);
  EXPECT_EQ(transfer.bytes().read_lines, 8u);
  EXPECT_EQ(transfer.bytes().written_lines, 8u);
  EXPECT_EQ(transfer.bytes().written_bursts, 32u);
  EXPECT_EQ(transfer.bytes().read_bursts + transfer.bytes().forwarded_bursts, 32u);
}

TEST(BlockingTransferTest, StoreDoneIssuedWaitsForItsWrites) {
  SerialOptions options;
  options.store_done_issued = true;
  BlockingTransfer issued = Make(options);
  const DramClock end = issued.Run(Store(), 0, 0);
  BlockingTransfer accepted = Make();
  const DramClock accept = accepted.Run(Store(), 0, 0);
  EXPECT_GT(end, accept);
  EXPECT_EQ(accepted.Drain(accept), end) << "draining afterwards takes as long";
  EXPECT_EQ(issued.Drain(end), end) << "nothing is left";
}

TEST(BlockingTransferTest, PerChannelAdmissionIsNeverSlowerHere) {
  SerialOptions options;
  options.admission_per_channel = true;
  for (const std::uint64_t stride : {64u, 512u, 4096u}) {
    EXPECT_LE(Make(options).Run(Tile(stride), 0, 0), Make().Run(Tile(stride), 0, 0));
  }
}

// T7: at equal bytes a sparse gather is slower than a contiguous one.
TEST(BlockingTransferTest, SparseGathersAreSlower) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20; ++i) {
    std::vector<PlannedLine> sparse;
    std::vector<PlannedLine> contiguous;
    for (std::uint64_t k = 0; k < 256; ++k) {
      sparse.push_back(Line(random() % (1 << 30))[0]);
      contiguous.push_back(Line(64 * k)[0]);
    }
    EXPECT_GT(Make().Read(sparse, 0, 0), Make().Read(contiguous, 0, 0));
  }
}

// The phases of a transfer partition its time, for every toggle.
TEST(BlockingTransferTest, PhasesPartitionTheTransfer) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 400; ++i) {
    SerialOptions options;
    options.merge_lines = random() % 2 == 0;
    options.store_done_issued = random() % 2 == 0;
    options.zero_time_tick = random() % 2 == 0;
    options.admission_per_channel = random() % 2 == 0;
    BlockingTransfer transfer = Make(options, 1u << random() % 5);
    DramClock clock = random() % 100;
    for (int k = 0; k < 6; ++k) {
      HbmTransfer t = random() % 2 == 0 ? Store() : Tile(64 + 64 * (random() % 9));
      t.element_address = random() % 100000;
      t.scale_address = 200000 + random() % 100000;
      const DramClock start = clock + random() % 50;
      clock = transfer.Run(t, 0, start);
      DramClock at = start;
      for (const WaitPhase& phase : transfer.phases()) {
        ASSERT_GT(phase.end, at);
        at = phase.end;
      }
      ASSERT_EQ(at, clock);
    }
  }
}

TEST(BlockingTransferTest, BurstsOfTheDramEqualThoseOfTheTransfers) {
  BlockingTransfer transfer = Make();
  DramClock clock = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  for (int k = 0; k < 5; ++k) {
    for (const HbmTransfer& t : {Store(), Tile(64), Tile(192)}) {
      clock = transfer.Run(t, 0, clock);
      reads += transfer.bytes().read_bursts;
      writes += transfer.bytes().written_bursts;
    }
  }
  transfer.Drain(clock);
  std::uint64_t dram_reads = 0;
  std::uint64_t dram_writes = 0;
  for (const HbmChannelFigures& channel : transfer.Figures()) {
    dram_reads += channel.bursts_read;
    dram_writes += channel.bursts_written;
    EXPECT_EQ(channel.row_hits + channel.row_misses + channel.row_conflicts,
              channel.bursts_read + channel.bursts_written);
    EXPECT_LE(channel.queue_high_water, 3 * kQueuePlaces);
    EXPECT_GE(channel.busy_clocks, channel.bursts_read);
  }
  EXPECT_EQ(dram_reads, reads);
  EXPECT_EQ(dram_writes, writes);
}

TEST(BlockingTransferTest, EmptyTransferTakesNoTime) { EXPECT_EQ(Make().Run({}, 0, 77), 77u); }

}  // namespace
}  // namespace moescope::emulator
