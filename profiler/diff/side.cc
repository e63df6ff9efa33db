#include "profiler/diff/side.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/string_view.h"
#include "profiler/report/stage_profile.h"

namespace moescope::profiler {

namespace {

void AppendTraffic(std::string_view direction, std::string_view extra,
                   const TrafficCounters& traffic, std::vector<Metric>& metrics) {
  const auto add = [&](std::string_view field, std::uint64_t value) {
    metrics.push_back({absl::StrCat("bytes:hbm.", Absl(direction), ".", Absl(field)), value});
  };
  add("logical_bytes", traffic.logical_bytes);
  add("physical_bytes", traffic.physical_bytes);
  add("burst_bytes", traffic.burst_bytes);
  add(extra, traffic.extra_bytes);
}

// What every block has: instructions, cycles, bytes.
Scope ScopeOf(std::string name, const CounterBlock& block) {
  Scope scope{std::move(name), {}};
  scope.metrics = {{"cycles", block.cycles}, {"instructions", block.instructions}};
  AppendTraffic("read", "repeat_bytes", block.read, scope.metrics);
  AppendTraffic("write", "rmw_read_bytes", block.write, scope.metrics);
  return scope;
}

void AppendSplits(const Profile& profile, const CounterBlock& block, Scope& scope) {
  for (const std::string& reason : profile.model.reasons) {
    for (std::size_t i = 0; i < block.reasons.size(); ++i) {
      if (reason != emulator::kReasonNames[i]) continue;
      scope.metrics.push_back({"reason:" + reason, block.reasons[i]});
    }
  }
  for (const NamedCount& unit : profile.model.units) {
    for (std::size_t i = 0; i < block.units.size(); ++i) {
      if (unit.name != emulator::kUnitNames[i]) continue;
      scope.metrics.push_back({"unit:" + unit.name, block.units[i]});
    }
  }
}

template <typename Opcode>
void AppendOpcodes(const std::vector<Opcode>& opcodes, Scope& scope) {
  scope.has_opcodes = true;
  for (const Opcode& opcode : opcodes) {
    scope.metrics.push_back({"opcode:" + opcode.mnemonic, opcode.cycles});
  }
  for (const Opcode& opcode : opcodes) {
    scope.metrics.push_back({"opcode_instructions:" + opcode.mnemonic, opcode.instructions});
  }
}

Scope StageScope(const Profile& profile, const StageEntry& stage) {
  Scope scope = ScopeOf(stage.name, stage.counters);
  AppendSplits(profile, stage.counters, scope);
  AppendOpcodes(stage.opcodes, scope);
  return scope;
}

Scope PairStageScope(const PairStage& stage) {
  return {stage.name,
          {{"cycles", stage.cycles},
           {"instructions", stage.instructions},
           {"bytes:hbm.read.physical_bytes", stage.read_bytes},
           {"bytes:hbm.write.physical_bytes", stage.write_bytes}}};
}

// Adds the metrics of a part; metrics appear in the order in which they are met.
void AddScope(Scope& sum, const Scope& part) {
  sum.has_opcodes = sum.has_opcodes || part.has_opcodes;
  for (const Metric& metric : part.metrics) {
    const auto at = std::find_if(sum.metrics.begin(), sum.metrics.end(),
                                 [&](const Metric& m) { return m.name == metric.name; });
    if (at == sum.metrics.end()) {
      sum.metrics.push_back(metric);
    } else {
      at->value += metric.value;
    }
  }
}

Side Facts(const Profile& profile, std::string label) {
  Side side;
  side.label = std::move(label);
  side.isa = profile.isa.sha256;
  side.timing_model = profile.machine.timing_model;
  side.machine = profile.machine.sha256;
  side.clock_period_ps = profile.machine.clock_period_ps;
  side.complete = profile.complete;
  return side;
}

// The rows of pairs that a filter selects.
std::vector<const PairRow*> SelectPairs(const Profile& profile, const Filter& filter) {
  std::vector<const PairRow*> rows;
  if (!profile.pairs) return rows;
  for (const PairRow& row : profile.pairs->rows) {
    if (filter.pair && row.pair != *filter.pair) continue;
    if (filter.expert && row.expert != filter.expert) continue;
    rows.push_back(&row);
  }
  return rows;
}

// Stages within pairs, in the order of the profile.
void AddPairStages(const Profile& profile, const std::vector<const PairRow*>& rows,
                   const Filter& filter, Side& side) {
  for (const StageEntry& stage : profile.stages) {
    if (!MatchesGlob(filter.stage_glob, stage.name)) continue;
    Scope sum{stage.name, {}};
    for (const PairRow* row : rows) {
      for (const PairStage& part : row->stages) {
        if (part.name == stage.name) AddScope(sum, PairStageScope(part));
      }
    }
    if (!sum.metrics.empty()) side.stages.push_back(std::move(sum));
  }
}

absl::Status AddSelection(const Profile& profile, const Filter& filter, Side& side) {
  const std::vector<const PairRow*> rows = SelectPairs(profile, filter);
  if (rows.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(side.label, " has no pair", filter.pair ? absl::StrCat(" ", *filter.pair) : "",
                     filter.expert ? absl::StrCat(" of expert ", *filter.expert) : ""));
  }
  AddPairStages(profile, rows, filter, side);
  if (filter.stage_glob == "*") {
    for (const PairRow* row : rows) AddScope(side.total, ScopeOf("total", row->counters));
  } else {
    for (const Scope& stage : side.stages) AddScope(side.total, stage);
  }
  return absl::OkStatus();
}

void AddAll(const Profile& profile, const Filter& filter, Side& side) {
  for (const StageEntry& stage : profile.stages) {
    if (!MatchesGlob(filter.stage_glob, stage.name)) continue;
    side.stages.push_back(StageScope(profile, stage));
  }
  if (filter.stage_glob != "*") {
    for (const Scope& stage : side.stages) AddScope(side.total, stage);
    return;
  }
  side.total = ScopeOf("total", profile.totals.counters);
  AppendSplits(profile, profile.totals.counters, side.total);
  AppendOpcodes(profile.opcodes, side.total);
}

}  // namespace

const Scope* Side::FindStage(std::string_view name) const {
  const auto at = std::find_if(stages.begin(), stages.end(),
                               [name](const Scope& scope) { return scope.name == name; });
  return at == stages.end() ? nullptr : &*at;
}

absl::StatusOr<Side> SideOf(const Profile& profile, std::string label, const Filter& filter) {
  Side side = Facts(profile, std::move(label));
  side.total.name = "total";
  if (filter.pair || filter.expert) {
    RETURN_IF_ERROR(AddSelection(profile, filter, side));
  } else {
    AddAll(profile, filter, side);
  }
  if (!filter.with_pairs) return side;
  for (const PairRow* row : SelectPairs(profile, filter)) {
    side.pairs.push_back(ScopeOf(absl::StrCat("pair ", row->pair), row->counters));
  }
  return side;
}

absl::StatusOr<Side> FoldedSideOf(const Profile& profile, std::string label, bool all_stages) {
  ASSIGN_OR_RETURN(const PublicStages folded, FoldStages(profile, all_stages, nullptr));
  Side side = Facts(profile, std::move(label));
  const auto scope_of = [](std::string name, const PublicCounters& counters) {
    Scope scope{std::move(name), {}};
    scope.metrics = {{"cycles", counters.cycles}, {"instructions", counters.instructions}};
    const auto add = [&](const char* metric, const std::optional<std::uint64_t>& value) {
      if (value) scope.metrics.push_back({metric, *value});
    };
    add("bytes:hbm.read.logical_bytes", counters.logical_read);
    add("bytes:hbm.read.physical_bytes", counters.physical_read);
    add("bytes:hbm.write.logical_bytes", counters.logical_written);
    add("bytes:hbm.write.physical_bytes", counters.physical_written);
    return scope;
  };
  side.total = scope_of("total", folded.total);
  for (std::size_t i = 0; i < folded.names.size(); ++i) {
    side.stages.push_back(scope_of(folded.names[i], folded.stages[i]));
  }
  return side;
}

void ConvertToNanoseconds(Side& side) {
  const auto convert = [&](Scope& scope) {
    for (Metric& metric : scope.metrics) {
      const std::string_view family = FamilyOf(metric.name);
      if (family != "cycles" && family != "reason" && family != "unit" && family != "opcode") {
        continue;
      }
      metric.value = metric.value * side.clock_period_ps.value_or(1000) / 1000;
    }
  };
  convert(side.total);
  for (Scope& scope : side.stages) convert(scope);
  for (Scope& scope : side.pairs) convert(scope);
}

// Greedy with one point of return, so that no pattern takes more than |pattern| x |name| steps.
bool MatchesGlob(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string_view FamilyOf(std::string_view metric) { return metric.substr(0, metric.find(':')); }

}  // namespace moescope::profiler
