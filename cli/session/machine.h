#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/session/run_request.h"
#include "emulator/machine_toml.h"
#include "isa/program.h"

namespace moescope::session {

// The machine that a request describes: a file or a shipped machine (the built-in one when none is
// named), with everything that wins over it.
absl::StatusOr<emulator::MachineFile> OpenMachine(const MachineRequest& request,
                                                  std::optional<std::uint64_t> hbm_size = {});

// What messages call the machine of a request.
std::string MachineName(const MachineRequest& request);

// InvalidArgument (CF510) when the program says that it was compiled for another shape; names both
// values and both places.
absl::Status CheckStatedShape(const isa::Program& program, const std::string& program_file,
                              const emulator::MachineDescription& machine,
                              const std::string& machine_file);

}  // namespace moescope::session
