#include "emulator/timing/busy_union.h"

#include <algorithm>

#include "base/check.h"

namespace moescope::emulator {

void BusyUnion::AddLate(Unit unit, std::uint32_t pc, Cycle begin, Cycle end) {
  auto place = late_.end();
  while (place != late_.begin() && std::prev(place)->begin > begin) --place;
  late_.insert(place, {unit, pc, begin, end});
}

void BusyUnion::Flush(Cycle horizon, EventSink& sink) {
  auto busy = late_.begin();
  for (; busy != late_.end() && busy->begin < horizon; ++busy) {
    Add(busy->unit, busy->pc, busy->begin, busy->end, sink);
  }
  late_.erase(late_.begin(), busy);
}

// Work in flight at a cut lies beyond the total.
void BusyUnion::Check(Cycle total) const {
  for (std::size_t unit = 0; unit < kUnitCount; ++unit) {
    const Cycle beyond = covered_[unit] > total ? covered_[unit] - total : 0;
    CHECK_BECAUSE(cycles_[unit] <= total + beyond, "a unit was busy longer than the run");
  }
}

}  // namespace moescope::emulator
