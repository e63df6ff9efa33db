#pragma once

#include <array>
#include <cstdint>

#include "emulator/event.h"
#include "emulator/machine.h"
#include "emulator/timing/cost_table.h"
#include "emulator/timing/dma/dma_transaction.h"
#include "isa/instruction.h"

namespace moescope::emulator {

// The four accumulators (isa.md, 1.3).
inline constexpr std::size_t kAccumulatorCount = 4;

// What the timing models need to know about an instruction, whatever its operands.
struct OpInfo {
  std::uint16_t index = 0;  // in the built-in table
  isa::TimingClass timing = isa::TimingClass::kControl;
  bool has_unit = false;
  Unit unit = Unit::kMxCompute;
  bool is_dma = false;
  DmaKind dma = DmaKind::kPrefetchMatrix;
  std::uint8_t accumulator = 0;  // of matrix compute and write-out
  bool is_compute = false;       // M_* but the write-outs
  bool is_write_out = false;
  bool is_element = false;        // vx_elem
  bool is_vector_scalar = false;  // V_*_VF
  bool is_three_address = false;  // two VRAM sources and a VRAM destination
  bool is_vector = false;         // any V op
  bool is_reduction = false;      // V_RED_*
  bool is_topk = false;
  bool is_scalar_fp = false;  // any S_*_FP, S_MAP_V_FP included
  bool is_scalar_arithmetic = false;
  bool is_map = false;
  bool uses_int_memory = false;  // S_LD_INT, S_ST_INT
  bool is_loop_end = false;
  bool has_fp_operand = false;
  // Operand fields that name fp registers: 'd', 'a', 'b' or 0.
  std::array<char, 3> fp_sources{};
  char fp_destination = 0;
};

// Facts of the built-in instruction `index`.
const OpInfo& OpInfoOf(std::size_t index);

// The transfer of an executed H_*.
DmaRequest MakeRequest(const Executed& executed, const OpInfo& info, std::uint32_t rows_per_tile,
                       Cycle cycle);

// Finds the facts of executed instructions, also of loaded instruction sets: those are matched by
// mnemonic, once each.
class OpInfoCache {
 public:
  // Null for an instruction that the built-in table does not have.
  const OpInfo* Of(const isa::Instruction* instruction) {
    if (instruction == last_) return last_info_;
    last_ = instruction;
    last_info_ = Find(instruction);
    return last_info_;
  }

 private:
  const OpInfo* Find(const isa::Instruction* instruction);

  const isa::Instruction* last_ = nullptr;
  const OpInfo* last_info_ = nullptr;
  std::vector<std::pair<const isa::Instruction*, const OpInfo*>> foreign_;
};

}  // namespace moescope::emulator
