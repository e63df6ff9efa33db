#include "emulator/execute/shadow.h"

#include <algorithm>

namespace moescope::emulator {

namespace {

void MarkRange(std::vector<bool>& written, const std::optional<IndexRange>& range) {
  if (!range) return;
  for (std::uint64_t i = range->first; i <= range->last; ++i) {
    written[static_cast<std::size_t>(i)] = true;
  }
}

std::optional<std::uint64_t> FirstUnwritten(const std::vector<bool>& written, std::uint64_t first,
                                            std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    if (!written[static_cast<std::size_t>(i)]) return i;
  }
  return std::nullopt;
}

}  // namespace

Shadow::Shadow(bool enabled, const MachineDescription& machine, const MachineState& state)
    : enabled_(enabled), lanes_(enabled ? VramRows(machine) : 1, machine.shape.vlen) {
  if (!enabled) return;
  tiles_.resize(static_cast<std::size_t>(MramTiles(machine)));
  int_mem_.resize(machine.memory.int_words);
  fp_mem_.resize(machine.memory.fp_words);
  MarkRange(int_mem_, state.int_mem.written());
  MarkRange(fp_mem_, state.fp_mem.written());
  MarkRange(tiles_, state.mram.written());
  if (const auto& rows = state.vram.written()) {
    for (std::uint64_t row = rows->first; row <= rows->last; ++row) {
      WriteVram(row, 0, machine.shape.vlen);
    }
  }
}

void Shadow::WriteVram(std::uint64_t row, std::uint64_t first_lane, std::uint64_t lanes) {
  std::fill_n(lanes_.Write(row) + first_lane, lanes, std::uint8_t{1});
}

std::optional<std::uint64_t> Shadow::UnwrittenVram(std::uint64_t row, std::uint64_t lanes) const {
  const std::uint64_t width = lanes_.width();
  for (; lanes > 0; ++row) {
    const std::uint64_t here = std::min(lanes, width);
    const std::uint8_t* begin = lanes_.Read(row);
    const std::uint8_t* hole = std::find(begin, begin + here, std::uint8_t{0});
    if (hole != begin + here) return row * width + static_cast<std::uint64_t>(hole - begin);
    lanes -= here;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Shadow::UnwrittenInt(std::uint64_t first, std::uint64_t count) const {
  return FirstUnwritten(int_mem_, first, count);
}

std::optional<std::uint64_t> Shadow::UnwrittenFp(std::uint64_t first, std::uint64_t count) const {
  return FirstUnwritten(fp_mem_, first, count);
}

}  // namespace moescope::emulator
