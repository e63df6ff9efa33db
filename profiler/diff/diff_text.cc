#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "profiler/diff/diff.h"
#include "profiler/report/number_text.h"
#include "profiler/report/table.h"

namespace moescope::profiler {

namespace {

std::uint64_t Magnitude(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                   : static_cast<std::uint64_t>(value);
}

std::string Signed(std::int64_t value) {
  return absl::StrCat(value < 0 ? "-" : value > 0 ? "+" : "", Thousands(Magnitude(value)));
}

std::string Change(const std::optional<std::int64_t>& ppm) {
  if (!ppm) return "-";
  return absl::StrCat(*ppm < 0 ? "-" : *ppm > 0 ? "+" : "", Percent(Magnitude(*ppm)));
}

const DiffRow* Find(const std::vector<const DiffRow*>& rows, std::string_view metric) {
  const auto at = std::find_if(rows.begin(), rows.end(),
                               [metric](const DiffRow* row) { return row->metric == metric; });
  return at == rows.end() ? nullptr : *at;
}

// The metric of a family that moved most, "M_MM -30"; empty when none moved.
std::string MovedMost(const std::vector<const DiffRow*>& rows, std::string_view family) {
  const DiffRow* most = nullptr;
  for (const DiffRow* row : rows) {
    if (FamilyOf(row->metric) != family || row->delta == 0) continue;
    if (most == nullptr || Magnitude(row->delta) > Magnitude(most->delta)) most = row;
  }
  if (most == nullptr) return "";
  return absl::StrCat(most->metric.substr(family.size() + 1), " ", Signed(most->delta));
}

struct ScopeRows {
  std::string name;
  std::vector<const DiffRow*> rows;
};

std::vector<ScopeRows> ByScope(const Diff& diff) {
  std::vector<ScopeRows> scopes;
  for (const DiffRow& row : diff.rows) {
    if (scopes.empty() || scopes.back().name != row.scope) scopes.push_back({row.scope, {}});
    scopes.back().rows.push_back(&row);
  }
  return scopes;
}

// Stages by how far their cycles moved, the total last.
Table CycleTable(const Diff& diff, std::vector<ScopeRows> scopes) {
  Table table({{"stage", Table::Align::kLeft},
               {"A " + diff.unit},
               {"B " + diff.unit},
               {"delta"},
               {"change"},
               {"moved most", Table::Align::kLeft}});
  const auto distance = [](const ScopeRows& scope) {
    const DiffRow* cycles = Find(scope.rows, "cycles");
    return cycles == nullptr ? 0 : Magnitude(cycles->delta);
  };
  std::stable_sort(scopes.begin(), scopes.end(), [&](const ScopeRows& x, const ScopeRows& y) {
    if ((x.name == "total") != (y.name == "total")) return y.name == "total";
    return distance(x) > distance(y);
  });
  for (const ScopeRows& scope : scopes) {
    const DiffRow* cycles = Find(scope.rows, "cycles");
    if (cycles == nullptr) continue;
    if (scope.name == "total") table.AddLine();
    std::string moved = MovedMost(scope.rows, "opcode");
    const std::string reason = MovedMost(scope.rows, "reason");
    if (!reason.empty()) absl::StrAppend(&moved, moved.empty() ? "" : ", ", reason);
    table.AddRow({scope.name, Thousands(cycles->a), Thousands(cycles->b), Signed(cycles->delta),
                  Change(cycles->delta_ppm), moved});
  }
  return table;
}

// Metrics beyond cycles of the first scope, when they moved.
Table OtherMetrics(const ScopeRows& scope) {
  Table table({{"metric", Table::Align::kLeft}, {"A"}, {"B"}, {"delta"}, {"change"}});
  for (const DiffRow* row : scope.rows) {
    const bool is_shown = FamilyOf(row->metric) == "instructions" ||
                          FamilyOf(row->metric) == "bytes" || row->delta != 0;
    if (!is_shown || row->metric == "cycles") continue;
    table.AddRow({row->metric, Thousands(row->a), Thousands(row->b), Signed(row->delta),
                  Change(row->delta_ppm)});
  }
  return table;
}

Table ExceededTable(const Diff& diff) {
  Table table({{"beyond tolerance", Table::Align::kLeft}, {"A"}, {"B"}, {"delta"}, {"change"}});
  for (const DiffRow& row : diff.rows) {
    if (!row.is_exceeded) continue;
    table.AddRow({absl::StrCat(row.scope, " ", row.metric), Thousands(row.a), Thousands(row.b),
                  Signed(row.delta), Change(row.delta_ppm)});
  }
  return table;
}

std::string Verdict(const Diff& diff) {
  const auto judged = std::count_if(diff.rows.begin(), diff.rows.end(),
                                    [](const DiffRow& row) { return row.is_judged; });
  if (diff.is_within()) {
    return absl::StrCat("within tolerance: ", judged, " of ", diff.rows.size(),
                        " compared metrics were judged");
  }
  std::string text = absl::StrCat(diff.exceeded(), " of ", judged,
                                  " judged metrics exceed their "
                                  "tolerance");
  if (!diff.one_sided.empty()) {
    absl::StrAppend(&text, "; ", diff.one_sided.size(), " on one side only");
  }
  return text;
}

std::vector<std::string> HeadLines(const Diff& diff) {
  std::vector<std::string> lines = {"A: " + diff.label_a, "B: " + diff.label_b};
  for (const std::string& allowed : diff.allowed) lines.push_back("allowed: " + allowed);
  return lines;
}

std::vector<std::string> TailLines(const Diff& diff) {
  std::vector<std::string> lines;
  for (const OneSided& one : diff.one_sided) {
    lines.push_back(absl::StrCat(one.scope, ": only in ", std::string(1, one.side)));
  }
  for (const std::string& text : diff.not_compared) lines.push_back("not compared: " + text);
  return lines;
}

}  // namespace

std::string DiffText(const Diff& diff, std::size_t width) {
  std::string text;
  for (const std::string& line : HeadLines(diff)) absl::StrAppend(&text, Wrap(line, width));
  const std::vector<ScopeRows> scopes = ByScope(diff);
  absl::StrAppend(&text, "\n", CycleTable(diff, scopes).Text(width));
  if (!scopes.empty()) absl::StrAppend(&text, "\n", OtherMetrics(scopes[0]).Text(width));
  if (diff.exceeded() > 0) absl::StrAppend(&text, "\n", ExceededTable(diff).Text(width));
  text += "\n";
  for (const std::string& line : TailLines(diff)) absl::StrAppend(&text, Wrap(line, width));
  absl::StrAppend(&text, Verdict(diff), "\n");
  if (diff.caveat) absl::StrAppend(&text, "\n", Wrap(*diff.caveat, width));
  return text;
}

std::string DiffMarkdown(const Diff& diff) {
  std::string text = absl::StrCat("## Profile difference: ", Verdict(diff), "\n\n");
  for (const std::string& line : HeadLines(diff)) absl::StrAppend(&text, "* ", line, "\n");
  for (const std::string& line : TailLines(diff)) absl::StrAppend(&text, "* ", line, "\n");
  const std::vector<ScopeRows> scopes = ByScope(diff);
  absl::StrAppend(&text, "\n", CycleTable(diff, scopes).Markdown());
  if (!scopes.empty()) absl::StrAppend(&text, "\n", OtherMetrics(scopes[0]).Markdown());
  if (diff.exceeded() > 0) absl::StrAppend(&text, "\n", ExceededTable(diff).Markdown());
  if (diff.caveat) absl::StrAppend(&text, "\n> ", *diff.caveat, "\n");
  return text;
}

}  // namespace moescope::profiler
