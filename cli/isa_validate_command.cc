// Judges a change of the instruction set by a corpus of programs.

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "cli/session/isa_validation.h"
#include "cli/session/number.h"
#include "cli/shared_options.h"

namespace moescope::cli {

namespace {

constexpr Positional kPositionals[] = {
    {"OLD", "An ISA document (JSON, or TOML when its name ends in .toml), or 'builtin'."},
    {"NEW", "The changed document, or 'builtin'."},
    {"PROGRAM", "Folders, run manifests and programs to judge by, like --corpus.", 0, kAnyNumber}};

constexpr Option kOptions[] = {
    {.name = "corpus",
     .value = "DIR",
     .description = "A folder with run manifests and programs to judge by.",
     .example = "moescope isa validate old.json new.json --corpus=programs",
     .repeatable = true},
    {.name = "accept",
     .value = "VERDICT",
     .description = "Passes when programs only have to be assembled again.",
     .example = "moescope isa validate old.json new.json --corpus=programs --accept=re-assemble",
     .choices = "re-assemble"},
    {.name = "max-slowdown",
     .value = "PERCENT",
     .description = "Fails when a program takes this much longer, or more.",
     .example = "moescope isa validate old.json new.json --corpus=programs --max-slowdown=1%"},
    {.name = "require-coverage",
     .description = "Fails when no program executes some part of the change.",
     .example = "moescope isa validate old.json new.json --corpus=programs --require-coverage"},
    FormatOption("text|json|markdown",
                 "moescope isa validate old.json new.json --corpus=programs --format=markdown"),
    OutputOption("Where to write; the default is standard output.",
                 "moescope isa validate old.json new.json --corpus=programs -o verdict.txt"),
};

absl::StatusOr<session::IsaValidationRequest> RequestOf(const Arguments& arguments) {
  session::IsaValidationRequest request;
  request.before = arguments.positionals()[0];
  request.after = arguments.positionals()[1];
  request.corpus = arguments.All("corpus");
  request.corpus.insert(request.corpus.end(), arguments.positionals().begin() + 2,
                        arguments.positionals().end());
  if (request.corpus.empty()) {
    return session::UsageError("missing --corpus: name a folder with programs to judge by");
  }
  request.accept_reassembly = arguments.Has("accept");
  request.require_coverage = arguments.Has("require-coverage");
  if (const std::optional<std::string> text = arguments.Text("max-slowdown")) {
    const absl::StatusOr<std::uint32_t> ppm = session::ParsePercentPpm(*text);
    if (!ppm.ok()) {
      return session::UsageError(absl::StrCat("--max-slowdown: ", ppm.status().message()));
    }
    request.max_slowdown_ppm = *ppm;
  }
  return request;
}

ExitCode Validate(const Arguments& arguments, Console& console) {
  const absl::StatusOr<session::IsaValidationRequest> request = RequestOf(arguments);
  if (!request.ok()) return Fail(console, request.status());
  const absl::StatusOr<session::IsaValidation> validation = session::ValidateIsaChange(*request);
  if (!validation.ok()) return Fail(console, validation.status());
  const std::string format = arguments.TextOr("format", "text");
  const std::string text = format == "json"       ? session::IsaValidationJson(*validation)
                           : format == "markdown" ? session::IsaValidationMarkdown(*validation)
                                                  : session::IsaValidationText(*validation);
  const std::string output = arguments.TextOr("output", "-");
  if (output == "-") {
    console.Out(text);
  } else if (const absl::Status written = WriteFile(output, text); !written.ok()) {
    return Fail(console, written);
  }
  return validation->passed() ? ExitCode::kSuccess : ExitCode::kCheckFailed;
}

}  // namespace

const Command kIsaValidateCommand = {
    .name = "isa validate",
    .summary = "Judges a change of the instruction set by what it does to programs.",
    .details =
        "Checks NEW, counts the words whose meaning changes and names the smallest of each "
        "instruction, decodes and assembles every program of the corpus under both sets, runs "
        "those "
        "that have a manifest on both sides, and compares ends, machine states and cycles.\n\n"
        "'compatible': every word means the same and every run is equal; cycles may differ, which "
        "is stated. 're-assemble': words change, but all sources assemble as they are and run "
        "equal. 'breaking': a source does not assemble, a run differs, a program without source "
        "holds changed words, or NEW has errors. Changes that no program executes are listed as "
        "not judged.",
    .positionals = kPositionals,
    .options = kOptions,
    .exit_codes =
        "0 when compatible; 1 when not, or when a demand fails; 3 when an input cannot "
        "be read.",
    .run = Validate,
};

}  // namespace moescope::cli
