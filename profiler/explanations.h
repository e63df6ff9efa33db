#pragma once

#include <span>

#include "base/explanation.h"

namespace moescope::profiler {

// Of every invariant of profiles (PV01 to PV18), in order. An example is the line that
// `moescope profile verify` prints.
std::span<const Explanation> Explanations();

}  // namespace moescope::profiler
