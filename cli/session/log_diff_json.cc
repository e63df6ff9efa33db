#include "cli/session/log_diff_json.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"

namespace moescope::session {

namespace {

Json DifferenceJson(const profiler::LogDifference& difference) {
  Json json;
  json["line"] = difference.line;
  json["context"] = difference.context;
  json["a"] = difference.a ? Json(*difference.a) : Json(nullptr);
  json["b"] = difference.b ? Json(*difference.b) : Json(nullptr);
  json["columns"] = difference.columns;
  json["only_in_a"] = difference.only_in_a;
  json["only_in_b"] = difference.only_in_b;
  if (!difference.place.empty()) json["source"] = difference.place;
  return json;
}

}  // namespace

std::string LogDiffJson(const profiler::LogDiff& diff, const std::string& a, const std::string& b) {
  Json json;
  json["schema"] = "moescope.log_diff";
  json["schema_version"] = 1;
  json["a"] = a;
  json["b"] = b;
  json["equal"] = !diff.difference.has_value();
  json["equal_lines"] = diff.lines;
  json["notes"] = diff.notes;
  if (diff.difference) json["difference"] = DifferenceJson(*diff.difference);
  return JsonText(json);
}

std::string LogDiffMarkdown(const profiler::LogDiff& diff, const std::string& a,
                            const std::string& b) {
  std::string text = "## Commit log difference: ";
  if (diff.difference) {
    absl::StrAppend(&text, "first in line ", diff.difference->line);
  } else {
    absl::StrAppend(&text, "none in ", diff.lines, diff.lines == 1 ? " line" : " lines");
  }
  absl::StrAppend(&text, "\n\n* A: ", a, "\n* B: ", b, "\n");
  for (const std::string& note : diff.notes) absl::StrAppend(&text, "* differ in ", note, "\n");
  if (!diff.difference) return text;
  const profiler::LogDifference& d = *diff.difference;
  if (!d.place.empty()) absl::StrAppend(&text, "* source: ", d.place, "\n");
  if (!d.columns.empty()) {
    absl::StrAppend(&text, "* columns that differ: ", absl::StrJoin(d.columns, ", "), "\n");
  }
  text += "\n```diff\n";
  for (const std::string& line : d.context) absl::StrAppend(&text, "  ", line, "\n");
  absl::StrAppend(&text, "- ", d.a.value_or("(the log ends)"), "\n");
  return absl::StrCat(text, "+ ", d.b.value_or("(the log ends)"), "\n```\n");
}

}  // namespace moescope::session
