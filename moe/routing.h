#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace moescope::moe {

// The result of routing T tokens to K slots each (moe.md, 1). Slot order is rank order and the
// order of the combine.
struct Routing {
  std::int64_t tokens = 0;
  int top_k = 0;
  int experts = 0;
  std::vector<std::int32_t> topk_idx;  // [T, K]; -1 = masked slot
  std::vector<float> topk_w;           // [T, K]; +0 where the slot is masked

  std::int64_t pairs() const { return tokens * top_k; }
  friend bool operator==(const Routing&, const Routing&) = default;
};

// Sizes, ids in [-1, E), finite weights, +0 in masked slots. InvalidArgument names the first
// offending slot.
absl::Status Check(const Routing& routing);

// Slots that choose each expert, [E].
std::vector<std::int64_t> CountPerExpert(const Routing& routing);

}  // namespace moescope::moe
