#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/completion.h"

namespace moescope::cli {

namespace {

constexpr Positional kPositionals[] = {{"SHELL", "bash, zsh or fish."}};

ExitCode Run(const Arguments& arguments, Console& console) {
  const std::string& shell = arguments.positionals().front();
  if (shell == "bash") {
    console.Out(BashCompletion(Commands()));
  } else if (shell == "zsh") {
    console.Out(ZshCompletion(Commands()));
  } else if (shell == "fish") {
    console.Out(FishCompletion(Commands()));
  } else {
    console.Error("moescope: unknown shell '" + shell + "'; known: bash, zsh, fish\n");
    return ExitCode::kUsage;
  }
  return ExitCode::kSuccess;
}

}  // namespace

const Command kCompletionCommand = {
    .name = "completion",
    .summary = "Prints a completion script for a shell.",
    .details = "Load it with: source <(moescope completion bash)",
    .positionals = kPositionals,
    .options = {},
    .exit_codes = "0; 2 for an unknown shell.",
    .run = Run,
};

}  // namespace moescope::cli
