#include <map>
#include <optional>

#include "profiler/pair_tables.h"
#include "profiler/verify/families.h"

namespace moescope::profiler {

namespace {

// All counters that pairs and experts have, against the totals.
void CheckAgainstTotals(const char* id, const std::string& name, const CounterBlock& sum,
                        const CounterBlock& totals, Findings& findings) {
  const auto check = [&](const char* field, std::uint64_t left, std::uint64_t right) {
    findings.Equal(id, absl::StrCat(name, " rows + none != totals in ", field), left, right);
  };
  check("instructions", sum.instructions, totals.instructions);
  check("cycles", sum.cycles, totals.cycles);
  check("hbm.read.logical_bytes", sum.read.logical_bytes, totals.read.logical_bytes);
  check("hbm.read.physical_bytes", sum.read.physical_bytes, totals.read.physical_bytes);
  check("hbm.read.lines", sum.read.lines, totals.read.lines);
  check("hbm.read.burst_bytes", sum.read.burst_bytes, totals.read.burst_bytes);
  check("hbm.read.repeat_bytes", sum.read.extra_bytes, totals.read.extra_bytes);
  check("hbm.write.logical_bytes", sum.write.logical_bytes, totals.write.logical_bytes);
  check("hbm.write.physical_bytes", sum.write.physical_bytes, totals.write.physical_bytes);
  check("hbm.write.lines", sum.write.lines, totals.write.lines);
  check("hbm.write.burst_bytes", sum.write.burst_bytes, totals.write.burst_bytes);
  check("hbm.write.rmw_read_bytes", sum.write.extra_bytes, totals.write.extra_bytes);
  check("flops.matrix", sum.flops.matrix, totals.flops.matrix);
  check("flops.vector", sum.flops.vector, totals.flops.vector);
  check("flops.scalar", sum.flops.scalar, totals.flops.scalar);
}

void CheckPairStages(const PairRow& row, Findings& findings) {
  PairStage sum;
  for (const PairStage& stage : row.stages) {
    sum.instructions += stage.instructions;
    sum.cycles += stage.cycles;
    sum.read_bytes += stage.read_bytes;
    sum.write_bytes += stage.write_bytes;
  }
  const auto check = [&](const char* field, std::uint64_t left, std::uint64_t right) {
    findings.Equal("PV07", absl::StrCat("pair ", row.pair, ": stages != pair in ", field), left,
                   right);
  };
  check("instructions", sum.instructions, row.counters.instructions);
  check("cycles", sum.cycles, row.counters.cycles);
  check("read_bytes", sum.read_bytes, row.counters.read.physical_bytes);
  check("write_bytes", sum.write_bytes, row.counters.write.physical_bytes);
}

// The expert that the executed V_TOPKs gave to a pair, where the file still holds it.
std::optional<std::uint64_t> Observed(const Profile& profile, std::uint64_t pair) {
  if (!profile.routing || profile.routing->top_k.value_or(0) == 0) return std::nullopt;
  const std::uint64_t execution = pair / *profile.routing->top_k;
  const std::uint64_t rank = pair % *profile.routing->top_k;
  if (execution >= profile.routing->ids.size()) return std::nullopt;
  const std::vector<std::uint64_t>& ids = profile.routing->ids[execution];
  return rank < ids.size() ? std::optional(ids[rank]) : std::nullopt;
}

void CheckPairExpert(const Profile& profile, const PairRow& row, Findings& findings) {
  findings.Demand("PV07", row.expert.has_value() == (row.expert_source != "unknown"),
                  absl::StrCat("pair ", row.pair, ": expert and expert_source '", row.expert_source,
                               "' contradict each other"));
  if (!row.expert) return;
  const std::optional<std::uint64_t> observed = Observed(profile, row.pair);
  if (!observed || *observed == *row.expert) return;
  if (row.expert_source == "observed") {
    findings.Fail("PV07", absl::StrCat("pair ", row.pair, ": expert != routing.ids (", *row.expert,
                                       " != ", *observed, ")"));
  } else {
    findings.Warn(absl::StrCat("pair ", row.pair, " is marked expert=", *row.expert,
                               ", but V_TOPK chose ", *observed));
  }
}

void CheckRouting(const Routing& routing, Findings& findings) {
  std::uint64_t chosen = 0;
  for (const std::uint64_t count : routing.counts) chosen += count;
  if (routing.top_k) {
    findings.Equal("PV08", "routing: counts sum != executions x top_k", chosen,
                   routing.executions * *routing.top_k);
  }
  findings.AtMost("PV08", "routing: num_experts > counts", routing.num_experts.value_or(0),
                  routing.counts.size());
  findings.AtMost("PV08", "routing: ids has more executions than there were", routing.ids.size(),
                  routing.executions);
  std::vector<std::uint64_t> counted(routing.counts.size(), 0);
  for (const std::vector<std::uint64_t>& ids : routing.ids) {
    if (routing.top_k) findings.Equal("PV08", "routing: ids != top_k", ids.size(), *routing.top_k);
    for (const std::uint64_t id : ids) {
      if (id < counted.size()) {
        ++counted[id];
      } else {
        findings.Fail("PV08", absl::StrCat("routing: expert ", id, " in ids is not in counts"));
      }
    }
  }
  const bool has_all = routing.ids.size() == routing.executions;
  for (std::size_t expert = 0; has_all && expert < counted.size(); ++expert) {
    findings.Equal("PV08", absl::StrCat("routing: expert ", expert, ": ids != counts"),
                   counted[expert], routing.counts[expert]);
  }
}

}  // namespace

void CheckPairs(const Profile& profile, Findings& findings) {
  if (!profile.pairs) return;
  const Pairs& pairs = *profile.pairs;
  CounterBlock sum = pairs.none;
  std::optional<std::uint64_t> last;
  const bool detailed = pairs.rows.size() <= kMaximumDetailedPairs;
  findings.Equal("PV07", "pairs: detail", pairs.detail, detailed ? "stages" : "totals");
  for (const PairRow& row : pairs.rows) {
    AddScalars(sum, row.counters);
    if (detailed) CheckPairStages(row, findings);
    findings.Demand("PV07", detailed || row.stages.empty(),
                    absl::StrCat("pair ", row.pair, ": stages although detail is 'totals'"));
    findings.Demand("PV07", !last || *last < row.pair, "pairs: rows are not ascending");
    last = row.pair;
    CheckPairExpert(profile, row, findings);
  }
  CheckAgainstTotals("PV07", "pairs:", sum, profile.totals.counters, findings);
}

void CheckExperts(const Profile& profile, Findings& findings) {
  if (profile.routing) CheckRouting(*profile.routing, findings);
  std::map<std::uint64_t, std::uint64_t> pairs_of;
  if (profile.pairs) {
    for (const PairRow& row : profile.pairs->rows) {
      if (row.expert) ++pairs_of[*row.expert];
    }
  }
  findings.Demand("PV08", pairs_of.empty() || profile.experts.has_value(),
                  "experts are absent although pairs name some");
  if (!profile.experts) return;
  CounterBlock sum = profile.experts->none;
  std::optional<std::uint64_t> last;
  for (const ExpertRow& row : profile.experts->rows) {
    AddScalars(sum, row.counters);
    findings.Equal("PV08", absl::StrCat("expert ", row.expert, ": pairs != rows of pairs"),
                   row.pairs, pairs_of[row.expert]);
    findings.Demand("PV08", !last || *last < row.expert, "experts: rows are not ascending");
    last = row.expert;
  }
  CheckAgainstTotals("PV08", "experts:", sum, profile.totals.counters, findings);
}

}  // namespace moescope::profiler
