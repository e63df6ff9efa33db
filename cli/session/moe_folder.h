#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/session/run_request.h"
#include "moe/generated_layer.h"

// The folder that `moescope moe gen` writes and `moe reference` and `moe check` read.

namespace moescope::session {

struct WriteLayerOptions {
  bool sparse = false;  // the HBM image leaves out experts that no token chooses
};

// Writes program, machine file, images, expected outputs and, last, the manifest; each file appears
// complete or not at all. The folder is made when it does not exist; its parent must.
absl::Status WriteLayerFolder(const moe::GeneratedLayer& layer, const std::string& folder,
                              const WriteLayerOptions& options);

// A folder as its manifest describes it: what to run, and the layer generated again from its
// labels.
struct LayerFolder {
  RunRequest run;
  emulator::MachineDescription machine;
  moe::GeneratedLayer layer;
};
absl::StatusOr<LayerFolder> ReadLayerFolder(const std::string& folder);

// Little-endian f32 of BF16 values: the golden files of a manifest.
std::string F32Bytes(const moe::Bf16Matrix& values);

}  // namespace moescope::session
