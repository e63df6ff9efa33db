#include "cli/commands.h"

namespace moescope::cli {

std::span<const Command* const> Commands() {
  static constexpr const Command* kCommands[] = {&kCompletionCommand};
  return kCommands;
}

}  // namespace moescope::cli
