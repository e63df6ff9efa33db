#include <string_view>

#include "base/string_view.h"
#include "profiler/ratio.h"
#include "profiler/roofline.h"
#include "profiler/stage_tables.h"
#include "profiler/verify/families.h"

namespace moescope::profiler {

namespace {

std::string Shown(const std::optional<std::uint64_t>& value) {
  return value ? absl::StrCat(*value) : "absent";
}

void CheckPoint(const std::string& name, const RooflinePoint& written, const RooflinePoint& right,
                Findings& findings) {
  findings.Equal("PV14", name + "intensity_milli", Shown(written.intensity_milli),
                 Shown(right.intensity_milli));
  findings.Equal("PV14", name + "achieved_milli", Shown(written.achieved_milli),
                 Shown(right.achieved_milli));
  findings.Equal("PV14", name + "bound", written.bound.value_or("absent"),
                 right.bound.value_or("absent"));
}

void CheckUtilisation(const Profile& profile, const StageEntry& stage, Findings& findings) {
  findings.Demand("PV14", stage.utilisation_ppm.empty() == profile.model.units.empty(),
                  absl::StrCat("stage '", stage.name, "': utilisation contradicts model.units"));
  if (stage.utilisation_ppm.empty() || stage.counters.units.empty()) return;
  for (const NamedCount& unit : profile.model.units) {
    for (std::size_t i = 0; i < emulator::kUnitCount; ++i) {
      if (unit.name != emulator::kUnitNames[i]) continue;
      findings.Equal(
          "PV14", absl::StrCat("stage '", stage.name, "': utilisation_ppm of ", unit.name),
          stage.utilisation_ppm[i],
          Scaled(stage.counters.units[i], 1'000'000, Wide{stage.counters.cycles} * unit.count));
    }
  }
}

void CheckStage(const Profile& profile, const StageEntry& stage, Findings& findings) {
  const std::string name = absl::StrCat("stage '", stage.name, "': ");
  findings.Equal("PV14", name + "cycle_share_ppm", stage.cycle_share_ppm,
                 Ppm(stage.counters.cycles, profile.totals.counters.cycles));
  findings.Equal("PV14", name + "instruction_share_ppm", stage.instruction_share_ppm,
                 Ppm(stage.counters.instructions, profile.totals.counters.instructions));
  CheckUtilisation(profile, stage, findings);
  const bool has_point = profile.roofline && stage.counters.cycles > 0;
  findings.Demand("PV14", stage.roofline.has_value() == has_point,
                  name + "roofline must be there exactly when it took cycles");
  if (has_point && stage.roofline) {
    CheckPoint(name + "roofline.", *stage.roofline, PointOf(stage.counters, *profile.roofline),
               findings);
  }
}

void CheckRoofs(const Profile& profile, Findings& findings) {
  if (!profile.roofline) return;
  const Roofline& roofline = *profile.roofline;
  findings.Equal("PV14", "roofline.ridge_milli", roofline.ridge_milli, RidgeMilli(roofline));
  findings.Equal("PV14", "roofline.issued_flops", roofline.issued_flops,
                 profile.totals.counters.flops.matrix);
  CheckPoint("roofline.", roofline.point, PointOf(profile.totals.counters, roofline), findings);
}

}  // namespace

void CheckDerivedValues(const Profile& profile, Findings& findings) {
  const std::uint64_t cycles = profile.totals.counters.cycles;
  if (Wide{cycles} * profile.machine.clock_period_ps != profile.totals.time_ps) {
    findings.Fail("PV14", absl::StrCat("totals.time_ps ", profile.totals.time_ps, " is not ",
                                       cycles, " x ", profile.machine.clock_period_ps));
  }
  if (profile.model.coverage && profile.model.coverage->classes.size() >= 2) {
    const std::vector<Work>& classes = profile.model.coverage->classes;
    findings.Equal("PV14", "model.coverage.in_domain_ppm", profile.model.coverage->in_domain_ppm,
                   Ppm(classes[0].cycles + classes[1].cycles, cycles));
  }
  for (const StageEntry& stage : profile.stages) CheckStage(profile, stage, findings);
  CheckRoofs(profile, findings);
  const Derived derived = DerivedOf(profile.stages);
  findings.Equal("PV14", "derived.routing_tax_cycles", profile.derived.routing_tax_cycles,
                 derived.routing_tax_cycles);
  findings.Demand("PV14", profile.derived.routing_tax_stages == derived.routing_tax_stages,
                  "derived.routing_tax_stages are not the listed stages of the routing tax");
}

}  // namespace moescope::profiler
