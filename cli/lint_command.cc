#include "base/diagnostic_json.h"
#include "base/diagnostic_sarif_json.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "cli/session/explanations.h"
#include "cli/session/lint.h"
#include "cli/shared_options.h"
#include "stages/lint_json.h"

namespace moescope::cli {

namespace {

constexpr Positional kPositionals[] = {{"FILE", "Assembly; '-' is standard input.", 1, kAnyNumber}};

constexpr Option kOptions[] = {
    FormatOption("text|json|sarif|github", "moescope lint layer.asm --format=json"),
    RuleOption("moescope lint layer.asm --rule=MS104=error"),
    WerrorOption("moescope lint layer.asm --werror"),
    {.name = "profile",
     .value = "FILE",
     .description = "Also reports markers whose code this profile shows as never executed.",
     .example = "moescope lint layer.asm --profile=p.json"},
    {.name = "max-unattributed",
     .value = "P%",
     .description = "Share of instructions without a stage above which MS112 fires.",
     .example = "moescope lint layer.asm --max-unattributed=1%"},
    IncludeOption("moescope lint layer.asm -I include"),
    DefineOption("moescope lint layer.asm -D TOKENS=4"),
    StageVocabularyOption("moescope lint layer.asm --stage-vocabulary=decoder"),
    StageErrorsOption("moescope lint layer.asm --stage-errors=warn"),
    {.name = "stdin-name",
     .value = "NAME",
     .description = "What findings call standard input.",
     .example = "moescope lint - --stdin-name=layer.asm"},
};

ExitCode Run(const Arguments& arguments, Console& console) {
  session::LintRequest request;
  request.inputs = arguments.positionals();
  request.stdin_name = arguments.TextOr("stdin-name", "-");
  ReadProgramOptions(arguments, request.program);
  request.rules = arguments.All("rule");
  request.warnings_are_errors = arguments.Has("werror");
  request.profile = arguments.TextOr("profile", "");
  request.max_unattributed = arguments.TextOr("max-unattributed", "");
  const absl::StatusOr<std::vector<stages::LintFinding>> findings = session::LintFiles(request);
  if (!findings.ok()) return Fail(console, findings.status());

  const std::string format = arguments.TextOr("format", "text");
  const std::vector<Diagnostic> diagnostics = stages::ToDiagnostics(*findings);
  if (format == "json") {
    console.Out(stages::LintJson(*findings));
  } else if (format == "sarif") {
    console.Out(DiagnosticsSarif(diagnostics, session::ExplanationsOf(stages::LintRuleIds())));
  } else if (format == "github") {
    console.Out(DiagnosticsGithub(diagnostics));
  } else {
    console.Out(session::RenderFindings(diagnostics, console.colour_out()));
  }
  return stages::CountFindings(*findings).errors > 0 ? ExitCode::kCheckFailed : ExitCode::kSuccess;
}

}  // namespace

const Command kLintCommand = {
    .name = "lint",
    .summary = "Looks for stage markers that are missing, misplaced or implausible.",
    .details =
        "Findings go to standard output. A comment line '; @lint allow=MS108 reason=\"...\"' "
        "suppresses a rule within the next marker's range.",
    .positionals = kPositionals,
    .options = kOptions,
    .exit_codes =
        "0; 1 when there is a finding of level error; 3 when a file cannot be read or does "
        "not assemble.",
    .run = Run,
};

}  // namespace moescope::cli
