#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "cli/session/assemble.h"
#include "cli/session/program.h"
#include "cli/shared_options.h"

namespace moescope::cli {

namespace {

constexpr Positional kPositionals[] = {
    {"FILE",
     "Assembly; several are taken as if pasted one behind the other. '-' is standard input.", 1,
     kAnyNumber}};

constexpr Option kOptions[] = {
    OutputOption("Where to write; the default is the first FILE with the suffix of its format.",
                 "moescope asm layer.asm -o layer.moe"),
    {.name = "emit",
     .value = "LIST",
     .description = "What to write.",
     .example = "moescope asm layer.asm --emit=container,mem",
     .choices = "container|mem|hex|bin|readmemh|json|listing",
     .list = true},
    {.name = "listing",
     .letter = 'l',
     .value = "FILE",
     .description = "Also writes a listing: pc, word, stage, line and text of every instruction.",
     .example = "moescope asm layer.asm -l layer.lst"},
    {.name = "stages-out",
     .description =
         "Also writes NAME.stages.json, the stage table, beside each output of bare words.",
     .example = "moescope asm layer.asm --emit=mem --stages-out"},
    {.name = "check",
     .description = "Only reports findings and writes nothing.",
     .example = "moescope asm --check layer.asm"},
    IncludeOption("moescope asm layer.asm -I include"),
    DefineOption("moescope asm layer.asm -D TOKENS=4"),
    RuleOption("moescope asm layer.asm --rule=AS101=error"),
    WerrorOption("moescope asm layer.asm --werror"),
    IsaOption("moescope asm layer.asm --isa=isa-1.0.json"),
    MaxErrorsOption("moescope asm layer.asm --max-errors=0"),
    StageVocabularyOption("moescope asm layer.asm --stage-vocabulary=decoder"),
    StageErrorsOption("moescope asm layer.asm --stage-errors=warn"),
    {.name = "stdin-name",
     .value = "NAME",
     .description = "What messages call standard input.",
     .example = "moescope asm --check - --stdin-name=layer.asm"},
};

absl::StatusOr<session::AssembleRequest> RequestOf(const Arguments& arguments) {
  session::AssembleRequest request;
  session::ProgramRequest program;
  ReadProgramOptions(arguments, program);
  request.inputs = arguments.positionals();
  request.stdin_name = arguments.TextOr("stdin-name", "-");
  request.include_folders = program.include_folders;
  request.definitions = program.definitions;
  request.stage_vocabulary = program.stage_vocabulary;
  request.stage_errors = program.stage_errors;
  request.rules = arguments.All("rule");
  request.warnings_are_errors = arguments.Has("werror");
  ASSIGN_OR_RETURN(const std::optional<std::uint64_t> max_errors, arguments.Number("max-errors"));
  if (max_errors) request.max_errors = *max_errors;
  if (arguments.Has("emit")) request.formats.clear();
  for (const std::string& name : arguments.List("emit")) {
    ASSIGN_OR_RETURN(const assembler::OutputFormat format, assembler::ParseOutputFormat(name));
    request.formats.push_back(format);
  }
  request.isa = arguments.TextOr("isa", "");
  if (arguments.Has("check")) {
    for (const std::string_view option : {"output", "emit", "listing", "stages-out"}) {
      if (!arguments.IsOnCommandLine(option)) continue;
      return session::UsageError(
          absl::StrCat("--check writes nothing, so --", Absl(option), " has no meaning"));
    }
  }
  request.output = arguments.TextOr("output", "");
  request.listing = arguments.TextOr("listing", "");
  request.stages_out = arguments.Has("stages-out");
  request.check = arguments.Has("check");
  return request;
}

ExitCode Run(const Arguments& arguments, Console& console) {
  const absl::StatusOr<session::AssembleRequest> request = RequestOf(arguments);
  if (!request.ok()) return Fail(console, request.status());
  const absl::StatusOr<std::vector<Diagnostic>> findings = session::AssembleFiles(*request);
  if (!findings.ok()) return Fail(console, findings.status());
  console.Report(*findings);
  return ExitCode::kSuccess;
}

}  // namespace

const Command kAsmCommand = {
    .name = "asm",
    .summary = "Assembles a program.",
    .details =
        "Reports every error of the input with its place, up to --max-errors, and then writes "
        "nothing. Without --emit a container is written, which keeps words, stage table and "
        "source lines together.",
    .positionals = kPositionals,
    .options = kOptions,
    .exit_codes = "0; 3 when the input does not assemble or a file cannot be read or written.",
    .run = Run,
};

}  // namespace moescope::cli
