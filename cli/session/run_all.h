#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "cli/session/console.h"
#include "cli/session/exit_code.h"
#include "cli/session/run_request.h"
#include "profiler/profile.h"

namespace moescope::session {

// The runs of one call of `moescope run`.
struct RunBatch {
  struct NamedRun {
    std::string name;  // the manifest, or the program
    RunRequest request;
  };
  std::vector<NamedRun> runs;
  std::uint64_t jobs = 1;  // runs at the same time; 0 counts as 1
  std::string log_level = "warn";
  std::string log_file;  // empty = standard error
  bool log_time = false;
  bool show_progress = true;  // when standard error is a terminal and there is one run
  profiler::Tool tool;
  const std::atomic<int>* interrupt = nullptr;
};

// Executes the runs and prints their outputs in their order, whatever `jobs` is. Of several runs
// each prints one result line on standard output instead of its stage table. After an interrupt the
// remaining runs are not begun. The result is the worst exit code.
ExitCode RunAll(const RunBatch& batch, const Console& console);

}  // namespace moescope::session
