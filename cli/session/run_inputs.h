#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session/expectation.h"
#include "cli/session/run.h"
#include "cli/session/run_request.h"
#include "emulator/event.h"
#include "emulator/machine.h"
#include "emulator/state/machine_state.h"
#include "isa/instruction_set.h"
#include "isa/program.h"
#include "stages/vocabulary.h"

namespace moescope::session {

// Everything that a run starts from, read and checked.
struct RunInputs {
  std::optional<stages::Vocabulary> vocabulary;
  std::shared_ptr<const isa::InstructionSet> instruction_set;
  isa::Program program;
  emulator::MachineDescription machine;
  std::unique_ptr<emulator::MachineState> state;  // with the images loaded
  std::vector<emulator::ImageRecord> images;
  PreparedExpectations expectations;
  std::optional<std::uint64_t> expected_instructions;  // of the profile of an earlier run
};

// Reads the inputs of a request. Findings that are no errors, and notes, go to the console; files
// with their hashes go to the log.
absl::StatusOr<RunInputs> OpenRunInputs(const RunRequest& request, const RunContext& context);

}  // namespace moescope::session
