#include "emulator/hbm/burst_phases.h"

#include <algorithm>

namespace moescope::emulator {

void AppendPhases(const BurstLife& life, DramClock begin, DramClock end,
                  std::vector<WaitPhase>& phases) {
  DramClock at = begin;
  const auto until = [&](Reason reason, DramClock clock) {
    const DramClock stop = std::min(clock, end);
    if (stop <= at) return;
    phases.push_back({reason, stop});
    at = stop;
  };
  until(Reason::kDmaIssue, life.offered);
  until(Reason::kHbmQueue, life.admitted);
  if (life.row_begin != kNever) {
    until(Reason::kHbmBandwidth, life.row_begin);
    until(Reason::kHbmRow, life.row_ready);
  }
  until(Reason::kHbmBandwidth, life.command);
  until(Reason::kHbmLatency, life.done);
}

}  // namespace moescope::emulator
