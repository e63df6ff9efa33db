#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cli/session/run_request.h"

namespace moescope::session {

// Reads a run manifest: `moescope.run` v1 (cli/schema/run-v1.schema.json). Relative paths in it
// start at its own folder; a machine or a stage vocabulary that is no file there may be the name of
// a shipped one. Every finding has its place: MF001 not JSON, MF002 another schema or version,
// MF003 unknown key, MF004 missing or of the wrong type, MF005 value not allowed, MF006 key twice,
// MF007 keys that exclude each other.
absl::StatusOr<RunRequest> ReadManifest(const std::string& path);
absl::StatusOr<RunRequest> ParseManifest(std::string_view text, const std::string& path);

// "stages.NAME.cycles" and so on: the figures that `expect` may name, separated by '|'.
std::string_view TotalMetricNames();
std::string_view StageMetricNames();

}  // namespace moescope::session
