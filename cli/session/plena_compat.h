#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/session/run_request.h"
#include "emulator/machine.h"
#include "isa/instruction_set.h"
#include "isa/program.h"
#include "profiler/profile.h"
#include "stages/vocabulary.h"

// What harnesses written for the public emulator expect (tools.md, 3.1).

namespace moescope::session {

// What --compat=plena sets where neither the request nor a flag says otherwise: timing `serial`,
// the dialect `reference`, the machine file of PLENA_SETTINGS_TOML, all dumps but hbm, and the
// lines.
void ApplyPlenaDefaults(RunRequest& request);

// "mlen=64 vlen=64 hlen=16 blen=4 ...", with a newline.
std::string PlenaTopologyLine(const emulator::MachineDescription& machine);
// The lines about HBM bytes and about the simulated time.
std::string PlenaClosingLines(const profiler::Profile& profile);

// Gives `program` the stage table of an assembly file of the same program: its markers, or without
// any those that the shipped annotate rules would insert. InvalidArgument when the file has another
// number of words. The result is a note for the user; empty when there is nothing to say.
absl::StatusOr<std::string> TakeStagesFrom(const std::string& assembly_file,
                                           const stages::Vocabulary& vocabulary,
                                           const isa::InstructionSet& set, isa::Program& program);

}  // namespace moescope::session
