#pragma once

#include "absl/status/statusor.h"
#include "profiler/document_json.h"
#include "profiler/profile.h"

namespace moescope::profiler {

// InvalidArgument when a tree is not a profile or of a newer schema_version.
absl::Status CheckIsProfile(const Json& tree);

// ReadProfile of a text that is parsed already.
absl::StatusOr<Profile> ReadProfileTree(const Json& tree);

}  // namespace moescope::profiler
