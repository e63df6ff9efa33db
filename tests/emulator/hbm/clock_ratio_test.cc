#include "emulator/hbm/clock_ratio.h"

#include <gtest/gtest.h>

namespace moescope::emulator {
namespace {

constexpr std::uint64_t kFar = 10'000'000;

// T14: core 1000, 2500 and 10000 ps against a DRAM of 1000 ps.
TEST(ClockRatioTest, NothingDriftsOverTenMillionCycles) {
  for (const std::uint32_t core_ps : {1000u, 2500u, 10000u}) {
    const ClockRatio ratio(core_ps, 1000);
    EXPECT_EQ(ratio.ClockAt(kFar), kFar * core_ps / 1000);
    EXPECT_EQ(ratio.VisibleAt(ratio.ClockAt(kFar)), kFar);
  }
}

TEST(ClockRatioTest, NothingIsVisibleEarly) {
  for (const std::uint32_t core_ps : {1u, 333u, 1000u, 1001u, 2500u, 10000u}) {
    for (const std::uint32_t dram_ps : {1u, 999u, 1000u, 7000u}) {
      const ClockRatio ratio(core_ps, dram_ps);
      for (std::uint64_t clock = 0; clock < 500; ++clock) {
        const Cycle seen = ratio.VisibleAt(clock);
        EXPECT_GE(seen * core_ps, clock * dram_ps);
        EXPECT_TRUE(seen == 0 || (seen - 1) * core_ps < clock * dram_ps) << "nor late";
        const DramClock offered = ratio.ClockAt(clock);
        EXPECT_GE(offered * dram_ps, clock * core_ps);
        EXPECT_TRUE(offered == 0 || (offered - 1) * dram_ps < clock * core_ps);
      }
    }
  }
}

TEST(ClockRatioTest, LargeTimesDoNotOverflow) {
  const ClockRatio ratio(2500, 1000);
  const std::uint64_t cycle = std::uint64_t{1} << 61;
  EXPECT_EQ(ratio.VisibleAt(ratio.ClockAt(cycle)), cycle);
  EXPECT_EQ(ratio.ClockAt(kNever), kNever);
}

}  // namespace
}  // namespace moescope::emulator
