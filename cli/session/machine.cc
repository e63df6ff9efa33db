#include "cli/session/machine.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/diagnostic.h"
#include "base/status.h"

namespace moescope::session {

namespace {

void Override(emulator::MachineFileOptions& options, std::string key, std::string value,
              std::string origin) {
  options.overrides.push_back({std::move(key), std::move(value), std::move(origin)});
}

}  // namespace

std::string MachineName(const MachineRequest& request) {
  return request.file.empty() ? std::string(emulator::BuiltinMachineNames().front()) : request.file;
}

absl::StatusOr<emulator::MachineFile> OpenMachine(const MachineRequest& request,
                                                  std::optional<std::uint64_t> hbm_size) {
  emulator::MachineFileOptions options;
  options.allow_unknown_keys = request.allow_unknown_keys;
  options.default_missing_keys = request.default_missing_keys;
  options.reference_dialect = request.reference_dialect;
  for (const auto& [key, value] : request.set) {
    Override(options, key, value, absl::StrCat("--set ", key, "=", value));
  }
  for (const auto& [key, value] : request.dialect) {
    Override(options, absl::StrCat("MOESCOPE.", key), value,
             absl::StrCat("--dialect ", key, "=", value));
  }
  if (request.timing) {
    Override(options, "MOESCOPE.timing.model", *request.timing,
             absl::StrCat("--timing=", *request.timing));
  }
  if (request.strict_encoding) {
    Override(options, "MOESCOPE.strict_encoding", "true", "--strict-encoding");
  }
  if (hbm_size) {
    Override(options, "HBM_SIZE", absl::StrCat(*hbm_size), absl::StrCat("--hbm-size=", *hbm_size));
  }
  return emulator::LoadMachine(MachineName(request), options);
}

absl::Status CheckStatedShape(const isa::Program& program, const std::string& program_file,
                              const emulator::MachineDescription& machine,
                              const std::string& machine_file) {
  struct Parameter {
    const char* name;
    std::uint32_t stated;
    std::uint32_t actual;
  };
  const Parameter parameters[] = {{"MLEN", program.stated_shape.mlen, machine.shape.mlen},
                                  {"BLEN", program.stated_shape.blen, machine.shape.blen},
                                  {"VLEN", program.stated_shape.vlen, machine.shape.vlen},
                                  {"HLEN", program.stated_shape.hlen, machine.shape.hlen}};
  for (const Parameter& parameter : parameters) {
    if (parameter.stated == 0 || parameter.stated == parameter.actual) continue;
    Diagnostic diagnostic;
    diagnostic.id = "CF510";
    diagnostic.location.file = program_file;
    diagnostic.message =
        absl::StrCat("the program is compiled for ", parameter.name, " = ", parameter.stated,
                     ", the machine ", machine_file, " has ", parameter.actual);
    return ToStatus(diagnostic);
  }
  return absl::OkStatus();
}

}  // namespace moescope::session
