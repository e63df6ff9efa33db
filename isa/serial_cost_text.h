#pragma once

#include <string_view>

#include "isa/instruction.h"

namespace moescope::isa {

// What an instruction of a timing class costs in the timing model `serial`, in LATENCY keys of the
// machine file (timing.md, 3.1, with the default toggles of 3.2): "VECTOR_ADD". For H_* it names
// the part that is not the memory's.
std::string_view SerialCostText(TimingClass timing);

}  // namespace moescope::isa
