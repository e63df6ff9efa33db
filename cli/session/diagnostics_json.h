#pragma once

#include <span>
#include <string>

#include "base/diagnostic.h"

namespace moescope::session {

// Findings as a `moescope.diagnostics` v1 document (cli/schema/diagnostics-v1.schema.json).
std::string DiagnosticsJson(std::span<const Diagnostic> diagnostics);

}  // namespace moescope::session
