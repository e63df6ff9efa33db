#include "moe/emit/emission.h"

#include <algorithm>
#include <utility>

namespace moescope::moe {

RowWalk::RowWalk(Emission& emission, Writer writer, std::vector<RowRange> ranges)
    : emission_(emission), writer_(std::move(writer)), ranges_(std::move(ranges)) {
  for (const RowRange& range : ranges_) {
    CHECK(range.rows == ranges_.front().rows && range.blocks == ranges_.front().blocks);
    CHECK(range.rows <= range.matrix.physical_rows && range.blocks <= range.matrix.blocks);
    pointers_.push_back(emission_.TakeGp());
  }
}

bool RowWalk::is_contiguous() const {
  return std::all_of(ranges_.begin(), ranges_.end(), [](const RowRange& range) {
    return range.rows == range.matrix.physical_rows || range.blocks == 1;
  });
}

void RowWalk::AdvanceToNextBlock() {
  for (std::size_t i = 0; i < pointers_.size(); ++i) {
    const std::uint32_t gap = ranges_[i].matrix.physical_rows - ranges_[i].rows;
    if (gap == 0) continue;
    writer_.Emit<"S_ADDI_INT">(pointers_[i], pointers_[i], gap * emission_.m());
  }
}

}  // namespace moescope::moe
