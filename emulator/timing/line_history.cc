#include "emulator/timing/line_history.h"

#include "base/check.h"

namespace moescope::emulator {

LineHistory::LineHistory(std::uint64_t hbm_bytes)
    : blocks_(static_cast<std::size_t>((hbm_bytes / 64 + kLinesPerBlock - 1) / kLinesPerBlock)) {}

bool LineHistory::Read(std::uint64_t line) {
  std::unique_ptr<Block>& block = blocks_[static_cast<std::size_t>(line / kLinesPerBlock)];
  if (block == nullptr) block = std::make_unique<Block>();
  std::uint64_t& word = (*block)[static_cast<std::size_t>(line % kLinesPerBlock / 64)];
  const std::uint64_t bit = std::uint64_t{1} << line % 64;
  const bool again = (word & bit) != 0;
  word |= bit;
  return again;
}

}  // namespace moescope::emulator
