#include "cli/reference.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/string_view.h"
#include "cli/help.h"

namespace moescope::cli {

namespace {

constexpr char kOpening[] =
    "<!-- Generated from cli/ by MOESCOPE_REGENERATE=1 ctest -R cli/reference. Do not edit. -->\n"
    "# The command `moescope`\n\n"
    "`moescope COMMAND --help` prints what this page says about a command, `moescope help COMMAND` "
    "adds the examples.\n\n"
    "## Conventions\n\n"
    "* Data goes to standard output or to the file of an option; findings, summaries, logs and "
    "progress go to standard error.\n"
    "* `-` as a file is standard input or standard output; at most one input and one output may be "
    "it.\n"
    "* Files appear under their names only when they are complete.\n"
    "* `--option value` and `--option=value` mean the same; of an option that may not be repeated "
    "the last one counts; `--` ends the options.\n"
    "* Numbers are decimal or `0x` hexadecimal, with `_` between digits, and may end in K, M, G or "
    "T (powers of 1024).\n"
    "* `--config FILE` takes option defaults from a TOML file with one table per command: `[run]`, "
    "`[profile.verify]`. The command line wins.\n\n";

constexpr char kEnvironment[] =
    "## Environment\n\n"
    "| variable | meaning |\n|---|---|\n"
    "| `NO_COLOR` | when set and not empty, `--color=auto` means no colour |\n"
    "| `MOESCOPE_CONFIG` | the file of `--config` where that is not given |\n"
    "| `MOESCOPE_LOG` | the log level of `run` where neither `--log-level` nor `-v` is given |\n"
    "| `PLENA_SETTINGS_TOML` | the machine file under `run --compat=plena` where none is named "
    "|\n\n"
    "Nothing else in the environment changes a result.\n\n";

constexpr char kExitCodes[] =
    "## Exit codes\n\n"
    "| code | meaning |\n|---|---|\n"
    "| 0 | success; for checks: passed, equal, compatible |\n"
    "| 1 | a check failed or a difference was found |\n"
    "| 2 | usage: unknown option, missing argument, contradictory options |\n"
    "| 3 | input: unreadable or malformed file, or a refused comparison; an output that cannot be "
    "written |\n"
    "| 4 | the emulated program faulted or deadlocked |\n"
    "| 5 | a limit was reached |\n"
    "| 70 | a defect of moescope itself |\n"
    "| 130, 143 | interrupted by SIGINT, SIGTERM, after partial outputs were written |\n\n";

// Text in a cell of a table.
std::string Cell(std::string_view text) { return absl::StrReplaceAll(Absl(text), {{"|", "\\|"}}); }

std::string Code(std::string_view text) { return absl::StrCat("`", Cell(text), "`"); }

// What a heading is called in a link: as GitHub does it.
std::string Anchor(std::string_view name) {
  return absl::StrCat("moescope-", absl::StrReplaceAll(Absl(name), {{" ", "-"}}));
}

std::string Names(const Option& option) {
  std::string text;
  if (option.letter != '\0') text = absl::StrCat("`-", std::string(1, option.letter), "`, ");
  std::string name = absl::StrCat("--", Absl(option.name));
  if (!option.value.empty()) absl::StrAppend(&name, option.pair ? " " : "=", Absl(option.value));
  return absl::StrCat(text, Code(name));
}

std::string OptionTable(std::span<const Option> options) {
  std::string text = "| option | meaning | example |\n|---|---|---|\n";
  for (const Option& option : options) {
    absl::StrAppend(&text, "| ", Names(option), " | ", Cell(OptionText(option)), " | ",
                    Code(option.example), " |\n");
  }
  return text + "\n";
}

std::string CommandSection(const Command& command) {
  std::string text = absl::StrCat("## moescope ", Absl(command.name), "\n\n", Absl(command.summary),
                                  "\n\n```\n", UsageLine(command), "```\n\n");
  if (!command.details.empty()) absl::StrAppend(&text, Absl(command.details), "\n\n");
  if (!command.positionals.empty()) {
    text += "| argument | meaning |\n|---|---|\n";
    for (const Positional& positional : command.positionals) {
      absl::StrAppend(&text, "| ", Code(positional.name), " | ", Cell(positional.description),
                      " |\n");
    }
    text += "\n";
  }
  if (!command.options.empty()) text += OptionTable(command.options);
  return absl::StrCat(text, "Exit code: ", Absl(command.exit_codes), "\n\n");
}

}  // namespace

std::string ReferencePage(std::span<const Command* const> commands) {
  std::string text = absl::StrCat(kOpening, kExitCodes, kEnvironment, "## Commands\n\n",
                                  "| command | does |\n|---|---|\n");
  for (const Command* command : commands) {
    absl::StrAppend(&text, "| [`", Absl(command->name), "`](#", Anchor(command->name), ") | ",
                    Cell(command->summary), " |\n");
  }
  absl::StrAppend(&text, "\nOptions of every command:\n\n", OptionTable(kCommonOptions));
  for (const Command* command : commands) text += CommandSection(*command);
  text.pop_back();  // one newline at the end
  return text;
}

}  // namespace moescope::cli
