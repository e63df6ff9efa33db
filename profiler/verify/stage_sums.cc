#include "profiler/verify/families.h"

namespace moescope::profiler {

namespace {

void CheckTraffic(const std::string& direction, const char* extra, const TrafficCounters& stages,
                  const TrafficCounters& totals, Findings& findings) {
  const auto check = [&](const char* field, std::uint64_t left, std::uint64_t right) {
    findings.Equal("PV05", absl::StrCat("hbm.", direction, ".", field, ": stages sum != totals"),
                   left, right);
  };
  check("logical_bytes", stages.logical_bytes, totals.logical_bytes);
  check("physical_bytes", stages.physical_bytes, totals.physical_bytes);
  check("lines", stages.lines, totals.lines);
  check("burst_bytes", stages.burst_bytes, totals.burst_bytes);
  check(extra, stages.extra_bytes, totals.extra_bytes);
}

}  // namespace

void CheckStageSums(const Profile& profile, Findings& findings) {
  CounterBlock sum;
  std::uint64_t words = 0;
  for (const StageEntry& stage : profile.stages) {
    AddScalars(sum, stage.counters);
    words += stage.static_instructions;
  }
  const CounterBlock& totals = profile.totals.counters;
  findings.Equal("PV02", "cycles: stages sum != totals", sum.cycles, totals.cycles);
  findings.Equal("PV02", "cycles: totals != end.cycle", totals.cycles, profile.end.cycle);
  findings.Equal("PV03", "instructions: stages sum != totals", sum.instructions,
                 totals.instructions);
  findings.Equal("PV03", "static_instructions: stages sum != totals", words,
                 profile.totals.static_instructions);
  findings.Equal("PV03", "static_instructions: totals != program.words",
                 profile.totals.static_instructions, profile.program.words);
  CheckTraffic("read", "repeat_bytes", sum.read, totals.read, findings);
  CheckTraffic("write", "rmw_read_bytes", sum.write, totals.write, findings);
}

}  // namespace moescope::profiler
