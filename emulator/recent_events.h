#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/event.h"

namespace moescope::emulator {

// The last events of a run, for the report of a deadlock.
class RecentEvents {
 public:
  static constexpr std::size_t kKept = 32;

  void Add(Deadlock::RecentEvent::Kind kind, std::uint32_t pc, Cycle cycle) {
    events_[count_++ % kKept] = {kind, pc, cycle};
  }
  // Oldest first.
  std::vector<Deadlock::RecentEvent> List() const {
    std::vector<Deadlock::RecentEvent> list;
    for (std::uint64_t i = count_ > kKept ? count_ - kKept : 0; i < count_; ++i) {
      list.push_back(events_[i % kKept]);
    }
    return list;
  }

 private:
  std::array<Deadlock::RecentEvent, kKept> events_;
  std::uint64_t count_ = 0;
};

}  // namespace moescope::emulator
