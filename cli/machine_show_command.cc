#include "base/status.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/machine_options.h"
#include "cli/request_options.h"
#include "cli/session/machine.h"
#include "cli/session/machine_listing.h"
#include "cli/shared_options.h"

namespace moescope::cli {

namespace {

constexpr Positional kPositionals[] = {
    {"FILE", "Machine file, or the name of a shipped machine; the default is the built-in one.", 0,
     1}};

constexpr Option kOptions[] = {
    FormatOption("text|json", "moescope machine show --format=json"),
    SetOption("moescope machine show rtl-8 --set=MLEN=16"),
    TimingOption("moescope machine show --timing=serial"),
    DialectOption("moescope machine show --dialect=reference"),
    StrictEncodingOption("moescope machine show --strict-encoding"),
    AllowUnknownKeysOption("moescope machine show machine.toml --allow-unknown-keys"),
    SettingsFallbackOption("moescope machine show machine.toml --settings-fallback=defaults"),
};

absl::StatusOr<emulator::MachineFile> MachineOf(const Arguments& arguments) {
  session::MachineRequest request;
  if (!arguments.positionals().empty()) request.file = arguments.positionals().front();
  RETURN_IF_ERROR(ReadMachineOptions(arguments, request));
  return session::OpenMachine(request);
}

ExitCode Run(const Arguments& arguments, Console& console) {
  const absl::StatusOr<emulator::MachineFile> file = MachineOf(arguments);
  if (!file.ok()) return Fail(console, file.status());
  console.Report(file->warnings);
  console.Out(arguments.TextOr("format", "text") == "json"
                  ? session::MachineListingJson(file->machine)
                  : session::MachineListingText(file->machine));
  return ExitCode::kSuccess;
}

}  // namespace

const Command kMachineShowCommand = {
    .name = "machine show",
    .summary = "Prints every effective parameter of a machine with its label and source.",
    .details = "Shipped machines: plena-64 (built in), rtl-8, analytic.",
    .positionals = kPositionals,
    .options = kOptions,
    .exit_codes = "0; 3 when the machine file cannot be read or breaks a rule.",
    .run = Run,
};

}  // namespace moescope::cli
