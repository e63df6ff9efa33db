#include "emulator/timing/dma/dma_system.h"

#include <algorithm>

#include "base/check.h"

namespace moescope::emulator {

DmaSystem::DmaSystem(const MachineDescription& machine, const DmaOptions& options,
                     PortSchedule& port_b, MemoryOrder order)
    : options_(options),
      order_(options.merge_lines ? PlanOrder::kMerged : PlanOrder::kLegacy),
      scale_read_(machine.dialect.scale_read),
      model_(machine.hbm.model),
      rows_per_tile_(machine.shape.mlen),
      fixed_latency_(machine.hbm.fixed_latency),
      fixed_rows_per_cycle_(machine.hbm.fixed_rows_per_cycle),
      ratio_(machine.core_ps, machine.hbm.dram_ps),
      dram_(machine.hbm),
      fast_(machine.hbm.channels),
      port_b_(port_b),
      engines_{Engine(options), Engine(options)},
      lines_read_(machine.memory.hbm_bytes),
      memory_order_(order) {
  if (!options.store_done_issued) dram_.ReportQueuedWrites();
}

void DmaSystem::Accept(const DmaRequest& request) {
  AdvanceTo(request.accepted);
  if (free_.empty()) {
    pool_.push_back(std::make_unique<DmaTransaction>());
    free_.push_back(pool_.back().get());
  }
  DmaTransaction& t = *free_.back();
  free_.pop_back();
  Prepare(request, order_, scale_read_, scratch_, t);
  for (DmaTransaction* older : live_) {
    if (older->complete <= request.accepted) continue;
    if ((t.is_store() || older->is_store()) && ShareALine(*older, t)) Order(*older, t);
  }
  live_.push_back(&t);
  Engine& engine = EngineOf(request.kind);
  engine.queue.push_back(&t);
  StartNext(engine);
}

void DmaSystem::Order(const DmaTransaction& older, DmaTransaction& t) {
  if (memory_order_ == MemoryOrder::kNone) {
    unordered_ = unordered_ || !t.is_store();
  } else if (older.complete == kNever) {
    t.after.push_back(&older);
  } else {
    t.ordered_from = std::max(t.ordered_from, older.complete);
  }
}

void DmaSystem::AdvanceTo(Cycle cycle) {
  if (live_.empty()) {  // nothing is queued anywhere: a transfer lives until its last burst
    performed_to_ = std::max(performed_to_, cycle);
    return;
  }
  Perform(cycle);
  ReleaseFinished(cycle);
}

// Rows of SRAM are accessed as soon as nothing unknown can come before them; then lines are issued;
// then the DRAM is stepped as far as neither a line that can be issued nor one that a still unknown
// arrival makes possible could have been offered.
void DmaSystem::Perform(Cycle cycle) {
  while (true) {
    const Cycle known = std::min(cycle, KnownUntil());
    Engine* first = NextEngine();
    const Cycle issue = NextIssue(*first);
    AccessSram(std::min(known, issue - 1));
    // An access can let a transfer start, or give a store its data.
    first = NextEngine();
    const Cycle next = NextIssue(*first);
    if (next <= cycle && next <= known + 1) {
      Issue(*first, next);
    } else if (known == cycle) {
      break;
    } else {
      StepDram(std::min({next, known + 2, cycle + 1}));
    }
  }
  performed_to_ = std::max(performed_to_, cycle);
}

DmaSystem::Engine* DmaSystem::NextEngine() {
  return NextIssue(engines_[1]) < NextIssue(engines_[0]) ? &engines_[1] : &engines_[0];
}

// All arrivals that are visible up to the returned cycle are known. Data that the DRAM has not been
// asked for yet arrive one read latency later; writes end, and queued writes answer reads, at once.
Cycle DmaSystem::KnownUntil() const {
  const DramClock next = dram_.NextEvent();
  if (next == kNever || dram_.Idle()) return kNever;
  const DramClock ahead = writes_in_flight_ > 0 ? 0 : kHbm2Timing.read_latency;
  const Cycle unknown = ratio_.VisibleAt(std::max(next, dram_clock_) + ahead);
  return unknown == 0 ? 0 : unknown - 1;
}

void DmaSystem::StepDram(Cycle limit) {
  dram_clock_ = std::max(dram_clock_, ratio_.ClockAt(limit));
  dram_.AdvanceTo(dram_clock_);
  for (const BurstLife& life : dram_.lives()) Arrive(life);
  dram_.ClearLives();
}

bool DmaSystem::RunAhead() {
  const Cycle known = KnownUntil();
  Cycle next = known == kNever ? kNever : known + 1;
  for (Engine& engine : engines_) next = std::min({next, NextIssue(engine), NextAccess(engine)});
  if (next == kNever) return false;
  Perform(std::max(next, performed_to_ + 1));
  return true;
}

void DmaSystem::ReleaseFinished(Cycle cycle) {
  std::erase_if(live_, [this, cycle](DmaTransaction* t) {
    if (!t->Finished() || t->complete > cycle) return false;
    finished_.push_back(t);
    return true;
  });
}

Cycle DmaSystem::Drain() {
  while (RunAhead()) {
  }
  ReleaseFinished(last_done_.cycle);
  return live_.empty() ? last_done_.cycle : kNever;
}

std::vector<HbmChannelFigures> DmaSystem::Figures() const {
  if (model_ == HbmModelKind::kDram) return dram_.Figures();
  if (model_ == HbmModelKind::kFast) return fast_.Figures();
  return {};
}

QueuePeak DmaSystem::queue_peak() const {
  const auto [bursts, clock] = dram_.QueuePeak();
  return {bursts, ratio_.VisibleAt(clock)};
}

}  // namespace moescope::emulator
