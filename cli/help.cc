#include "cli/help.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/string_view.h"

namespace moescope::cli {

namespace {

constexpr int kOptionColumn = 30;
constexpr int kCommandColumn = 20;

std::string Spaces(std::size_t count) { return std::string(count, ' '); }

// "  left      right", the right side wrapped in its own column.
std::string Row(std::string left, std::string_view right, int column, int width) {
  std::string row = absl::StrCat("  ", left);
  const auto at = static_cast<std::size_t>(column);
  if (row.size() + 2 > at) {
    absl::StrAppend(&row, "\n", Spaces(at));
  } else {
    row += Spaces(at - row.size());
  }
  return absl::StrCat(row, Wrap(right, width - column, column), "\n");
}

std::string OptionNames(const Option& option) {
  std::string names =
      option.letter == '\0' ? "    " : absl::StrCat("-", std::string(1, option.letter), ", ");
  absl::StrAppend(&names, "--", Absl(option.name));
  if (!option.value.empty()) {
    absl::StrAppend(&names, option.pair ? " " : "=", Absl(option.value));
  }
  return names;
}

std::string Options(std::string_view title, std::span<const Option> options, int width,
                    bool examples) {
  if (options.empty()) return "";
  std::string text = absl::StrCat("\n", Absl(title), ":\n");
  for (const Option& option : options) {
    text += Row(OptionNames(option), OptionText(option), kOptionColumn, width);
    if (examples) absl::StrAppend(&text, Spaces(kOptionColumn), "$ ", Absl(option.example), "\n");
  }
  return text;
}

std::string Paragraphs(std::string_view text, int width) {
  std::string out;
  for (const absl::string_view paragraph : absl::StrSplit(Absl(text), "\n\n")) {
    absl::StrAppend(&out, "\n", Wrap({paragraph.data(), paragraph.size()}, width, 0), "\n");
  }
  return out;
}

}  // namespace

std::string OptionText(const Option& option) {
  std::string text(option.description);
  if (!option.choices.empty()) {
    const std::vector<std::string> choices = absl::StrSplit(Absl(option.choices), '|');
    absl::StrAppend(&text, " ", Absl(option.value), option.list ? ": a list of " : ": ");
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const char* separator = i == 0                   ? ""
                              : i + 1 < choices.size() ? ", "
                              : option.list            ? " and "
                                                       : " or ";
      absl::StrAppend(&text, separator, choices[i]);
    }
    text += '.';
  }
  if (option.repeatable && !option.value.empty()) text += " May be repeated.";
  return text;
}

std::string UsageLine(const Command& command) {
  std::string usage = absl::StrCat("Usage: moescope ", Absl(command.name), " [OPTION]...");
  for (const Positional& positional : command.positionals) {
    const bool optional = positional.minimum == 0;
    absl::StrAppend(&usage, optional ? " [" : " ", Absl(positional.name), optional ? "]" : "");
    if (positional.maximum == kAnyNumber) usage += "...";
  }
  return usage + "\n";
}

std::string Wrap(std::string_view text, int width, int indent) {
  std::string out;
  std::size_t column = 0;
  for (const absl::string_view word : absl::StrSplit(Absl(text), ' ', absl::SkipEmpty())) {
    if (column > 0 && column + 1 + word.size() > static_cast<std::size_t>(width)) {
      absl::StrAppend(&out, "\n", Spaces(static_cast<std::size_t>(indent)));
      column = 0;
    }
    if (column > 0) out += ' ', ++column;
    absl::StrAppend(&out, word);
    column += word.size();
  }
  return out;
}

std::string OverviewHelp(std::span<const Command* const> commands, int width) {
  std::string text =
      "Usage: moescope COMMAND [OPTION]... [ARGUMENT]...\n\n"
      "Cycles per stage of compiled mixture-of-experts programs.\n\nCommands:\n";
  for (const Command* command : commands) {
    text += Row(std::string(command->name), command->summary, kCommandColumn, width);
  }
  return absl::StrCat(text, "\n",
                      Wrap("'moescope COMMAND --help' explains a command, 'moescope help COMMAND' "
                           "with an example of each option. 'moescope --version' prints what this "
                           "binary is.",
                           width, 0),
                      "\n");
}

std::string GroupHelp(std::span<const Command* const> commands, std::string_view group, int width) {
  std::string text =
      absl::StrCat("Usage: moescope ", Absl(group), " COMMAND [OPTION]...\n\nCommands:\n");
  for (const Command* command : commands) {
    if (!absl::StartsWith(Absl(command->name), absl::StrCat(Absl(group), " "))) continue;
    text += Row(std::string(command->name), command->summary, kCommandColumn, width);
  }
  return text;
}

std::string CommandHelp(const Command& command, int width, bool examples) {
  std::string text =
      absl::StrCat(Wrap(UsageLine(command), width, 7), "\n", Wrap(command.summary, width, 0), "\n");
  if (!command.details.empty()) text += Paragraphs(command.details, width);
  if (!command.positionals.empty()) {
    text += "\nArguments:\n";
    for (const Positional& positional : command.positionals) {
      text += Row(std::string(positional.name), positional.description, kOptionColumn, width);
    }
  }
  text += Options("Options", command.options, width, examples);
  text += Options("Common options", kCommonOptions, width, examples);
  return absl::StrCat(text, "\nExit code: ", Wrap(command.exit_codes, width - 11, 11), "\n");
}

}  // namespace moescope::cli
