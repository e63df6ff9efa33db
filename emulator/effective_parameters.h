#pragma once

#include <vector>

#include "emulator/event.h"
#include "emulator/machine.h"

namespace moescope::emulator {

// Every key of the machine with its value, defaults included, and with label and source: what
// `machine show` prints and every profile holds. In the order of MachineKeys().
std::vector<EffectiveValue> EffectiveParameters(const MachineDescription& machine);

}  // namespace moescope::emulator
