#pragma once

#include "absl/status/status.h"
#include "cli/arguments.h"
#include "cli/session/run_request.h"

namespace moescope::cli {

// The machine options of a command (settings-fallback, allow-unknown-keys, set, timing, dialect,
// strict-encoding) as part of a request; each wins over what is there or is added to it.
absl::Status ReadMachineOptions(const Arguments& arguments, session::MachineRequest& machine);

constexpr Option SettingsFallbackOption(std::string_view example) {
  return {
      .name = "settings-fallback",
      .value = "FROM",
      .description = "Takes keys that the machine file lacks from the built-in machine and warns.",
      .example = example,
      .choices = "defaults"};
}

constexpr Option AllowUnknownKeysOption(std::string_view example) {
  return {.name = "allow-unknown-keys",
          .description = "Warns about unknown keys of the machine file instead of refusing them.",
          .example = example};
}

constexpr Option SetOption(std::string_view example) {
  return {.name = "set",
          .value = "KEY=VALUE",
          .description = "Sets a key of the machine, as 'machine show' names it.",
          .example = example,
          .repeatable = true};
}

constexpr Option TimingOption(std::string_view example) {
  return {.name = "timing",
          .value = "MODEL",
          .description = "Timing model; the default is the machine's.",
          .example = example};
}

constexpr Option DialectOption(std::string_view example) {
  return {
      .name = "dialect",
      .value = "KEY=VALUE",
      .description = "Sets a dialect flag, or with 'reference' all that the public emulator has.",
      .example = example,
      .repeatable = true};
}

constexpr Option StrictEncodingOption(std::string_view example) {
  return {.name = "strict-encoding",
          .description = "Faults on words with a bit set that the instruction does not use.",
          .example = example};
}

}  // namespace moescope::cli
