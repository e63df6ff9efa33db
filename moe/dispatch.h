#pragma once

#include <cstdint>
#include <vector>

#include "moe/routing.h"

namespace moescope::moe {

// The stable permutation of moe.md, 4: experts ascend, rows of an expert ascend in pair number, and
// every expert's rows are padded to a multiple of the alignment. A pure function of topk_idx and
// the alignment.
struct DispatchMap {
  int alignment = 1;
  std::vector<std::int32_t> count;    // [E] valid rows
  std::vector<std::int32_t> base;     // [E] first row; of an empty expert too
  std::vector<std::int32_t> row_src;  // [rows] pair number, or -1 for padding
  std::vector<std::int32_t> row_of;   // [T, K] row, or -1 for a masked slot
  std::vector<std::int32_t> active;   // experts with rows, ascending

  friend bool operator==(const DispatchMap&, const DispatchMap&) = default;
};

// `routing` must be valid (Check) and have fewer than 2^31 padded rows (CHECK); alignment >= 1.
DispatchMap Dispatch(const Routing& routing, int alignment = 1);

// Upper bound on the rows that needs no routing: roundup(T K + min(E, T K) (A - 1), A).
std::int64_t RowsMax(std::int64_t tokens, int top_k, int experts, int alignment);

}  // namespace moescope::moe
