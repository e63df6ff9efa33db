#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/hbm/burst.h"

// The rules of timing.md 6 read literally: every channel is stepped in every clock, and whether a
// command may be issued is decided by comparing it with every recent command, pair by pair. Slow,
// and written apart from the event-driven model, which it checks.

namespace moescope::emulator {

struct TickRequest {
  Burst burst;
  std::uint64_t pseudochannel, group, bank, row, channel;
  DramClock admitted = 0;
  DramClock first_row_command = kNever;
  DramClock row_usable = kNever;
  std::size_t queued = 0;
};

struct TickCommand {
  char kind;  // A P R W
  std::uint64_t pseudochannel, group, bank;
  DramClock clock;
};

class TickChannel {
 public:
  // At most one request per call; false when its queue is full.
  bool Offer(TickRequest request, DramClock clock) {
    if (!request.burst.is_write) {
      for (const TickRequest& write : writes_) {
        if (write.burst.address != request.burst.address) continue;
        pending_.push_back({request.burst, clock, clock, true, kNever, kNever, clock, 0});
        return true;
      }
    }
    auto& queue = request.burst.is_write ? writes_ : reads_;
    if (queue.size() >= 33) return false;
    request.admitted = clock;
    request.queued = reads_.size() + writes_.size() + active_.size() + 1;
    queue.push_back(request);
    return true;
  }

  // One clock. Finished bursts are appended.
  void Tick(DramClock clock, std::vector<BurstLife>& finished) {
    if (!pending_.empty() && pending_.front().due <= clock) {
      const Pending& head = pending_.front();
      finished.push_back({.burst = head.burst,
                          .offered = 0,
                          .admitted = head.admitted,
                          .row_begin = head.row_begin,
                          .row_ready = head.row_usable,
                          .command = head.command,
                          .done = clock,
                          .forwarded = head.forwarded,
                          .queued = static_cast<std::uint32_t>(head.queued)});
      pending_.pop_front();
    }
    std::vector<TickRequest>* queue = &active_;
    std::size_t best = Best(active_, clock);
    bool found = best < active_.size() && Allowed(NextCommand(active_[best]), active_[best], clock);
    if (!found) {
      if (write_mode_) {
        if (writes_.size() < 7 && !reads_.empty()) write_mode_ = false;
      } else if (writes_.size() > 25 || reads_.empty()) {
        write_mode_ = true;
      }
      queue = write_mode_ ? &writes_ : &reads_;
      best = Best(*queue, clock);
      found = best < queue->size() && Allowed(NextCommand((*queue)[best]), (*queue)[best], clock);
    }
    if (!found) return;
    Issue(*queue, best, clock, finished);
  }

  bool Idle() const {
    return reads_.empty() && writes_.empty() && active_.empty() && pending_.empty();
  }

 private:
  struct Pending {
    Burst burst;
    DramClock admitted, command;
    bool forwarded;
    DramClock row_begin, row_usable;
    DramClock due;
    std::size_t queued;
  };

  static bool SameBank(const TickRequest& a, const TickRequest& b) {
    return a.pseudochannel == b.pseudochannel && a.group == b.group && a.bank == b.bank;
  }

  // The row that the history left open in the request's bank.
  char NextCommand(const TickRequest& r) const {
    const auto& bank = rows_[r.pseudochannel][r.group][r.bank];
    if (!bank.open) return 'A';
    return bank.row == r.row ? (r.burst.is_write ? 'W' : 'R') : 'P';
  }

  static std::uint64_t Distance(char from, char to, int shared) {
    // shared: 0 channel, 1 pseudochannel, 2 group, 3 bank
    struct Rule {
      char from, to;
      int scope;
      std::uint64_t clocks;
    };
    static constexpr Rule kRules[] = {{'A', 'A', 0, 2}, {'A', 'P', 0, 2},  {'A', 'A', 1, 2},
                                      {'R', 'R', 1, 2}, {'W', 'W', 1, 2},  {'R', 'W', 1, 11},
                                      {'W', 'R', 1, 9}, {'A', 'A', 2, 3},  {'R', 'R', 2, 2},
                                      {'W', 'W', 2, 2}, {'W', 'R', 2, 10}, {'A', 'R', 3, 7},
                                      {'A', 'W', 3, 7}, {'A', 'P', 3, 17}, {'A', 'A', 3, 19},
                                      {'R', 'P', 3, 3}, {'W', 'P', 3, 14}, {'P', 'A', 3, 7}};
    std::uint64_t distance = 1;
    for (const Rule& rule : kRules) {
      if (rule.from == from && rule.to == to && rule.scope <= shared) {
        distance = std::max(distance, rule.clocks);
      }
    }
    return distance;
  }

  bool Allowed(char command, const TickRequest& r, DramClock clock) const {
    int activates = 0;
    for (const TickCommand& past : history_) {
      int shared = 0;
      if (past.pseudochannel == r.pseudochannel) {
        shared = past.group != r.group ? 1 : past.bank != r.bank ? 2 : 3;
      }
      if (clock < past.clock + Distance(past.kind, command, shared)) return false;
      if (past.kind == 'A' && shared >= 1 && clock < past.clock + 15) ++activates;
    }
    return command != 'A' || activates < 4;
  }

  std::size_t Best(const std::vector<TickRequest>& queue, DramClock clock) const {
    std::size_t best = queue.size();
    bool best_ready = false;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const bool ready = Allowed(NextCommand(queue[i]), queue[i], clock);
      const bool better = best == queue.size() || (ready && !best_ready) ||
                          (ready == best_ready && queue[i].admitted < queue[best].admitted);
      if (!better) continue;
      best = i;
      best_ready = ready;
    }
    return best;
  }

  void Issue(std::vector<TickRequest>& queue, std::size_t index, DramClock clock,
             std::vector<BurstLife>& finished) {
    TickRequest& r = queue[index];
    const char command = NextCommand(r);
    auto& bank = rows_[r.pseudochannel][r.group][r.bank];
    if (command == 'P') {
      for (const TickRequest& other : active_) {
        if (SameBank(other, r)) return;
      }
    }
    history_.push_back({command, r.pseudochannel, r.group, r.bank, clock});
    while (history_.front().clock + 30 < clock) history_.pop_front();
    if (command == 'P' || command == 'A') {
      if (r.first_row_command == kNever) r.first_row_command = clock;
    }
    if (command == 'P') {
      bank.open = false;
    } else if (command == 'A') {
      bank = {true, r.row, clock + 7};
      active_.push_back(r);
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(index));
    } else {
      if (r.first_row_command != kNever) r.row_usable = bank.usable;
      if (command == 'R') {
        pending_.push_back({r.burst, r.admitted, clock, false, r.first_row_command, r.row_usable,
                            clock + 11, r.queued});
      } else {
        finished.push_back({.burst = r.burst,
                            .offered = 0,
                            .admitted = r.admitted,
                            .row_begin = r.first_row_command,
                            .row_ready = r.row_usable,
                            .command = clock,
                            .done = clock,
                            .forwarded = false,
                            .queued = static_cast<std::uint32_t>(r.queued)});
      }
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(index));
    }
  }

  struct Bank {
    bool open = false;
    std::uint64_t row = 0;
    DramClock usable = 0;
  };

  std::vector<TickRequest> reads_, writes_, active_;
  std::deque<Pending> pending_;
  std::deque<TickCommand> history_;
  Bank rows_[2][4][4];
  bool write_mode_ = false;
};

// Channels behind the address map of timing.md 6.1, written out digit by digit.
class TickDram {
 public:
  explicit TickDram(std::uint64_t channels) : channels_(channels) {}

  TickRequest Place(const Burst& burst) const {
    const std::uint64_t n = channels_.size();
    std::uint64_t a = burst.address / 16;
    const std::uint64_t low = a % 4;
    a /= 4;
    TickRequest r{
        .burst = burst, .pseudochannel = 0, .group = 0, .bank = 0, .row = 0, .channel = 0};
    r.channel = a % n;
    a /= n;
    r.pseudochannel = a % 2;
    r.group = a / 2 % 4;
    r.bank = a / 8 % 4;
    std::uint64_t column = low + 4 * (a / 32 % 8);
    r.row = a / 256;
    r.channel ^= column % n;
    column /= n;
    r.pseudochannel ^= column % 2;
    r.group ^= column / 2 % 4;
    r.bank ^= column / 8 % 4;
    return r;
  }

  bool Offer(const Burst& burst, DramClock clock) {
    const TickRequest r = Place(burst);
    return channels_[r.channel].Offer(r, clock);
  }

  void Tick(DramClock clock, std::vector<BurstLife>& finished) {
    for (TickChannel& channel : channels_) channel.Tick(clock, finished);
  }

  bool Idle() const {
    return std::all_of(channels_.begin(), channels_.end(),
                       [](const TickChannel& channel) { return channel.Idle(); });
  }

 private:
  std::vector<TickChannel> channels_;
};

}  // namespace moescope::emulator
