#pragma once

#include "stages/lint_program.h"

// One function per group of lint rules; each adds its findings to the program.

namespace moescope::stages {

// MS101, MS102, MS103, MS108: what stands where.
void LintMarkerPlaces(LintProgram& program);
// MS109, MS110, MS113: pairs, experts and the order of stages.
void LintAttributes(LintProgram& program);
// MS104, MS105, MS114, MS116: instructions against the stage in force.
void LintInstructions(LintProgram& program);
// MS106, MS107: includes and macros.
void LintExpansions(LintProgram& program);
// MS111, MS112, MS115: coverage.
void LintCoverage(LintProgram& program, const LintOptions& options);

}  // namespace moescope::stages
