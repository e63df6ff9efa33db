#pragma once

#include <vector>

#include "emulator/event.h"
#include "emulator/hbm/burst.h"

namespace moescope::emulator {

// A stretch of waiting time that ends at `end` and has one reason; it begins where the one before
// it ends.
struct WaitPhase {
  Reason reason = Reason::kOther;
  DramClock end = 0;

  friend bool operator==(const WaitPhase&, const WaitPhase&) = default;
};

// Cuts [begin, end) along the life of the burst that was waited for (timing.md, 7.2) and appends
// the pieces that are not empty. Before the burst was offered: dma_issue; then hbm_queue until its
// admission; then hbm_row from the first PRE or ACT made for it until its bank could take RD or WR,
// else hbm_bandwidth; then hbm_latency until its data arrived. After that nothing is appended.
void AppendPhases(const BurstLife& life, DramClock begin, DramClock end,
                  std::vector<WaitPhase>& phases);

}  // namespace moescope::emulator
