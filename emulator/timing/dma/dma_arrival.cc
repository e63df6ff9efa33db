// What the DRAM returns, and how rows enter and leave the SRAMs.

#include <algorithm>

#include "base/check.h"
#include "emulator/timing/dma/dma_system.h"

namespace moescope::emulator {

void DmaSystem::Arrive(const BurstLife& life) {
  const auto found = std::find_if(live_.begin(), live_.end(), [&life](const DmaTransaction* t) {
    return t->request.sequence == life.burst.sequence;
  });
  CHECK(found != live_.end());
  DmaTransaction& t = **found;
  DmaLine& line = t.lines[life.burst.owner];
  const bool queued_only = life.done == kNever;
  if (!queued_only) CountBurst(t, life);
  // A store is done with a burst when it was written or, as an option, when it was queued.
  if (life.burst.is_write && queued_only == options_.store_done_issued) return;
  const DramClock done = queued_only ? life.admitted : life.done;
  const bool later = line.last.done < done || line.last.done == kNever;
  if (later || (line.last.done == done && life.burst.address < line.last.burst.address)) {
    line.last = life;
    line.last.done = done;
  }
  std::uint8_t& left = life.burst.is_write ? line.writes_left : line.reads_left;
  if (--left == 0) FinishLine(t, line, life.burst.is_write);
}

void DmaSystem::CountBurst(DmaTransaction& t, const BurstLife& life) {
  --t.bursts_unfinished;
  if (life.forwarded) {
    ++t.forwarded_bursts;
    ++forwarded_bursts_;
  } else {
    ++(life.burst.is_write ? t.written_bursts : t.read_bursts);
    const Cycle admitted = ratio_.VisibleAt(life.admitted);
    const bool earlier = life.queued == t.deepest_queue && admitted < t.deepest_queue_cycle;
    if (life.queued > t.deepest_queue || earlier) {
      t.deepest_queue = life.queued;
      t.deepest_queue_cycle = admitted;
    }
  }
  t.memory_end = std::max(t.memory_end, ratio_.VisibleAt(life.done));
  if (!life.burst.is_write) return;
  --writes_in_flight_;
  NoteDone(t, ratio_.VisibleAt(life.done) + 1);
}

void DmaSystem::FinishLine(DmaTransaction& t, DmaLine& line, bool is_write) {
  Engine& engine = EngineOf(t.request.kind);
  const Cycle seen = ratio_.VisibleAt(line.last.done);
  engine.places.FinishAt(seen);
  if (!t.is_store()) return CompleteRows(engine, t, line);
  if (!is_write) {
    line.read_arrived = seen;
    line.last = {};
    return;
  }
  t.last_line_done = std::max(t.last_line_done, seen);
  if (--t.lines_unfinished == 0) Complete(engine, t, t.last_line_done + 1);
}

void DmaSystem::CompleteRows(Engine& engine, DmaTransaction& t, const DmaLine& line) {
  for (const RowSpan& rows : {line.plan.element_rows, line.plan.scale_rows}) {
    for (std::uint32_t row = rows.first; row < rows.first + rows.count; ++row) {
      t.row_done[row] = std::max(t.row_done[row], line.last.done);
      if (--t.lines_left[row] == 0) {
        AddPendingRow(engine, t, ratio_.VisibleAt(t.row_done[row]), row);
      }
    }
  }
}

void DmaSystem::AddPendingRow(Engine& engine, const DmaTransaction& t, Cycle arrived,
                              std::uint32_t row) {
  const bool is_vector = t.request.kind == DmaKind::kPrefetchVector;
  const PendingRow pending{arrived + (is_vector ? options_.convert_v : 0), row};
  auto& rows = engine.pending_rows;
  auto place = rows.end();
  const auto after = [&pending](const PendingRow& other) {
    return other.due > pending.due || (other.due == pending.due && other.row > pending.row);
  };
  while (place != rows.begin() && after(*std::prev(place))) --place;
  rows.insert(place, pending);
}

void DmaSystem::AccessSram(Cycle until) {
  for (Engine& engine : engines_) {
    while (NextAccess(engine) <= until) AccessRow(engine);
  }
}

// When the next row of this engine is due at its port; kNever if none is known.
Cycle DmaSystem::NextAccess(const Engine& engine) const {
  if (engine.queue.empty()) return kNever;
  const DmaTransaction& t = *engine.queue.front();
  if (!t.is_store()) return engine.pending_rows.empty() ? kNever : engine.pending_rows.front().due;
  if (t.start == kNever || engine.next_store_row == t.rows()) return kNever;
  // In a closed form the transfer as a whole comes first.
  if (model_ != HbmModelKind::kDram && t.memory_begin == kNever) return kNever;
  return std::max(t.start, engine.row_access_from);
}

void DmaSystem::AccessRow(Engine& engine) {
  DmaTransaction& t = *engine.queue.front();
  const Cycle due = std::max(NextAccess(engine), engine.row_access_from);
  std::uint32_t row = engine.next_store_row;
  if (t.is_store()) {
    ++engine.next_store_row;
  } else {
    row = engine.pending_rows.front().row;
    engine.pending_rows.erase(engine.pending_rows.begin());
  }
  const bool on_port_b = t.request.kind != DmaKind::kPrefetchMatrix;
  const Cycle cycle = on_port_b ? port_b_.TakeFirstFree(due, t.request.pc) : due;
  engine.row_access_from = cycle + 1;
  t.settled[row] = cycle + 1;
  if (--t.rows_left > 0) return;
  if (!t.is_store()) return Complete(engine, t, cycle + 1);
  t.store_read_end = cycle + 1;
  if (model_ == HbmModelKind::kDram) return;
  const bool posted = model_ == HbmModelKind::kFixed;
  Complete(engine, t, posted ? cycle + 1 : std::max(cycle, t.closed_form_end) + 1);
}

void DmaSystem::Complete(Engine& engine, DmaTransaction& t, Cycle cycle) {
  CHECK(engine.queue.front() == &t);
  t.complete = cycle;
  NoteDone(t, cycle);
  engine.queue.pop_front();
  engine.free_from = cycle;
  for (DmaTransaction* other : live_) {
    if (std::erase(other->after, &t) > 0)
      other->ordered_from = std::max(other->ordered_from, cycle);
  }
  for (Engine& each : engines_) StartNext(each);
}

void DmaSystem::NoteDone(const DmaTransaction& t, Cycle cycle) {
  const bool later = cycle > last_done_.cycle;
  const bool older = cycle == last_done_.cycle && t.request.sequence < last_done_.sequence;
  if (later || older) last_done_ = {cycle, t.request.sequence, t.request.pc};
}

}  // namespace moescope::emulator
