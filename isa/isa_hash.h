#pragma once

#include <string>

#include "isa/instruction_set.h"

namespace moescope::isa {

// Everything that distinguishes one instruction set from another, as text: the version, then one
// block per instruction in the order of its opcode. Independent of the order of the rows.
std::string CanonicalText(const InstructionSet& set);

// "sha256:" and 64 hex digits over CanonicalText: what containers and profiles name.
std::string IsaHash(const InstructionSet& set);

}  // namespace moescope::isa
