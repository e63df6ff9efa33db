#include "emulator/timing/fast_transfers.h"

#include <algorithm>

namespace moescope::emulator {

namespace {

// timing.md, 6.2 and 6.5.
constexpr DramClock kActivateToRead = 7;
constexpr DramClock kReadToArrival = 11;
constexpr std::uint64_t kRowChange = 24;
constexpr std::uint64_t kFourActivates = 15;

}  // namespace

FastTransfers::FastTransfers(const HbmOptions& hbm, const SerialOptions& serial,
                             ScaleRead scale_read)
    : map_(hbm.channels),
      serial_(serial),
      scale_read_(scale_read),
      loads_(hbm.channels),
      open_rows_(hbm.channels),
      figures_(hbm.channels) {
  for (auto& rows : open_rows_) rows.fill(kNever);
}

void FastTransfers::Count(const PlannedLine& line) {
  for (std::uint32_t i = 0; i < kBurstsPerLine; ++i) {
    const BankAddress at = map_.Locate(line.line * kLineBytes + i * kBurstBytes);
    const std::uint32_t half = PseudochannelOf(at.bank);
    Load& load = loads_[at.channel];
    HbmChannelFigures& figures = figures_[at.channel];
    ++load.bursts;
    ++load.bursts_of[half];
    ++figures.bursts_read;
    if (is_store_) ++figures.bursts_written;
    std::uint64_t& open = open_rows_[at.channel][at.bank];
    if (open == at.row) {
      ++figures.row_hits;
      continue;
    }
    ++load.activates;
    ++load.activates_of[half];
    if (open == kNever) {
      ++figures.row_misses;
    } else {
      ++load.precharges;
      ++load.row_changes[at.bank];
      ++figures.row_conflicts;
    }
    open = at.row;
  }
}

std::uint64_t FastTransfers::Work(const Load& load) {
  if (load.bursts == 0) return 0;
  const std::uint64_t half = *std::max_element(load.bursts_of.begin(), load.bursts_of.end());
  const std::uint64_t activates =
      *std::max_element(load.activates_of.begin(), load.activates_of.end());
  const std::uint64_t changes = *std::max_element(load.row_changes.begin(), load.row_changes.end());
  std::uint64_t work = std::max(load.bursts + load.activates + load.precharges, 2 * half) - 1;
  work = std::max(work, kRowChange * changes);
  if (activates > 0) work = std::max(work, kFourActivates * ((activates - 1) / 4));
  return work;
}

DramClock FastTransfers::Transaction(std::span<const PlannedLine> lines) {
  for (Load& load : loads_) load = {};
  for (const PlannedLine& line : lines) Count(line);
  std::uint64_t work = 0;
  for (std::size_t channel = 0; channel < loads_.size(); ++channel) {
    const std::uint64_t own = Work(loads_[channel]);
    if (loads_[channel].bursts > 0) figures_[channel].busy_clocks += own + 1;
    work = std::max(work, own);
  }
  return work;
}

// The fixed part of 18 clocks is the first activate and the last arrival.
void FastTransfers::AppendTransaction(std::span<const PlannedLine> lines, DramClock& clock) {
  phases_.push_back({Reason::kHbmRow, clock + kActivateToRead});
  const DramClock issued = clock + kActivateToRead + Transaction(lines);
  if (issued > clock + kActivateToRead) phases_.push_back({Reason::kHbmBandwidth, issued});
  clock = issued + kReadToArrival;
  phases_.push_back({Reason::kHbmLatency, clock});
  bytes_.read_lines += lines.size();
  bytes_.read_bursts += lines.size() * kBurstsPerLine;
}

DramClock FastTransfers::Run(const HbmTransfer& transfer, std::uint64_t, DramClock start) {
  bytes_ = {};
  phases_.clear();
  plan_.Build(transfer, serial_.merge_lines ? PlanOrder::kMerged : PlanOrder::kLegacy, scale_read_);
  bytes_.payload_bytes = plan_.payload_bytes();
  const std::span<const PlannedLine> lines = plan_.lines();
  DramClock clock = start;
  is_store_ = transfer.is_store;
  if (!transfer.is_store) {
    if (!lines.empty()) AppendTransaction(lines, clock);
  } else {
    for (const PlannedLine& line : lines) AppendTransaction({&line, 1}, clock);
    bytes_.written_lines = lines.size();
    bytes_.written_bursts = lines.size() * kBurstsPerLine;
  }
  return clock;
}

}  // namespace moescope::emulator
