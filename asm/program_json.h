#pragma once

#include <string>

#include "isa/instruction_set.h"
#include "isa/program.h"

namespace moescope::assembler {

// `moescope.program` v1: ISA version and hash, hashes of words and stage table, the stage names and
// ranges, and one object per word with pc, word, text, stage, pair, expert, file and line, as far
// as they are known.
std::string WriteProgramJson(const isa::Program& program, const isa::InstructionSet& set);

}  // namespace moescope::assembler
