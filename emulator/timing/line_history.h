#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace moescope::emulator {

// Which 64-byte HBM lines were read so far. Costs one bit per line, and memory only near lines that
// were read.
class LineHistory {
 public:
  explicit LineHistory(std::uint64_t hbm_bytes);

  // Notes a read; true when the line was read before. `line` is below hbm_bytes / 64.
  bool Read(std::uint64_t line);

 private:
  static constexpr std::uint64_t kLinesPerBlock = 65536;
  using Block = std::array<std::uint64_t, kLinesPerBlock / 64>;

  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace moescope::emulator
