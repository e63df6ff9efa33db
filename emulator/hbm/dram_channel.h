#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/event.h"
#include "emulator/hbm/bank_state.h"
#include "emulator/hbm/burst.h"
#include "emulator/hbm/request_queue.h"

namespace moescope::emulator {

// One HBM channel: queues, command choice and completions of timing.md 6.3, event by event. It is
// equal, command by command, to stepping every clock: after a clock in which nothing was issued it
// jumps to the next clock in which a command can become possible.
class DramChannel {
 public:
  // `timing` outlives the channel.
  explicit DramChannel(const DramTiming& timing, bool refresh = false);

  // Steps all clocks before `clock`. Finished bursts are appended to `lives`, in the order of
  // their commands; a read is appended when its RD is issued, with the later clock of its data.
  void AdvanceTo(DramClock clock, std::vector<BurstLife>& lives);

  // Whether a request would be admitted in the clock that the channel has advanced to.
  bool HasRoom(const Burst& burst) const;
  // Admits a request for which HasRoom holds, before the step of the clock advanced to.
  void Admit(const Burst& burst, std::uint32_t bank, std::uint64_t row, DramClock offered,
             std::vector<BurstLife>& lives);

  // The next clock whose step can change anything without further admissions; kNever when idle.
  DramClock NextEvent() const { return wake_; }
  // All clocks before this one have been stepped.
  DramClock Now() const { return now_; }
  bool Idle() const { return reads_.empty() && writes_.empty() && active_.empty(); }

  // Counters so far; busy_clocks are those in which a request was queued or its data under way.
  HbmChannelFigures Figures() const;
  // The queue high water of Figures() and the clock in which it was reached.
  std::pair<std::uint64_t, DramClock> QueuePeak() const {
    return {figures_.queue_high_water, queue_peak_clock_};
  }

 private:
  struct Choice {
    std::uint32_t position = 0;
    DramCommand command = DramCommand::kRead;
    DramClock ready = kNever;  // of the chosen one if it is ready, else the least of all
    bool found = false;
  };

  void Step(DramClock clock, std::vector<BurstLife>& lives);
  bool StepActive(DramClock clock, std::vector<BurstLife>& lives);
  void StepWaiting(DramClock clock, std::vector<BurstLife>& lives);
  void StepRefresh(DramClock clock);
  void UpdateWriteMode();
  Choice BestActive(DramClock clock) const;
  Choice BestWaiting(const RequestQueue& queue, DramClock clock) const;
  DramClock Earliest(std::uint8_t slot, DramCommand& command) const;
  bool InWriteQueue(std::uint64_t address) const;
  void CountFirstCommand(ChannelRequest& request, DramCommand command);
  void Finish(RequestQueue& queue, std::uint32_t position, DramClock clock,
              std::vector<BurstLife>& lives);
  void Forward(const Burst& burst, DramClock offered, std::vector<BurstLife>& lives);
  DramClock Deliver(DramClock due);
  void Occupy(DramClock begin);

  static constexpr std::size_t kSlots = 3 * kQueuePlaces;

  const DramTiming& timing_;
  BankState banks_;
  std::array<ChannelRequest, kSlots> requests_;
  std::array<std::uint8_t, kSlots> bank_of_{};
  std::array<std::uint64_t, kSlots> row_of_{};
  std::array<std::uint8_t, kSlots> free_slots_{};
  std::size_t free_count_ = kSlots;
  RequestQueue reads_;
  RequestQueue writes_;
  RequestQueue active_;  // requests for which a row was opened
  std::array<std::uint8_t, kBanks> active_in_bank_{};
  bool write_mode_ = false;
  DramClock now_ = 0;
  DramClock wake_ = 0;
  DramClock last_delivery_ = kNever;  // kNever: none yet

  bool refresh_ = false;
  bool refresh_pending_ = false;
  DramClock next_refresh_ = kNever;

  HbmChannelFigures figures_;
  DramClock queue_peak_clock_ = 0;
  DramClock busy_begin_ = 0;
  DramClock busy_end_ = 0;
};

}  // namespace moescope::emulator
