#pragma once

#include <vector>

#include "emulator/hbm/blocking_transfer.h"
#include "emulator/timing/transfer_timer.h"

namespace moescope::emulator {

// HBM model `dram` under `serial` (timing.md, 3.3 and 6).
class DramTransfers final : public TransferTimer {
 public:
  DramTransfers(const HbmOptions& hbm, const SerialOptions& serial, ScaleRead scale_read)
      : transfer_(hbm, serial, scale_read) {}

  DramClock Run(const HbmTransfer& transfer, std::uint64_t sequence, DramClock start) override {
    return transfer_.Run(transfer, sequence, start);
  }
  const TransferBytes& bytes() const override { return transfer_.bytes(); }
  const LinePlan& plan() const override { return transfer_.plan(); }
  const std::vector<WaitPhase>& phases() const override { return transfer_.phases(); }
  DramClock Drain(DramClock start) override { return transfer_.Drain(start); }
  std::vector<HbmChannelFigures> Figures() const override { return transfer_.Figures(); }

 private:
  BlockingTransfer transfer_;
};

}  // namespace moescope::emulator
