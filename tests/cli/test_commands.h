#pragma once

#include <string>

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

inline constexpr Command kRun = {.name = "run",
                                 .summary = "Runs.",
                                 .details = "First paragraph.\n\nSecond paragraph.",
                                 .positionals = kTestFiles,
                                 .options = kTestOptions,
                                 .exit_codes = "0.",
                                 .run = PrintCall};
inline constexpr Command kVerify = {.name = "profile verify",
                                    .summary = "Verifies.",
                                    .positionals = kTestFiles,
                                    .options = kTestOptions,
                                    .exit_codes = "0 or 1.",
                                    .run = PrintCall};
inline constexpr Command kShow = {.name = "profile show",
                                  .summary = "Shows.",
                                  .positionals = kTestPair,
                                  .options = kTestOptions,
                                  .exit_codes = "0.",
                                  .run = PrintCall};
// "run", "profile verify" and "profile show".
inline constexpr const Command* kTestCommands[] = {&kRun, &kVerify, &kShow};

// A command whose name is also the first word of another.
inline constexpr Command kDiff = {.name = "diff",
                                  .summary = "Compares.",
                                  .positionals = kTestFiles,
                                  .options = kTestOptions,
                                  .exit_codes = "0.",
                                  .run = PrintCall};
inline constexpr Command kDiffLog = {.name = "diff log",
                                     .summary = "Compares logs.",
                                     .positionals = kTestFiles,
                                     .options = kTestOptions,
                                     .exit_codes = "0.",
                                     .run = PrintCall};
inline constexpr const Command* kNestedCommands[] = {&kRun, &kDiff, &kDiffLog};

}  // namespace moescope::cli::test
