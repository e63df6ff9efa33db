#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace moescope::session {

// File names and hashes of a dump_manifest.json, in its order.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadDumpHashes(
    const std::string& path);

}  // namespace moescope::session
