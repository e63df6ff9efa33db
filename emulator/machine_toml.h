#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/diagnostic.h"
#include "emulator/machine.h"

// Machine files: TOML in the public plena_settings.toml layout with our own keys under [MOESCOPE]
// (numerics.md, 9; timing.md, 2).

namespace moescope::emulator {

// A value that wins over the file. `key` is a path or any dotted tail of one that is unique
// ("MLEN", "hbm.channels"); `origin` is how messages call it ("--set MLEN=128").
struct MachineOverride {
  std::string key;
  std::string value;
  std::string origin;
};

struct MachineFileOptions {
  bool allow_unknown_keys = false;  // unknown keys become warnings
  // A required key that is missing takes the built-in machine's value, with a warning.
  bool default_missing_keys = false;
  bool reference_dialect = false;  // the set of isa.md, 7, whatever the file says
  std::vector<MachineOverride> overrides;
};

struct MachineFile {
  MachineDescription machine;
  std::vector<Diagnostic> warnings;
};

// Strict: unknown, missing and duplicated keys, wrong types and values that break a rule are errors
// with file, line and column, all of them in one status (at most 20). The machine passes
// CheckMachine. Without a [MOESCOPE] table the dialect is the set `reference`.
absl::StatusOr<MachineFile> ParseMachine(std::string_view text, const std::string& file,
                                         const MachineFileOptions& options = {});

// `name` is a file, or the name of a machine of this binary when no such file exists.
absl::StatusOr<MachineFile> LoadMachine(const std::string& name,
                                        const MachineFileOptions& options = {});

// The machines of this binary: "plena-64", "rtl-8", "analytic". The first is the default.
const std::vector<std::string_view>& BuiltinMachineNames();
// The text of a built-in machine's file; empty when there is none of that name.
std::string_view BuiltinMachineText(std::string_view name);

// Convention, masked_reduction and scale_read of the set `reference`.
void UseReferenceDialect(Dialect& dialect);

// "KEY=VALUE" as an override; InvalidArgument without '=' or key (CF008). `option` is "--set".
absl::StatusOr<MachineOverride> ParseOverride(std::string_view option, std::string_view text);

}  // namespace moescope::emulator
