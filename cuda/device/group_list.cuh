#pragma once

#include <cstdint>

namespace moescope::cuda::device {

// Non-empty experts in ascending order, written by dispatch.
struct GroupList {
  const std::int32_t* size;    // [1]: groups
  const std::int32_t* expert;  // [groups]
  const std::int32_t* prefix;  // [groups + 1]: token tiles before the group
  const std::int32_t* odd;     // [groups + 1]: groups before it with an odd number of tiles
  const std::int32_t* count;   // [E] valid rows
  const std::int32_t* base;    // [E] first row
};

}  // namespace moescope::cuda::device
