// How the front end waits, and to whom the cycles go (timing.md, 7.1 and 7.2).

#include <algorithm>

#include "emulator/timing/pipelined/pipelined_model.h"

namespace moescope::emulator {
namespace {

Cycle Minus(Cycle a, Cycle b) { return a > b ? a - b : 0; }

}  // namespace

// The holds stand in order of priority: each gets what those before it left.
Cycle PipelinedModel::Wait(const Op& op, Cycle from, EventSink& sink) {
  CollectHolds(op, from);
  const bool reads_ports = op.info.is_vector || op.info.is_compute;
  if (holds_.empty() && !reads_ports) return from;
  if (!holds_.empty() && holds_.last() == kNever) return kNever;
  const Hold* mixed = nullptr;
  for (const Hold& hold : holds_.holds()) {
    if (hold.reason == Reason::kMixedLat) {
      mixed = &hold;
    } else if (hold.until.cycle > ledger_.End()) {
      GiveHold(op, hold, sink);
    }
  }
  if (reads_ports) WaitForPorts(op, from, mixed, sink);
  return ledger_.End();
}

void PipelinedModel::GiveHold(const Op& op, const Hold& hold, EventSink& sink) {
  if (hold.dma.transaction == nullptr) {
    ledger_.Give(op.pc(), hold.reason, hold.until.cycle, sink, hold.until.pc);
    return;
  }
  phases_.clear();
  CutDmaWait(hold.dma, ledger_.End(), hold.until.cycle, machine_.hbm.model, dma_.ratio(), phases_);
  for (const DmaPhase& phase : phases_) {
    ledger_.Give(op.pc(), phase.reason, phase.end, sink, hold.until.pc, hold.dma.slot);
  }
}

// H9 and H10. Rows that DMA brings can take port B in any cycle, so that with transfers in flight
// an instruction that reads it looks at every cycle; there are few, because both waits are short.
void PipelinedModel::WaitForPorts(const Op& op, Cycle from, const Hold* mixed, EventSink& sink) {
  const bool meets_dma = op.access().vram_read[1].count > 0;
  while (true) {
    const Cycle cycle = ledger_.End();
    if (meets_dma) dma_.AdvanceTo(cycle);
    const PortState ports = PortsAt(op, from, cycle);
    const bool held = mixed != nullptr && mixed->until.cycle > cycle;
    if (ports.claim == nullptr && !held) return;
    Cycle until = ports.until;
    if (ports.claim == nullptr) until = std::min(until, mixed->until.cycle);
    if (meets_dma && !dma_.in_flight().empty()) until = cycle + 1;
    if (ports.claim != nullptr) {
      ledger_.Give(op.pc(), ports.reason, until, sink, ports.claim->pc);
    } else {
      ledger_.Give(op.pc(), Reason::kMixedLat, until, sink, mixed->until.pc);
    }
  }
}

// Whether the ports are free for an instruction that nothing holds from `cycle` on: if it waited at
// all it is accepted `recovery` later.
PipelinedModel::PortState PipelinedModel::PortsAt(const Op& op, Cycle from, Cycle cycle) const {
  const Cycle accept = cycle + (cycle > from ? options_.recovery : 0);
  struct Port {
    const PortSchedule& schedule;
    Cycle length;
    Reason reason;
  };
  const Port ports[] = {{port_a_, op.access().vram_read[0].count, Reason::kPortA},
                        {port_b_, op.access().vram_read[1].count, Reason::kPortB}};
  PortState state{.until = kNever};
  for (const Port& port : ports) {
    if (port.length == 0) continue;
    const PortSchedule::Claim* claim = port.schedule.Conflict(accept, port.length);
    if (claim != nullptr) {
      state.claim = claim;
      state.reason = port.reason;
      state.until = std::min(state.until, Minus(claim->end, options_.recovery));
      break;
    }
    const Cycle next = port.schedule.NextClaim(accept + port.length);
    if (next != kNever) {
      state.until = std::min(state.until, Minus(next + 1, port.length + options_.recovery));
    }
  }
  state.until = std::max(state.until, cycle + 1);
  return state;
}

}  // namespace moescope::emulator
