// When the engines start transfers and issue their lines.

#include <algorithm>

#include "base/check.h"
#include "emulator/timing/dma/dma_system.h"

namespace moescope::emulator {
namespace {

// The last row that has bytes in a line.
std::uint32_t LastRow(const PlannedLine& line) {
  std::uint32_t last = 0;
  for (const RowSpan& rows : {line.element_rows, line.scale_rows}) {
    if (rows.count > 0) last = std::max(last, rows.first + rows.count - 1);
  }
  return last;
}

}  // namespace

void DmaSystem::StartNext(Engine& engine) {
  if (engine.queue.empty()) return;
  DmaTransaction& t = *engine.queue.front();
  if (t.start != kNever || !t.after.empty()) return;
  t.start =
      std::max({t.request.accepted + options_.issue_overhead, engine.free_from, t.ordered_from});
  engine.next_store_row = 0;
}

// The cycle of the next line of this engine that is surely the next one, kNever if that is not
// known or there is none. In a closed form the whole transfer is one step.
Cycle DmaSystem::NextIssue(Engine& engine) {
  if (engine.queue.empty()) return kNever;
  const DmaTransaction& t = *engine.queue.front();
  if (t.start == kNever) return kNever;
  if (model_ != HbmModelKind::kDram) return t.memory_begin == kNever ? t.start : kNever;
  const Cycle line = NextLine(engine, t);
  return line == kNever ? kNever : engine.places.Next(line);
}

Cycle DmaSystem::NextLine(const Engine& engine, const DmaTransaction& t) const {
  const Cycle turn = std::max(t.start, engine.issue_cycle);
  if (t.next_read < t.lines.size()) return turn;
  if (!t.is_store() || t.next_write == t.lines.size()) return kNever;
  const DmaLine& line = t.lines[t.next_write];
  const Cycle data = t.settled[LastRow(line.plan)];
  if (data == kNever) return kNever;
  if (!line.partial) return std::max(turn, data);
  if (line.read_arrived == kNever) return kNever;
  return std::max({turn, data, line.read_arrived + 1});
}

void DmaSystem::Issue(Engine& engine, Cycle cycle) {
  DmaTransaction& t = *engine.queue.front();
  if (t.memory_begin == kNever) t.memory_begin = cycle;
  if (model_ != HbmModelKind::kDram) return BeginClosedForm(engine, t);
  engine.places.Take(cycle);
  IssueLine(t, cycle);
  if (cycle > engine.issue_cycle) engine.issued_now = 0;
  engine.issue_cycle = cycle;
  if (++engine.issued_now == options_.lines_per_cycle) {
    ++engine.issue_cycle;
    engine.issued_now = 0;
  }
}

void DmaSystem::IssueLine(DmaTransaction& t, Cycle cycle) {
  const bool is_write = t.next_read == t.lines.size();
  const std::size_t index = is_write ? t.next_write : t.next_read;
  DmaLine& line = t.lines[index];
  if (is_write == t.is_store()) line.issued = cycle;
  CountLine(t, line.plan.line, is_write);
  const DramClock clock = ratio_.ClockAt(cycle);
  for (std::uint32_t i = 0; i < kBurstsPerLine; ++i) {
    dram_.Offer({.address = line.plan.line * kLineBytes + i * kBurstBytes,
                 .sequence = t.request.sequence,
                 .owner = static_cast<std::uint32_t>(index),
                 .is_write = is_write},
                clock);
  }
  bursts_asked_ += kBurstsPerLine;
  if (is_write) {
    writes_in_flight_ += kBurstsPerLine;
    ++t.next_write;
    return;
  }
  do {
    ++t.next_read;
  } while (t.is_store() && t.next_read < t.lines.size() && !t.lines[t.next_read].partial);
}

void DmaSystem::CountLine(DmaTransaction& t, std::uint64_t line, bool is_write) {
  if (is_write) {
    ++t.written_lines;
    return;
  }
  ++t.read_lines;
  if (lines_read_.Read(line)) ++t.repeated_lines;
}

void DmaSystem::BeginClosedForm(Engine& engine, DmaTransaction& t) {
  for (const DmaLine& line : t.lines) {
    for (const bool is_write : {false, true}) {
      if (is_write ? !t.is_store() : t.is_store() && !line.partial) continue;
      CountLine(t, line.plan.line, is_write);
      if (model_ == HbmModelKind::kFast) fast_.Count(line.plan.line, is_write);
    }
  }
  t.read_bursts = t.read_lines * kBurstsPerLine;
  t.written_bursts = t.written_lines * kBurstsPerLine;
  bursts_asked_ += t.read_bursts + t.written_bursts;
  t.bursts_unfinished = 0;
  const DramClock start = ratio_.ClockAt(t.start);
  const std::uint64_t lines = t.read_lines + t.written_lines;
  FastMemory::Span span{start, start};
  if (model_ == HbmModelKind::kFast) {
    span = fast_.Time(start, (lines - 1) / options_.lines_per_cycle);
  }
  t.closed_form_begin = span.begin;
  const std::uint64_t rows = t.rows();
  for (std::uint32_t row = 0; row < rows && !t.is_store(); ++row) {
    DramClock arrival = span.begin + FastMemory::kShortest +
                        (span.end - span.begin - FastMemory::kShortest) * (row + 1) / rows;
    if (model_ == HbmModelKind::kFixed) {
      arrival = start + fixed_latency_ + row / fixed_rows_per_cycle_;
    }
    t.row_done[row] = arrival;
    AddPendingRow(engine, t, ratio_.VisibleAt(arrival), row);
  }
  t.closed_form_end =
      t.is_store() ? ratio_.VisibleAt(span.end) : ratio_.VisibleAt(t.row_done.back());
  t.memory_end = t.closed_form_end;
}

}  // namespace moescope::emulator
