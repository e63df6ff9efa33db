#include "emulator/hbm/line_plan.h"

#include <algorithm>

#include "base/check.h"

namespace moescope::emulator {
namespace {

// Bytes [first, end) of the line that starts at `line_begin`, as a mask.
std::uint64_t Covered(std::uint64_t line_begin, std::uint64_t first, std::uint64_t end) {
  const std::uint64_t low = first > line_begin ? first - line_begin : 0;
  const std::uint64_t high = std::min<std::uint64_t>(end - line_begin, kLineBytes);
  const std::uint64_t below_high = high == kLineBytes ? ~std::uint64_t{0} : (1ull << high) - 1;
  return below_high & ~((1ull << low) - 1);
}

}  // namespace

void LinePlan::Build(const HbmTransfer& transfer, PlanOrder order, ScaleRead scale_read) {
  transfer_ = transfer;
  first_scale_line_only_ = scale_read == ScaleRead::kSingleBlock && !transfer.is_store;
  lines_.clear();
  payload_bytes_ = 0;
  for (std::uint32_t row = 0; row < transfer.rows; ++row) {
    for (const Stream stream : {Stream::kElements, Stream::kScales}) {
      const Piece piece = PieceOf(stream, row);
      payload_bytes_ += piece.end - piece.first;
      if (order == PlanOrder::kLegacy) AppendLines(stream, row);
    }
  }
  if (order == PlanOrder::kMerged) {
    CollectDistinct(Stream::kElements, element_lines_);
    CollectDistinct(Stream::kScales, scale_lines_);
    Merge();
  }
  CountLines();
}

LinePlan::Piece LinePlan::PieceOf(Stream stream, std::uint32_t row) const {
  if (stream == Stream::kElements) {
    const std::uint64_t first = transfer_.element_address + row * transfer_.element_step;
    return {first, first + transfer_.element_bytes};
  }
  const std::uint64_t first = transfer_.scale_address + row * transfer_.scale_step;
  const std::uint64_t end = first + transfer_.scale_bytes;
  if (!first_scale_line_only_) return {first, end};
  return {first, std::min(end, (first / kLineBytes + 1) * kLineBytes)};
}

void LinePlan::AppendLines(Stream stream, std::uint32_t row) {
  const Piece piece = PieceOf(stream, row);
  if (piece.first == piece.end) return;
  for (std::uint64_t line = piece.first / kLineBytes; line <= (piece.end - 1) / kLineBytes;
       ++line) {
    PlannedLine planned{line, Covered(line * kLineBytes, piece.first, piece.end), {}, {}};
    (stream == Stream::kElements ? planned.element_rows : planned.scale_rows) = {row, 1};
    lines_.push_back(planned);
  }
}

// Pieces do not descend, so the lines that a row shares with earlier rows are the last ones of the
// list, without a gap.
void LinePlan::CollectDistinct(Stream stream, std::vector<PlannedLine>& lines) const {
  lines.clear();
  for (std::uint32_t row = 0; row < transfer_.rows; ++row) {
    const Piece piece = PieceOf(stream, row);
    if (piece.first == piece.end) continue;
    for (std::uint64_t line = piece.first / kLineBytes; line <= (piece.end - 1) / kLineBytes;
         ++line) {
      if (lines.empty() || line > lines.back().line) lines.push_back({line, 0, {}, {}});
      PlannedLine& planned = lines[lines.size() - 1 - (lines.back().line - line)];
      DCHECK(planned.line == line);
      planned.covered |= Covered(line * kLineBytes, piece.first, piece.end);
      RowSpan& rows = stream == Stream::kElements ? planned.element_rows : planned.scale_rows;
      if (rows.count == 0) rows.first = row;
      rows.count = row - rows.first + 1;
    }
  }
}

void LinePlan::Merge() {
  auto element = element_lines_.begin();
  auto scale = scale_lines_.begin();
  while (element != element_lines_.end() || scale != scale_lines_.end()) {
    const bool take_scale = element == element_lines_.end() ||
                            (scale != scale_lines_.end() && scale->line < element->line);
    if (take_scale) {
      lines_.push_back(*scale++);
      continue;
    }
    lines_.push_back(*element++);
    if (scale != scale_lines_.end() && scale->line == lines_.back().line) {
      lines_.back().covered |= scale->covered;
      lines_.back().scale_rows = scale->scale_rows;
      ++scale;
    }
  }
}

void LinePlan::CountLines() {
  lines_of_row_.assign(transfer_.rows, 0);
  for (const PlannedLine& line : lines_) {
    for (const RowSpan& rows : {line.element_rows, line.scale_rows}) {
      for (std::uint32_t row = rows.first; row < rows.first + rows.count; ++row) {
        ++lines_of_row_[row];
      }
    }
  }
}

}  // namespace moescope::emulator
