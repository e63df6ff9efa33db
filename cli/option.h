#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "cli/session/console.h"
#include "cli/session/exit_code.h"

namespace moescope::cli {

class Arguments;

using session::Console;
using session::ExitCode;

// One row of a command's option table. The parser, --help, the shell completions and the reference
// page are made from these rows and from nothing else.
struct Option {
  std::string_view name;         // without dashes
  char letter = '\0';            // short form; '\0' = none
  std::string_view value;        // placeholder such as "FILE"; empty = a flag
  std::string_view description;  // one sentence
  std::string_view example;      // a command line that uses it
  // Allowed values, separated by '|'; empty = any. With `list`, a comma-separated list of them.
  std::string_view choices = {};
  bool list = false;
  bool repeatable = false;  // values accumulate; otherwise the last one wins
  bool pair = false;        // takes two values, one behind the other
};

// An argument that is not an option.
struct Positional {
  std::string_view name;  // "FILE"
  std::string_view description;
  std::size_t minimum = 1;
  std::size_t maximum = 1;
};
inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

struct Command {
  std::string_view name;  // one or two words: "asm", "profile verify"
  std::string_view summary;
  std::string_view details;  // paragraphs of the help, separated by blank lines
  std::span<const Positional> positionals;
  std::span<const Option> options;  // without the common ones below
  std::string_view exit_codes;      // what 1, 3, 4 and so on mean here
  ExitCode (*run)(const Arguments&, Console&);
};

// Options of every command.
inline constexpr Option kCommonOptions[] = {
    {"help", 'h', "", "Prints this help and exits.", "moescope run --help"},
    {"quiet", 'q', "", "Prints only errors on standard error; given twice, not even those.",
     "moescope run run.json -q", "", false, true},
    {"verbose", 'v', "", "Raises the log level: info, and given twice debug.",
     "moescope run run.json -v", "", false, true},
    {"color", '\0', "WHEN", "Uses colour on terminals, always or never.",
     "moescope lint layer.asm --color=never", "auto|always|never"},
    {"config", '\0', "FILE", "Takes option defaults from the command's table of a TOML file.",
     "moescope run run.json --config=moescope.toml"},
    {"diagnostics-format", '\0', "FORMAT", "Form of errors and warnings on standard error.",
     "moescope asm layer.asm --diagnostics-format=github", "text|json|sarif|github"},
};

// All commands, in the order of the help.
std::span<const Command* const> Commands();

// The command named by the first one or two words, or nothing.
const Command* FindCommand(std::span<const Command* const> commands, std::string_view name);

}  // namespace moescope::cli
