#include "profiler/report/summary.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "profiler/ratio.h"
#include "profiler/report/number_text.h"

namespace moescope::profiler {

namespace {

std::string ToolText(const Tool& tool) {
  const std::string text = absl::StrCat(tool.name, " ", tool.version);
  return tool.git.empty() ? text : absl::StrCat(text, " (", tool.git, ")");
}

// Enough of a hash to recognise it.
std::string Short(const std::string& hash) {
  constexpr std::size_t kPrefix = 7;  // "sha256:"
  return hash.substr(0, kPrefix + 12);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Facts(const Profile& profile) {
  const MachineIdentity& machine = profile.machine;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"tool", ToolText(profile.tool)},
      {"program",
       absl::StrCat(Thousands(profile.program.words), " words, ", Short(profile.program.sha256),
                    ", stages from ", profile.program.attribution)},
      {"machine", absl::StrCat(machine.name, ", ", Short(machine.sha256))},
      {"timing", absl::StrCat(machine.timing_model, ", profile ", machine.latency_profile, ", HBM ",
                              machine.hbm_model, ", ", FrequencyText(machine.clock_period_ps), ": ",
                              profile.model.issue_model)},
      {"run", EndText(profile)}};
  for (const auto& [key, value] : profile.labels) facts.emplace_back("label " + key, value);
  return facts;
}

std::string EndText(const Profile& profile) {
  if (profile.complete) return absl::StrCat("complete (", profile.end.reason, ")");
  std::string why = profile.end.reason;
  if (profile.end.fault) absl::StrAppend(&why, " ", *profile.end.fault);
  if (profile.end.limit) absl::StrAppend(&why, ", limit ", *profile.end.limit);
  if (profile.end.signal) absl::StrAppend(&why, ", signal ", *profile.end.signal);
  return absl::StrCat("cut at cycle ", profile.end.cycle, " (", why, ")");
}

std::string TotalsText(const Profile& profile) {
  const CounterBlock& totals = profile.totals.counters;
  std::string text = absl::StrCat(
      Thousands(totals.instructions),
      totals.instructions == 1 ? " instruction, " : " instructions, ", Thousands(totals.cycles),
      totals.cycles == 1 ? " cycle (" : " cycles (", TimeText(profile.totals.time_ps), " at ",
      FrequencyText(profile.machine.clock_period_ps), ")");
  if (const auto per_instruction = Milli(totals.cycles, totals.instructions)) {
    absl::StrAppend(&text, ", ", Thousandths(*per_instruction), " cycles per instruction");
  }
  return text;
}

std::string CoverageText(const Profile& profile) {
  if (!profile.model.coverage) return "coverage of cycles: not stated by the timing model";
  std::vector<std::string> parts;
  const std::vector<Work>& classes = profile.model.coverage->classes;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].cycles == 0) continue;
    parts.push_back(absl::StrCat(Percent(Ppm(classes[i].cycles, profile.totals.counters.cycles)),
                                 parts.empty() ? " of cycles " : " ",
                                 std::string(emulator::kCostClassNames[i])));
  }
  return parts.empty() ? "no cycles to cover" : absl::StrJoin(parts, ", ");
}

std::vector<std::string> Notes(const Profile& profile) {
  std::vector<std::string> notes;
  if (profile.program.attribution == "none") {
    notes.push_back(
        "the program has no stage markers, so everything is in 'unattributed'; write "
        "'; @stage=<name>' lines or run 'moescope annotate'");
  }
  if (profile.program.attribution == "annotated") {
    notes.push_back("stages come from prose comments, not from markers");
  }
  if (!profile.program.unresolved_markers.empty()) {
    notes.push_back(absl::StrCat("unknown stages, counted in 'unattributed': ",
                                 absl::StrJoin(profile.program.unresolved_markers, ", ")));
  }
  return notes;
}

std::vector<std::string> NotMeasuredTexts(const Profile& profile) {
  std::vector<std::string> texts;
  for (const NotMeasured& entry : profile.not_measured) {
    texts.push_back(absl::StrCat(entry.field, ": ", entry.why));
  }
  return texts;
}

std::string TopReason(const CounterBlock& counters) {
  const auto top = std::max_element(counters.reasons.begin(), counters.reasons.end());
  if (top == counters.reasons.end() || *top == 0) return "-";
  return std::string(
      emulator::kReasonNames[static_cast<std::size_t>(top - counters.reasons.begin())]);
}

std::uint64_t PhysicalBytes(const CounterBlock& counters) {
  return counters.read.physical_bytes + counters.write.physical_bytes;
}

Table StageTable(const Profile& profile) {
  std::vector<Table::Column> columns = {{"stage", Table::Align::kLeft},
                                        {"cycles"},
                                        {"share"},
                                        {"instructions"},
                                        {"HBM bytes"},
                                        {"bound", Table::Align::kLeft},
                                        {"top reason", Table::Align::kLeft}};
  if (profile.paths) columns.insert(columns.begin() + 2, {"with regions"});
  Table table(std::move(columns));
  const auto add = [&](const std::string& name, const CounterBlock& counters, std::uint64_t share,
                       std::uint64_t inclusive, const std::optional<RooflinePoint>& point) {
    std::vector<std::string> row = {name,
                                    Thousands(counters.cycles),
                                    Percent(share),
                                    Thousands(counters.instructions),
                                    Thousands(PhysicalBytes(counters)),
                                    point ? point->bound.value_or("-") : "-",
                                    TopReason(counters)};
    if (profile.paths) row.insert(row.begin() + 2, Thousands(inclusive));
    table.AddRow(std::move(row));
  };
  for (const StageEntry& stage : profile.stages) {
    add(stage.name, stage.counters, stage.cycle_share_ppm, stage.inclusive.cycles, stage.roofline);
  }
  table.AddLine();
  const CounterBlock& totals = profile.totals.counters;
  std::optional<RooflinePoint> point;
  if (profile.roofline) point = profile.roofline->point;
  add("total", totals, Ppm(totals.cycles, totals.cycles), totals.cycles, point);
  return table;
}

}  // namespace moescope::profiler
