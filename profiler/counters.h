#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/event.h"

// The counters that totals, stages, pairs and experts share (profile.md, 5.3).

namespace moescope::profiler {

// One value per emulator::Reason or per emulator::Unit; empty when not measured.
using Split = std::vector<std::uint64_t>;

// HBM lines are 64 bytes, DRAM bursts 16.
inline constexpr std::uint64_t kLineBytes = 64;
inline constexpr std::uint64_t kBurstBytes = 16;

struct Work {
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;

  friend bool operator==(const Work&, const Work&) = default;
};

// Bytes moved in one direction.
struct TrafficCounters {
  std::uint64_t logical_bytes = 0;
  std::uint64_t physical_bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t burst_bytes = 0;
  std::uint64_t extra_bytes = 0;  // repeat_bytes of reads, rmw_read_bytes of writes

  friend bool operator==(const TrafficCounters&, const TrafficCounters&) = default;
};

struct Flops {
  std::uint64_t matrix = 0;
  std::uint64_t vector = 0;
  std::uint64_t scalar = 0;

  friend bool operator==(const Flops&, const Flops&) = default;
};

struct CounterBlock {
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  Split reasons;  // by Reason
  Split units;    // by Unit
  TrafficCounters read;
  TrafficCounters write;
  Flops flops;

  friend bool operator==(const CounterBlock&, const CounterBlock&) = default;
};

// Adds without the splits.
void AddScalars(CounterBlock& sum, const CounterBlock& part);
// Adds everything; a split that `sum` lacks is taken over.
void Add(CounterBlock& sum, const CounterBlock& part);

void Add(TrafficCounters& sum, const TrafficCounters& part);
void Add(Flops& sum, const Flops& part);
void Add(Split& sum, const Split& part);

// Cycles of a split whose reason is in `reasons`.
std::uint64_t SumOf(const Split& split, std::span<const emulator::Reason> reasons);

// Reasons with a producing instruction that `waits_on` counts: raw_* war_waw dma_issue hbm_*
// sram_fill.
inline constexpr std::array kWaitsOnReasons = {
    emulator::Reason::kRawFp,        emulator::Reason::kRawVram,    emulator::Reason::kWarWaw,
    emulator::Reason::kDmaIssue,     emulator::Reason::kHbmQueue,   emulator::Reason::kHbmRow,
    emulator::Reason::kHbmBandwidth, emulator::Reason::kHbmLatency, emulator::Reason::kSramFill,
    emulator::Reason::kHbmOrder};

// Waits for the data of a transfer or for its slot (timing.md, 7.2), for `overlap`.
inline constexpr std::array kTransferWaits = {
    emulator::Reason::kDmaSlot, emulator::Reason::kDmaIssue,     emulator::Reason::kHbmQueue,
    emulator::Reason::kHbmRow,  emulator::Reason::kHbmBandwidth, emulator::Reason::kHbmLatency,
    emulator::Reason::kSramFill};

// Every reason of waiting: neither the instruction's own slot or cost, nor the front end (fill,
// refill, recovery, ctrl_loop), nor the drain.
inline constexpr std::array kWaitReasons = {
    emulator::Reason::kHoldInt,    emulator::Reason::kRawFp,    emulator::Reason::kRawVram,
    emulator::Reason::kWarWaw,     emulator::Reason::kMxBusy,   emulator::Reason::kWoBusy,
    emulator::Reason::kVxBusy,     emulator::Reason::kSxBusy,   emulator::Reason::kRedPending,
    emulator::Reason::kSettle,     emulator::Reason::kPortA,    emulator::Reason::kPortB,
    emulator::Reason::kMixedLat,   emulator::Reason::kDmaSlot,  emulator::Reason::kDmaIssue,
    emulator::Reason::kHbmQueue,   emulator::Reason::kHbmRow,   emulator::Reason::kHbmBandwidth,
    emulator::Reason::kHbmLatency, emulator::Reason::kSramFill, emulator::Reason::kHbmOrder};

// A set of reasons as one bit each.
constexpr std::uint64_t BitsOf(std::span<const emulator::Reason> reasons) {
  std::uint64_t bits = 0;
  for (const emulator::Reason reason : reasons)
    bits |= std::uint64_t{1} << static_cast<int>(reason);
  return bits;
}
constexpr bool Contains(std::uint64_t bits, emulator::Reason reason) {
  return (bits >> static_cast<int>(reason) & 1) != 0;
}

}  // namespace moescope::profiler
