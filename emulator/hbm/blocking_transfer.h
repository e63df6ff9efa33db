#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/hbm/burst_phases.h"
#include "emulator/hbm/clock_ratio.h"
#include "emulator/hbm/dram.h"
#include "emulator/hbm/line_plan.h"
#include "emulator/machine.h"
#include "emulator/timing_model.h"

namespace moescope::emulator {

// What one blocking transfer moved.
struct TransferBytes {
  std::uint64_t payload_bytes = 0;
  std::uint64_t read_lines = 0;  // of a store: to complete its lines
  std::uint64_t written_lines = 0;
  std::uint64_t read_bursts = 0;  // on the DRAM bus
  std::uint64_t written_bursts = 0;
  std::uint64_t forwarded_bursts = 0;

  friend bool operator==(const TransferBytes&, const TransferBytes&) = default;
};

// H_* under the `serial` model (timing.md, 3.3): a transfer blocks until its last byte arrived, and
// the DRAM stands still between transfers. Times are DRAM clocks: a transfer that is given clock t
// at its start is offered in clock t, or in the first clock not stepped yet.
class BlockingTransfer {
 public:
  BlockingTransfer(const HbmOptions& hbm, const SerialOptions& serial, ScaleRead scale_read);

  // Runs one instruction from clock `start` on and returns the clock at which it ends. bytes(),
  // plan() and phases() then describe it; the phases partition [start, end).
  DramClock Run(const HbmTransfer& transfer, std::uint64_t sequence, DramClock start);

  // Reads lines in the given order, as one prefetch does, or queues writes of them.
  DramClock Read(std::span<const PlannedLine> lines, std::uint64_t sequence, DramClock start);
  DramClock Write(std::span<const PlannedLine> lines, std::uint64_t sequence, DramClock start);

  // Issues all queued writes; the clock of the last one, or `start` when none is later.
  DramClock Drain(DramClock start);

  const TransferBytes& bytes() const { return bytes_; }
  const LinePlan& plan() const { return plan_; }
  const std::vector<WaitPhase>& phases() const { return phases_; }
  std::vector<HbmChannelFigures> Figures() const { return dram_.Figures(); }

 private:
  DramClock Store(std::uint64_t sequence, DramClock start);
  // Queues the bursts of one line from the cursors on.
  void Offer(const PlannedLine& line, std::uint64_t sequence, bool is_write, DramClock offered);
  void SetCursors(DramClock clock);
  DramClock LatestCursor() const;
  // The first clock in which a transfer that starts at `start` can be offered.
  DramClock FirstOffer(DramClock start) const;
  void AwaitReads();
  void AwaitWrites();
  void Collect();

  Dram dram_;
  SerialOptions serial_;
  ScaleRead scale_read_;
  LinePlan plan_;
  TransferBytes bytes_;
  std::vector<WaitPhase> phases_;
  DramClock next_ = 0;  // the first clock not stepped yet
  // The clock in which the next burst is offered: one for all channels, or one per channel.
  std::vector<DramClock> cursors_;
  std::uint64_t reads_pending_ = 0;
  std::uint64_t writes_pending_ = 0;
  BurstLife last_read_;   // the read that arrives last; ties: the lowest address
  BurstLife last_write_;  // the write issued last
};

}  // namespace moescope::emulator
