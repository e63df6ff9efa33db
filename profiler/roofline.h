#pragma once

#include "profiler/profile.h"

namespace moescope::profiler {

// The roofs of a machine, without a point. Absent when the run description does not state them.
std::optional<Roofline> Roofs(const emulator::RunDescription& run);

// Where a block of counters lies under these roofs (profile.md, 5.5).
RooflinePoint PointOf(const CounterBlock& counters, const Roofline& roofs);

// peak matrix FLOP per cycle / peak HBM bytes per cycle, in thousandths.
std::uint64_t RidgeMilli(const Roofline& roofs);

}  // namespace moescope::profiler
