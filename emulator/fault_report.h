#pragma once

#include <cstdint>

#include "emulator/event.h"
#include "emulator/execute/executor.h"
#include "isa/instruction_set.h"
#include "isa/program.h"

namespace moescope::emulator {

// Why the word of a DecodedWord without handler cannot execute (isa.md, 2 and 6).
FaultText ExplainUndecodable(std::uint32_t word, const isa::InstructionSet& set, bool strict);

// The complete fault: what happened, with place, disassembly, operand values and open loops of the
// state before the faulting instruction.
Fault MakeFault(const FaultText& text, std::uint32_t pc, const isa::Program& program,
                const isa::InstructionSet& set, const MachineState& state);

}  // namespace moescope::emulator
