#include <set>

#include "profiler/verify/families.h"
#include "stages/stage.h"

namespace moescope::profiler {

namespace {

bool IsLimit(const std::string& reason) {
  return reason == "max_cycles" || reason == "max_instructions" || reason == "timeout";
}

void CheckCoverage(const Profile& profile, Findings& findings) {
  if (!profile.model.coverage) return;
  Work sum;
  for (const Work& work : profile.model.coverage->classes) {
    sum.instructions += work.instructions;
    sum.cycles += work.cycles;
  }
  const CounterBlock& totals = profile.totals.counters;
  findings.Equal("PV18", "model.coverage: instructions of all classes != totals", sum.instructions,
                 totals.instructions);
  findings.Equal("PV18", "model.coverage: cycles of all classes != totals", sum.cycles,
                 totals.cycles);
}

void CheckHot(const Profile& profile, Findings& findings) {
  std::set<std::uint64_t> pcs;
  for (std::size_t i = 0; i < profile.hot.size(); ++i) {
    const HotRow& row = profile.hot[i];
    findings.Demand("PV18", pcs.insert(row.pc).second,
                    absl::StrCat("hot: pc ", row.pc, " appears twice"));
    findings.Demand("PV18", row.pc < profile.program.words,
                    absl::StrCat("hot: pc ", row.pc, " is outside the program"));
    if (i == 0) continue;
    const HotRow& before = profile.hot[i - 1];
    const bool sorted =
        before.cycles > row.cycles || (before.cycles == row.cycles && before.pc < row.pc);
    findings.Demand("PV18", sorted, absl::StrCat("hot: row ", i, " is not in order"));
  }
}

}  // namespace

void CheckStatements(const Profile& profile, Findings& findings) {
  findings.Demand("PV16", profile.caveat == stages::kSharedVersusRoutedCaveat,
                  "caveats.shared_vs_routed is not the constant text");
  const std::string& reason = profile.end.reason;
  const bool reached_end = reason == "end" || reason == "break";
  findings.Demand("PV17", profile.complete == reached_end,
                  absl::StrCat("complete is ", profile.complete ? "true" : "false",
                               " although end.reason is '", reason, "'"));
  findings.Demand("PV17", profile.end.fault.has_value() == (reason == "fault"),
                  absl::StrCat("end.fault contradicts end.reason '", reason, "'"));
  findings.Demand("PV17", !profile.end.signal || reason == "interrupt",
                  absl::StrCat("end.signal although end.reason is '", reason, "'"));
  findings.Demand("PV17", !profile.end.limit || IsLimit(reason),
                  absl::StrCat("end.limit although end.reason is '", reason, "'"));
}

void CheckRest(const Profile& profile, Findings& findings) {
  findings.Equal("PV18", "events_dropped", profile.events_dropped, std::uint64_t{0});
  CheckCoverage(profile, findings);
  CheckHot(profile, findings);
}

}  // namespace moescope::profiler
