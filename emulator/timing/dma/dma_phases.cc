#include "emulator/timing/dma/dma_phases.h"

#include <algorithm>

#include "emulator/hbm/fast_memory.h"

namespace moescope::emulator {
namespace {

// Appends pieces of [from, to), clipped; reasons go up to a given cycle each.
class Cutter {
 public:
  Cutter(Cycle from, Cycle to, std::vector<DmaPhase>& phases)
      : at_(from), to_(to), phases_(phases) {}

  void Until(Cycle cycle, Reason reason) {
    const Cycle end = std::min(cycle, to_);
    if (end <= at_) return;
    if (!phases_.empty() && phases_.back().end == at_ && phases_.back().reason == reason &&
        begun_) {
      phases_.back().end = end;
    } else {
      phases_.push_back({reason, end});
    }
    begun_ = true;
    at_ = end;
  }

 private:
  Cycle at_;
  Cycle to_;
  std::vector<DmaPhase>& phases_;
  bool begun_ = false;
};

bool IsAwaited(const DmaWaitFor& wait, std::uint32_t row) {
  return wait.slot || (row >= wait.rows.first && row < wait.rows.first + wait.rows.count &&
                       wait.transaction->settled[row] > wait.at);
}

bool HasAwaitedRow(const DmaWaitFor& wait, const PlannedLine& line) {
  if (wait.slot) return true;
  for (const RowSpan& span : {line.element_rows, line.scale_rows}) {
    for (std::uint32_t row = span.first; row < span.first + span.count; ++row) {
      if (IsAwaited(wait, row)) return true;
    }
  }
  return false;
}

const DmaLine& CriticalLine(const DmaWaitFor& wait) {
  const DmaLine* critical = nullptr;
  for (const DmaLine& line : wait.transaction->lines) {
    if (!HasAwaitedRow(wait, line.plan)) continue;
    const BurstLife& life = line.last;
    if (critical == nullptr || life.done > critical->last.done ||
        (life.done == critical->last.done && life.burst.address < critical->last.burst.address)) {
      critical = &line;
    }
  }
  return *critical;
}

void CutLife(const DmaWaitFor& wait, const ClockRatio& ratio, Cutter& cut) {
  const DmaLine& line = CriticalLine(wait);
  const BurstLife& life = line.last;
  cut.Until(line.issued, Reason::kDmaIssue);
  cut.Until(ratio.VisibleAt(life.admitted), Reason::kHbmQueue);
  if (wait.transaction->is_store()) {
    cut.Until(ratio.VisibleAt(life.done), Reason::kHbmBandwidth);
    return;
  }
  if (life.row_begin != kNever) {
    cut.Until(ratio.VisibleAt(life.row_begin), Reason::kHbmBandwidth);
    cut.Until(ratio.VisibleAt(life.row_ready), Reason::kHbmRow);
  }
  cut.Until(ratio.VisibleAt(life.command), Reason::kHbmBandwidth);
  cut.Until(ratio.VisibleAt(life.done), Reason::kHbmLatency);
}

// Under `fast` and `fixed` a transfer has no bursts, only a last arrival.
void CutClosedForm(const DmaWaitFor& wait, HbmModelKind model, const ClockRatio& ratio,
                   Cutter& cut) {
  const DmaTransaction& t = *wait.transaction;
  DramClock arrival = 0;
  for (std::uint32_t row = 0; row < t.rows(); ++row) {
    if (IsAwaited(wait, row)) arrival = std::max(arrival, t.row_done[row]);
  }
  cut.Until(t.memory_begin, Reason::kDmaIssue);
  const Cycle end = t.is_store() ? t.closed_form_end : ratio.VisibleAt(arrival);
  if (model == HbmModelKind::kFast) {
    cut.Until(ratio.VisibleAt(t.closed_form_begin), Reason::kHbmQueue);
    const Cycle latency = ratio.VisibleAt(FastMemory::kShortest);
    if (end > latency) cut.Until(end - latency, Reason::kHbmBandwidth);
  }
  cut.Until(end, t.is_store() ? Reason::kHbmBandwidth : Reason::kHbmLatency);
}

}  // namespace

void CutDmaWait(const DmaWaitFor& wait, Cycle from, Cycle to, HbmModelKind model,
                const ClockRatio& ratio, std::vector<DmaPhase>& phases) {
  const DmaTransaction& t = *wait.transaction;
  Cutter cut(from, to, phases);
  cut.Until(t.ordered_from, Reason::kHbmOrder);
  if (t.is_store()) cut.Until(t.store_read_end, Reason::kDmaSlot);
  if (model == HbmModelKind::kDram) {
    CutLife(wait, ratio, cut);
  } else {
    CutClosedForm(wait, model, ratio, cut);
  }
  cut.Until(to, t.is_store() ? Reason::kDmaSlot : Reason::kSramFill);
}

}  // namespace moescope::emulator
