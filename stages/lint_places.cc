#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "stages/lint_rules.h"

namespace moescope::stages {

namespace {

void LintCodeBeforeMarker(LintProgram& program) {
  if (!program.HasMarkers() || program.IsMarked(0) || program.IsEmpty(0)) return;
  const std::uint32_t count = program.ranges()[0].end_pc;
  RawFinding& finding = program.ReportAt(
      "MS101", 0,
      absl::StrCat(count, count == 1 ? " instruction stands" : " instructions stand",
                   " in front of the first stage marker"));
  finding.finding.diagnostic.notes.push_back({"the first marker", program.PlaceOfMarker(1)});
}

// A region counts for what encloses it; only markers that name a stage are judged.
void LintEmptyMarkers(LintProgram& program) {
  std::vector<bool> has_code(program.ranges().size());
  for (std::uint32_t i = static_cast<std::uint32_t>(has_code.size()); i-- > 0;) {
    if (!program.IsEmpty(i)) has_code[i] = true;
    const std::optional<std::uint32_t> parent = program.ranges()[i].parent;
    if (parent && has_code[i]) has_code[*parent] = true;
  }
  for (std::uint32_t i = 0; i < has_code.size(); ++i) {
    if (has_code[i] || program.IsBucket(i) || program.IsPop(i)) continue;
    program.ReportMarker(
        "MS102", i, absl::StrCat("marker '", program.NameOf(i).name, "' covers no instruction"));
  }
}

void LintDuplicateMarkers(LintProgram& program) {
  for (std::uint32_t i = 1; i < program.ranges().size(); ++i) {
    if (!program.IsMarked(i - 1) || program.IsPush(i) || program.IsPop(i)) continue;
    if (!program.HasSameTriple(i - 1, i)) continue;
    RawFinding& finding = program.ReportMarker(
        "MS103", i,
        absl::StrCat("marker '", program.NameOf(i).name, "' repeats the one before it"));
    finding.finding.diagnostic.notes.push_back(
        {"the marker before it", program.PlaceOfMarker(i - 1)});
  }
}

void LintMarkersInLoops(LintProgram& program) {
  for (std::uint32_t i = 1; i < program.ranges().size(); ++i) {
    const bool is_region = program.IsPush(i) || program.IsPop(i);
    if (is_region || program.IsEmpty(i) || program.HasSameTriple(i - 1, i)) continue;
    const std::optional<std::uint32_t> loop = program.LoopAround(program.ranges()[i].begin_pc);
    if (!loop) continue;
    RawFinding& finding = program.ReportMarker(
        "MS108", i,
        absl::StrCat("the stage changes to '", program.NameOf(i).name, "' inside a loop"));
    finding.finding.diagnostic.notes.push_back({"the loop starts here", program.PlaceOf(*loop)});
  }
}

}  // namespace

void LintMarkerPlaces(LintProgram& program) {
  LintCodeBeforeMarker(program);
  LintEmptyMarkers(program);
  LintDuplicateMarkers(program);
  LintMarkersInLoops(program);
}

}  // namespace moescope::stages
