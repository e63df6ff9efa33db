#pragma once

#include <functional>
#include <string_view>

#include "absl/status/status.h"

namespace moescope::profiler {

// Where a listener's output goes, piece by piece: a file, a compressor, a string.
using ByteSink = std::function<absl::Status(std::string_view bytes)>;

}  // namespace moescope::profiler
