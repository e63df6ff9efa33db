#include "stages/annotate_json.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"

namespace moescope::stages {

std::string AnnotateReportJson(const AnnotateReport& report) {
  Json document;
  document["schema"] = "moescope.annotate_report";
  document["schema_version"] = 1;
  document["words"] = report.words;
  document["decided_words"] = report.decided_words;
  document["coverage_ppm"] = report.CoveragePpm();
  document["markers"] = report.markers;
  document["removed_markers"] = report.removed_markers;
  for (const char* list : {"rules", "stages", "undecided", "unmatched"}) {
    document[list] = Json::array();
  }
  for (const auto& rule : report.rules) {
    document["rules"].push_back(
        Json{{"id", rule.id}, {"comments", rule.comments}, {"words", rule.words}});
  }
  for (const auto& stage : report.stages) {
    document["stages"].push_back(Json{{"name", stage.stage}, {"words", stage.words}});
  }
  for (const auto& entry : report.undecided) {
    document["undecided"].push_back(
        Json{{"line", entry.line}, {"rule", entry.rule}, {"comment", entry.comment}});
  }
  for (const auto& entry : report.unmatched) {
    document["unmatched"].push_back(
        Json{{"shape", entry.shape}, {"count", entry.count}, {"first_line", entry.first_line}});
  }
  return JsonText(document);
}

std::string AnnotateReportText(const AnnotateReport& report) {
  const std::uint64_t ppm = report.CoveragePpm();
  std::string text =
      absl::StrFormat("%d markers for %d instructions; %d.%02d %% of them decided by a rule\n",
                      report.markers, report.words, ppm / 10'000, ppm % 10'000 / 100);
  for (const auto& stage : report.stages) {
    absl::StrAppendFormat(&text, "  %-24s %9d\n", stage.stage, stage.words);
  }
  for (const auto& entry : report.undecided) {
    absl::StrAppend(&text, "line ", entry.line, ": rule ", entry.rule,
                    " has no case for this comment: ", entry.comment, "\n");
  }
  for (const auto& entry : report.unmatched) {
    absl::StrAppend(&text, "no rule for ", entry.count, " comment", entry.count == 1 ? "" : "s",
                    " like this (first in line ", entry.first_line, "): ", entry.shape, "\n");
  }
  return text;
}

}  // namespace moescope::stages
