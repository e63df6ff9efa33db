#include "profiler/busy_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace moescope::profiler {
namespace {

using emulator::Cycle;
using emulator::Unit;

TEST(CycleSetTest, IntervalsThatTouchBecomeOne) {
  CycleSet set;
  set.Insert({10, 20});
  set.Insert({30, 40});
  set.Insert({5, 8});
  ASSERT_EQ(set.intervals().size(), 3u);
  set.Insert({20, 30});
  ASSERT_EQ(set.intervals().size(), 2u);
  EXPECT_EQ(set.intervals()[1].begin, 10u);
  EXPECT_EQ(set.intervals()[1].end, 40u);
  set.Insert({0, 100});
  EXPECT_EQ(set.intervals().size(), 1u);
}

TEST(CycleSetTest, ForgetCutsTheInterval) {
  CycleSet set;
  set.Insert({0, 10});
  set.Insert({20, 30});
  set.Forget(25);
  ASSERT_EQ(set.intervals().size(), 1u);
  EXPECT_EQ(set.intervals()[0].begin, 25u);
}

TEST(BusyRecordTest, SumsPerStageAndOverlap) {
  BusyRecord record(2);
  record.Add(Unit::kDmaM, 0, 0, 100);
  record.Add(Unit::kMxCompute, 1, 40, 60);
  record.Add(Unit::kVxElem, 1, 50, 120);
  record.Finish(200);
  EXPECT_EQ(record.cycles()[0][static_cast<int>(Unit::kDmaM)], 100u);
  EXPECT_EQ(record.cycles()[1][static_cast<int>(Unit::kMxCompute)], 20u);
  EXPECT_EQ(record.cycles()[1][static_cast<int>(Unit::kVxElem)], 70u);
  ASSERT_TRUE(record.overlap().has_value());
  EXPECT_EQ(record.overlap()->memory, 100u);
  EXPECT_EQ(record.overlap()->compute, 80u);
  EXPECT_EQ(record.overlap()->both, 60u);
}

TEST(BusyRecordTest, WorkInFlightIsCutAtTheEnd) {
  BusyRecord record(1);
  record.Reach(10);
  record.Add(Unit::kDmaV, 0, 0, 10);   // surely over
  record.Add(Unit::kDmaV, 0, 12, 90);  // cut
  record.Add(Unit::kDmaV, 0, 95, 99);  // never happens
  record.Finish(50);
  EXPECT_EQ(record.cycles()[0][static_cast<int>(Unit::kDmaV)], 10u + 38u);
  EXPECT_EQ(record.overlap()->memory, 48u);
}

// Counts every cycle one by one.
struct Oracle {
  std::vector<bool> memory, compute;
  void Add(std::vector<bool>& set, Cycle begin, Cycle end) {
    if (set.size() < end) set.resize(end);
    for (Cycle c = begin; c < end; ++c) set[c] = true;
  }
  static std::uint64_t Count(const std::vector<bool>& a, const std::vector<bool>& b, Cycle total) {
    std::uint64_t count = 0;
    for (Cycle c = 0; c < total; ++c) count += c < a.size() && a[c] && c < b.size() && b[c];
    return count;
  }
};

TEST(BusyRecordTest, OverlapIsExactWithAndWithoutPassedEvents) {
  for (const bool announce : {false, true}) {
    std::mt19937 random(7);
    BusyRecord record(1);
    Oracle oracle;
    Cycle free[emulator::kUnitCount] = {};
    Cycle now = 0;
    for (int i = 0; i < 20000; ++i) {
      now += random() % 4;
      record.Reach(now);
      const std::size_t unit = random() % emulator::kUnitCount;
      const Cycle begin = std::max(free[unit], now + random() % 50);
      const Cycle end = free[unit] = begin + 1 + random() % 5;
      record.Add(static_cast<Unit>(unit), 0, begin, end);
      const bool memory = unit >= static_cast<std::size_t>(Unit::kDmaM);
      oracle.Add(memory ? oracle.memory : oracle.compute, begin, end);
      if (announce && random() % 100 == 0) record.Pass(now);
    }
    record.Finish(now);
    ASSERT_TRUE(record.overlap().has_value());
    EXPECT_EQ(record.overlap()->memory, Oracle::Count(oracle.memory, oracle.memory, now));
    EXPECT_EQ(record.overlap()->compute, Oracle::Count(oracle.compute, oracle.compute, now));
    EXPECT_EQ(record.overlap()->both, Oracle::Count(oracle.memory, oracle.compute, now));
  }
}

TEST(BusyRecordTest, OverlapIsGivenUpWhenNothingPasses) {
  BusyRecord record(1);
  for (Cycle c = 0; c < 200'000; ++c) {
    record.Reach(2 * c);
    record.Add(Unit::kSxAlu, 0, 2 * c, 2 * c + 1);
  }
  record.Finish(400'000);
  EXPECT_FALSE(record.overlap().has_value());
  EXPECT_EQ(record.cycles()[0][static_cast<int>(Unit::kSxAlu)], 200'000u);
}

TEST(BusyRecordTest, OverlapIsKeptWhenCyclesPass) {
  BusyRecord record(1);
  for (Cycle c = 0; c < 200'000; ++c) {
    record.Reach(2 * c);
    record.Add(Unit::kSxAlu, 0, 2 * c, 2 * c + 1);
    record.Add(Unit::kHbm, 0, 2 * c, 2 * c + 2);
    if (c % 4000 == 0) record.Pass(2 * c);
  }
  record.Finish(400'000);
  ASSERT_TRUE(record.overlap().has_value());
  EXPECT_EQ(record.overlap()->memory, 400'000u);
  EXPECT_EQ(record.overlap()->both, 200'000u);
}

}  // namespace
}  // namespace moescope::profiler
