#include "moe/routing_statistics.h"

#include <algorithm>
#include <cstddef>

namespace moescope::moe {
namespace {

double Gini(std::vector<std::int64_t> counts, std::int64_t total) {
  std::sort(counts.begin(), counts.end());
  double ranked = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    ranked += static_cast<double>(i + 1) * static_cast<double>(counts[i]);
  }
  const auto n = static_cast<double>(counts.size());
  return 2 * ranked / (n * static_cast<double>(total)) - (n + 1) / n;
}

}  // namespace

RoutingStatistics Statistics(const Routing& routing) {
  RoutingStatistics statistics{.counts = CountPerExpert(routing)};
  std::int64_t largest = 0;
  for (const std::int64_t count : statistics.counts) {
    statistics.assignments += count;
    statistics.active_experts += count > 0 ? 1 : 0;
    largest = std::max(largest, count);
  }
  if (statistics.assignments == 0) return statistics;
  const auto total = static_cast<double>(statistics.assignments);
  statistics.max_over_mean =
      static_cast<double>(largest) * static_cast<double>(statistics.counts.size()) / total;
  statistics.duplicate_factor = total / statistics.active_experts;
  statistics.gini = Gini(statistics.counts, statistics.assignments);
  return statistics;
}

}  // namespace moescope::moe
