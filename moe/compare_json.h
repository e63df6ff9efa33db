#pragma once

#include <string>
#include <vector>

#include "moe/compare.h"

namespace moescope::moe {

// The records of a run as one JSON document, "moescope.comparison" version 1. Ratios are printed
// with 9 significant digits; a skipped check has no metrics.
std::string FormatComparisons(const std::vector<ComparisonRecord>& records);

}  // namespace moescope::moe
