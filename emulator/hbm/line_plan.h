#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/hbm/address_map.h"
#include "emulator/machine.h"
#include "emulator/timing_model.h"

namespace moescope::emulator {

// kLegacy: per row in order, the lines of its element bytes, then those of its scale bytes,
// duplicates kept (timing.md, 3.3). kMerged: each distinct line once, ascending.
enum class PlanOrder : std::uint8_t { kLegacy, kMerged };

// Rows first, first + 1, ... (count of them).
struct RowSpan {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  friend bool operator==(const RowSpan&, const RowSpan&) = default;
};

// One 64-byte line of a transfer and the rows that wait for it.
struct PlannedLine {
  std::uint64_t line = 0;     // byte address / 64
  std::uint64_t covered = 0;  // bit b: byte b of the line belongs to the transfer
  RowSpan element_rows;       // with element bytes here
  RowSpan scale_rows;         // with scale bytes here

  friend bool operator==(const PlannedLine&, const PlannedLine&) = default;
};

// The lines that one H_* instruction moves, in the order in which they are asked for. Reusable:
// building a plan allocates only when it is larger than every plan before.
class LinePlan {
 public:
  // With kSingleBlock a prefetch reads, of each row's scale bytes, only those up to the end of
  // their first line. Element and scale addresses must not descend from row to row.
  void Build(const HbmTransfer& transfer, PlanOrder order, ScaleRead scale_read);

  std::span<const PlannedLine> lines() const { return lines_; }
  // Entry i: how often row i occurs in the spans of lines().
  std::span<const std::uint32_t> lines_of_row() const { return lines_of_row_; }
  // Element and scale bytes asked for.
  std::uint64_t payload_bytes() const { return payload_bytes_; }

 private:
  // The bytes that one row has in one stream.
  struct Piece {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
  };
  enum class Stream : std::uint8_t { kElements, kScales };

  Piece PieceOf(Stream stream, std::uint32_t row) const;
  void AppendLines(Stream stream, std::uint32_t row);
  void CollectDistinct(Stream stream, std::vector<PlannedLine>& lines) const;
  void Merge();
  void CountLines();

  HbmTransfer transfer_;
  bool first_scale_line_only_ = false;
  std::vector<PlannedLine> lines_;
  std::vector<PlannedLine> element_lines_;
  std::vector<PlannedLine> scale_lines_;
  std::vector<std::uint32_t> lines_of_row_;
  std::uint64_t payload_bytes_ = 0;
};

}  // namespace moescope::emulator
