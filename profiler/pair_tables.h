#pragma once

#include "profiler/profile.h"
#include "profiler/run_sums.h"

namespace moescope::profiler {

// Above this number of pairs the per-pair stage maps are dropped (profile.md, 5.1).
inline constexpr std::size_t kMaximumDetailedPairs = 4096;

// Sets `pairs` (absent when the program has none) and `experts` (absent when none is known).
void SetPairTables(const Recording& recording, const RunSums& sums, Profile& profile);

}  // namespace moescope::profiler
