#pragma once

#include "emulator/event.h"
#include "isa/program.h"
#include "profiler/profile.h"

// The parts of a profile that say what was run and how it ended.

namespace moescope::profiler {

End EndOf(const emulator::RunEnd& end);
ProgramIdentity ProgramOf(const isa::Program& program);
MachineIdentity MachineOf(const emulator::RunDescription& run);

// "markers", "builtin", "pair", ...
std::string_view Name(isa::AttributionSource source);
std::string_view Name(isa::StageOrigin origin);
std::string_view Name(isa::StageScope scope);

}  // namespace moescope::profiler
