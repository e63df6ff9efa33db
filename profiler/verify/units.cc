#include <array>

#include "base/string_view.h"
#include "profiler/verify/families.h"

namespace moescope::profiler {

namespace {

void CheckBlockBytes(const std::string& name, const CounterBlock& block, Findings& findings) {
  const auto check = [&](const char* direction, const TrafficCounters& traffic) {
    findings.Equal("PV10", absl::StrCat(name, ": hbm.", direction, ".physical_bytes != 64 x lines"),
                   traffic.physical_bytes, traffic.lines * kLineBytes);
    if (traffic.burst_bytes % kBurstBytes != 0) {
      findings.Fail("PV10",
                    absl::StrCat(name, ": hbm.", direction, ".burst_bytes ", traffic.burst_bytes,
                                 " is not a multiple of ", kBurstBytes));
    }
  };
  check("read", block.read);
  check("write", block.write);
  findings.AtMost("PV10", absl::StrCat(name, ": repeat_bytes > hbm.read.physical_bytes"),
                  block.read.extra_bytes, block.read.physical_bytes);
  findings.AtMost("PV10", absl::StrCat(name, ": rmw_read_bytes > hbm.read.physical_bytes"),
                  block.write.extra_bytes, block.read.physical_bytes);
}

// Instances per unit; 0 = not measured.
std::array<std::uint64_t, emulator::kUnitCount> Instances(const Profile& profile) {
  std::array<std::uint64_t, emulator::kUnitCount> instances{};
  for (std::size_t i = 0; i < instances.size(); ++i) {
    for (const NamedCount& unit : profile.model.units) {
      if (unit.name == emulator::kUnitNames[i]) instances[i] = unit.count;
    }
  }
  return instances;
}

}  // namespace

void CheckUnits(const Profile& profile, Findings& findings) {
  const bool measured = !profile.model.units.empty();
  Split sum;
  for (const StageEntry& stage : profile.stages) {
    findings.Demand("PV09", stage.counters.units.empty() != measured,
                    absl::StrCat("stage '", stage.name, "': units contradict model.units"));
    Add(sum, stage.counters.units);
  }
  const Split& totals = profile.totals.counters.units;
  findings.Demand("PV09", totals.empty() != measured, "totals: units contradict model.units");
  if (totals.empty() || sum.size() != totals.size()) return;
  const auto instances = Instances(profile);
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const std::string name = absl::StrCat("unit '", Absl(emulator::kUnitNames[i]), "': ");
    findings.Equal("PV09", name + "stages sum != totals", sum[i], totals[i]);
    findings.AtMost("PV09", name + "busy > cycles x instances", totals[i],
                    profile.totals.counters.cycles * instances[i]);
  }
}

void CheckBytes(const Profile& profile, Findings& findings) {
  CheckBlockBytes("totals", profile.totals.counters, findings);
  for (const StageEntry& stage : profile.stages) {
    CheckBlockBytes(absl::StrCat("stage '", stage.name, "'"), stage.counters, findings);
  }
  if (profile.pairs) {
    for (const PairRow& row : profile.pairs->rows) {
      CheckBlockBytes(absl::StrCat("pair ", row.pair), row.counters, findings);
    }
  }
  if (profile.experts) {
    for (const ExpertRow& row : profile.experts->rows) {
      CheckBlockBytes(absl::StrCat("expert ", row.expert), row.counters, findings);
    }
  }
}

}  // namespace moescope::profiler
