#pragma once

#include "cli/option.h"

namespace moescope::cli {

// One per subcommand, each defined in the file named after it or after its group.
extern const Command kAnnotateCommand;
extern const Command kAsmCommand;
extern const Command kCompletionCommand;
extern const Command kDiffCommand;
extern const Command kDiffDumpCommand;
extern const Command kDiffLogCommand;
extern const Command kDiffProfileCommand;
extern const Command kDiffStagesCommand;
extern const Command kDisCommand;
extern const Command kExplainCommand;
extern const Command kIsaCheckCommand;
extern const Command kIsaCoverageCommand;
extern const Command kIsaDiffCommand;
extern const Command kIsaDumpCommand;
extern const Command kIsaValidateCommand;
extern const Command kLintCommand;
extern const Command kMachineShowCommand;
extern const Command kMoeCheckCommand;
extern const Command kMoeGenCommand;
extern const Command kMoeReferenceCommand;
extern const Command kProfileShowCommand;
extern const Command kProfileVerifyCommand;
extern const Command kReportCommand;
extern const Command kRunCommand;
extern const Command kStagesListCommand;
extern const Command kStagesShowCommand;
extern const Command kStagesStripCommand;

}  // namespace moescope::cli
