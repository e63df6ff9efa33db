#pragma once

#include <cstdint>

namespace moescope::emulator {

// Least distances between commands, in DRAM clocks of 1 ns (timing.md, 6.2). Names say: from, to,
// and the smallest part of the channel that both commands share.
struct DramTiming {
  std::uint32_t act_to_act_or_pre_channel = 2;
  std::uint32_t act_to_act_pseudochannel = 2;
  std::uint32_t act_to_fifth_act_pseudochannel = 15;
  std::uint32_t act_to_act_group = 3;
  std::uint32_t act_to_act_bank = 19;
  std::uint32_t act_to_column_bank = 7;
  std::uint32_t act_to_pre_bank = 17;
  std::uint32_t pre_to_act_bank = 7;
  std::uint32_t column_to_column_pseudochannel = 2;  // RD to RD, WR to WR
  std::uint32_t column_to_column_group = 2;
  std::uint32_t read_to_write_pseudochannel = 11;
  std::uint32_t write_to_read_pseudochannel = 9;
  std::uint32_t write_to_read_group = 10;
  std::uint32_t read_to_pre_bank = 3;
  std::uint32_t write_to_pre_bank = 14;
  std::uint32_t read_latency = 11;  // RD to data: nCL 7 + nBL 4
  std::uint32_t refresh_interval = 3900;
  std::uint32_t refresh_cycle = 350;
};

inline constexpr DramTiming kHbm2Timing{};

// Queue places and the limits of write mode (timing.md, 6.3).
inline constexpr std::uint32_t kQueuePlaces = 33;
inline constexpr std::uint32_t kWriteModeAbove = 25;
inline constexpr std::uint32_t kReadModeBelow = 7;

}  // namespace moescope::emulator
