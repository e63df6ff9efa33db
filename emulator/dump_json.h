#pragma once

#include <span>
#include <string>

#include "emulator/dumps.h"
#include "emulator/state/machine_state.h"

namespace moescope::emulator {

// registers.json: pc, gp, f (bits), a, the control registers, TOPK and the open loops.
std::string RegistersJson(const MachineState& state);
// dump_manifest.json.
std::string DumpManifestJson(std::span<const DumpRecord> records);

}  // namespace moescope::emulator
