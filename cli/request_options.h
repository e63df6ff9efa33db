#pragma once

#include "absl/status/status.h"
#include "cli/arguments.h"
#include "cli/session/run_request.h"

namespace moescope::cli {

// The program options of a command (include, define, stage-vocabulary, stage-errors) as part of a
// request; each is added to what is there.
void ReadProgramOptions(const Arguments& arguments, session::ProgramRequest& program);

// Prints a failed status and gives its exit code.
ExitCode Fail(const Console& console, const absl::Status& status);

}  // namespace moescope::cli
