#pragma once

#include "stages/lint_program.h"

namespace moescope::stages {

// MS105: sequences of instructions that give a stage away (profile.md 3.1), in a stage that has no
// place for them:
// * M_MM to its M_*_WO, in a stage without MAT;
// * an address register set from a product with a loaded integer, in a built-in stage other than
//   router_topk, expert_weight_address and shared_expert;
// * a loop that stores f0, then S_MAP_V_FP, in a stage without MAP.
void LintIdioms(LintProgram& program);

}  // namespace moescope::stages
