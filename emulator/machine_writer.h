#pragma once

#include <string>

#include "emulator/machine.h"

namespace moescope::emulator {

// The machine file that ParseMachine reads back to an equal description (its name apart, which is
// that of the file): every key with its value, in the order of MachineKeys.
std::string WriteMachineFile(const MachineDescription& machine);

}  // namespace moescope::emulator
