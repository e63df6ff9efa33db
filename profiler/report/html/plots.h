#pragma once

#include <cstdint>
#include <string>

#include "profiler/profile.h"

// The drawings of the HTML report. Each is markup; empty when the profile does not hold what it
// shows.

namespace moescope::profiler {

// One bar per stage, as long as its cycles, split by reason.
std::string ReasonsPlot(const Profile& profile);
// Busy share of every unit over the whole run.
std::string UnitsPlot(const Profile& profile);
// Cycles per stage over time, stacked.
std::string TimelinePlot(const Profile& profile);
// HBM bytes read and written over time, against the peak.
std::string BandwidthPlot(const Profile& profile);
// The roofs and one point per stage, both axes logarithmic.
std::string RooflinePlot(const Profile& profile);
// One cell per pair and per expert: cycles, bytes, bytes fetched again.
std::string HeatMaps(const Profile& profile);

// log2(value) in 1/1024, rounded down; `value` must not be 0. Integer arithmetic only.
std::int64_t Log2(std::uint64_t value);

// The colour of a stage: its place in the profile.
std::string_view StageColour(const Profile& profile, std::string_view stage);

}  // namespace moescope::profiler
