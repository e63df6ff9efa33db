#include "moe/capacity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace moescope::moe {

std::int64_t Capacity(const Routing& routing, double factor) {
  return static_cast<std::int64_t>(
      std::ceil(factor * static_cast<double>(routing.pairs()) / routing.experts));
}

std::int64_t DropBeyondCapacity(Routing& routing, double factor, Drop drop) {
  const auto capacity =
      static_cast<std::size_t>(std::max<std::int64_t>(0, Capacity(routing, factor)));
  std::vector<std::vector<std::size_t>> pairs(static_cast<std::size_t>(routing.experts));
  for (std::size_t pair = 0; pair < routing.topk_idx.size(); ++pair) {
    if (routing.topk_idx[pair] >= 0) {
      pairs[static_cast<std::size_t>(routing.topk_idx[pair])].push_back(pair);
    }
  }
  std::int64_t dropped = 0;
  for (std::vector<std::size_t>& rows : pairs) {
    if (drop == Drop::kProbabilities) {
      std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
        return routing.topk_w[a] > routing.topk_w[b];
      });
    }
    for (std::size_t i = capacity; i < rows.size(); ++i) {
      routing.topk_idx[rows[i]] = -1;
      routing.topk_w[rows[i]] = 0;
      ++dropped;
    }
  }
  return dropped;
}

}  // namespace moescope::moe
