#pragma once

#include <cstdint>
#include <string>

#include "cli/session/run_request.h"
#include "emulator/state/machine_state.h"

namespace moescope::session {

// Elements of a memory as numbers: VRAM and FP_MEM hold bf16, MRAM f32, INT_MEM words, HBM bytes.
class MemoryReader {
 public:
  MemoryReader(const emulator::MachineState& state, Memory memory)
      : state_(state), memory_(memory) {}

  std::uint64_t size() const;  // elements
  // The element at an address below size(): its value, and its bits.
  double Value(std::uint64_t address) const;
  std::uint32_t Bits(std::uint64_t address) const;
  // `value` rounded to the element type.
  std::uint32_t BitsOf(double value) const;
  double ValueOf(std::uint32_t bits) const;
  // Representable numbers between two elements; for words and bytes their difference.
  std::uint64_t Distance(std::uint32_t a, std::uint32_t b) const;
  // "0x3f80 (1)", "7".
  std::string Shown(std::uint32_t bits) const;

 private:
  const emulator::MachineState& state_;
  Memory memory_;
};

}  // namespace moescope::session
