#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/machine.h"
#include "emulator/state/machine_state.h"

namespace moescope::emulator {

// Which SRAM values were written by an image or an instruction, kept only under --sanitize. HBM and
// registers are left out: reads beyond a tensor are legal there, and registers have reset values.
class Shadow {
 public:
  // Everything that the state says was written so far counts as written.
  Shadow(bool enabled, const MachineDescription& machine, const MachineState& state);

  bool enabled() const { return enabled_; }

  void WriteVram(std::uint64_t row, std::uint64_t first_lane, std::uint64_t lanes);
  void WriteTile(std::uint64_t tile) { tiles_[static_cast<std::size_t>(tile)] = true; }
  void WriteInt(std::uint64_t word) { int_mem_[static_cast<std::size_t>(word)] = true; }
  void WriteFp(std::uint64_t word) { fp_mem_[static_cast<std::size_t>(word)] = true; }

  // The first value of a range that nothing wrote. `lanes` counts from lane 0 of `row` on into the
  // rows after it; the result is an element address.
  std::optional<std::uint64_t> UnwrittenVram(std::uint64_t row, std::uint64_t lanes) const;
  bool TileWritten(std::uint64_t tile) const { return tiles_[static_cast<std::size_t>(tile)]; }
  std::optional<std::uint64_t> UnwrittenInt(std::uint64_t first, std::uint64_t count) const;
  std::optional<std::uint64_t> UnwrittenFp(std::uint64_t first, std::uint64_t count) const;

 private:
  bool enabled_;
  LazyRows<std::uint8_t> lanes_;
  std::vector<bool> tiles_;
  std::vector<bool> int_mem_;
  std::vector<bool> fp_mem_;
};

}  // namespace moescope::emulator
