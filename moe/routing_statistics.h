#pragma once

#include <cstdint>
#include <vector>

#include "moe/routing.h"

namespace moescope::moe {

// What every workload prints (moe.md, 13).
struct RoutingStatistics {
  std::vector<std::int64_t> counts;  // [E] slots per expert
  std::int64_t assignments = 0;      // slots that are not masked
  int active_experts = 0;
  double max_over_mean = 0;     // over all experts; 0 without assignments
  double duplicate_factor = 0;  // assignments / active experts; 0 without assignments
  double gini = 0;              // 0 without assignments
};

RoutingStatistics Statistics(const Routing& routing);

}  // namespace moescope::moe
