#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace moescope::session {

// Exit codes of the command (tools.md, 1.2).
enum class ExitCode : int {
  kSuccess = 0,
  kCheckFailed = 1,  // a check failed or a difference was found
  kUsage = 2,        // unknown option, missing argument, contradictory options
  kInput = 3,        // unreadable or malformed input, output that cannot be written
  kFault = 4,        // the emulated program faulted or deadlocked
  kLimit = 5,        // a limit of the run was reached
  kInternal = 70,    // a CHECK failed
  kInterrupted = 130,
  kTerminated = 143,
};

// A wrong use of the command, as opposed to a wrong input.
absl::Status UsageError(std::string_view text);
bool IsUsageError(const absl::Status& status);

// What a command that stopped with `status` exits with: kSuccess, kUsage, kInternal or kInput.
ExitCode ExitCodeOf(const absl::Status& status);

// Which of two codes that apply to one command is reported. Codes 4, 5, 130 and 143 promise that
// the outputs were written, so a file that could not be read or written comes before them.
ExitCode Worse(ExitCode a, ExitCode b);

}  // namespace moescope::session
