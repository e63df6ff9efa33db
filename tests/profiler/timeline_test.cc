#include "profiler/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace moescope::profiler {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

using Bins = std::vector<std::uint64_t>;

TEST(TimelineTest, OneCycleBinsUntilTheyAreFull) {
  Timeline timeline(1);
  timeline.AddCycles(0, 0, 512);
  EXPECT_EQ(timeline.bin_cycles(), 1u);
  EXPECT_EQ(timeline.StageCycles(0, 512), Bins(512, 1));
  timeline.AddCycles(0, 512, 513);
  EXPECT_EQ(timeline.bin_cycles(), 2u);
  Bins expected(256, 2);
  expected.push_back(1);
  EXPECT_EQ(timeline.StageCycles(0, 513), expected);
}

TEST(TimelineTest, AnIntervalIsSplitAtBinEdges) {
  Timeline timeline(2);
  timeline.AddCycles(0, 0, 1024);
  timeline.AddCycles(1, 1024, 1027);
  ASSERT_EQ(timeline.bin_cycles(), 4u);
  timeline.AddCycles(1, 1027, 1034);
  const Bins row = timeline.StageCycles(1, 1034);
  ASSERT_EQ(row.size(), 259u);
  EXPECT_THAT(Bins(row.begin() + 255, row.end()), ElementsAre(0, 4, 4, 2));
}

TEST(TimelineTest, BytesBehindTheEndCountInTheLastBin) {
  Timeline timeline(1);
  timeline.AddBytes(false, 5, 64);
  timeline.AddBytes(false, 90, 128);
  timeline.AddBytes(true, 3, 1);
  EXPECT_THAT(timeline.Bytes(false, 8), ElementsAre(0, 0, 0, 0, 0, 64, 0, 128));
  EXPECT_THAT(timeline.Bytes(true, 4), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(timeline.Bytes(false, 0), ElementsAre(192));
}

TEST(TimelineTest, EmptyIntervalsCountNothing) {
  Timeline timeline(1);
  timeline.AddCycles(0, 7, 7);
  EXPECT_THAT(timeline.StageCycles(0, 10), Each(0));
}

TEST(TimelineTest, FoldingLosesNothing) {
  Timeline timeline(3);
  std::uint64_t now = 0;
  std::uint64_t bytes = 0;
  Bins sums(3);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const std::uint64_t length = i * 7919 % 1013;
    timeline.AddCycles(i % 3, now, now + length);
    sums[i % 3] += length;
    now += length;
    timeline.AddBytes(false, now + 40, i);
    bytes += i;
  }
  for (std::uint32_t stage = 0; stage < 3; ++stage) {
    const Bins row = timeline.StageCycles(stage, now);
    EXPECT_LE(row.size(), 512u);
    EXPECT_EQ(std::accumulate(row.begin(), row.end(), std::uint64_t{0}), sums[stage]);
  }
  const Bins row = timeline.Bytes(false, now);
  EXPECT_EQ(std::accumulate(row.begin(), row.end(), std::uint64_t{0}), bytes);
}

TEST(TimelineTest, AHugeCycleIsJustMoreFolds) {
  Timeline timeline(1);
  timeline.AddCycles(0, 0, 1);
  const std::uint64_t far = std::uint64_t{1} << 52;
  timeline.AddCycles(0, far, far + 2);
  const Bins row = timeline.StageCycles(0, far + 2);
  EXPECT_LE(row.size(), 512u);
  EXPECT_EQ(std::accumulate(row.begin(), row.end(), std::uint64_t{0}), 3u);
}

TEST(TimelineTest, ManyStagesHaveFewerBins) {
  Timeline timeline(10'001);
  timeline.AddCycles(10'000, 0, 1000);
  EXPECT_LE(timeline.StageCycles(10'000, 1000).size(), 8u);
}

}  // namespace
}  // namespace moescope::profiler
