#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/option.h"

namespace moescope::cli {

// Finds the command that `words` (without the program's name) call for, parses its options, sets up
// quietness, colour and logging, and runs it. `commands` is Commands() except in tests.
ExitCode Dispatch(std::span<const Command* const> commands, const std::vector<std::string>& words,
                  Console& console);

// What `moescope --version` prints.
std::string VersionText();

}  // namespace moescope::cli
