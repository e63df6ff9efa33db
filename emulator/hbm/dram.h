#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "emulator/event.h"
#include "emulator/hbm/address_map.h"
#include "emulator/hbm/dram_channel.h"
#include "emulator/machine.h"

namespace moescope::emulator {

// The HBM2 model `dram` of timing.md 6: channels behind one address map. Bursts enter either one by
// one with TryAdmit (the caller keeps the order, as one FIFO for all channels does) or with Offer
// through one admission queue per channel, whose head is offered in every clock.
class Dram {
 public:
  explicit Dram(const HbmOptions& options, const DramTiming& timing = kHbm2Timing);
  Dram(const Dram&) = delete;
  Dram& operator=(const Dram&) = delete;

  // Appends to the admission queue of the burst's channel; it is first offered at `clock`, which
  // must not be before a clock given to AdvanceTo.
  void Offer(const Burst& burst, DramClock clock);
  // Offers in `clock` only. False when the queue is full. The channel is advanced to `clock`.
  bool TryAdmit(const Burst& burst, DramClock offered, DramClock clock);
  // The first clock from `clock` on in which TryAdmit of this burst will succeed.
  DramClock AdmissionClock(const Burst& burst, DramClock clock);

  std::uint32_t ChannelOf(std::uint64_t address) const { return map_.Locate(address).channel; }

  // Steps all clocks before `clock` in every channel.
  void AdvanceTo(DramClock clock);
  // The next clock in which anything can change without new bursts; kNever when idle.
  DramClock NextEvent() const;
  // No request is queued (data may still be under way).
  bool Idle() const;

  // From now on lives() also tells when a write was queued: as a life without an end (`done` is
  // kNever), before the one that tells of its WR.
  void ReportQueuedWrites() { report_queued_writes_ = true; }

  // Bursts finished since the last call of ClearLives: channel by channel, each in command order.
  // A read appears when its RD is issued, at most read_latency clocks before its data arrive.
  const std::vector<BurstLife>& lives() const { return lives_; }
  void ClearLives() { lives_.clear(); }

  std::vector<HbmChannelFigures> Figures() const;
  // The most bursts that one channel ever held, and the first clock in which one did.
  std::pair<std::uint64_t, DramClock> QueuePeak() const;

 private:
  struct Waiting {
    Burst burst;
    BankAddress place;
    DramClock offered = 0;
  };
  // A ring of waiting bursts, grown to the most that ever waited.
  class Backlog {
   public:
    bool empty() const { return begin_ == end_; }
    const Waiting& front() const { return ring_[begin_ & (ring_.size() - 1)]; }
    void PopFront() { ++begin_; }
    void PushBack(const Waiting& waiting);

   private:
    std::vector<Waiting> ring_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
  };
  struct Channel {
    Channel(const DramTiming& timing, bool refresh) : dram(timing, refresh) {}
    DramChannel dram;
    Backlog backlog;
  };

  DramClock NextAdmission(const Channel& channel) const;
  void Advance(Channel& channel, DramClock clock);

  AddressMap map_;
  std::deque<Channel> channels_;
  std::vector<BurstLife> lives_;
  bool report_queued_writes_ = false;
};

}  // namespace moescope::emulator
