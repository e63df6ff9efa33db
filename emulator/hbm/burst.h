#pragma once

#include <cstdint>

#include "emulator/hbm/clock_ratio.h"

namespace moescope::emulator {

// A 16-byte request to the HBM. `sequence` is the instruction that asked, `owner` whatever the
// requester needs to find its own record again.
struct Burst {
  std::uint64_t address = 0;  // bytes; a multiple of 16
  std::uint64_t sequence = 0;
  std::uint32_t owner = 0;
  bool is_write = false;

  friend bool operator==(const Burst&, const Burst&) = default;
};

// The life of a finished burst, in DRAM clocks. A read is done when its data arrive, a write when
// its WR was issued.
struct BurstLife {
  Burst burst;
  DramClock offered = 0;
  DramClock admitted = 0;
  DramClock row_begin = kNever;  // first PRE or ACT made for it; kNever when it found its row open
  DramClock row_ready = kNever;  // when its bank could take RD or WR, if row_begin is set
  DramClock command = 0;         // RD or WR; of a forwarded read: its admission
  DramClock done = 0;
  bool forwarded = false;    // answered from the write queue, without using the DRAM
  std::uint32_t queued = 0;  // requests that its channel held when it was admitted, itself included

  friend bool operator==(const BurstLife&, const BurstLife&) = default;
};

}  // namespace moescope::emulator
