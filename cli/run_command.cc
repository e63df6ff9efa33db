#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "cli/run_options.h"
#include "cli/session/interrupt.h"
#include "cli/session/run_all.h"
#include "cli/session/run_files.h"
#include "cli/session/run_manifest.h"
#include "cli/shared_options.h"
#include "cli/version.h"

namespace moescope::cli {

namespace {

constexpr Positional kPositionals[] = {
    {"MANIFEST", "What to run, as a moescope.run file; several are run in this order.", 0,
     kAnyNumber}};

// --log-level, else -v, else MOESCOPE_LOG, else warn.
absl::StatusOr<std::string> LogLevel(const Arguments& arguments) {
  if (const std::optional<std::string> level = arguments.Text("log-level")) return *level;
  if (arguments.Has("verbose")) return arguments.Count("verbose") == 1 ? "info" : "debug";
  const char* variable = std::getenv("MOESCOPE_LOG");
  if (variable == nullptr || *variable == '\0') return "warn";
  const std::vector<std::string> levels = absl::StrSplit(Absl(kLogLevels), '|');
  if (std::find(levels.begin(), levels.end(), variable) != levels.end()) return variable;
  const std::vector<std::string_view> candidates(levels.begin(), levels.end());
  return session::UsageError(absl::StrCat("MOESCOPE_LOG=", variable,
                                          ": unknown value; allowed: ", absl::StrJoin(levels, ", "),
                                          DidYouMean(variable, candidates)));
}

absl::StatusOr<session::RunBatch> BatchOf(const Arguments& arguments) {
  session::RunBatch batch;
  const bool direct = arguments.Has("opcode");
  if (direct && !arguments.positionals().empty()) {
    return session::UsageError("give either manifests or --opcode");
  }
  if (!direct && arguments.positionals().empty()) {
    return session::UsageError("missing argument MANIFEST, or --opcode");
  }
  if (direct) {
    ASSIGN_OR_RETURN(session::RunRequest request, ReadRunOptions(arguments, {}));
    batch.runs.push_back({*arguments.Text("opcode"), std::move(request)});
  }
  const std::vector<std::string>& manifests = arguments.positionals();
  if (std::count(manifests.begin(), manifests.end(), "-") > 1) {
    return session::UsageError("at most one input may be '-'");
  }
  for (const std::string& path : manifests) {
    ASSIGN_OR_RETURN(session::RunRequest manifest, session::ReadManifest(path));
    ASSIGN_OR_RETURN(session::RunRequest request, ReadRunOptions(arguments, std::move(manifest)));
    batch.runs.push_back({path, std::move(request)});
  }
  if (batch.runs.size() > 1 && batch.runs.front().request.repeat > 1) {
    return session::UsageError("--repeat takes one manifest, or --opcode");
  }
  ASSIGN_OR_RETURN(const std::optional<std::uint64_t> jobs, arguments.Number("jobs"));
  batch.jobs = jobs.value_or(1);
  RETURN_IF_ERROR(session::CheckInputs(batch.runs));
  RETURN_IF_ERROR(session::CheckOutputs(batch.runs));
  ASSIGN_OR_RETURN(batch.log_level, LogLevel(arguments));
  batch.log_file = arguments.TextOr("log-file", "");
  batch.log_time = arguments.Has("log-time");
  batch.show_progress = !arguments.Has("no-progress");
  batch.tool = {"moescope", std::string(Version()), std::string(Commit())};
  return batch;
}

ExitCode Run(const Arguments& arguments, Console& console) {
  absl::StatusOr<session::RunBatch> batch = BatchOf(arguments);
  if (!batch.ok()) return Fail(console, batch.status());
  const session::SignalWatch watch;
  batch->interrupt = &session::SignalWatch::Interrupt();
  return session::RunAll(*batch, console);
}

}  // namespace

const Command kRunCommand = {
    .name = "run",
    .summary = "Executes a program and profiles it.",
    .details =
        "What to run is named by a manifest or by the direct flags --opcode, --hbm and so on; a "
        "flag wins over the manifest's key. Without --profile the stage table is printed. "
        "Outputs are also written when the program faults, meets a limit or is interrupted, and "
        "are then marked incomplete.\n\n"
        "The environment variable MOESCOPE_LOG names the log level where neither --log-level nor "
        "-v does.",
    .positionals = kPositionals,
    .options = kRunOptions,
    .exit_codes =
        "0; 1 when an expectation or a gate fails; 3 when an input cannot be read; 4 when the "
        "program faults; 5 when a limit is reached; 130 or 143 when interrupted.",
    .run = Run,
};

}  // namespace moescope::cli
