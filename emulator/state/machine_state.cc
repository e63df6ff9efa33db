#include "emulator/state/machine_state.h"

#include <algorithm>
#include <cstring>

namespace moescope::emulator {

namespace {

bool AllZeroBits(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::bit_cast<std::uint32_t>(value) == 0; });
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.empty() || b.empty()) return AllZeroBits(a) && AllZeroBits(b);
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

bool operator==(const Accumulators& a, const Accumulators& b) {
  return SameBits(a.matrix, b.matrix) && SameBits(a.vector, b.vector) &&
         SameBits(a.head_matrix, b.head_matrix) && SameBits(a.head_vector, b.head_vector);
}

std::uint64_t VramRows(const MachineDescription& machine) { return machine.memory.vector_rows; }

std::uint64_t MramTiles(const MachineDescription& machine) {
  return machine.memory.matrix_rows / machine.shape.mlen;
}

MachineState::MachineState(const MachineDescription& machine)
    : int_mem(machine.memory.int_words),
      fp_mem(machine.memory.fp_words),
      vram(VramRows(machine), machine.shape.vlen),
      mram(MramTiles(machine), std::uint64_t{machine.shape.mlen} * machine.shape.mlen),
      hbm(machine.memory.hbm_bytes) {
  const std::size_t blen = machine.shape.blen;
  accumulators.matrix.resize(blen * blen);
  accumulators.vector.resize(blen);
}

}  // namespace moescope::emulator
