#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/event.h"
#include "profiler/zeroed_array.h"

namespace moescope::profiler {

// Cycles per stage and bytes per direction over time, in at most 512 bins whose width is a power of
// two: when time outgrows the bins they are folded in pairs, so that nothing is lost and memory
// does not depend on the length of a run. Programs with very many stages get fewer bins.
class Timeline {
 public:
  explicit Timeline(std::size_t stages = 0);

  // Cycles [begin, end) of a stage.
  void AddCycles(std::uint32_t stage, emulator::Cycle begin, emulator::Cycle end);
  void AddBytes(bool is_write, emulator::Cycle cycle, std::uint64_t bytes);

  // Bins of a run of `total` cycles, at least one; what lies behind it is counted in the last bin.
  std::uint64_t bin_cycles() const { return std::uint64_t{1} << shift_; }
  std::vector<std::uint64_t> StageCycles(std::uint32_t stage, emulator::Cycle total) const;
  std::vector<std::uint64_t> Bytes(bool is_write, emulator::Cycle total) const;

 private:
  void MakeRoom(emulator::Cycle last);
  static void Fold(std::uint64_t* bins, std::size_t count);
  std::vector<std::uint64_t> Row(const std::uint64_t* bins, emulator::Cycle total) const;

  std::size_t stages_;
  std::size_t bins_;
  int shift_ = 0;
  ZeroedArray<std::uint64_t> cycles_;  // [stage][bin]
  std::vector<bool> used_;             // by stage
  std::vector<std::uint64_t> bytes_[2];
};

}  // namespace moescope::profiler
