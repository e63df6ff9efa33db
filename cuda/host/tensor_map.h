#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace moescope::cuda {

// A BF16 tensor for the copy engine: innermost dimension first; 64 columns (128 bytes, swizzled) by
// `box_rows` rows per copy. Elements outside the tensor arrive as zeros.
struct TensorMapShape {
  const void* data = nullptr;
  std::vector<std::int64_t> sizes;  // columns, rows[, matrices]
  int box_rows = 0;                 // at most 256
};

// Writes a CUtensorMap (128 bytes, aligned to 64) to `map`.
absl::Status EncodeTensorMap(const TensorMapShape& shape, void* map);

}  // namespace moescope::cuda
