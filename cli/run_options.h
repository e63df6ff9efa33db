#pragma once

#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "cli/arguments.h"
#include "cli/session/run_request.h"

namespace moescope::cli {

// The levels of --log-level and MOESCOPE_LOG.
inline constexpr std::string_view kLogLevels = "trace|debug|info|warn|error|off";

// The option table of `moescope run`.
extern const std::span<const Option> kRunOptions;

// `request` (from a manifest, or empty) with everything that the options say; an option wins over
// the manifest's key, a repeatable one adds to it.
absl::StatusOr<session::RunRequest> ReadRunOptions(const Arguments& arguments,
                                                   session::RunRequest request);

}  // namespace moescope::cli
