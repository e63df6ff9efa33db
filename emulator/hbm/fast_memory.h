#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/event.h"
#include "emulator/hbm/address_map.h"
#include "emulator/hbm/clock_ratio.h"

namespace moescope::emulator {

// HBM model `fast` (timing.md, 6.5): the time of a transaction from its counts of bursts, activates
// and precharges per channel, with the open row of every bank kept. A transaction is counted line
// by line, then timed.
class FastMemory {
 public:
  explicit FastMemory(std::uint32_t channels);

  // Counts the four bursts of a line of the next transaction, in issue order.
  void Count(std::uint64_t line, bool is_write);

  struct Span {
    DramClock begin = 0;  // when all its channels were free
    DramClock end = 0;    // its last byte
  };
  // Times the counted transaction, whose first line is issued at `start`, and begins a new one.
  // `issue_clocks` is how long its engine takes to issue its lines: (lines - 1) / lines per cycle.
  Span Time(DramClock start, std::uint64_t issue_clocks);

  const std::vector<HbmChannelFigures>& Figures() const { return figures_; }

  // A cold line: the shortest transaction.
  static constexpr DramClock kShortest = 18;

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
  struct Channel {
    Load load;
    std::array<std::uint64_t, kBanks> open_row{};
    DramClock busy_until = 0;
  };

  static std::uint64_t Work(const Load& load);

  AddressMap map_;
  std::vector<Channel> channels_;
  std::vector<HbmChannelFigures> figures_;
};

}  // namespace moescope::emulator
