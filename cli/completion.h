#pragma once

#include <span>
#include <string>

#include "cli/option.h"

namespace moescope::cli {

// A completion script for a shell: bash, zsh or fish. It completes commands, option names and the
// values of options with a closed list, and falls back to file names.
std::string BashCompletion(std::span<const Command* const> commands);
std::string ZshCompletion(std::span<const Command* const> commands);
std::string FishCompletion(std::span<const Command* const> commands);

}  // namespace moescope::cli
