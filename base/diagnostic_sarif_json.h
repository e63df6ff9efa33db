#pragma once

#include <span>
#include <string>

#include "base/diagnostic.h"
#include "base/explanation.h"

namespace moescope {

// Findings as a SARIF 2.1.0 log of one run, ending with a newline. `rules` are the rule table, by
// id; a finding whose id is not among them has no rule. Columns are in code points, paths are
// percent-encoded and absolute ones become file: URIs.
std::string DiagnosticsSarif(std::span<const Diagnostic> diagnostics,
                             std::span<const Explanation> rules);

}  // namespace moescope
