#pragma once

#include <memory>

#include "emulator/machine.h"
#include "emulator/timing_model.h"
#include "isa/instruction_set.h"

namespace moescope::emulator {

// The model that the description asks for, for runs that decode with `set`: every instruction is
// charged by the timing class and the fields that it has there. The set outlives the model.
std::unique_ptr<TimingModel> MakeTimingModel(const MachineDescription& machine,
                                             const isa::InstructionSet& set);

}  // namespace moescope::emulator
