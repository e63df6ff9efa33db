#pragma once

#include <cstdint>

#include "moe/routing.h"

namespace moescope::moe {

// Which slots of an expert survive (moe.md, 3.5): the largest weights (ties: lower pair), or the
// lowest pairs.
enum class Drop : std::uint8_t { kProbabilities, kPosition };

// C = ceil(factor K T / E) slots per expert.
std::int64_t Capacity(const Routing& routing, double factor);

// Turns every slot beyond the capacity of its expert into -1 with weight +0. Weights that stay are
// not renormalised. Returns the number of dropped slots.
std::int64_t DropBeyondCapacity(Routing& routing, double factor, Drop drop);

}  // namespace moescope::moe
