#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "moe/layer.h"

// The spelling of every enumeration of a layer, as options, manifests and profiles write it.

namespace moescope::moe {

std::string_view Name(RouterMode mode);        // "softmax_topk"
std::string_view Name(Activation activation);  // "gpt_oss"
std::string_view Name(GateUpLayout layout);    // "granule8"
std::string_view Name(Weighting weighting);    // "pre"
std::string_view Name(WeightFormat format);    // "mxfp8_b32"

// InvalidArgument for an unknown name, with the names allowed and the nearest one.
absl::StatusOr<RouterMode> ParseRouterMode(std::string_view name);
absl::StatusOr<Activation> ParseActivation(std::string_view name);
absl::StatusOr<GateUpLayout> ParseGateUpLayout(std::string_view name);
absl::StatusOr<Weighting> ParseWeighting(std::string_view name);
absl::StatusOr<WeightFormat> ParseWeightFormat(std::string_view name);

}  // namespace moescope::moe
