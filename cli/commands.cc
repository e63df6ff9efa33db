#include "cli/commands.h"

namespace moescope::cli {

std::span<const Command* const> Commands() {
  static constexpr const Command* kCommands[] = {
      &kAsmCommand,         &kDisCommand,         &kRunCommand,        &kProfileVerifyCommand,
      &kProfileShowCommand, &kReportCommand,      &kDiffCommand,       &kDiffProfileCommand,
      &kDiffLogCommand,     &kDiffDumpCommand,    &kDiffStagesCommand, &kStagesListCommand,
      &kStagesShowCommand,  &kStagesStripCommand, &kLintCommand,       &kAnnotateCommand,
      &kMachineShowCommand, &kIsaDumpCommand,     &kIsaCheckCommand,   &kIsaCoverageCommand,
      &kIsaDiffCommand,     &kIsaValidateCommand, &kMoeGenCommand,     &kMoeReferenceCommand,
      &kMoeCheckCommand,    &kExplainCommand,     &kCompletionCommand,
  };
  return kCommands;
}

}  // namespace moescope::cli
