// Waiting for the engines: slots and rows.

#include <algorithm>
#include <optional>
#include <string>

#include "emulator/timing/dma/dma_system.h"

namespace moescope::emulator {
namespace {

bool UsesEngine(const DmaTransaction& t, DmaKind kind) {
  return (t.request.kind == DmaKind::kPrefetchMatrix) == (kind == DmaKind::kPrefetchMatrix);
}

// Calls use(i) for every row i of the transfer that is one of `rows`.
template <typename Use>
void ForEachCommonRow(const DmaTransaction& t, const Rows& rows, Use use) {
  const std::uint64_t begin = t.request.first_row;
  const std::uint64_t end = begin + t.rows();
  if (rows.stride == 1) {
    const std::uint64_t low = std::max<std::uint64_t>(begin, rows.first);
    const std::uint64_t high = std::min<std::uint64_t>(end, std::uint64_t{rows.first} + rows.count);
    for (std::uint64_t row = low; row < high; ++row) use(static_cast<std::uint32_t>(row - begin));
    return;
  }
  for (std::uint64_t k = 0; k < rows.count; ++k) {
    const std::uint64_t row = rows.first + k * rows.stride;
    if (row >= begin && row < end) use(static_cast<std::uint32_t>(row - begin));
  }
}

bool HasCommonRow(const DmaTransaction& t, const Rows& rows) {
  bool found = false;
  ForEachCommonRow(t, rows, [&found](std::uint32_t) { found = true; });
  return found;
}

}  // namespace

DmaSystem::SlotWait DmaSystem::AwaitSlot(DmaKind kind, Cycle at) {
  AdvanceTo(at);
  std::size_t newer = 0;
  for (auto t = live_.rbegin(); t != live_.rend(); ++t) {
    if (!UsesEngine(**t, kind) || (*t)->complete <= at) continue;
    if (newer++ == options_.queue) return AwaitComplete(**t);
  }
  return {at, nullptr};
}

DmaSystem::SlotWait DmaSystem::AwaitIdle(DmaKind kind, Cycle at) {
  AdvanceTo(at);
  for (auto t = live_.rbegin(); t != live_.rend(); ++t) {
    if ((*t)->request.kind == kind && (*t)->complete > at) return AwaitComplete(**t);
  }
  return {at, nullptr};
}

DmaSystem::SlotWait DmaSystem::AwaitComplete(const DmaTransaction& holder) {
  while (holder.complete == kNever) {
    if (!RunAhead()) break;
  }
  return {holder.complete, &holder};
}

bool DmaSystem::InFlight(bool matrix, const Rows& rows, Cycle at) {
  if (live_.empty()) return false;
  AdvanceTo(at);
  const Rows sram_rows = SramRows(matrix, rows);
  bool found = false;
  for (const DmaTransaction* t : live_) {
    const bool engine =
        UsesEngine(*t, matrix ? DmaKind::kPrefetchMatrix : DmaKind::kPrefetchVector);
    if (!engine || t->is_store()) continue;
    ForEachCommonRow(*t, sram_rows,
                     [&](std::uint32_t row) { found = found || t->settled[row] > at; });
  }
  return found;
}

void DmaSystem::Explain(Deadlock& deadlock) const {
  for (const DmaTransaction* t : live_) {
    if (t->complete != kNever) continue;
    const bool matrix = t->request.kind == DmaKind::kPrefetchMatrix;
    const Engine& engine = engines_[matrix ? kMatrixEngine : kVectorEngine];
    const std::string name(Name(matrix ? Unit::kDmaM : Unit::kDmaV));
    const DmaTransaction* served = engine.queue.front();
    if (!t->after.empty()) {
      deadlock.waits.push_back({t->request.pc, "memory order", t->after.front()->request.pc});
    } else if (served != t) {
      deadlock.waits.push_back({t->request.pc, "engine " + name, served->request.pc});
    } else {
      deadlock.waits.push_back({t->request.pc, "lines and bursts of " + name, kNoPc});
    }
  }
  for (const Unit unit : {Unit::kDmaM, Unit::kDmaV}) {
    const Engine& engine = engines_[unit == Unit::kDmaM ? kMatrixEngine : kVectorEngine];
    Deadlock::UnitState state{.unit = unit, .until = engine.free_from};
    if (!engine.queue.empty()) state = {unit, engine.queue.front()->request.pc, std::nullopt};
    deadlock.units.push_back(state);
  }
}

Rows DmaSystem::SramRows(bool matrix, const Rows& rows) const {
  if (!matrix) return rows;
  return {rows.first * rows_per_tile_, rows.count * rows_per_tile_, 1};
}

DmaSystem::RowWait DmaSystem::AwaitRows(bool matrix, const Rows& rows, bool stores, Cycle at) {
  if (live_.empty()) return {};
  const Rows sram_rows = SramRows(matrix, rows);
  const auto concerned = [&](const DmaTransaction& t) {
    return UsesEngine(t, matrix ? DmaKind::kPrefetchMatrix : DmaKind::kPrefetchVector) &&
           (stores || !t.is_store()) && HasCommonRow(t, sram_rows);
  };
  if (std::none_of(live_.begin(), live_.end(),
                   [&](const DmaTransaction* t) { return concerned(*t); })) {
    return {};
  }
  AdvanceTo(at);
  RowWait wait;
  for (std::size_t i = 0; i < live_.size(); ++i) {
    const DmaTransaction& t = *live_[i];
    if (!concerned(t)) continue;
    RowSpan awaited;
    ForEachCommonRow(t, sram_rows, [&](std::uint32_t row) {
      if (t.settled[row] <= at) return;
      if (awaited.count == 0) awaited.first = row;
      awaited.count = row - awaited.first + 1;
    });
    if (awaited.count == 0) continue;
    Cycle settled = 0;
    ForEachCommonRow(t, sram_rows, [&](std::uint32_t row) {
      bool runs = true;
      while (t.settled[row] == kNever && runs) runs = RunAhead();
      settled = std::max(settled, t.settled[row]);
    });
    if (settled > wait.cycle) wait = {settled, &t, awaited};
  }
  return wait;
}

}  // namespace moescope::emulator
