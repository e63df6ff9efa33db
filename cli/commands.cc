#include "cli/commands.h"

namespace moescope::cli {

std::span<const Command* const> Commands() {
  static constexpr const Command* kCommands[] = {
      &kAsmCommand,        &kDisCommand,        &kProfileVerifyCommand, &kProfileShowCommand,
      &kStagesListCommand, &kStagesShowCommand, &kStagesStripCommand,   &kLintCommand,
      &kAnnotateCommand,   &kExplainCommand,    &kCompletionCommand};
  return kCommands;
}

}  // namespace moescope::cli
