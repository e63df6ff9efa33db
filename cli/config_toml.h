#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/option.h"

namespace moescope::cli {

// The option defaults of a command in a configuration file (--config): the table named after it
// ([run], [profile.verify]), as words of a command line. A key is an option's long name; true sets
// a flag, an array repeats an option. `commands` are those that may have a table. Unknown tables
// and keys are errors with place and suggestion.
absl::StatusOr<std::vector<std::string>> ReadConfiguration(const Command& command,
                                                           std::span<const Command* const> commands,
                                                           const std::string& path);

// The same for TOML text; `path` is for messages.
absl::StatusOr<std::vector<std::string>> ParseConfiguration(
    const Command& command, std::span<const Command* const> commands, const std::string& text,
    const std::string& path);

}  // namespace moescope::cli
