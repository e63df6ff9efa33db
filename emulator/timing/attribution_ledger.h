#pragma once

#include <array>
#include <cstdint>

#include "base/check.h"
#include "emulator/event.h"
#include "emulator/timing_model.h"

namespace moescope::emulator {

// Hands out the cycles of a run, one after the other, each to one (pc, reason) cell, and proves
// that none is lost or given twice (timing.md, 7.1 and 7.5).
class AttributionLedger {
 public:
  // Gives the cycles from End() up to `until` to (pc, reason); nothing when there are none.
  void Give(std::uint32_t pc, Reason reason, Cycle until, EventSink& sink,
            std::uint32_t producer = kNoPc, bool waits_for_slot = false) {
    if (until <= end_) return;
    sums_[static_cast<std::size_t>(reason)] += until - end_;
    sink.Attribute({pc, reason, end_, until, producer, waits_for_slot});
    end_ = until;
  }

  // The cycles up to here are given.
  Cycle End() const { return end_; }
  std::uint64_t SumOf(Reason reason) const { return sums_[static_cast<std::size_t>(reason)]; }

  // Ends the process when the cells do not sum to `total` or anything went to `other`.
  void Check(Cycle total) const {
    std::uint64_t sum = 0;
    for (const std::uint64_t cycles : sums_) sum += cycles;
    CHECK_BECAUSE(sum == total && end_ == total, "the attributed cycles do not sum to the total");
    CHECK_BECAUSE(SumOf(Reason::kOther) == 0, "cycles without a reason");
  }

 private:
  std::array<std::uint64_t, kReasonCount> sums_{};
  Cycle end_ = 0;
};

}  // namespace moescope::emulator
