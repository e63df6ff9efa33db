#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/event.h"
#include "emulator/hbm/blocking_transfer.h"
#include "emulator/hbm/burst_phases.h"
#include "emulator/hbm/clock_ratio.h"
#include "emulator/hbm/line_plan.h"
#include "emulator/machine.h"
#include "emulator/timing_model.h"

namespace moescope::emulator {

// The HBM as the `serial` model sees it: H_* that block, one after the other (timing.md, 3.3). All
// times are DRAM clocks.
class TransferTimer {
 public:
  virtual ~TransferTimer() = default;

  // Moves one transfer from clock `start` on; returns the clock at which it ends. bytes(), plan()
  // and phases() then describe it; the phases partition [start, end).
  virtual DramClock Run(const HbmTransfer& transfer, std::uint64_t sequence, DramClock start) = 0;
  virtual const TransferBytes& bytes() const = 0;
  virtual const LinePlan& plan() const = 0;
  virtual const std::vector<WaitPhase>& phases() const = 0;

  // Waits for everything still queued; returns the clock of the last, or `start`.
  virtual DramClock Drain(DramClock start) = 0;
  virtual std::vector<HbmChannelFigures> Figures() const = 0;
};

// The HBM model that the machine names.
std::unique_ptr<TransferTimer> MakeTransferTimer(const MachineDescription& machine);

}  // namespace moescope::emulator
