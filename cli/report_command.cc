#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status.h"
#include "base/string_view.h"
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
        "text|markdown|csv|collapsed|speedscope|annotated|stage_profile_v1|stage_profile_v2|html",
        "moescope report p.json --format=html -o p.html"),
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
     .description =
         "The CSV that 'run --pc-table' wrote: the format annotated needs it, the stacks and the "
         "stage_profile formats are exact with it.",
     .example = "moescope report p.json --format=annotated --pc-table=pc.csv"},
    {.name = "source",
     .value = "FILE",
     .description = "The program's source, whose lines the format html shows.",
     .example = "moescope report p.json --format=html --source=layer.asm -o p.html"},
    {.name = "compare",
     .value = "PROFILE",
     .description = "A second profile, which the format html draws beside the first.",
     .example = "moescope report a.json --format=html --compare=b.json -o ab.html"},
    OutputOption("Where to write; the default is standard output.",
                 "moescope report p.json --format=speedscope -o p.speedscope.json"),
};

// Options that only some formats know.
struct Meant {
  std::string_view option;
  std::string_view formats;
};
constexpr Meant kMeant[] = {
    {"table", "csv"},
    {"weight", "collapsed|speedscope"},
    {"stages", "stage_profile_v1|stage_profile_v2"},
    {"pc-table", "annotated|collapsed|speedscope|stage_profile_v1|stage_profile_v2"},
    {"source", "html"},
    {"compare", "html"},
};

absl::Status CheckOptions(const Arguments& arguments, const std::string& format) {
  for (const Meant& meant : kMeant) {
    const std::vector<std::string> formats = absl::StrSplit(Absl(meant.formats), '|');
    const bool fits = std::find(formats.begin(), formats.end(), format) != formats.end();
    if (fits || !arguments.IsOnCommandLine(meant.option)) continue;
    return session::UsageError(absl::StrCat("--", Absl(meant.option), " is for --format=",
                                            absl::StrJoin(formats, ", "), ", not ", format));
  }
  const std::vector<std::string> inputs = {
      arguments.positionals().front(), arguments.TextOr("pc-table", ""),
      arguments.TextOr("source", ""), arguments.TextOr("compare", "")};
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    return session::UsageError("at most one input may be '-'");
  }
  return absl::OkStatus();
}

ExitCode Run(const Arguments& arguments, Console& console) {
  session::ReportRequest request;
  const std::string format = arguments.TextOr("format", "text");
  if (const absl::Status status = CheckOptions(arguments, format); !status.ok()) {
    return Fail(console, status);
  }
  request.profile = arguments.positionals().front();
  request.options.format = format;
  request.options.table = arguments.TextOr("table", "stages");
  request.options.weight = arguments.TextOr("weight", "cycles");
  request.options.all_stages = arguments.TextOr("stages", "11") == "15";
  request.pc_table = arguments.TextOr("pc-table", "");
  request.source = arguments.TextOr("source", "");
  request.compare = arguments.TextOr("compare", "");
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
