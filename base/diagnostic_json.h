#pragma once

#include <span>
#include <string>

#include "base/diagnostic.h"

namespace moescope {

// Findings as a `moescope.diagnostics` v1 document, ending with a newline. Places are given as far
// as they are known: `file`, then `line`, then `column` (in code points, from 1) and `length`.
std::string DiagnosticsJson(std::span<const Diagnostic> diagnostics);

// Findings as GitHub workflow commands, one line each: "::error file=a.asm,line=3,col=5,
// endColumn=9,title=AS008::text". Notes follow the text on lines of their own (%0A).
std::string DiagnosticsGithub(std::span<const Diagnostic> diagnostics);

}  // namespace moescope
