#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session/run.h"
#include "cli/session/run_request.h"

// The repeat gate (profile.md, 5.10): the same run several times, the last in a fresh process, must
// give the same profile, cycles, bytes and dumps.

namespace moescope::session {

// What must be equal between the runs.
struct RunFingerprint {
  bool fresh_process = false;
  std::string end;  // reason
  std::string profile_sha256;
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::uint64_t hbm_read_bytes = 0;                        // physical
  std::uint64_t hbm_write_bytes = 0;                       // physical
  std::vector<std::pair<std::string, std::string>> dumps;  // file, sha256
};

// One line per value in which a run differs from the first: "run 3: cycles 12, not 11".
std::vector<std::string> RepeatDifferences(const std::vector<RunFingerprint>& runs);

// The document `moescope.repeat`, version 1.
std::string RepeatJson(const std::vector<RunFingerprint>& runs);

// The words of a process that makes the same run once and writes profile and dumps to `folder`:
// those of this process without --repeat.
std::vector<std::string> FreshCommand(const std::vector<std::string>& words,
                                      const std::string& folder);

// Whether a request reads standard input, which no second run could read again.
bool ReadsStandardInput(const RunRequest& request);

// Runs request.repeat times, at least twice. The first run writes the outputs of the request;
// RepeatJson goes to standard output. A difference makes the exit code kCheckFailed. `words` is the
// command line of this process.
absl::StatusOr<RunOutcome> ExecuteRepeated(const RunRequest& request, const RunContext& context,
                                           const std::vector<std::string>& words);

// The command line of this process.
std::vector<std::string> OwnCommandLine();

}  // namespace moescope::session
