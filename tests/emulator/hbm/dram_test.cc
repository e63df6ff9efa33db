#include "emulator/hbm/dram.h"

#include <gtest/gtest.h>

namespace moescope::emulator {
namespace {

constexpr std::uint64_t kOtherRow = 131072;  // same bank of the same channel

Burst Read(std::uint64_t address, std::uint32_t owner = 0) { return {address, 0, owner, false}; }
Burst Write(std::uint64_t address, std::uint32_t owner = 0) { return {address, 0, owner, true}; }

const BurstLife& LifeOf(const Dram& dram, std::uint32_t owner) {
  for (const BurstLife& life : dram.lives()) {
    if (life.burst.owner == owner) return life;
  }
  static const BurstLife none;
  ADD_FAILURE() << "burst " << owner << " did not finish";
  return none;
}

TEST(DramTest, LifeOfAColdRead) {
  Dram dram({.channels = 8});
  dram.Offer(Read(0), 5);
  dram.AdvanceTo(12);
  EXPECT_TRUE(dram.lives().empty());
  dram.AdvanceTo(13);
  EXPECT_EQ(LifeOf(dram, 0), (BurstLife{.burst = Read(0),
                                        .offered = 5,
                                        .admitted = 5,
                                        .row_begin = 5,
                                        .row_ready = 12,
                                        .command = 12,
                                        .done = 23,
                                        .queued = 1}));
}

TEST(DramTest, ConflictIsClassifiedByItsFirstCommand) {
  Dram dram({.channels = 1});
  dram.Offer(Read(0, 0), 0);
  dram.Offer(Read(0, 1), 0);
  dram.Offer(Read(kOtherRow / 8, 2), 0);  // one channel: the same bank, another row
  dram.AdvanceTo(100);
  const HbmChannelFigures figures = dram.Figures()[0];
  EXPECT_EQ(figures.row_misses, 1u);
  EXPECT_EQ(figures.row_hits, 1u);
  EXPECT_EQ(figures.row_conflicts, 1u);
  EXPECT_EQ(figures.queue_high_water, 3u);
  EXPECT_EQ(LifeOf(dram, 2).row_begin, 17u) << "ACT at 0 allows PRE at 17";
  EXPECT_EQ(LifeOf(dram, 2).row_ready, 31u);
  EXPECT_EQ(LifeOf(dram, 2).command, 31u);
}

TEST(DramTest, BusyClocksAreAUnion) {
  Dram dram({.channels = 1});
  dram.Offer(Read(0), 10);   // 10 to 28
  dram.Offer(Read(0), 15);   // RD at 19, data at 30
  dram.Offer(Read(0), 100);  // 100 to 111
  dram.AdvanceTo(1000);
  EXPECT_EQ(dram.Figures()[0].busy_clocks, 20u + 11u);
}

TEST(DramTest, BusyClocksGrowWhileARequestWaits) {
  Dram dram({.channels = 1});
  dram.Offer(Read(0), 10);
  dram.AdvanceTo(14);
  EXPECT_EQ(dram.Figures()[0].busy_clocks, 4u);
}

TEST(DramTest, ARefusedRequestWaitsForAPlace) {
  Dram dram({.channels = 1});
  for (std::uint32_t i = 0; i < kQueuePlaces; ++i) {
    EXPECT_TRUE(dram.TryAdmit(Read(i * kOtherRow, i), 0, 0)) << i;
  }
  EXPECT_FALSE(dram.TryAdmit(Read(0, 99), 0, 0)) << "33 places";
  EXPECT_TRUE(dram.TryAdmit(Write(0, 100), 0, 0)) << "writes have their own";
  EXPECT_TRUE(dram.TryAdmit(Read(0, 101), 0, 0)) << "forwarded, needs no place";
  // The first ACT, in clock 0, moves its request to the active queue.
  EXPECT_EQ(dram.AdmissionClock(Read(0, 99), 0), 0u) << "a waiting write answers it";
  EXPECT_EQ(dram.AdmissionClock(Read(16, 99), 0), 1u);
}

TEST(DramTest, ForwardedReadNeedsNoDram) {
  Dram dram({.channels = 8});
  dram.TryAdmit(Write(64, 0), 0, 0);
  dram.TryAdmit(Read(64, 1), 0, 0);
  EXPECT_TRUE(LifeOf(dram, 1).forwarded);
  dram.AdvanceTo(100);
  std::uint64_t reads = 0;
  for (const HbmChannelFigures& channel : dram.Figures()) reads += channel.bursts_read;
  EXPECT_EQ(reads, 0u);
}

// Reads go first until more than 25 writes wait; then writes until fewer than 7 are left.
TEST(DramTest, WriteModeHasTwoLimits) {
  Dram dram({.channels = 1});
  dram.Offer(Read(0, 1000), 0);
  dram.AdvanceTo(5);
  for (std::uint32_t i = 0; i < 26; ++i) dram.Offer(Write(16 * i, i), 5);
  for (std::uint32_t i = 0; i < 20; ++i) dram.Offer(Read(512 + 16 * i, 100 + i), 5);
  dram.AdvanceTo(2000);
  std::uint32_t writes_before_first_new_read = 0;
  for (std::uint32_t i = 0; i < 26; ++i) {
    writes_before_first_new_read += LifeOf(dram, i).command < LifeOf(dram, 100).command;
  }
  EXPECT_EQ(writes_before_first_new_read, 20u) << "26 waited, 6 are left";
}

TEST(DramTest, RefreshHoldsAllBanks) {
  Dram dram({.channels = 1, .refresh = true});
  dram.Offer(Read(0, 0), 3890);  // ACT 3890, RD 3897: served before the refresh is due
  dram.Offer(Read(0, 1), 3898);
  dram.Offer(Read(0, 2), 3900);
  dram.AdvanceTo(6000);
  EXPECT_EQ(LifeOf(dram, 0).command, 3897u);
  EXPECT_EQ(LifeOf(dram, 1).command, 3899u);
  // Closed at 3907 (ACT + 17), refreshed at 3914, opened again at 4264.
  EXPECT_EQ(LifeOf(dram, 2).row_begin, 4264u);
  EXPECT_EQ(LifeOf(dram, 2).command, 4271u);
  EXPECT_EQ(dram.NextEvent(), 7800u);
}

TEST(DramTest, WithoutRefreshNothingHappensByItself) {
  Dram dram({.channels = 2});
  dram.AdvanceTo(1'000'000'000'000);
  EXPECT_EQ(dram.NextEvent(), kNever);
  EXPECT_TRUE(dram.Idle());
  EXPECT_EQ(dram.Figures()[0].busy_clocks, 0u);
}

}  // namespace
}  // namespace moescope::emulator
