#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "profiler/profile.h"

// The drawings of the HTML report. Each is markup; empty when the profile does not hold what it
// shows. Their size is bounded: of very many stages those with the most cycles are drawn and the
// rest is summed up, and of very many pairs or experts a cell stands for several.

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
// One cell per pair and per expert, or per several: cycles, bytes, bytes fetched again.
std::string HeatMaps(const Profile& profile);

// log2(value) in 1/1024, rounded down; `value` must not be 0. Integer arithmetic only.
std::int64_t Log2(std::uint64_t value);

// Stages that a plot draws by themselves.
inline constexpr std::size_t kMaximumDrawnStages = 64;
// Their names: all stages that took cycles, or those of them that took the most, the first of
// equals.
std::set<std::string> DrawnStages(const Profile& profile);
// "7 other stages".
std::string OtherStages(std::size_t count);

// The colour of a stage: its place in the profile.
std::string_view StageColour(const Profile& profile, std::string_view stage);

}  // namespace moescope::profiler
