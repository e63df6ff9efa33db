#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/diagnostic.h"
#include "base/explanation.h"

namespace moescope::session {

// The page of `moescope explain` for an ID of any folder, in any case. InvalidArgument with the
// nearest IDs when there is none.
absl::StatusOr<std::string> Explain(std::string_view id);

// All explanations, by ID.
std::vector<Explanation> AllExplanations();

// The rule table of findings: what explains their IDs, by ID.
std::vector<Explanation> RulesOf(std::span<const Diagnostic> diagnostics);

}  // namespace moescope::session
