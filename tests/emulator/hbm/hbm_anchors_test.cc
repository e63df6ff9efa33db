// Every row of hbm_anchors.tsv (timing.md, 6.4; T9).

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "emulator/hbm/blocking_transfer.h"
#include "tests/emulator/hbm/anchor_pattern.h"
#include "tests/support/shared_folder.h"
#include "tests/support/tsv.h"

namespace moescope::emulator {
namespace {

// Clocks of the whole pattern without idle time at its start, or of its last step.
DramClock RunBlocking(const AnchorPattern& pattern, std::uint32_t channels, bool last_only) {
  BlockingTransfer transfer({.channels = channels}, {}, ScaleRead::kComplete);
  DramClock clock = 0;
  DramClock begin = 0;
  bool begun = false;
  for (const AnchorStep& step : pattern.steps) {
    if (last_only || !begun) begin = clock;
    begun = begun || step.kind != AnchorStep::Kind::kIdle;
    switch (step.kind) {
      case AnchorStep::Kind::kIdle:
        clock += step.idle;
        break;
      case AnchorStep::Kind::kRead:
        clock = transfer.Read(step.lines, 0, clock);
        break;
      case AnchorStep::Kind::kWrite:
        clock = transfer.Write(step.lines, 0, clock);
        break;
      case AnchorStep::Kind::kStore:
        clock = transfer.Run(step.transfer, 0, clock);
        break;
    }
  }
  return clock - begin;
}

// The issue rule of timing.md 4.4 alone: lines per clock, lines in flight, per-channel admission. A
// line that arrived makes room for another one from the next clock on.
DramClock RunEngine(const AnchorPattern& pattern, std::uint32_t channels) {
  Dram dram({.channels = channels});
  const std::vector<PlannedLine>& lines = pattern.steps.front().lines;
  std::vector<std::uint32_t> bursts_left(lines.size(), kBurstsPerLine);
  std::vector<DramClock> line_done(lines.size(), 0);
  std::vector<DramClock> done;
  std::size_t next = 0;
  DramClock last = 0;
  for (DramClock clock = 0; done.size() < lines.size(); ++clock) {
    std::uint64_t in_flight = next;
    for (const DramClock d : done) in_flight -= d < clock;
    for (std::uint64_t n = 0; n < pattern.lines_per_clock && next < lines.size(); ++n) {
      if (in_flight == pattern.outstanding) break;
      ++in_flight;
      for (std::uint32_t b = 0; b < kBurstsPerLine; ++b) {
        dram.Offer({lines[next].line * kLineBytes + b * kBurstBytes, 0,
                    static_cast<std::uint32_t>(next), false},
                   clock);
      }
      ++next;
    }
    dram.AdvanceTo(clock + 1);
    for (const BurstLife& life : dram.lives()) {
      line_done[life.burst.owner] = std::max(line_done[life.burst.owner], life.done);
      if (--bursts_left[life.burst.owner] == 0) {
        done.push_back(line_done[life.burst.owner]);
        last = std::max(last, done.back());
      }
    }
    dram.ClearLives();
  }
  return last;
}

TEST(HbmAnchorsTest, EveryRow) {
  const auto shared = test::SharedFolder();
  if (!shared.has_value()) GTEST_SKIP() << test::kNoSharedFolder;
  std::ifstream file(*shared + "/vectors/hbm_anchors.tsv");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto rows = test::ReadTsv(text);
  ASSERT_EQ(rows.size(), 54u);
  rows.erase(rows.begin());  // names of the columns
  for (const auto& row : rows) {
    const AnchorPattern pattern = ParseAnchorPattern(row[2]);
    const std::uint32_t channels = static_cast<std::uint32_t>(std::stoul(row[1]));
    const DramClock clocks = pattern.has_engine
                                 ? RunEngine(pattern, channels)
                                 : RunBlocking(pattern, channels, row[3] == "elapsed of last");
    EXPECT_EQ(clocks, std::stoull(row[4])) << row[0];
  }
}

}  // namespace
}  // namespace moescope::emulator
