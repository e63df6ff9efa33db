#include "emulator/timing/dma/dma_transaction.h"

#include <algorithm>

namespace moescope::emulator {
namespace {

void FillAscending(DmaTransaction& transaction) {
  if (!transaction.ascending.empty()) return;
  for (const DmaLine& line : transaction.lines) transaction.ascending.push_back(line.plan.line);
  std::sort(transaction.ascending.begin(), transaction.ascending.end());
}

}  // namespace

void Prepare(const DmaRequest& request, PlanOrder order, ScaleRead scale_read, LinePlan& scratch,
             DmaTransaction& t) {
  scratch.Build(request.transfer, order, scale_read);
  // Vectors keep their capacity.
  DmaTransaction fresh;
  fresh.lines.swap(t.lines);
  fresh.lines_left.swap(t.lines_left);
  fresh.row_done.swap(t.row_done);
  fresh.settled.swap(t.settled);
  fresh.after.swap(t.after);
  fresh.ascending.swap(t.ascending);
  t = std::move(fresh);
  t.request = request;
  t.after.clear();
  t.ascending.clear();
  t.lines.clear();
  const bool is_store = t.is_store();
  for (const PlannedLine& planned : scratch.lines()) {
    DmaLine line{.plan = planned};
    line.partial = is_store && ~planned.covered != 0;
    if (!is_store || line.partial) line.reads_left = kBurstsPerLine;
    if (is_store) line.writes_left = kBurstsPerLine;
    t.bursts_unfinished += line.reads_left + line.writes_left;
    t.lines.push_back(line);
  }
  // A store reads only the lines that it does not cover.
  while (is_store && t.next_read < t.lines.size() && !t.lines[t.next_read].partial) ++t.next_read;
  t.lines_unfinished = t.lines.size();
  t.lines_left.assign(scratch.lines_of_row().begin(), scratch.lines_of_row().end());
  t.row_done.assign(t.rows(), 0);
  t.settled.assign(t.rows(), kNever);
  t.rows_left = t.rows();
  t.payload_bytes = scratch.payload_bytes();
}

bool ShareALine(DmaTransaction& a, DmaTransaction& b) {
  FillAscending(a);
  FillAscending(b);
  auto i = a.ascending.begin();
  auto j = b.ascending.begin();
  while (i != a.ascending.end() && j != b.ascending.end()) {
    if (*i == *j) return true;
    if (*i < *j) {
      ++i;
    } else {
      ++j;
    }
  }
  return false;
}

}  // namespace moescope::emulator
