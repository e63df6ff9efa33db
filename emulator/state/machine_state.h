#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/machine.h"
#include "emulator/state/lazy_rows.h"
#include "emulator/state/sparse_bytes.h"
#include "isa/bfloat16.h"

namespace moescope::emulator {

inline constexpr int kGpCount = 16;
inline constexpr int kFpCount = 8;
inline constexpr int kAddressCount = 8;

// Architectural registers at their reset values (isa.md, 1.1).
struct Registers {
  std::array<std::uint32_t, kGpCount> gp{};
  std::array<isa::Bf16, kFpCount> fp{};
  std::array<std::uint64_t, kAddressCount> address{};
  std::uint32_t scale = 0;
  std::uint32_t stride = 1;
  std::uint32_t vector_mask = 0;
  std::optional<std::uint32_t> topk;  // (experts << 8) | k

  friend bool operator==(const Registers&, const Registers&) = default;
};

// An open hardware loop.
struct OpenLoop {
  std::uint32_t start_pc = 0;
  std::uint8_t reg = 0;

  friend bool operator==(const OpenLoop&, const OpenLoop&) = default;
};

// A word memory: INT_MEM or FP_MEM. Indices must be below size().
template <typename Word>
class WordMemory {
 public:
  explicit WordMemory(std::uint32_t words) : words_(words) {}
  std::uint64_t size() const { return words_.size(); }
  const Word* data() const { return words_.data(); }
  Word Read(std::uint64_t index) const { return words_[static_cast<std::size_t>(index)]; }
  void Write(std::uint64_t index, Word word) {
    words_[static_cast<std::size_t>(index)] = word;
    Include(written_, index);
  }
  // Every word that was ever written lies in this range.
  const std::optional<IndexRange>& written() const { return written_; }
  friend bool operator==(const WordMemory& a, const WordMemory& b) { return a.words_ == b.words_; }

 private:
  std::vector<Word> words_;
  std::optional<IndexRange> written_;
};

// The four independent accumulators, row-major: macc[BLEN][BLEN], vacc[BLEN],
// hmacc[B][MLEN][MLEN], hvacc[B][MLEN]. The two of the broadcast instructions are empty (and mean
// zeros) until first used.
struct Accumulators {
  std::vector<float> matrix;
  std::vector<float> vector;
  std::vector<float> head_matrix;
  std::vector<float> head_vector;
};

// Bits of the contents are compared; an empty accumulator equals one of zeros.
bool operator==(const Accumulators& a, const Accumulators& b);

// Everything an instruction can read or write, at reset: registers, loop stack, memories,
// accumulators. The machine must have passed CheckMachine. Capacity costs memory only where it is
// touched (INT_MEM and FP_MEM excepted).
struct MachineState {
  explicit MachineState(const MachineDescription& machine);

  Registers registers;
  std::vector<OpenLoop> loops;  // outermost first
  std::uint32_t pc = 0;
  WordMemory<std::uint32_t> int_mem;
  WordMemory<isa::Bf16> fp_mem;
  LazyRows<isa::Bf16> vram;  // rows of VLEN
  LazyRows<float> mram;      // tiles of MLEN x MLEN, row-major
  SparseBytes hbm;
  Accumulators accumulators;

  friend bool operator==(const MachineState&, const MachineState&) = default;
};

// VRAM rows, MRAM tiles of a machine.
std::uint64_t VramRows(const MachineDescription& machine);
std::uint64_t MramTiles(const MachineDescription& machine);

}  // namespace moescope::emulator
