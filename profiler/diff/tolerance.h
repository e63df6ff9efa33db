#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace moescope::profiler {

// How far a metric may move: an absolute number, or parts per million of side A.
struct Tolerance {
  std::string selector;
  bool is_relative = false;
  std::uint64_t limit = 0;

  bool Allows(std::uint64_t a, std::uint64_t b) const;
};

// "METRIC=P%" or "METRIC=N". METRIC is `*`, a family (cycles instructions bytes reason unit opcode
// opcode_instructions), a metric ("reason:hbm_row"), or one of them with ":STAGE" behind it.
// InvalidArgument with the text and what is allowed.
absl::StatusOr<Tolerance> ParseTolerance(std::string_view text);

// The most specific tolerance for a metric of a scope; of equals the last. Absent when none
// matches.
std::optional<Tolerance> ToleranceFor(const std::vector<Tolerance>& tolerances,
                                      std::string_view metric, std::string_view scope);

}  // namespace moescope::profiler
