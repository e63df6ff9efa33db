#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace moescope::isa {

// A TOML text as JSON with the same keys. IS001 with the place when it does not follow the grammar.
absl::StatusOr<std::string> JsonOfToml(std::string_view text, const std::string& path);

}  // namespace moescope::isa
