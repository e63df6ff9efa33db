#include "emulator/hbm/blocking_transfer.h"

#include <algorithm>

#include "base/check.h"

namespace moescope::emulator {

BlockingTransfer::BlockingTransfer(const HbmOptions& hbm, const SerialOptions& serial,
                                   ScaleRead scale_read)
    : dram_(hbm),
      serial_(serial),
      scale_read_(scale_read),
      cursors_(serial.admission_per_channel ? hbm.channels : 1) {}

DramClock BlockingTransfer::Run(const HbmTransfer& transfer, std::uint64_t sequence,
                                DramClock start) {
  bytes_ = {};
  phases_.clear();
  plan_.Build(transfer, serial_.merge_lines ? PlanOrder::kMerged : PlanOrder::kLegacy, scale_read_);
  bytes_.payload_bytes = plan_.payload_bytes();
  return transfer.is_store ? Store(sequence, start) : Read(plan_.lines(), sequence, start);
}

DramClock BlockingTransfer::Read(std::span<const PlannedLine> lines, std::uint64_t sequence,
                                 DramClock start) {
  if (lines.empty()) return start;
  last_read_ = {};
  SetCursors(FirstOffer(start));
  for (const PlannedLine& line : lines) Offer(line, sequence, /*is_write=*/false, start);
  AwaitReads();
  AppendPhases(last_read_, start, last_read_.done, phases_);
  next_ = last_read_.done + 1;
  return last_read_.done;
}

DramClock BlockingTransfer::Write(std::span<const PlannedLine> lines, std::uint64_t sequence,
                                  DramClock start) {
  SetCursors(FirstOffer(start));
  for (const PlannedLine& line : lines) Offer(line, sequence, /*is_write=*/true, start);
  next_ = LatestCursor();
  const DramClock end = std::max(start, next_ - 1);
  if (end > start) phases_.push_back({Reason::kHbmQueue, end});
  return end;
}

DramClock BlockingTransfer::Store(std::uint64_t sequence, DramClock start) {
  DramClock clock = start;
  for (const PlannedLine& line : plan_.lines()) {
    clock = Read({&line, 1}, sequence, clock);
    clock = Write({&line, 1}, sequence, clock);
  }
  if (!serial_.store_done_issued) return clock;
  const DramClock end = Drain(clock);
  if (end > clock) phases_.push_back({Reason::kHbmBandwidth, end});
  return end;
}

DramClock BlockingTransfer::Drain(DramClock start) {
  if (writes_pending_ == 0) return start;
  AwaitWrites();
  next_ = std::max(next_, last_write_.done + 1);
  return std::max(start, last_write_.done);
}

DramClock BlockingTransfer::FirstOffer(DramClock start) const {
  return std::max(next_, serial_.zero_time_tick ? start : start + 1);
}

void BlockingTransfer::SetCursors(DramClock clock) {
  std::fill(cursors_.begin(), cursors_.end(), clock);
}

DramClock BlockingTransfer::LatestCursor() const {
  return *std::max_element(cursors_.begin(), cursors_.end());
}

void BlockingTransfer::Offer(const PlannedLine& line, std::uint64_t sequence, bool is_write,
                             DramClock offered) {
  for (std::uint32_t i = 0; i < kBurstsPerLine; ++i) {
    const std::uint64_t address = line.line * kLineBytes + i * kBurstBytes;
    const Burst burst{.address = address, .sequence = sequence, .is_write = is_write};
    DramClock& cursor = cursors_.size() == 1 ? cursors_[0] : cursors_[dram_.ChannelOf(address)];
    cursor = dram_.AdmissionClock(burst, cursor);
    CHECK(dram_.TryAdmit(burst, offered, cursor));
  }
  (is_write ? writes_pending_ : reads_pending_) += kBurstsPerLine;
  ++(is_write ? bytes_.written_lines : bytes_.read_lines);
  (is_write ? bytes_.written_bursts : bytes_.read_bursts) += kBurstsPerLine;
  Collect();
}

// A read whose RD is not issued yet arrives at least one read latency after the next event, so that
// many clocks can be stepped without passing the end of the transfer.
void BlockingTransfer::AwaitReads() {
  while (reads_pending_ > 0) {
    dram_.AdvanceTo(dram_.NextEvent() + kHbm2Timing.read_latency);
    Collect();
  }
}

void BlockingTransfer::AwaitWrites() {
  while (writes_pending_ > 0) {
    dram_.AdvanceTo(dram_.NextEvent() + 1);
    Collect();
  }
}

void BlockingTransfer::Collect() {
  for (const BurstLife& life : dram_.lives()) {
    if (life.burst.is_write) {
      --writes_pending_;
      if (life.done >= last_write_.done) last_write_ = life;
      continue;
    }
    --reads_pending_;
    if (life.forwarded) {
      ++bytes_.forwarded_bursts;
      --bytes_.read_bursts;
    }
    const bool later = life.done > last_read_.done;
    const bool same = life.done == last_read_.done;
    if (later || (same && life.burst.address < last_read_.burst.address)) last_read_ = life;
  }
  dram_.ClearLives();
}

}  // namespace moescope::emulator
