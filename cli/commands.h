#pragma once

#include "cli/option.h"

namespace moescope::cli {

// One per subcommand, each defined in the file named after it.
extern const Command kCompletionCommand;

}  // namespace moescope::cli
