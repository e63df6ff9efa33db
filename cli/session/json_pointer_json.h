#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace moescope::session {

// The part of a JSON text that a JSON pointer (RFC 6901) names: "" is everything, "/totals/cycles"
// a member, "/stages/0" an element. Texts are printed without quotes, everything else as JSON. An
// InvalidArgument status names the first step that leads nowhere.
absl::StatusOr<std::string> AtPointer(std::string_view text, const std::string& path,
                                      std::string_view pointer);

}  // namespace moescope::session
