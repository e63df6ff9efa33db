#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/event.h"

namespace moescope::profiler {

// A growing set of cycles as disjoint intervals, of which the settled past is only counted.
class CycleSet {
 public:
  struct Interval {
    emulator::Cycle begin = 0;
    emulator::Cycle end = 0;
  };
  void Insert(Interval interval);
  const std::vector<Interval>& intervals() const { return intervals_; }
  // Forgets what lies before `cycle`.
  void Forget(emulator::Cycle cycle);

 private:
  std::vector<Interval> intervals_;  // ascending, disjoint, not touching
};

// Cycles in which memory units, compute units, or both were busy. Exact as long as intervals that
// begin before a passed cycle come before its Passed event; memory is bounded: when a model does
// not announce passed cycles and too many intervals pile up, the figures are given up.
class BusyOverlap {
 public:
  struct Figures {
    std::uint64_t memory = 0;
    std::uint64_t compute = 0;
    std::uint64_t both = 0;
  };
  void Insert(emulator::Unit unit, emulator::Cycle begin, emulator::Cycle end);
  void Pass(emulator::Cycle cycle) { passed_ = cycle; }
  // Absent when given up.
  std::optional<Figures> Finish();

 private:
  void Settle(emulator::Cycle cycle);

  static constexpr std::size_t kSettleAt = 1024;

  CycleSet sets_[2];  // memory, compute
  std::size_t settle_at_ = kSettleAt;
  emulator::Cycle passed_ = 0;
  Figures figures_;
  bool given_up_ = false;
};

// Busy cycles per unit and stage. Intervals wait until no cut of the run can fall before their end,
// so that work in flight at a cut counts up to the cut only.
class BusyRecord {
 public:
  explicit BusyRecord(std::size_t stages = 0) : cycles_(stages) {}

  void Add(emulator::Unit unit, std::uint32_t stage, emulator::Cycle begin, emulator::Cycle end);
  // The run surely reaches `cycle`.
  void Reach(emulator::Cycle cycle) { reached_ = cycle; }
  // No later interval begins before `cycle`.
  void Pass(emulator::Cycle cycle);
  void Finish(emulator::Cycle total);

  using UnitCycles = std::array<std::uint64_t, emulator::kUnitCount>;
  const std::vector<UnitCycles>& cycles() const { return cycles_; }  // by stage
  const std::optional<BusyOverlap::Figures>& overlap() const { return figures_; }

 private:
  struct Interval {
    std::uint32_t stage = 0;
    emulator::Cycle begin = 0;
    emulator::Cycle end = 0;
  };
  // Intervals of one unit that may still be cut, oldest first.
  struct Pending {
    static constexpr std::size_t kCapacity = 64;
    std::array<Interval, kCapacity> ring;
    std::size_t first = 0;
    std::size_t size = 0;
    const Interval& Oldest() const { return ring[first]; }
    Interval Pop();
  };
  void CommitReached(emulator::Unit unit);
  void Commit(emulator::Unit unit, const Interval& interval);

  std::vector<UnitCycles> cycles_;
  std::array<Pending, emulator::kUnitCount> pending_;
  emulator::Cycle reached_ = 0;
  BusyOverlap overlap_;
  std::optional<BusyOverlap::Figures> figures_;
};

}  // namespace moescope::profiler
