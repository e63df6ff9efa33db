#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/hbm/address_map.h"
#include "emulator/timing/transfer_timer.h"

namespace moescope::emulator {

// HBM model `fast` (timing.md, 6.5): the time of a transaction from counts of bursts, activates and
// precharges per channel, with the open row of every bank kept. Under `serial` all lines of a
// prefetch are asked for at once, so the issue rate does not limit; a store waits for each of its
// lines to be read, so it is a sequence of transactions of one line.
class FastTransfers final : public TransferTimer {
 public:
  FastTransfers(const HbmOptions& hbm, const SerialOptions& serial, ScaleRead scale_read);

  DramClock Run(const HbmTransfer& transfer, std::uint64_t sequence, DramClock start) override;
  const TransferBytes& bytes() const override { return bytes_; }
  const LinePlan& plan() const override { return plan_; }
  const std::vector<WaitPhase>& phases() const override { return phases_; }
  DramClock Drain(DramClock start) override { return start; }
  std::vector<HbmChannelFigures> Figures() const override { return figures_; }

 private:
  // What one transaction asks of one channel.
  struct Load {
    std::uint64_t bursts = 0;
    std::uint64_t activates = 0;
    std::uint64_t precharges = 0;
    std::array<std::uint64_t, kPseudochannels> bursts_of{};     // by pseudochannel
    std::array<std::uint64_t, kPseudochannels> activates_of{};  // by pseudochannel
    std::array<std::uint64_t, kBanks> row_changes{};
  };

  void Count(const PlannedLine& line);
  static std::uint64_t Work(const Load& load);
  // The clocks that the lines take together.
  DramClock Transaction(std::span<const PlannedLine> lines);
  void AppendTransaction(std::span<const PlannedLine> lines, DramClock& clock);

  AddressMap map_;
  SerialOptions serial_;
  ScaleRead scale_read_;
  LinePlan plan_;
  TransferBytes bytes_;
  std::vector<WaitPhase> phases_;
  bool is_store_ = false;                                     // the transfer being counted
  std::vector<Load> loads_;                                   // by channel
  std::vector<std::array<std::uint64_t, kBanks>> open_rows_;  // by channel; kNever = closed
  std::vector<HbmChannelFigures> figures_;                    // by channel
};

}  // namespace moescope::emulator
