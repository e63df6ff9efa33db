#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/session/run_request.h"
#include "stages/lint.h"

namespace moescope::session {

// What `moescope lint` is asked to do.
struct LintRequest {
  std::vector<std::string> inputs;
  std::string stdin_name = "-";
  ProgramRequest program;          // include folders, definitions, vocabulary
  std::vector<std::string> rules;  // "MS104=error"
  bool warnings_are_errors = false;
  std::string profile;           // file, for MS111; empty = none
  std::string max_unattributed;  // "5%"; empty = the default
};

// The findings of all inputs, in the order of the inputs. An input that does not assemble is an
// error.
absl::StatusOr<std::vector<stages::LintFinding>> LintFiles(const LintRequest& request);

}  // namespace moescope::session
