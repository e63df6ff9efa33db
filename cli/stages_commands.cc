#include "base/file.h"
#include "base/status.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "cli/session/program.h"
#include "cli/session/stage_listing.h"
#include "cli/shared_options.h"
#include "isa/stage_table_json.h"
#include "stages/strip.h"

namespace moescope::cli {

namespace {

constexpr Option kListOptions[] = {
    StageVocabularyOption("moescope stages list --stage-vocabulary=decoder"),
    FormatOption("text|json", "moescope stages list --format=json"),
};

ExitCode List(const Arguments& arguments, Console& console) {
  const absl::StatusOr<stages::Vocabulary> vocabulary =
      session::LoadVocabulary(arguments.All("stage-vocabulary"));
  if (!vocabulary.ok()) return Fail(console, vocabulary.status());
  console.Out(arguments.TextOr("format", "text") == "json"
                  ? session::VocabularyJson(*vocabulary)
                  : session::VocabularyText(*vocabulary, session::kTextWidth));
  return ExitCode::kSuccess;
}

constexpr Positional kProgram[] = {
    {"PROGRAM", "Assembly, a container, or bare words; '-' is standard input."}};

constexpr Option kShowOptions[] = {
    FormatOption("text|csv|json", "moescope stages show layer.moe --format=csv"),
    {.name = "stages",
     .value = "FILE",
     .description = "Takes the stage table of bare words from a .stages.json file.",
     .example = "moescope stages show layer.mem --stages=layer.stages.json"},
    IncludeOption("moescope stages show layer.asm -I include"),
    DefineOption("moescope stages show layer.asm -D TOKENS=4"),
    StageVocabularyOption("moescope stages show layer.asm --stage-vocabulary=decoder"),
    StageErrorsOption("moescope stages show layer.asm --stage-errors=warn"),
};

absl::StatusOr<std::string> ShowText(const Arguments& arguments, Console& console) {
  session::ProgramRequest request;
  request.file = arguments.positionals().front();
  request.stages = arguments.TextOr("stages", "");
  ReadProgramOptions(arguments, request);
  ASSIGN_OR_RETURN(const stages::Vocabulary vocabulary,
                   session::LoadVocabulary(request.stage_vocabulary));
  ASSIGN_OR_RETURN(const assembler::LoadedProgram loaded,
                   session::OpenProgram(request, vocabulary));
  console.Report(loaded.findings);
  const std::string format = arguments.TextOr("format", "text");
  if (format == "json") return isa::WriteStageTableJson(loaded.program);
  return format == "csv" ? session::StageTableCsv(loaded.program)
                         : session::StageTableText(loaded.program);
}

ExitCode Show(const Arguments& arguments, Console& console) {
  const absl::StatusOr<std::string> text = ShowText(arguments, console);
  if (!text.ok()) return Fail(console, text.status());
  console.Out(*text);
  return ExitCode::kSuccess;
}

constexpr Positional kSource[] = {{"FILE", "Assembly; '-' is standard input."}};

constexpr Option kStripOptions[] = {
    OutputOption("Where to write; the default is standard output.",
                 "moescope stages strip layer.asm -o plain.asm"),
};

ExitCode Strip(const Arguments& arguments, Console& console) {
  const absl::StatusOr<std::string> text = ReadFile(arguments.positionals().front());
  if (!text.ok()) return Fail(console, text.status());
  const absl::Status written =
      WriteFile(arguments.TextOr("output", "-"), stages::StripMarkers(*text).text);
  return written.ok() ? ExitCode::kSuccess : Fail(console, written);
}

}  // namespace

const Command kStagesListCommand = {
    .name = "stages list",
    .summary = "Lists the stages that markers may name, in display order.",
    .options = kListOptions,
    .exit_codes = "0; 3 when a vocabulary file cannot be read.",
    .run = List,
};

const Command kStagesShowCommand = {
    .name = "stages show",
    .summary = "Prints the stage table of a program: which instructions belong to which stage.",
    .details =
        "The JSON form is the .stages.json file that 'run --stages' and 'dis --stages' read.",
    .positionals = kProgram,
    .options = kShowOptions,
    .exit_codes = "0; 3 when the program cannot be read.",
    .run = Show,
};

const Command kStagesStripCommand = {
    .name = "stages strip",
    .summary = "Removes the stage markers of an assembly file and changes no other byte.",
    .positionals = kSource,
    .options = kStripOptions,
    .exit_codes = "0; 3 when the file cannot be read or written.",
    .run = Strip,
};

}  // namespace moescope::cli
