#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/arguments.h"
#include "emulator/machine.h"
#include "moe/generated_layer.h"

namespace moescope::cli {

// What the options of `moe gen` ask for.
struct GenRequest {
  moe::LayerRequest layer{.layer = moe::DefaultLayer()};
  emulator::MachineDescription machine;
  std::optional<moe::Routing> routing;  // of a replayed route trace
  std::string folder;
  bool sparse = false;
};
absl::StatusOr<GenRequest> ReadGenRequest(const Arguments& arguments);

// The comment lines at the top of the program.
std::string GenHeader(const moe::LayerRequest& request);

// What is said when the folder is written: shape, program size and, for fixed routing, the figures
// of the workload.
std::string GenSummary(const moe::GeneratedLayer& layer, const std::string& folder);

}  // namespace moescope::cli
