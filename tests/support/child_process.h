#pragma once

#include <string>
#include <vector>

namespace moescope::test {

// What a process printed and how it ended: its exit code, or 128 plus the signal that killed it.
struct ProcessResult {
  int code = -1;
  std::string out;
  std::string err;
};

struct ProcessOptions {
  std::string folder;                    // working directory; empty = the caller's
  std::string input;                     // standard input
  std::vector<std::string> environment;  // "NAME=VALUE", added to the caller's
  bool close_out = false;                // standard output is a pipe whose reader is gone
  bool terminal_err = false;             // standard error is a terminal
  int signal = 0;                        // sent once `signal_after_ms` have passed
  int signal_after_ms = 0;
};

// Whether this system gives out pseudo-terminals: `terminal_err` needs one.
bool HasTerminals();

// Runs a program with arguments (no shell) and waits for it.
ProcessResult RunProcess(const std::vector<std::string>& words, const ProcessOptions& options = {});

// The moescope binary of this build.
std::string MoescopePath();
// RunProcess of that binary.
ProcessResult Moescope(std::vector<std::string> words, const ProcessOptions& options = {});

}  // namespace moescope::test
