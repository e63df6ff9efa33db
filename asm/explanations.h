#pragma once

#include <span>

#include "base/explanation.h"

namespace moescope::assembler {

// One entry per ID that the assembler (AS) and the readers of word files (PC02x) report, in order.
// The example of an AS entry is a whole input that gives this finding.
std::span<const Explanation> Explanations();

}  // namespace moescope::assembler
