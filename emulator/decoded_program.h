#pragma once

#include <cstdint>
#include <vector>

#include "isa/instruction_set.h"
#include "isa/program.h"

namespace moescope::emulator {

// One word, decoded once: what the run loop needs at every step.
struct DecodedWord {
  // Null when the word does not decode or has no semantics; it then faults when reached.
  isa::Execute execute = nullptr;
  const isa::Instruction* instruction = nullptr;
  isa::Operands operands;
  std::uint32_t weight = 1;  // host work relative to a scalar instruction, for polling
};

// The words of a program in the order of their pcs. A word that does not decode stops nothing here.
std::vector<DecodedWord> DecodeProgram(const isa::Program& program, const isa::InstructionSet& set,
                                       bool strict);

}  // namespace moescope::emulator
