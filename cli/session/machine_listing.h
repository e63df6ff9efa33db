#pragma once

#include <string>

#include "emulator/machine.h"

namespace moescope::session {

// Every effective parameter with value, label and source: a table, and the same as JSON
// {name, parameters: [{key, value, label?, source}]}.
std::string MachineListingText(const emulator::MachineDescription& machine);
std::string MachineListingJson(const emulator::MachineDescription& machine);

}  // namespace moescope::session
