#pragma once

#include <span>

#include "base/explanation.h"

namespace moescope::isa {

// One entry per ID of ISA documents (IS0xx) and of the readers of program containers and stage
// sidecars (PC00x, PC01x), in order.
std::span<const Explanation> Explanations();

}  // namespace moescope::isa
