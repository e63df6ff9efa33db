#include "cli/machine_options.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace moescope::cli {

absl::Status ReadMachineOptions(const Arguments& arguments, session::MachineRequest& machine) {
  if (arguments.Has("settings-fallback")) machine.default_missing_keys = true;
  if (arguments.Has("allow-unknown-keys")) machine.allow_unknown_keys = true;
  ASSIGN_OR_RETURN(const auto set, arguments.Pairs("set"));
  machine.set.insert(machine.set.end(), set.begin(), set.end());
  if (const std::optional<std::string> timing = arguments.Text("timing")) machine.timing = timing;
  if (arguments.Has("strict-encoding")) machine.strict_encoding = true;
  for (const std::string& dialect : arguments.All("dialect")) {
    if (dialect == "reference") {
      machine.reference_dialect = true;
      continue;
    }
    const std::size_t equals = dialect.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return session::UsageError(
          absl::StrCat("--dialect ", dialect, ": write it as KEY=VALUE or 'reference'"));
    }
    machine.dialect.emplace_back(dialect.substr(0, equals), dialect.substr(equals + 1));
  }
  return absl::OkStatus();
}

}  // namespace moescope::cli
