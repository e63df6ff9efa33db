#pragma once

#include <cstdint>

#include "isa/machine.h"

namespace moescope::emulator {

// The register operand whose encoding letter is d, a or b.
constexpr std::uint32_t OperandOf(const isa::Operands& operands, char field) {
  return field == 'd' ? operands.rd : field == 'a' ? operands.rs1 : operands.rs2;
}

}  // namespace moescope::emulator
