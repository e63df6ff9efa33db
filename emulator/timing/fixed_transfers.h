#pragma once

#include <vector>

#include "emulator/timing/transfer_timer.h"

namespace moescope::emulator {

// HBM model `fixed` under `serial` (timing.md, 6): the first row of a prefetch arrives after a
// fixed latency, then rows follow at a fixed rate; a store is posted and takes its rows at that
// rate. There are no banks, so that channels have no figures.
class FixedTransfers final : public TransferTimer {
 public:
  FixedTransfers(const HbmOptions& hbm, const SerialOptions& serial, ScaleRead scale_read)
      : hbm_(hbm), serial_(serial), scale_read_(scale_read) {}

  DramClock Run(const HbmTransfer& transfer, std::uint64_t sequence, DramClock start) override;
  const TransferBytes& bytes() const override { return bytes_; }
  const LinePlan& plan() const override { return plan_; }
  const std::vector<WaitPhase>& phases() const override { return phases_; }
  DramClock Drain(DramClock start) override { return start; }
  std::vector<HbmChannelFigures> Figures() const override { return {}; }

 private:
  HbmOptions hbm_;
  SerialOptions serial_;
  ScaleRead scale_read_;
  LinePlan plan_;
  TransferBytes bytes_;
  std::vector<WaitPhase> phases_;
};

}  // namespace moescope::emulator
