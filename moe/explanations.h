#pragma once

#include <span>

#include "base/explanation.h"

namespace moescope::moe {

// One entry per RC id, in order: what can be wrong with a layer, its inputs, its lowering and its
// folder.
std::span<const Explanation> Explanations();

}  // namespace moescope::moe
