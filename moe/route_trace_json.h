#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "moe/routing.h"

namespace moescope::moe {

// A recorded routing (moe.md, 13: route trace).
struct RouteTrace {
  Routing routing;
  std::optional<std::int64_t> hidden_size;
  std::optional<std::int64_t> intermediate_size;
  std::optional<std::int64_t> layer_index;
  std::optional<std::uint64_t> seed;  // of files that moescope wrote
  // The whole document, members that are not interpreted included.
  std::string document;
};

// Reads the public layout (schema_version 1) and ours. InvalidArgument names `path` and the JSON
// pointer of the offending member: a table that is not T x K, an id outside [-1, E), a weight that
// is not finite, expert_counts that differ from the recount.
absl::StatusOr<RouteTrace> ParseRouteTrace(std::string_view json, const std::string& path);
absl::StatusOr<RouteTrace> ReadRouteTrace(const std::string& path);

// The text of a file that ParseRouteTrace reads back: "schema": "moescope.route_trace".
std::string FormatRouteTrace(const RouteTrace& trace);

}  // namespace moescope::moe
