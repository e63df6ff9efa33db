#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/event.h"
#include "emulator/machine.h"
#include "emulator/timing/cost_table.h"
#include "emulator/timing/dma/dma_transaction.h"
#include "isa/instruction.h"
#include "isa/instruction_set.h"

namespace moescope::emulator {

// The four accumulators (isa.md, 1.3).
inline constexpr std::size_t kAccumulatorCount = 4;

// What the timing models need to know about an instruction, whatever its operands.
struct OpInfo {
  std::uint16_t index = 0;  // in its instruction set
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
  bool is_break = false;
  bool is_add_immediate_int = false;
  bool is_multiply_int = false;
  bool has_fp_operand = false;
  // Operand fields that name fp registers: 'd', 'a', 'b' or 0.
  std::array<char, 3> fp_sources{};
  char fp_destination = 0;
};

// The transfer of an executed H_*.
DmaRequest MakeRequest(const Executed& executed, const OpInfo& info, std::uint32_t rows_per_tile,
                       Cycle cycle);

// The facts of every instruction of a set, from its row: a loaded ISA document may change a timing
// class, a field or a name. The set outlives the table.
class OpInfoTable {
 public:
  explicit OpInfoTable(const isa::InstructionSet& set);

  const isa::InstructionSet& set() const { return set_; }
  const OpInfo& At(std::size_t index) const { return infos_[index]; }
  // `instruction` is a row of the set.
  const OpInfo& Of(const isa::Instruction* instruction) const {
    return infos_[set_.IndexOf(instruction)];
  }

 private:
  const isa::InstructionSet& set_;
  std::vector<OpInfo> infos_;
};

}  // namespace moescope::emulator
