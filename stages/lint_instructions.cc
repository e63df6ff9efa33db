#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "stages/lint_idioms.h"
#include "stages/lint_rules.h"

namespace moescope::stages {

namespace {

struct GroupUse {
  std::uint32_t count = 0;
  std::uint32_t first_pc = 0;
};
using GroupUses = std::array<GroupUse, isa::kGroupCount>;

GroupUses UsesOf(const LintProgram& program, const isa::StageRange& range) {
  GroupUses uses{};
  for (std::uint32_t pc = range.begin_pc; pc < range.end_pc; ++pc) {
    if (program.At(pc).instruction == nullptr) continue;
    GroupUse& use = uses[static_cast<std::size_t>(program.At(pc).instruction->group)];
    if (use.count++ == 0) use.first_pc = pc;
  }
  return uses;
}

std::string GroupText(isa::Group group) { return std::string(isa::GroupName(group)); }

void LintImplausible(LintProgram& program, std::uint32_t range, const GroupUses& uses) {
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const auto group = static_cast<isa::Group>(i);
    if (uses[i].count == 0 || program.RulesOf(range).plausible.Contains(group)) continue;
    const std::string first(program.At(uses[i].first_pc).instruction->mnemonic);
    program.ReportAt(
        "MS104", uses[i].first_pc,
        absl::StrCat(uses[i].count, uses[i].count == 1 ? " instruction" : " instructions",
                     " of group ", GroupText(group), " (first ", first, ") in '",
                     program.NameOf(range).name, "', where none is plausible"));
  }
}

// Two of these in one range come from two stages, unless its stage has a place for both.
void LintMixedRange(LintProgram& program, std::uint32_t range, const GroupUses& uses) {
  using enum isa::Group;
  const GroupSet& plausible = program.RulesOf(range).plausible;
  std::vector<isa::Group> found;
  bool all_plausible = true;
  for (const isa::Group group : {kTop, kMat, kVex, kSto}) {
    if (uses[static_cast<std::size_t>(group)].count == 0) continue;
    found.push_back(group);
    all_plausible = all_plausible && plausible.Contains(group);
  }
  if (found.size() < 2 || all_plausible) return;
  program.ReportMarker(
      "MS114", range,
      absl::StrCat("one range of '", program.NameOf(range).name, "' holds ", GroupText(found[0]),
                   " and ", GroupText(found[1]), " instructions; a marker seems to be missing"));
}

// A region's instructions count for the stages around it.
void LintMust(LintProgram& program, const std::vector<GroupSet>& groups_by_range) {
  std::map<std::uint32_t, std::pair<std::uint32_t, GroupSet>>
      by_stage;  // name -> first range, groups
  std::vector<GroupSet> inclusive = groups_by_range;
  for (std::uint32_t i = static_cast<std::uint32_t>(inclusive.size()); i-- > 0;) {
    if (const auto parent = program.ranges()[i].parent) inclusive[*parent].Add(inclusive[i]);
  }
  for (std::uint32_t i = 0; i < inclusive.size(); ++i) {
    if (program.IsBucket(i) || inclusive[i].empty()) continue;
    by_stage.try_emplace(program.ranges()[i].name, i, GroupSet())
        .first->second.second.Add(inclusive[i]);
  }
  for (const auto& [name, seen] : by_stage) {
    const auto& [range, groups] = seen;
    const std::vector<GroupSet>& must = program.RulesOf(range).must;
    bool is_met = must.empty();
    std::string demand;
    for (const GroupSet& alternative : must) {
      is_met = is_met || groups.ContainsAll(alternative);
      absl::StrAppend(&demand, demand.empty() ? "" : " or ", ToString(alternative, "+"));
    }
    if (is_met) continue;
    program.ReportMarker("MS116", range,
                         absl::StrCat("'", program.NameOf(range).name, "' is marked but holds no ",
                                      demand, " instruction"));
  }
}

}  // namespace

void LintInstructions(LintProgram& program) {
  std::vector<GroupSet> groups_by_range(program.ranges().size());
  for (std::uint32_t i = 0; i < program.ranges().size(); ++i) {
    if (program.IsBucket(i)) continue;
    const GroupUses uses = UsesOf(program, program.ranges()[i]);
    for (std::size_t g = 0; g < uses.size(); ++g) {
      if (uses[g].count > 0) groups_by_range[i].Add(static_cast<isa::Group>(g));
    }
    LintImplausible(program, i, uses);
    LintMixedRange(program, i, uses);
  }
  LintMust(program, groups_by_range);
  LintIdioms(program);
}

}  // namespace moescope::stages
