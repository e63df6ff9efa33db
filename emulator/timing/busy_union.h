#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/event.h"
#include "emulator/timing_model.h"

namespace moescope::emulator {

// When each unit worked: the union of the intervals of its operations, each cycle given to the
// operation that began first (timing.md, 7.4).
class BusyUnion {
 public:
  // The next operation of `unit`, in the order of their begins.
  void Add(Unit unit, std::uint32_t pc, Cycle begin, Cycle end, EventSink& sink) {
    Cycle& covered = covered_[static_cast<std::size_t>(unit)];
    if (begin < covered) begin = covered;
    if (begin >= end) return;
    covered = end;
    cycles_[static_cast<std::size_t>(unit)] += end - begin;
    sink.Occupy({unit, pc, begin, end});
  }

  // An operation of a unit whose operations end in another order than they begin. It is announced
  // by the first Flush whose `horizon` is beyond its begin.
  void AddLate(Unit unit, std::uint32_t pc, Cycle begin, Cycle end);
  // No later AddLate begins before `horizon`.
  void Flush(Cycle horizon, EventSink& sink);
  // Begin of the first operation that waits for a Flush, or `none`.
  Cycle OldestLate(Cycle none) const { return late_.empty() ? none : late_.front().begin; }

  // Cycles per unit up to `total`, beyond which nothing counts; CHECKs that none exceeds it.
  void Check(Cycle total) const;

 private:
  std::array<Cycle, kUnitCount> covered_{};
  std::array<std::uint64_t, kUnitCount> cycles_{};
  std::vector<Busy> late_;  // by begin, then in the order of coming
};

}  // namespace moescope::emulator
