#include "base/file.h"
#include "base/status.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "cli/session/annotate.h"
#include "cli/shared_options.h"

namespace moescope::cli {

namespace {

constexpr Positional kPositionals[] = {{"FILE", "Assembly; '-' is standard input."}};

constexpr Option kOptions[] = {
    OutputOption("Where to write; the default is standard output.",
                 "moescope annotate old.asm -o new.asm"),
    {.name = "rules",
     .value = "FILE",
     .description = "Uses the rules of this file instead of the shipped ones.",
     .example = "moescope annotate old.asm --rules=mine.toml"},
    StageVocabularyOption("moescope annotate old.asm --stage-vocabulary=decoder"),
    {.name = "check",
     .description = "Only reports what would be inserted and writes no program.",
     .example = "moescope annotate old.asm --check"},
    {.name = "detail",
     .description = "Also opens regions of the vocabulary plena_detail inside stages.",
     .example = "moescope annotate old.asm --detail -o new.asm"},
    {.name = "replace",
     .description =
         "Removes the markers that the file already has; without it such a file is refused.",
     .example = "moescope annotate new.asm --replace -o newer.asm"},
    {.name = "min-coverage",
     .value = "P%",
     .description = "Fails when a smaller share of the instructions is decided by a rule.",
     .example = "moescope annotate old.asm --check --min-coverage=99%"},
    {.name = "report",
     .value = "FORMAT",
     .description =
         "Form of the report. It goes to standard error; with --check or --output the JSON "
         "form goes to standard output.",
     .example = "moescope annotate old.asm --check --report=json",
     .choices = "text|json"},
};

ExitCode Run(const Arguments& arguments, Console& console) {
  if (arguments.Has("check") && arguments.IsOnCommandLine("output")) {
    return Fail(console, session::UsageError("--check writes nothing, so --output has no meaning"));
  }
  session::AnnotateRequest request;
  request.input = arguments.positionals().front();
  request.rules = arguments.TextOr("rules", "");
  request.stage_vocabulary = arguments.All("stage-vocabulary");
  request.options.detail = arguments.Has("detail");
  request.options.replace = arguments.Has("replace");
  request.output = arguments.Has("check") ? "" : arguments.TextOr("output", "-");
  request.min_coverage = arguments.TextOr("min-coverage", "");
  const absl::StatusOr<session::AnnotateOutcome> outcome = session::AnnotateFile(request);
  if (!outcome.ok()) return Fail(console, outcome.status());
  if (arguments.TextOr("report", "text") == "text") {
    console.Note(outcome->text_report);
  } else if (request.output == "-") {
    console.Note(outcome->json_report);
  } else {
    console.Out(outcome->json_report);
  }
  if (!outcome->failure.empty()) console.Error(outcome->failure);
  return outcome->failure.empty() ? ExitCode::kSuccess : ExitCode::kCheckFailed;
}

}  // namespace

const Command kAnnotateCommand = {
    .name = "annotate",
    .summary = "Turns the prose comments of a compiled program into stage markers.",
    .details =
        "Inserts marker lines where the stage changes and changes no other byte, so the words of "
        "the program stay the same. Comments that no rule knows are listed.",
    .positionals = kPositionals,
    .options = kOptions,
    .exit_codes =
        "0; 1 when the coverage is below --min-coverage; 3 when the file or the rules cannot "
        "be read, or the file already has markers.",
    .run = Run,
};

}  // namespace moescope::cli
