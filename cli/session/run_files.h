#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "cli/session/run_all.h"

namespace moescope::session {

// The files that a run is asked to write: what they are ("profile") and their paths.
std::vector<std::pair<std::string, std::string>> OutputPaths(const RunRequest& request);

// Whether one of them is "-".
bool WritesToStandardOutput(const RunRequest& request);

// Refuses, as a usage error, files that would be written twice, by one run or by two, and more than
// one use of standard output. Devices may be named as often as one likes.
absl::Status CheckOutputs(std::span<const RunBatch::NamedRun> runs);

// Refuses, as a usage error, more than one use of standard input. A run may be named after its
// manifest, which is an input too.
absl::Status CheckInputs(std::span<const RunBatch::NamedRun> runs);

}  // namespace moescope::session
