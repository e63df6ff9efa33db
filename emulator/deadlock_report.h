#pragma once

#include <string>
#include <vector>

#include "emulator/event.h"
#include "isa/instruction_set.h"
#include "isa/program.h"

namespace moescope::emulator {

// The report of a deadlock (tools.md, 3.3), one line each: every wait with its holder, the cycle of
// waits if they form one, the units, the last events. Lines have no end of line.
std::vector<std::string> DeadlockLines(const Deadlock& deadlock, const isa::Program& program,
                                       const isa::InstructionSet& set);

}  // namespace moescope::emulator
