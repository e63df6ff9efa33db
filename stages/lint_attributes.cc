#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "stages/lint_rules.h"

namespace moescope::stages {

namespace {

using isa::StageRange;
using isa::StageScope;

void LintPairsAndScopes(LintProgram& program) {
  const auto& ranges = program.ranges();
  const bool numbers_pairs = std::any_of(
      ranges.begin(), ranges.end(), [](const StageRange& range) { return range.pair.has_value(); });
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    if (program.IsBucket(i) || program.IsPop(i)) continue;
    const isa::StageName& name = program.NameOf(i);
    // A region inherits what its caller is working on, whatever its own scope.
    const bool inherits = program.IsPush(i) && ranges[i].pair == ranges[i - 1].pair;
    if (name.scope == StageScope::kLayer && ranges[i].pair && !inherits) {
      program.ReportMarker("MS109", i,
                           absl::StrCat("pair=", *ranges[i].pair, " on '", name.name,
                                        "', a stage that works on the whole layer"));
    }
    const bool is_anonymous = !ranges[i].pair && !ranges[i].expert;
    if (name.scope == StageScope::kPair && is_anonymous && numbers_pairs && !program.IsEmpty(i)) {
      program.ReportMarker("MS109", i,
                           absl::StrCat("'", name.name,
                                        "' without pair or expert, in a program that numbers its "
                                        "pairs"));
    }
  }
}

// With V_TOPK every pair of the layer is worked on, so the ids are 0..n-1.
void LintPairNumbers(LintProgram& program) {
  std::map<std::uint32_t, std::uint32_t> first_range;
  for (std::uint32_t i = 0; i < program.ranges().size(); ++i) {
    const std::optional<std::uint32_t> pair = program.ranges()[i].pair;
    if (pair && !program.IsEmpty(i)) first_range.try_emplace(*pair, i);
  }
  if (first_range.empty() || !program.HasMnemonic("V_TOPK")) return;
  const auto& [largest, range] = *first_range.rbegin();
  if (largest == first_range.size() - 1) return;
  std::uint32_t missing = 0;
  while (first_range.contains(missing)) ++missing;
  program.ReportMarker("MS109", range,
                       absl::StrCat("pair ids are not 0..n-1: ", first_range.size(), " ids up to ",
                                    largest, ", ", missing, " is missing"));
}

void LintExpertsOfPairs(LintProgram& program) {
  std::map<std::uint32_t, std::uint32_t> first_range;  // pair -> range that states an expert
  for (std::uint32_t i = 0; i < program.ranges().size(); ++i) {
    const StageRange& range = program.ranges()[i];
    if (!range.pair || !range.expert || program.IsPop(i)) continue;
    const auto [position, is_new] = first_range.try_emplace(*range.pair, i);
    const StageRange& first = program.ranges()[position->second];
    if (is_new || first.expert == range.expert) continue;
    RawFinding& finding =
        program.ReportMarker("MS110", i,
                             absl::StrCat("pair ", *range.pair, " has expert=", *range.expert,
                                          " here and expert=", *first.expert, " before"));
    finding.finding.diagnostic.notes.push_back(
        {absl::StrCat("expert=", *first.expert), program.PlaceOfMarker(position->second)});
  }
}

std::optional<std::uint32_t> FirstRangeOf(const LintProgram& program, std::string_view stage) {
  for (std::uint32_t i = 0; i < program.ranges().size(); ++i) {
    if (!program.IsEmpty(i) && program.NameOf(i).name == stage) return i;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> FirstPairRange(const LintProgram& program) {
  for (std::uint32_t i = 0; i < program.ranges().size(); ++i) {
    const bool is_pair_work = !program.IsBucket(i) && program.NameOf(i).scope == StageScope::kPair;
    if (is_pair_work && !program.IsEmpty(i)) return i;
  }
  return std::nullopt;
}

void LintOrder(LintProgram& program) {
  const auto init = FirstRangeOf(program, kAccumulatorInit.name());
  const auto combine = FirstRangeOf(program, kScatterCombine.name());
  if (init && combine && *combine < *init) {
    RawFinding& finding = program.ReportMarker(
        "MS113", *combine, "scatter_combine comes before the first accumulator_init");
    finding.finding.diagnostic.notes.push_back(
        {"the first accumulator_init", program.PlaceOfMarker(*init)});
  }
  const auto router = FirstRangeOf(program, kRouterTopk.name());
  const auto pair = FirstPairRange(program);
  if (router && pair && *pair < *router && program.HasMnemonic("V_TOPK")) {
    RawFinding& finding =
        program.ReportMarker("MS113", *pair,
                             absl::StrCat("'", program.NameOf(*pair).name,
                                          "' works on a pair before the first router_topk"));
    finding.finding.diagnostic.notes.push_back(
        {"the first router_topk", program.PlaceOfMarker(*router)});
  }
}

}  // namespace

void LintAttributes(LintProgram& program) {
  LintPairsAndScopes(program);
  LintPairNumbers(program);
  LintExpertsOfPairs(program);
  LintOrder(program);
}

}  // namespace moescope::stages
