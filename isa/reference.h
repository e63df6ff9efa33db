#pragma once

#include <string>

#include "isa/document.h"

namespace moescope::isa {

// A page about an instruction set: a table of all instructions, then a section per instruction
// with the headings Syntax, Encoding, Operands, Effect, Timing and Since.
std::string ReferenceMarkdown(const Document& document);

// "V_ADD_VV gp, gp, gp[, mask]".
std::string SyntaxOf(const DocumentInstruction& row);

}  // namespace moescope::isa
