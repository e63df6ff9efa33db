#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "stages/lint_rules.h"

namespace moescope::stages {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

// The extent of an include or of one use of a macro: its words and markers, those of what it uses
// in turn included.
struct Extent {
  std::uint32_t first_pc = kNone;
  std::uint32_t first_range = kNone;  // made by a marker inside
  std::uint32_t last_range = kNone;
};

bool IsHelper(const Expansion& expansion) {
  return expansion.kind == Expansion::Kind::kInclude || expansion.kind == Expansion::Kind::kMacro;
}

std::string_view KindOf(const Expansion& expansion) {
  return expansion.kind == Expansion::Kind::kInclude ? "included file" : "macro";
}

// Parents have smaller indices, so one pass from the back collects everything.
std::vector<Extent> ExtentsOf(const LintProgram& program) {
  const LintInput& input = program.input();
  std::vector<Extent> extents(input.expansions.size());
  for (std::uint32_t pc = program.size(); pc-- > 0;) {
    extents[input.word_origins[pc]].first_pc = pc;
  }
  for (std::uint32_t i = 0; i < input.range_origins.size(); ++i) {
    if (!program.IsMarked(i)) continue;
    Extent& extent = extents[input.range_origins[i]];
    if (extent.first_range == kNone) extent.first_range = i;
    extent.last_range = i;
  }
  for (std::size_t i = extents.size(); i-- > 1;) {
    Extent& parent = extents[input.expansions[i].parent];
    const Extent& child = extents[i];
    parent.first_pc = std::min(parent.first_pc, child.first_pc);
    parent.first_range = std::min(parent.first_range, child.first_range);
    if (child.last_range != kNone &&
        (parent.last_range == kNone || parent.last_range < child.last_range)) {
      parent.last_range = child.last_range;
    }
  }
  return extents;
}

// The triple in force in front of the first marker of a helper; nothing = the bucket.
std::optional<std::uint32_t> RangeBefore(const Extent& extent) {
  if (extent.first_range == 0) return std::nullopt;
  return extent.first_range - 1;
}

bool Leaks(const LintProgram& program, const Extent& extent) {
  if (extent.first_range == kNone) return false;
  const std::optional<std::uint32_t> before = RangeBefore(extent);
  return before ? !program.HasSameTriple(*before, extent.last_range)
                : !program.IsBucket(extent.last_range);
}

bool Inherits(const LintProgram& program, const Extent& extent) {
  if (extent.first_pc == kNone) return false;
  const std::uint32_t range = program.RangeOf(extent.first_pc);
  if (program.IsBucket(range)) return false;
  const bool is_marked_inside = extent.first_range != kNone && extent.first_range <= range;
  return !is_marked_inside;
}

}  // namespace

// A helper is judged once, at its first use that shows the problem.
void LintExpansions(LintProgram& program) {
  const LintInput& input = program.input();
  const std::vector<Extent> extents = ExtentsOf(program);
  std::set<std::pair<std::uint32_t, std::uint32_t>> inherited, leaked;  // (file, line)
  for (std::size_t i = 1; i < extents.size(); ++i) {
    const Expansion& expansion = input.expansions[i];
    if (!IsHelper(expansion)) continue;
    const DiagnosticNote used{"used here", program.PlaceOf(expansion.at)};
    if (Inherits(program, extents[i])) {
      const std::uint32_t pc = extents[i].first_pc;
      const isa::SourcePosition& at = program.program().positions[pc];
      if (inherited.insert({at.file, at.line}).second) {
        program
            .ReportAt("MS106", pc,
                      absl::StrCat("the ", std::string(KindOf(expansion)),
                                   " begins without a stage marker and inherits '",
                                   program.NameOf(program.RangeOf(pc)).name, "'"))
            .finding.diagnostic.notes.push_back(used);
      }
    }
    if (Leaks(program, extents[i])) {
      const std::uint32_t range = extents[i].last_range;
      const isa::StageRange& marker = program.ranges()[range];
      if (leaked.insert({marker.file, marker.line}).second) {
        program
            .ReportMarker("MS107", range,
                          absl::StrCat("the ", std::string(KindOf(expansion)), " leaves '",
                                       program.NameOf(range).name,
                                       "' in force; use '@stage_push=' and '@stage_pop'"))
            .finding.diagnostic.notes.push_back(used);
      }
    }
  }
}

}  // namespace moescope::stages
