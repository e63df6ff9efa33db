#include "profiler/pair_tables.h"

#include <map>
#include <optional>

namespace moescope::profiler {

namespace {

struct PairExpert {
  std::optional<std::uint32_t> expert;
  const char* source = "unknown";
};

// A marker anywhere on a pair names its expert; without one, the executed V_TOPKs do.
std::vector<PairExpert> ExpertsOfPairs(const Recording& recording) {
  std::vector<PairExpert> experts(recording.map.pairs.size());
  const std::vector<isa::StageRange>& ranges = recording.program().ranges;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::uint32_t row = recording.map.pair_row_of_range[i];
    if (row == kNone || !ranges[i].expert || experts[row].expert) continue;
    experts[row] = {ranges[i].expert, "marker"};
  }
  for (std::size_t row = 0; row < experts.size(); ++row) {
    if (experts[row].expert) continue;
    const std::optional<std::uint32_t> observed = recording.routing.ObservedExpert(row);
    if (observed) experts[row] = {observed, "observed"};
  }
  return experts;
}

void AddPairStages(const Recording& recording, const RunSums& sums, std::vector<PairRow>& rows) {
  std::vector<std::map<std::uint32_t, PairStage>> stages(rows.size());
  for (std::size_t i = 0; i < sums.ranges.size(); ++i) {
    const std::uint32_t row = recording.map.pair_row_of_range[i];
    if (row == kNone) continue;
    const CounterBlock& block = sums.ranges[i];
    PairStage& stage = stages[row][recording.map.stage_of_range[i]];
    stage.instructions += block.instructions;
    stage.cycles += block.cycles;
    stage.read_bytes += block.read.physical_bytes;
    stage.write_bytes += block.write.physical_bytes;
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (auto& [stage, entry] : stages[row]) {
      entry.name = recording.program().names[recording.map.stage_names[stage]].name;
      rows[row].stages.push_back(std::move(entry));
    }
  }
}

Pairs PairsOf(const Recording& recording, const RunSums& sums,
              const std::vector<PairExpert>& experts) {
  Pairs pairs;
  pairs.detail = experts.size() > kMaximumDetailedPairs ? "totals" : "stages";
  for (std::size_t row = 0; row < experts.size(); ++row) {
    PairRow& pair = pairs.rows.emplace_back();
    pair.pair = recording.map.pairs[row];
    pair.expert = experts[row].expert;
    pair.expert_source = experts[row].source;
  }
  for (std::size_t i = 0; i < sums.ranges.size(); ++i) {
    const std::uint32_t row = recording.map.pair_row_of_range[i];
    AddScalars(row == kNone ? pairs.none : pairs.rows[row].counters, sums.ranges[i]);
  }
  if (pairs.detail == "stages") AddPairStages(recording, sums, pairs.rows);
  return pairs;
}

std::optional<Experts> ExpertsOf(const Recording& recording, const RunSums& sums,
                                 const std::vector<PairExpert>& of_pairs) {
  Experts experts;
  std::map<std::uint32_t, ExpertRow> rows;
  for (const PairExpert& pair : of_pairs) {
    if (pair.expert) ++rows[*pair.expert].pairs;
  }
  const std::vector<isa::StageRange>& ranges = recording.program().ranges;
  for (std::size_t i = 0; i < sums.ranges.size(); ++i) {
    std::optional<std::uint32_t> expert = ranges[i].expert;
    const std::uint32_t row = recording.map.pair_row_of_range[i];
    if (!expert && row != kNone) expert = of_pairs[row].expert;
    AddScalars(expert ? rows[*expert].counters : experts.none, sums.ranges[i]);
  }
  if (rows.empty()) return std::nullopt;
  for (auto& [expert, entry] : rows) {
    entry.expert = expert;
    experts.rows.push_back(std::move(entry));
  }
  return experts;
}

}  // namespace

void SetPairTables(const Recording& recording, const RunSums& sums, Profile& profile) {
  const std::vector<PairExpert> experts = ExpertsOfPairs(recording);
  if (!experts.empty()) profile.pairs = PairsOf(recording, sums, experts);
  profile.experts = ExpertsOf(recording, sums, experts);
}

}  // namespace moescope::profiler
