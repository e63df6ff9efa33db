#pragma once

#include "absl/status/status.h"
#include "moe/layer.h"

namespace moescope::moe {

// Limits of moe.md, 1, and of this implementation.
inline constexpr int kMaxExperts = 65535;
inline constexpr int kMaxTopK = 255;
inline constexpr int kMaxWidth = 1 << 20;  // hidden, intermediate, shared intermediate

// InvalidArgument when the description contradicts itself or exceeds a limit. The message names the
// value, the limit and the option that sets it, and ends with an id: "top_k = 9 exceeds experts = 8
// (--top-k, --experts) [RC002]".
absl::Status Check(const Layer& layer);

}  // namespace moescope::moe
