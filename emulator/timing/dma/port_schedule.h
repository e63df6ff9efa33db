#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/event.h"
#include "emulator/hbm/clock_ratio.h"

namespace moescope::emulator {

// One access port of an SRAM: who uses it in which cycles. One access per cycle (timing.md, 4.3).
class PortSchedule {
 public:
  struct Claim {
    Cycle begin = 0;
    Cycle end = 0;
    std::uint32_t pc = kNoPc;  // who uses it
  };

  // The first claim that overlaps [begin, begin + length), or null.
  const Claim* Conflict(Cycle begin, Cycle length) const {
    for (std::size_t i = first_; i < claims_.size() && claims_[i].begin < begin + length; ++i) {
      if (claims_[i].end > begin) return &claims_[i];
    }
    return nullptr;
  }

  // Begin of the first claim at or after `cycle`, or kNever.
  Cycle NextClaim(Cycle cycle) const {
    for (std::size_t i = first_; i < claims_.size(); ++i) {
      if (claims_[i].begin >= cycle) return claims_[i].begin;
    }
    return kNever;
  }

  // The first free cycle at or after `due`.
  Cycle FirstFree(Cycle due) const {
    for (std::size_t i = first_; i < claims_.size() && claims_[i].begin <= due; ++i) {
      due = std::max(due, claims_[i].end);
    }
    return due;
  }

  // Takes [begin, begin + length), which must be free.
  void Take(Cycle begin, Cycle length, std::uint32_t pc);

  // Takes the first free cycle at or after `due` and returns it.
  Cycle TakeFirstFree(Cycle due, std::uint32_t pc) {
    const Cycle cycle = FirstFree(due);
    Take(cycle, 1, pc);
    return cycle;
  }

  // Forgets claims that end at or before `cycle`; nothing will ask about cycles before it.
  void Forget(Cycle cycle) {
    while (first_ < claims_.size() && claims_[first_].end <= cycle) ++first_;
  }

 private:
  std::vector<Claim> claims_;  // ascending, disjoint; those before first_ are forgotten
  std::size_t first_ = 0;
};

}  // namespace moescope::emulator
