#pragma once

#include <span>
#include <string>
#include <string_view>

#include "stages/lint.h"

namespace moescope::stages {

// Findings as a `moescope.lint` v1 document (profile.md, 3.1), ending with a newline. Columns count
// code points from 1. What is not known (a pc, a stage, a place) is absent.
std::string LintJson(std::span<const LintFinding> findings);

// The JSON Schema of that document.
std::string_view LintJsonSchema();

}  // namespace moescope::stages
