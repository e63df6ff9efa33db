#pragma once

#include <cstdint>

#include "emulator/event.h"

namespace moescope::emulator {

// Clocks of the DRAM since reset.
using DramClock = std::uint64_t;

// Never: an event that nothing in flight will cause.
inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

// Conversion between core cycles and DRAM clocks (timing.md, 1.2): integers, products in 128 bits,
// so that nothing drifts and nothing becomes visible early.
class ClockRatio {
 public:
  // Both periods in picoseconds, at least 1.
  constexpr ClockRatio(std::uint32_t core_ps, std::uint32_t dram_ps)
      : core_ps_(core_ps), dram_ps_(dram_ps) {}

  // The first DRAM clock at or after the start of core cycle `cycle`: ceil(cycle * core / dram).
  constexpr DramClock ClockAt(Cycle cycle) const { return Scale(cycle, core_ps_, dram_ps_); }
  // The core cycle in which DRAM clock `clock` becomes visible: ceil(clock * dram / core).
  constexpr Cycle VisibleAt(DramClock clock) const { return Scale(clock, dram_ps_, core_ps_); }

 private:
  static constexpr std::uint64_t Scale(std::uint64_t value, std::uint32_t from, std::uint32_t to) {
    if (from == to || value == kNever) return value;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(value) * from + to - 1) / to);
  }

  std::uint32_t core_ps_;
  std::uint32_t dram_ps_;
};

}  // namespace moescope::emulator
