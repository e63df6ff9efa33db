#pragma once

#include <array>
#include <cstdint>

#include "emulator/event.h"
#include "emulator/machine.h"
#include "isa/instruction.h"

namespace moescope::emulator {

// Cost of every instruction but H_* under `serial` (timing.md, 3.1 and 3.2), with the toggles of
// the machine applied.
class SerialCosts {
 public:
  explicit SerialCosts(const MachineDescription& machine);

  // Cycles of one execution. For H_* the issue cost alone. `topk_experts` counts for V_TOPK.
  Cycle Of(const isa::Instruction& instruction, const isa::Operands& operands,
           std::uint32_t topk_experts) const {
    const auto index = static_cast<std::size_t>(instruction.timing);
    if (zero_on_f0_[index] && operands.rd == 0) return 0;
    if (instruction.timing == isa::TimingClass::kTopK) return per_expert_ * topk_experts;
    return cycles_[index];
  }

 private:
  std::array<Cycle, isa::kTimingClassCount> cycles_{};
  // Results to f0 are free (fp0_zero_cost).
  std::array<bool, isa::kTimingClassCount> zero_on_f0_{};
  Cycle per_expert_ = 0;
};

}  // namespace moescope::emulator
