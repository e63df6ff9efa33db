#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cuda/forward.h"
#include "cuda/plan.h"

// Host checks before the first launch. They look at addresses, sizes and types only.

namespace moescope::cuda {

absl::Status CheckRoute(const Plan& plan, const RouteTensors& tensors, Span workspace);
absl::Status CheckForward(const Plan& plan, const ForwardTensors& tensors, Span workspace);
absl::Status CheckWorkspace(const Plan& plan, Span workspace);

}  // namespace moescope::cuda
