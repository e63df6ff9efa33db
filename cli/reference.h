#pragma once

#include <span>
#include <string>

#include "cli/option.h"

namespace moescope::cli {

// The reference page of the command (docs/cli.md) in Markdown: conventions, exit codes, and one
// section per command with its arguments and options, made from the tables alone.
std::string ReferencePage(std::span<const Command* const> commands);

}  // namespace moescope::cli
