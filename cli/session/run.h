#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session/console.h"
#include "cli/session/exit_code.h"
#include "cli/session/expectation.h"
#include "cli/session/log.h"
#include "cli/session/run_request.h"
#include "emulator/event.h"
#include "profiler/profile.h"

namespace moescope::session {

// What surrounds a run. The pointers outlive it.
struct RunContext {
  const Console* console = nullptr;
  const Log* log = nullptr;
  profiler::Tool tool;                          // named in the profile
  const std::atomic<int>* interrupt = nullptr;  // set to the number of a signal; may be null
  bool show_progress = false;
};

struct RunOutcome {
  ExitCode code = ExitCode::kSuccess;
  emulator::RunEnd end;
  profiler::Profile profile;
  std::vector<ExpectationResult> expectations;
};

// Runs a program and writes everything that the request asks for, also when the run faults, meets a
// limit or is interrupted: findings and the summary to the console, then dumps, profile, tables,
// expectations. A status is returned only when the run could not begin; whatever goes wrong later
// is printed and is part of the exit code.
absl::StatusOr<RunOutcome> ExecuteRun(const RunRequest& request, const RunContext& context);

// "ran 15,310 instructions, 49,128 cycles (0.049128 ms at 1 GHz), serial, in 0.01 s: 1.5 M
// instr/s".
std::string SummaryLine(const emulator::RunEnd& end, const profiler::Profile& profile,
                        double seconds);

}  // namespace moescope::session
