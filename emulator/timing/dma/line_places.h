#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/event.h"
#include "emulator/hbm/clock_ratio.h"

namespace moescope::emulator {

// The places of one engine for lines in flight. A line that finishes in cycle v gives its place
// back for cycle v + 1.
class LinePlaces {
 public:
  explicit LinePlaces(std::uint32_t places) : places_(places) {}

  // The first cycle from `cycle` on with a free place, as far as known: kNever when all are taken
  // by lines whose end is unknown. Asked with cycles that do not descend.
  Cycle Next(Cycle cycle) {
    while (!freed_.empty() && freed_.front() <= cycle) Free();
    if (taken_ < places_) return cycle;
    return freed_.empty() ? kNever : freed_.front();
  }

  // Takes a place in `cycle`, which Next() returned.
  void Take(Cycle cycle) {
    while (!freed_.empty() && freed_.front() <= cycle) Free();
    ++taken_;
    if (taken_ > high_water_) {
      high_water_ = taken_;
      high_water_cycle_ = cycle;
    }
  }

  void FinishAt(Cycle cycle) {
    auto place = freed_.end();
    while (place != freed_.begin() && *std::prev(place) > cycle + 1) --place;
    freed_.insert(place, cycle + 1);
  }

  std::uint32_t high_water() const { return high_water_; }
  Cycle high_water_cycle() const { return high_water_cycle_; }

 private:
  void Free() {
    freed_.erase(freed_.begin());
    --taken_;
  }

  std::uint32_t places_;
  std::uint32_t taken_ = 0;
  std::uint32_t high_water_ = 0;
  Cycle high_water_cycle_ = 0;
  std::vector<Cycle> freed_;  // ascending: when known places become free
};

}  // namespace moescope::emulator
