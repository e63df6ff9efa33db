#include "emulator/hbm/dram.h"

#include <algorithm>

#include "base/check.h"

namespace moescope::emulator {

void Dram::Backlog::PushBack(const Waiting& waiting) {
  if (end_ - begin_ == ring_.size()) {
    std::vector<Waiting> larger(std::max<std::size_t>(64, 2 * ring_.size()));
    for (std::size_t i = begin_; i != end_; ++i) {
      larger[i - begin_] = ring_[i & (ring_.size() - 1)];
    }
    end_ -= begin_;
    begin_ = 0;
    ring_ = std::move(larger);
  }
  ring_[end_++ & (ring_.size() - 1)] = waiting;
}

Dram::Dram(const HbmOptions& options, const DramTiming& timing) : map_(options.channels) {
  for (std::uint32_t i = 0; i < options.channels; ++i) {
    channels_.emplace_back(timing, options.refresh);
  }
}

void Dram::Offer(const Burst& burst, DramClock clock) {
  const BankAddress place = map_.Locate(burst.address);
  channels_[place.channel].backlog.PushBack({burst, place, clock});
}

bool Dram::TryAdmit(const Burst& burst, DramClock offered, DramClock clock) {
  const BankAddress place = map_.Locate(burst.address);
  Channel& channel = channels_[place.channel];
  channel.dram.AdvanceTo(clock, lives_);
  if (!channel.dram.HasRoom(burst)) return false;
  channel.dram.Admit(burst, place.bank, place.row, offered, lives_);
  return true;
}

DramClock Dram::AdmissionClock(const Burst& burst, DramClock clock) {
  DramChannel& channel = channels_[map_.Locate(burst.address).channel].dram;
  channel.AdvanceTo(clock, lives_);
  while (!channel.HasRoom(burst)) {
    const DramClock next = channel.NextEvent();
    CHECK(next != kNever);
    channel.AdvanceTo(next + 1, lives_);
  }
  return channel.Now();
}

DramClock Dram::NextAdmission(const Channel& channel) const {
  if (channel.backlog.empty()) return kNever;
  const Waiting& head = channel.backlog.front();
  if (!channel.dram.HasRoom(head.burst)) return kNever;
  return std::max(head.offered, channel.dram.Now());
}

// A request admitted in a clock takes part in the step of that clock.
void Dram::Advance(Channel& channel, DramClock clock) {
  while (true) {
    const DramClock admission = NextAdmission(channel);
    const DramClock step = channel.dram.NextEvent();
    if (std::min(admission, step) >= clock) break;
    if (admission <= step) {
      channel.dram.AdvanceTo(admission, lives_);
      const Waiting& head = channel.backlog.front();
      channel.dram.Admit(head.burst, head.place.bank, head.place.row, head.offered, lives_);
      if (report_queued_writes_ && head.burst.is_write) {
        lives_.push_back({.burst = head.burst,
                          .offered = head.offered,
                          .admitted = admission,
                          .command = kNever,
                          .done = kNever});
      }
      channel.backlog.PopFront();
    } else {
      channel.dram.AdvanceTo(step + 1, lives_);
    }
  }
  channel.dram.AdvanceTo(clock, lives_);
}

void Dram::AdvanceTo(DramClock clock) {
  for (Channel& channel : channels_) Advance(channel, clock);
}

DramClock Dram::NextEvent() const {
  DramClock next = kNever;
  for (const Channel& channel : channels_) {
    next = std::min({next, channel.dram.NextEvent(), NextAdmission(channel)});
  }
  return next;
}

bool Dram::Idle() const {
  return std::all_of(channels_.begin(), channels_.end(), [](const Channel& channel) {
    return channel.dram.Idle() && channel.backlog.empty();
  });
}

std::vector<HbmChannelFigures> Dram::Figures() const {
  std::vector<HbmChannelFigures> figures;
  for (const Channel& channel : channels_) figures.push_back(channel.dram.Figures());
  return figures;
}

std::pair<std::uint64_t, DramClock> Dram::QueuePeak() const {
  std::pair<std::uint64_t, DramClock> peak;
  for (const Channel& channel : channels_) {
    const auto [bursts, clock] = channel.dram.QueuePeak();
    const bool more = bursts > peak.first;
    if (more || (bursts == peak.first && clock < peak.second)) peak = {bursts, clock};
  }
  return peak;
}

}  // namespace moescope::emulator
