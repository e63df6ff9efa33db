#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "cli/session/explanations.h"

namespace moescope::cli {

namespace {

constexpr Positional kPositionals[] = {{"ID", "The ID in brackets behind a message: AS008."}};

ExitCode Run(const Arguments& arguments, Console& console) {
  const absl::StatusOr<std::string> page = session::Explain(arguments.positionals().front());
  if (!page.ok()) return Fail(console, page.status());
  console.Out(*page);
  return ExitCode::kSuccess;
}

}  // namespace

const Command kExplainCommand = {
    .name = "explain",
    .summary = "Explains a message by its ID: cause, example and fix.",
    .positionals = kPositionals,
    .options = {},
    .exit_codes = "0; 2 when no message has this ID.",
    .run = Run,
};

}  // namespace moescope::cli
