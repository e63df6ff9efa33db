#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "profiler/pc_table.h"
#include "profiler/profile.h"

namespace moescope::profiler {

// A chain of names, outermost first, and what it weighs by itself.
struct Stack {
  std::vector<std::string> frames;
  std::uint64_t weight = 0;
};

// The stacks of formats.h, in display order of the stages, without empty ones. Their weights sum to
// the total of the profile. InvalidArgument for an unknown weight.
absl::StatusOr<std::vector<Stack>> StacksOf(const Profile& profile, std::string_view weight,
                                            const PcTable* table);

}  // namespace moescope::profiler
