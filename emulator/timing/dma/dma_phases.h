#pragma once

#include <vector>

#include "emulator/hbm/clock_ratio.h"
#include "emulator/machine.h"
#include "emulator/timing/dma/dma_transaction.h"

namespace moescope::emulator {

// A stretch of a DMA wait; it begins where the one before it ends.
struct DmaPhase {
  Reason reason = Reason::kOther;
  Cycle end = 0;

  friend bool operator==(const DmaPhase&, const DmaPhase&) = default;
};

// What a wait is for: `rows` of a prefetch that are not settled at `at` (data, H3), or the whole
// transfer (slot, H8).
struct DmaWaitFor {
  const DmaTransaction* transaction = nullptr;
  bool slot = false;
  RowSpan rows;
  Cycle at = 0;
};

// Cuts the wait [from, to) along the life of its critical burst (timing.md, 7.2): the last one of
// the rows waited for, or of the transfer; ties: the lowest address. The pieces partition it.
void CutDmaWait(const DmaWaitFor& wait, Cycle from, Cycle to, HbmModelKind model,
                const ClockRatio& ratio, std::vector<DmaPhase>& phases);

}  // namespace moescope::emulator
