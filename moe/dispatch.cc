#include "moe/dispatch.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "base/check.h"

namespace moescope::moe {

std::int64_t RowsMax(std::int64_t tokens, int top_k, int experts, int alignment) {
  const std::int64_t pairs = tokens * top_k;
  const std::int64_t bound = pairs + std::min<std::int64_t>(experts, pairs) * (alignment - 1);
  return (bound + alignment - 1) / alignment * alignment;
}

DispatchMap Dispatch(const Routing& routing, int alignment) {
  CHECK(alignment >= 1);
  CHECK(RowsMax(routing.tokens, routing.top_k, routing.experts, alignment) <
        std::numeric_limits<std::int32_t>::max());
  const auto experts = static_cast<std::size_t>(routing.experts);
  DispatchMap map{.alignment = alignment};
  map.count.resize(experts);
  map.base.resize(experts);
  for (const std::int32_t expert : routing.topk_idx) {
    if (expert >= 0) ++map.count[static_cast<std::size_t>(expert)];
  }
  std::int32_t rows = 0;
  for (std::size_t e = 0; e < experts; ++e) {
    map.base[e] = rows;
    rows += (map.count[e] + alignment - 1) / alignment * alignment;
    if (map.count[e] > 0) map.active.push_back(static_cast<std::int32_t>(e));
  }
  map.row_src.assign(static_cast<std::size_t>(rows), -1);
  map.row_of.assign(routing.topk_idx.size(), -1);
  std::vector<std::int32_t> next = map.base;
  for (std::size_t pair = 0; pair < routing.topk_idx.size(); ++pair) {
    if (routing.topk_idx[pair] < 0) continue;
    const std::int32_t row = next[static_cast<std::size_t>(routing.topk_idx[pair])]++;
    map.row_of[pair] = row;
    map.row_src[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(pair);
  }
  return map;
}

}  // namespace moescope::moe
