#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "emulator/hbm/address_map.h"
#include "emulator/hbm/clock_ratio.h"
#include "emulator/hbm/dram_timing.h"

namespace moescope::emulator {

enum class DramCommand : std::uint8_t { kActivate, kPrecharge, kRead, kWrite };

// Open rows of one channel and the earliest clock of every command (timing.md, 6.2). It knows
// nothing of requests.
class BankState {
 public:
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};

  explicit BankState(const DramTiming& timing) : timing_(timing) { open_row_.fill(kClosed); }

  std::uint64_t open_row(std::uint32_t bank) const { return open_row_[bank]; }

  // The command that a request for `row` needs next.
  DramCommand Next(std::uint32_t bank, std::uint64_t row, bool is_write) const {
    if (open_row_[bank] == row) return is_write ? DramCommand::kWrite : DramCommand::kRead;
    return open_row_[bank] == kClosed ? DramCommand::kActivate : DramCommand::kPrecharge;
  }

  // The first clock that satisfies every constraint of `command` on `bank`.
  DramClock Earliest(DramCommand command, std::uint32_t bank) const {
    const std::uint32_t group = GroupOf(bank);
    const std::uint32_t pseudochannel = PseudochannelOf(bank);
    switch (command) {
      case DramCommand::kRead:
        return std::max({column_ready_[bank], group_read_[group], pseudo_read_[pseudochannel]});
      case DramCommand::kWrite:
        return std::max({column_ready_[bank], group_write_[group], pseudo_write_[pseudochannel]});
      case DramCommand::kActivate:
        return std::max({activate_ready_[bank], group_activate_[group],
                         pseudo_activate_[pseudochannel], channel_activate_});
      case DramCommand::kPrecharge:
        return std::max(precharge_ready_[bank], channel_activate_);
    }
    return kNever;
  }

  // Issues a command at `clock`, which must not be before Earliest(). `row` is used by kActivate.
  void Issue(DramCommand command, std::uint32_t bank, std::uint64_t row, DramClock clock);

  // When the open row of `bank` could take its first RD or WR.
  DramClock ColumnReady(std::uint32_t bank) const { return column_ready_[bank]; }

  // Refresh of all banks: the first clock at which every open bank may be closed, at which all
  // (closed) banks may be opened; and the two commands.
  DramClock EarliestPrechargeAll() const;
  DramClock EarliestActivateAll() const;
  bool AnyOpen() const;
  void PrechargeAll(DramClock clock);
  void Refresh(DramClock clock);

 private:
  void Activate(std::uint32_t bank, std::uint64_t row, DramClock clock);
  void Column(std::uint32_t bank, bool is_write, DramClock clock);

  const DramTiming& timing_;
  std::array<std::uint64_t, kBanks> open_row_{};
  std::array<DramClock, kBanks> column_ready_{};
  std::array<DramClock, kBanks> activate_ready_{};
  std::array<DramClock, kBanks> precharge_ready_{};
  std::array<DramClock, kBankGroups> group_read_{};
  std::array<DramClock, kBankGroups> group_write_{};
  std::array<DramClock, kBankGroups> group_activate_{};
  std::array<DramClock, kPseudochannels> pseudo_read_{};
  std::array<DramClock, kPseudochannels> pseudo_write_{};
  std::array<DramClock, kPseudochannels> pseudo_activate_{};
  // The last four ACTs of each pseudochannel plus one, oldest first; 0 = none yet.
  std::array<std::array<DramClock, 4>, kPseudochannels> recent_activates_{};
  DramClock channel_activate_ = 0;  // for ACT and PRE alike
};

}  // namespace moescope::emulator
