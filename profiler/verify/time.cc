#include <map>
#include <numeric>
#include <set>

#include "absl/strings/str_split.h"
#include "profiler/verify/families.h"

namespace moescope::profiler {

namespace {

std::uint64_t Sum(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

void CheckWork(const std::string& what, const Work& left, const Work& right, Findings& findings) {
  findings.Equal("PV11", what + " in instructions", left.instructions, right.instructions);
  findings.Equal("PV11", what + " in cycles", left.cycles, right.cycles);
}

void CheckBins(const Profile& profile, const TimelineBins& timeline, Findings& findings) {
  const std::uint64_t total = profile.totals.counters.cycles;
  const std::uint64_t width = timeline.bin_cycles;
  if (width == 0 || (width & (width - 1)) != 0) {
    return findings.Fail("PV12",
                         absl::StrCat("timeline: bin_cycles ", width, " is not a power of two"));
  }
  const std::uint64_t bins = total == 0 ? 1 : (total - 1) / width + 1;
  std::vector<std::uint64_t> per_bin(timeline.hbm_read_bytes.size());
  findings.Equal("PV12", "timeline: bins of hbm_read_bytes != bins of the run", per_bin.size(),
                 bins);
  findings.Equal("PV12", "timeline: bins of hbm_write_bytes != bins of the run",
                 timeline.hbm_write_bytes.size(), bins);
  for (const StageBins& stage : timeline.stage_cycles) {
    findings.Equal("PV12",
                   absl::StrCat("timeline: bins of stage '", stage.name, "' != bins of the run"),
                   stage.cycles.size(), bins);
    per_bin.resize(std::max(per_bin.size(), stage.cycles.size()));
    for (std::size_t i = 0; i < stage.cycles.size(); ++i) per_bin[i] += stage.cycles[i];
  }
  for (std::size_t i = 0; i < per_bin.size() && i < bins; ++i) {
    const std::uint64_t expected = i + 1 < bins ? width : total - i * width;
    findings.Equal("PV12", absl::StrCat("timeline: cycles of all stages != width of bin ", i),
                   per_bin[i], expected);
  }
}

}  // namespace

void CheckPaths(const Profile& profile, Findings& findings) {
  std::map<std::string, Work> self;
  std::map<std::string, Work> inclusive;
  Work sum;
  for (const PathEntry& path : profile.paths.value_or(std::vector<PathEntry>())) {
    const std::vector<std::string> names = absl::StrSplit(path.path, '/');
    const std::set<std::string> distinct(names.begin(), names.end());
    const auto add = [&](Work& work) {
      work.instructions += path.instructions;
      work.cycles += path.cycles;
    };
    add(sum);
    add(self[names.back()]);
    for (const std::string& name : distinct) add(inclusive[name]);
  }
  if (profile.paths) {
    CheckWork("paths: sum != totals", sum,
              {profile.totals.counters.instructions, profile.totals.counters.cycles}, findings);
  }
  for (const StageEntry& stage : profile.stages) {
    const Work counted{stage.counters.instructions, stage.counters.cycles};
    const std::string name = absl::StrCat("stage '", stage.name, "': ");
    if (!profile.paths) {
      CheckWork(name + "inclusive != self without regions", stage.inclusive, counted, findings);
      continue;
    }
    CheckWork(name + "its paths != self", self[stage.name], counted, findings);
    CheckWork(name + "inclusive != self + nested", stage.inclusive, inclusive[stage.name],
              findings);
    self.erase(stage.name);
  }
  if (profile.paths && !self.empty()) {
    findings.Fail("PV11", absl::StrCat("paths: '", self.begin()->first, "' is not a listed stage"));
  }
}

void CheckTimeline(const Profile& profile, Findings& findings) {
  if (!profile.timeline) return;
  const TimelineBins& timeline = *profile.timeline;
  CheckBins(profile, timeline, findings);
  std::map<std::string, std::uint64_t> cycles;
  for (const StageBins& stage : timeline.stage_cycles) cycles[stage.name] = Sum(stage.cycles);
  for (const StageEntry& stage : profile.stages) {
    findings.Equal("PV12", absl::StrCat("timeline: bins sum != cycles of stage '", stage.name, "'"),
                   cycles[stage.name], stage.counters.cycles);
  }
  findings.Equal("PV12", "timeline: hbm_read_bytes sum != hbm.read.physical_bytes",
                 Sum(timeline.hbm_read_bytes), profile.totals.counters.read.physical_bytes);
  findings.Equal("PV12", "timeline: hbm_write_bytes sum != hbm.write.physical_bytes",
                 Sum(timeline.hbm_write_bytes), profile.totals.counters.write.physical_bytes);
}

void CheckCycleRanges(const Profile& profile, Findings& findings) {
  for (const StageEntry& stage : profile.stages) {
    const std::string name = absl::StrCat("stage '", stage.name, "': ");
    const bool executed = stage.counters.instructions > 0;
    findings.Demand("PV13", (stage.calls > 0) == executed,
                    absl::StrCat(name, "calls ", stage.calls, " with ", stage.counters.instructions,
                                 " instructions"));
    findings.AtMost("PV13", name + "calls > instructions", stage.calls,
                    stage.counters.instructions);
    findings.Demand("PV13", stage.first_cycle.has_value() == executed,
                    name + "first_cycle must be there exactly when it was executed");
    findings.Demand("PV13", executed || !stage.last_cycle.has_value(),
                    name + "last_cycle although it was never executed");
    findings.AtMost("PV13", name + "last_cycle > totals.cycles", stage.last_cycle.value_or(0),
                    profile.totals.counters.cycles);
    findings.AtMost("PV13", name + "first_cycle > last_cycle", stage.first_cycle.value_or(0),
                    stage.last_cycle.value_or(profile.totals.counters.cycles));
    findings.Demand("PV13", !executed || stage.static_instructions > 0,
                    name + "executed instructions without static ones");
  }
}

}  // namespace moescope::profiler
