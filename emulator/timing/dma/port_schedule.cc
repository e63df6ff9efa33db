#include "emulator/timing/dma/port_schedule.h"

#include "base/check.h"

namespace moescope::emulator {

void PortSchedule::Take(Cycle begin, Cycle length, std::uint32_t pc) {
  DCHECK(Conflict(begin, length) == nullptr);
  if (first_ > 32 && first_ * 2 > claims_.size()) {
    claims_.erase(claims_.begin(), claims_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  auto place = claims_.end();
  const auto oldest = claims_.begin() + static_cast<std::ptrdiff_t>(first_);
  while (place != oldest && std::prev(place)->begin > begin) --place;
  claims_.insert(place, {begin, begin + length, pc});
}

}  // namespace moescope::emulator
