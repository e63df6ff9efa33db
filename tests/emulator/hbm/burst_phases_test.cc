#include "emulator/hbm/burst_phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace moescope::emulator {
namespace {

using testing::ElementsAre;

constexpr BurstLife kLife{.burst = {},
                          .offered = 10,
                          .admitted = 20,
                          .row_begin = 30,
                          .row_ready = 45,
                          .command = 50,
                          .done = 61};

TEST(BurstPhasesTest, AllPhasesOfALife) {
  std::vector<WaitPhase> phases;
  AppendPhases(kLife, 4, 61, phases);
  EXPECT_THAT(
      phases,
      ElementsAre(WaitPhase{Reason::kDmaIssue, 10}, WaitPhase{Reason::kHbmQueue, 20},
                  WaitPhase{Reason::kHbmBandwidth, 30}, WaitPhase{Reason::kHbmRow, 45},
                  WaitPhase{Reason::kHbmBandwidth, 50}, WaitPhase{Reason::kHbmLatency, 61}));
}

TEST(BurstPhasesTest, CutAtBothEnds) {
  std::vector<WaitPhase> phases;
  AppendPhases(kLife, 40, 52, phases);
  EXPECT_THAT(phases,
              ElementsAre(WaitPhase{Reason::kHbmRow, 45}, WaitPhase{Reason::kHbmBandwidth, 50},
                          WaitPhase{Reason::kHbmLatency, 52}));
  phases.clear();
  AppendPhases(kLife, 70, 90, phases);
  EXPECT_TRUE(phases.empty()) << "nothing after the data arrived";
}

TEST(BurstPhasesTest, AnOpenRowLeavesBandwidthOnly) {
  BurstLife life = kLife;
  life.row_begin = kNever;
  life.row_ready = kNever;
  std::vector<WaitPhase> phases;
  AppendPhases(life, 20, 61, phases);
  EXPECT_THAT(phases, ElementsAre(WaitPhase{Reason::kHbmBandwidth, 50},
                                  WaitPhase{Reason::kHbmLatency, 61}));
}

TEST(BurstPhasesTest, AppendsBehindEarlierPieces) {
  std::vector<WaitPhase> phases{{Reason::kHbmBandwidth, 20}};
  BurstLife life = kLife;
  life.row_begin = kNever;
  AppendPhases(life, 20, 50, phases);
  EXPECT_THAT(phases, ElementsAre(WaitPhase{Reason::kHbmBandwidth, 20},
                                  WaitPhase{Reason::kHbmBandwidth, 50}));
}

}  // namespace
}  // namespace moescope::emulator
