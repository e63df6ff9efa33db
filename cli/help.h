#pragma once

#include <span>
#include <string>

#include "cli/option.h"

namespace moescope::cli {

// The list of commands: what `moescope --help` prints, `width` columns wide.
std::string OverviewHelp(std::span<const Command* const> commands, int width);

// The help of one command; with `examples`, one example under each option.
std::string CommandHelp(const Command& command, int width, bool examples);

// The commands of a group ("profile"), for a first word that is no command by itself.
std::string GroupHelp(std::span<const Command* const> commands, std::string_view group, int width);

// What an option does, with its allowed values: one or two sentences.
std::string OptionText(const Option& option);

// "Usage: moescope asm [OPTION]... FILE...", with a newline.
std::string UsageLine(const Command& command);

// `text` in lines of at most `width` columns; all but the first are indented.
std::string Wrap(std::string_view text, int width, int indent);

}  // namespace moescope::cli
