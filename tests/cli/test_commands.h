#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/option.h"

namespace moescope::cli::test {

// Commands that print what they were called with.
inline constexpr Option kTestOptions[] = {
    {"output", 'o', "FILE", "Where to write.", "moescope run -o x"},
    {"limit", '\0', "N", "A number.", "moescope run --limit=5"},
    {"label", '\0', "K=V", "A pair.", "moescope run --label a=b", "", false, true},
    {"dump", '\0', "LIST", "Memories.", "moescope run --dump=vram,hbm", "vram|hbm|mram", true,
     true},
    {"timing", '\0', "MODEL", "A model.", "moescope run --timing=serial", "serial|rtl"},
    {"strict", '\0', "", "A flag.", "moescope run --strict"},
    {.name = "stages",
     .value = "X Y",
     .description = "Two stages.",
     .example = "moescope run --stages a b",
     .pair = true},
};
inline constexpr Positional kTestFiles[] = {{"FILE", "Files.", 0, kAnyNumber}};
inline constexpr Positional kTestPair[] = {{"A", "First."}, {"B", "Second."}};

inline ExitCode PrintCall(const Arguments& arguments, Console& console) {
  std::string text(arguments.command().name);
  for (const Option& option : kTestOptions) {
    for (const std::string& value : arguments.All(option.name)) {
      text += " " + std::string(option.name) + "=" + value;
    }
  }
  for (const std::string& file : arguments.positionals()) text += " [" + file + "]";
  console.Out(text + "\n");
  return ExitCode::kSuccess;
}

constexpr Command TestCommand(std::string_view name, std::string_view summary,
                              std::span<const Positional> positionals = kTestFiles) {
  return {.name = name,
          .summary = summary,
          .positionals = positionals,
          .options = kTestOptions,
          .exit_codes = "0.",
          .run = PrintCall};
}

constexpr Command TestRun() {
  Command command = TestCommand("run", "Runs.");
  command.details = "First paragraph.\n\nSecond paragraph.";
  return command;
}

constexpr Command TestVerify() {
  Command command = TestCommand("profile verify", "Verifies.");
  command.exit_codes = "0 or 1.";
  return command;
}

inline constexpr Command kRun = TestRun();
inline constexpr Command kVerify = TestVerify();
inline constexpr Command kShow = TestCommand("profile show", "Shows.", kTestPair);
// "run", "profile verify" and "profile show".
inline constexpr const Command* kTestCommands[] = {&kRun, &kVerify, &kShow};

// A command whose name is also the first word of another.
inline constexpr Command kDiff = TestCommand("diff", "Compares.");
inline constexpr Command kDiffLog = TestCommand("diff log", "Compares logs.");
inline constexpr const Command* kNestedCommands[] = {&kRun, &kDiff, &kDiffLog};

}  // namespace moescope::cli::test
