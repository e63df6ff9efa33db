#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "moe/emit/lowering.h"
#include "moe/layer.h"
#include "moe/seeded_layer.h"
#include "moe/workload.h"

namespace moescope::moe {

// Everything that decides what `moe gen` writes, besides the machine.
struct LayerRequest {
  Layer layer;
  std::int64_t tokens = 1;
  std::uint64_t seed = 1;
  Values values = Values::kRandom;
  bool fixed = false;  // ids known when compiling
  Workload workload;   // fixed only
  Lowering lowering;

  friend bool operator==(const LayerRequest&, const LayerRequest&) = default;
};

// softmax_topk over the shape given, SwiGLU, MXFP8 block 8: what options start from without a
// preset.
Layer DefaultLayer();

// "64", "64+gate" or "none": the value of --shared.
absl::Status ParseShared(std::string_view text, Layer& layer);

// The request as texts, one per property, that ReadLabels turns back into an equal request: what a
// manifest records. Keys start with "moe.".
std::map<std::string, std::string> Labels(const LayerRequest& request);

// InvalidArgument naming the first label that is missing, unknown or not understood. Labels whose
// key does not start with "moe." are skipped.
absl::StatusOr<LayerRequest> ReadLabels(const std::map<std::string, std::string>& labels);

}  // namespace moescope::moe
