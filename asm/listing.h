#pragma once

#include <string>

#include "asm/assembler.h"

namespace moescope::assembler {

// The listing of isa.md 3.5: one line per word with its stage, its line and its canonical text.
// Words from a macro, a repetition or an included file follow the line that produced them. Then
// come the .equ values, the findings and the number of words per stage.
std::string WriteListing(const Assembly& assembly,
                         const isa::InstructionSet& set = isa::InstructionSet::Builtin());

}  // namespace moescope::assembler
