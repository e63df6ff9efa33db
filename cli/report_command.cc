#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "cli/session/report.h"
#include "cli/shared_options.h"

namespace moescope::cli {

namespace {

constexpr Positional kPositionals[] = {{"PROFILE", "A profile; '-' is standard input."}};

constexpr Option kOptions[] = {
    FormatOption(
        "text|markdown|csv|collapsed|speedscope|annotated|stage_profile_v1|stage_profile_v2",
        "moescope report p.json --format=markdown"),
    {.name = "table",
     .value = "TABLE",
     .description = "Which table the format csv writes.",
     .example = "moescope report p.json --format=csv --table=opcodes",
     .choices = "stages|reasons|units|opcodes|pairs|experts|hot|timeline"},
    {.name = "weight",
     .value = "WHAT",
     .description = "What the stacks of the formats collapsed and speedscope count.",
     .example = "moescope report p.json --format=collapsed --weight=instructions",
     .choices = "cycles|instructions|bytes"},
    {.name = "stages",
     .value = "N",
     .description = "Stages of the stage_profile formats: the ten routed ones and 'other', or all.",
     .example = "moescope report p.json --format=stage_profile_v2 --stages=15",
     .choices = "11|15"},
    {.name = "pc-table",
     .value = "FILE",
     .description = "The CSV that 'run --pc-table' wrote; the format annotated needs it.",
     .example = "moescope report p.json --format=annotated --pc-table=pc.csv"},
    OutputOption("Where to write; the default is standard output.",
                 "moescope report p.json --format=speedscope -o p.speedscope.json"),
};

ExitCode Run(const Arguments& arguments, Console& console) {
  session::ReportRequest request;
  request.profile = arguments.positionals().front();
  request.options.format = arguments.TextOr("format", "text");
  request.options.table = arguments.TextOr("table", "stages");
  request.options.weight = arguments.TextOr("weight", "cycles");
  request.options.all_stages = arguments.TextOr("stages", "11") == "15";
  request.pc_table = arguments.TextOr("pc-table", "");
  const absl::StatusOr<std::string> text = session::ReportText(request);
  if (!text.ok()) return Fail(console, text.status());
  const std::string output = arguments.TextOr("output", "-");
  if (output == "-") {
    console.Out(*text);
    return ExitCode::kSuccess;
  }
  const absl::Status written = WriteFile(output, *text);
  return written.ok() ? ExitCode::kSuccess : Fail(console, written);
}

}  // namespace

const Command kReportCommand = {
    .name = "report",
    .summary = "Prints a profile as a table, or exports it.",
    .positionals = kPositionals,
    .options = kOptions,
    .exit_codes = "0; 3 when the file is no profile or lacks what the format needs.",
    .run = Run,
};

}  // namespace moescope::cli
