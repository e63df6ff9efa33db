#pragma once

#include <string>

#include "isa/instruction_set.h"

namespace moescope::isa {

// "sha256:" and 64 hex digits over the canonical ISA document (document_json.h): what containers,
// profiles and logs name. Independent of the order of the rows.
std::string IsaHash(const InstructionSet& set);

}  // namespace moescope::isa
