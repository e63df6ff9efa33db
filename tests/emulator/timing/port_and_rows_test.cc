#include <gtest/gtest.h>

#include <random>
#include <set>

#include "emulator/timing/dma/line_places.h"
#include "emulator/timing/dma/port_schedule.h"
#include "emulator/timing/pipelined/row_uses.h"

namespace moescope::emulator {
namespace {

TEST(PortScheduleTest, ReadsNeedTheirCyclesAndWritesSlip) {
  PortSchedule port;
  port.Take(10, 4, 1);
  EXPECT_EQ(port.Conflict(9, 1), nullptr);
  ASSERT_NE(port.Conflict(9, 2), nullptr);
  EXPECT_EQ(port.Conflict(13, 5)->pc, 1u);
  EXPECT_EQ(port.Conflict(14, 5), nullptr);
  EXPECT_EQ(port.TakeFirstFree(9, 2), 9u);
  EXPECT_EQ(port.TakeFirstFree(9, 2), 14u);
  EXPECT_EQ(port.NextClaim(10), 10u);
  EXPECT_EQ(port.NextClaim(11), 14u);
  EXPECT_EQ(port.NextClaim(15), kNever);
}

TEST(PortScheduleTest, EqualsASetOfCycles) {
  std::mt19937 random(8);
  PortSchedule port;
  std::set<Cycle> taken;
  Cycle now = 0;
  for (int i = 0; i < 20000; ++i) {
    now += random() % 3;
    port.Forget(now);
    const Cycle at = now + random() % 40;
    const Cycle length = 1 + random() % 6;
    bool free = true;
    for (Cycle c = at; c < at + length; ++c) free = free && taken.count(c) == 0;
    ASSERT_EQ(port.Conflict(at, length) == nullptr, free);
    Cycle first = at;
    while (taken.count(first) != 0) ++first;
    ASSERT_EQ(port.FirstFree(at), first);
    if (free && random() % 2 == 0) {
      port.Take(at, length, 0);
      for (Cycle c = at; c < at + length; ++c) taken.insert(c);
    } else if (random() % 2 == 0) {
      ASSERT_EQ(port.TakeFirstFree(at, 0), first);
      taken.insert(first);
    }
  }
}

TEST(LinePlacesTest, APlaceIsFreeTheCycleAfterItsLineFinished) {
  LinePlaces places(2);
  EXPECT_EQ(places.Next(5), 5u);
  places.Take(5);
  places.Take(5);
  EXPECT_EQ(places.Next(6), kNever) << "nothing known";
  places.FinishAt(20);
  places.FinishAt(12);
  EXPECT_EQ(places.Next(6), 13u);
  places.Take(13);
  EXPECT_EQ(places.Next(14), 21u);
  EXPECT_EQ(places.high_water(), 2u);
  EXPECT_EQ(places.high_water_cycle(), 5u);
}

TEST(RowUsesTest, StridedRowsAreExact) {
  EXPECT_FALSE(ShareARow({0, 4, 3}, {1, 2, 1})) << "rows 0 3 6 9 and 1 2";
  EXPECT_TRUE(ShareARow({0, 4, 3}, {8, 2, 1}));
  EXPECT_FALSE(ShareARow({0, 4, 3}, {10, 9, 1}));
  EXPECT_TRUE(ShareARow({0, 4, 3}, {3, 5, 5}));
  EXPECT_FALSE(ShareARow({1, 4, 3}, {0, 4, 3}));
  EXPECT_FALSE(ShareARow({0, 0, 1}, {0, 4, 1}));
}

TEST(RowUsesTest, RandomSetsEqualTheirLists) {
  std::mt19937 random(9);
  const auto rows = [&random] {
    return Rows{static_cast<std::uint32_t>(random() % 12), static_cast<std::uint32_t>(random() % 5),
                static_cast<std::uint32_t>(1 + random() % 4)};
  };
  for (int i = 0; i < 20000; ++i) {
    const Rows a = rows();
    const Rows b = rows();
    std::set<std::uint32_t> list;
    for (std::uint32_t k = 0; k < a.count; ++k) list.insert(a.first + k * a.stride);
    bool common = false;
    for (std::uint32_t k = 0; k < b.count; ++k) {
      common = common || list.count(b.first + k * b.stride) != 0;
    }
    ASSERT_EQ(ShareARow(a, b), common);
  }
}

TEST(RowUsesTest, TheLastUseCountsUntilItIsOver) {
  RowUses uses;
  uses.Add({0, 4, 1}, {10, 1, 100});
  uses.Add({2, 4, 1}, {20, 2, 200});
  uses.Add({3, 1, 1}, {20, 3, 300});
  EXPECT_EQ(uses.LastOf({0, 2, 1}, 5).cycle, 10u);
  EXPECT_EQ(uses.LastOf({0, 4, 1}, 5).pc, 200u) << "ties: the older";
  EXPECT_EQ(uses.LastOf({0, 2, 1}, 10).cycle, 0u) << "over";
  uses.Forget(20);
  EXPECT_EQ(uses.LastOf({0, 8, 1}, 0).cycle, 0u);
}

}  // namespace
}  // namespace moescope::emulator
