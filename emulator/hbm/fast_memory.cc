#include "emulator/hbm/fast_memory.h"

#include <algorithm>

namespace moescope::emulator {
namespace {

// timing.md, 6.5.
constexpr std::uint64_t kRowChange = 24;
constexpr std::uint64_t kFourActivates = 15;
constexpr std::uint64_t kOverlapDivisor = 4;

constexpr std::uint64_t kNoRow = ~std::uint64_t{0};

}  // namespace

FastMemory::FastMemory(std::uint32_t channels)
    : map_(channels), channels_(channels), figures_(channels) {
  for (Channel& channel : channels_) channel.open_row.fill(kNoRow);
}

void FastMemory::Count(std::uint64_t line, bool is_write) {
  for (std::uint32_t i = 0; i < kBurstsPerLine; ++i) {
    const BankAddress at = map_.Locate(line * kLineBytes + i * kBurstBytes);
    const std::uint32_t half = PseudochannelOf(at.bank);
    Load& load = channels_[at.channel].load;
    HbmChannelFigures& figures = figures_[at.channel];
    ++(is_write ? figures.bursts_written : figures.bursts_read);
    ++load.bursts;
    ++load.bursts_of[half];
    std::uint64_t& open = channels_[at.channel].open_row[at.bank];
    if (open == at.row) {
      ++figures.row_hits;
      continue;
    }
    ++load.activates;
    ++load.activates_of[half];
    if (open == kNoRow) {
      ++figures.row_misses;
    } else {
      ++load.precharges;
      ++load.row_changes[at.bank];
      ++figures.row_conflicts;
    }
    open = at.row;
  }
}

std::uint64_t FastMemory::Work(const Load& load) {
  const std::uint64_t half = *std::max_element(load.bursts_of.begin(), load.bursts_of.end());
  const std::uint64_t activates =
      *std::max_element(load.activates_of.begin(), load.activates_of.end());
  const std::uint64_t changes = *std::max_element(load.row_changes.begin(), load.row_changes.end());
  std::uint64_t work = std::max(load.bursts + load.activates + load.precharges, 2 * half) - 1;
  work = std::max(work, kRowChange * changes);
  if (activates > 0) work = std::max(work, kFourActivates * ((activates - 1) / 4));
  return work;
}

FastMemory::Span FastMemory::Time(DramClock start, std::uint64_t issue_clocks) {
  std::uint64_t busiest = 0;
  DramClock begin = start;
  for (const Channel& channel : channels_) {
    if (channel.load.bursts == 0) continue;
    busiest = std::max(busiest, Work(channel.load));
    begin = std::max(begin, channel.busy_until);
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    Channel& channel = channels_[i];
    if (channel.load.bursts == 0) continue;
    const std::uint64_t busy = Work(channel.load) + 1;
    channel.busy_until = begin + busy;
    figures_[i].busy_clocks += busy;
    channel.load = {};
  }
  return {begin, begin + kShortest + std::max(issue_clocks, busiest) +
                     std::min(issue_clocks, busiest) / kOverlapDivisor};
}

}  // namespace moescope::emulator
