#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace moescope::cuda {

// OK for cudaSuccess (0); Internal "<what>: <name of the error>: <text>" otherwise, NotFound when
// there is no device or driver. `error` is a cudaError_t.
absl::Status ToStatus(int error, std::string_view what);

}  // namespace moescope::cuda
