#include "emulator/hbm/dram_channel.h"

#include <algorithm>

#include "base/check.h"

namespace moescope::emulator {

DramChannel::DramChannel(const DramTiming& timing, bool refresh)
    : timing_(timing), banks_(timing), refresh_(refresh) {
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    free_slots_[slot] = static_cast<std::uint8_t>(kSlots - 1 - slot);
  }
  if (refresh_) next_refresh_ = timing_.refresh_interval;
}

void DramChannel::AdvanceTo(DramClock clock, std::vector<BurstLife>& lives) {
  while (wake_ < clock) Step(wake_, lives);
  now_ = std::max(now_, clock);
}

bool DramChannel::HasRoom(const Burst& burst) const {
  if (burst.is_write) return !writes_.full();
  return !reads_.full() || InWriteQueue(burst.address);
}

void DramChannel::Admit(const Burst& burst, std::uint32_t bank, std::uint64_t row,
                        DramClock offered, std::vector<BurstLife>& lives) {
  if (!burst.is_write && InWriteQueue(burst.address)) return Forward(burst, offered, lives);
  Occupy(now_);
  const std::uint8_t slot = free_slots_[--free_count_];
  requests_[slot] = {.burst = burst, .offered = offered, .admitted = now_};
  bank_of_[slot] = static_cast<std::uint8_t>(bank);
  row_of_[slot] = row;
  (burst.is_write ? writes_ : reads_).Append(slot);
  const std::uint32_t queued = reads_.size() + writes_.size() + active_.size();
  requests_[slot].queued = queued;
  if (queued > figures_.queue_high_water) {
    figures_.queue_high_water = queued;
    queue_peak_clock_ = now_;
  }
  wake_ = now_;
}

bool DramChannel::InWriteQueue(std::uint64_t address) const {
  const auto slots = writes_.slots();
  return std::any_of(slots.begin(), slots.end(), [this, address](std::uint8_t slot) {
    return requests_[slot].burst.address == address;
  });
}

// The public model answers such a read one clock after the last clock it stepped: in the step that
// comes next.
void DramChannel::Forward(const Burst& burst, DramClock offered, std::vector<BurstLife>& lives) {
  Occupy(now_);
  BurstLife life{.burst = burst, .offered = offered, .admitted = now_, .command = now_};
  life.done = Deliver(now_);
  life.forwarded = true;
  lives.push_back(life);
}

// Data leave in the order in which they were asked for, at most one burst per clock.
DramClock DramChannel::Deliver(DramClock due) {
  const DramClock done = last_delivery_ == kNever ? due : std::max(due, last_delivery_ + 1);
  last_delivery_ = done;
  busy_end_ = std::max(busy_end_, done);
  return done;
}

// Busy time is a union of intervals: one ends when nothing is queued and all data have arrived.
void DramChannel::Occupy(DramClock begin) {
  if (!Idle() || begin <= busy_end_) return;
  figures_.busy_clocks += busy_end_ - busy_begin_;
  busy_begin_ = begin;
  busy_end_ = begin;
}

HbmChannelFigures DramChannel::Figures() const {
  HbmChannelFigures figures = figures_;
  figures.busy_clocks += (Idle() ? busy_end_ : std::max(busy_end_, now_)) - busy_begin_;
  return figures;
}

void DramChannel::Step(DramClock clock, std::vector<BurstLife>& lives) {
  now_ = clock;
  wake_ = kNever;
  if (refresh_ && clock >= next_refresh_) refresh_pending_ = true;
  if (StepActive(clock, lives)) {
    wake_ = clock + 1;
  } else if (refresh_pending_) {
    StepRefresh(clock);
  } else {
    StepWaiting(clock, lives);
  }
  if (refresh_ && !refresh_pending_) wake_ = std::min(wake_, next_refresh_);
}

bool DramChannel::StepActive(DramClock clock, std::vector<BurstLife>& lives) {
  const Choice choice = BestActive(clock);
  if (!choice.found) {
    wake_ = std::min(wake_, choice.ready);
    return false;
  }
  Finish(active_, choice.position, clock, lives);
  return true;
}

// A refresh closes all banks once no active request needs one, then blocks them. Until it is done
// only active requests are served.
void DramChannel::StepRefresh(DramClock clock) {
  const bool must_close = banks_.AnyOpen();
  if (must_close && !active_.empty()) return;
  const DramClock ready = must_close ? banks_.EarliestPrechargeAll() : banks_.EarliestActivateAll();
  if (clock < ready) {
    wake_ = std::min(wake_, ready);
    return;
  }
  if (must_close) {
    banks_.PrechargeAll(clock);
  } else {
    banks_.Refresh(clock);
    refresh_pending_ = false;
    next_refresh_ += timing_.refresh_interval;
  }
  wake_ = clock + 1;
}

void DramChannel::StepWaiting(DramClock clock, std::vector<BurstLife>& lives) {
  UpdateWriteMode();
  RequestQueue& queue = write_mode_ ? writes_ : reads_;
  const Choice choice = BestWaiting(queue, clock);
  wake_ = std::min(wake_, choice.ready);
  if (!choice.found) return;
  const std::uint8_t slot = queue[choice.position];
  const std::uint32_t bank = bank_of_[slot];
  // The row of an active request stays open; the clock passes without a command.
  if (choice.command == DramCommand::kPrecharge && active_in_bank_[bank] != 0) return;
  wake_ = clock + 1;
  if (choice.command == DramCommand::kRead || choice.command == DramCommand::kWrite) {
    Finish(queue, choice.position, clock, lives);
    return;
  }
  ChannelRequest& request = requests_[slot];
  CountFirstCommand(request, choice.command);
  request.row_begin = std::min(request.row_begin, clock);
  banks_.Issue(choice.command, bank, row_of_[slot], clock);
  if (choice.command == DramCommand::kActivate && !active_.full()) {
    queue.Remove(choice.position);
    active_.Append(slot);
    ++active_in_bank_[bank];
  }
}

void DramChannel::UpdateWriteMode() {
  if (write_mode_) {
    if (writes_.size() < kReadModeBelow && !reads_.empty()) write_mode_ = false;
  } else if (writes_.size() > kWriteModeAbove || reads_.empty()) {
    write_mode_ = true;
  }
}

DramClock DramChannel::Earliest(std::uint8_t slot, DramCommand& command) const {
  const std::uint32_t bank = bank_of_[slot];
  command = banks_.Next(bank, row_of_[slot], requests_[slot].burst.is_write);
  return banks_.Earliest(command, bank);
}

// Active requests stand in the order of their ACTs; the best ready one was admitted first.
DramChannel::Choice DramChannel::BestActive(DramClock clock) const {
  Choice best;
  DramClock admitted = kNever;
  for (std::uint32_t position = 0; position < active_.size(); ++position) {
    DramCommand command{};
    const std::uint8_t slot = active_[position];
    const DramClock ready = Earliest(slot, command);
    if (ready > clock) {
      if (!best.found) best.ready = std::min(best.ready, ready);
    } else if (!best.found || requests_[slot].admitted < admitted) {
      best = {position, command, ready, true};
      admitted = requests_[slot].admitted;
    }
  }
  return best;
}

// Waiting requests stand in the order of admission: the first ready one is the best. `ready` of a
// found one is the least of those before it, which alone could displace it.
DramChannel::Choice DramChannel::BestWaiting(const RequestQueue& queue, DramClock clock) const {
  Choice best;
  for (std::uint32_t position = 0; position < queue.size(); ++position) {
    DramCommand command{};
    const DramClock ready = Earliest(queue[position], command);
    if (ready <= clock) return {position, command, best.ready, true};
    best.ready = std::min(best.ready, ready);
  }
  return best;
}

void DramChannel::CountFirstCommand(ChannelRequest& request, DramCommand command) {
  if (request.commanded) return;
  request.commanded = true;
  if (command == DramCommand::kActivate) {
    ++figures_.row_misses;
  } else if (command == DramCommand::kPrecharge) {
    ++figures_.row_conflicts;
  } else {
    ++figures_.row_hits;
  }
}

void DramChannel::Finish(RequestQueue& queue, std::uint32_t position, DramClock clock,
                         std::vector<BurstLife>& lives) {
  const std::uint8_t slot = queue[position];
  const std::uint32_t bank = bank_of_[slot];
  ChannelRequest& request = requests_[slot];
  const bool is_write = request.burst.is_write;
  const DramCommand command = is_write ? DramCommand::kWrite : DramCommand::kRead;
  CountFirstCommand(request, command);
  BurstLife life{.burst = request.burst,
                 .offered = request.offered,
                 .admitted = request.admitted,
                 .row_begin = request.row_begin,
                 .command = clock,
                 .queued = request.queued};
  if (request.row_begin != kNever) life.row_ready = banks_.ColumnReady(bank);
  banks_.Issue(command, bank, 0, clock);
  if (is_write) {
    ++figures_.bursts_written;
    life.done = clock;
    busy_end_ = std::max(busy_end_, clock + 1);
  } else {
    ++figures_.bursts_read;
    life.done = Deliver(clock + timing_.read_latency);
  }
  lives.push_back(life);
  queue.Remove(position);
  if (&queue == &active_) --active_in_bank_[bank];
  free_slots_[free_count_++] = slot;
}

}  // namespace moescope::emulator
