#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/explanation.h"

namespace moescope::session {

// The page of `moescope explain` for an ID of any folder, in any case. InvalidArgument with the
// nearest IDs when there is none.
absl::StatusOr<std::string> Explain(std::string_view id);

// All explanations, by ID.
std::vector<Explanation> AllExplanations();

// Those of the given IDs, by ID.
std::vector<Explanation> ExplanationsOf(std::span<const std::string_view> ids);

}  // namespace moescope::session
