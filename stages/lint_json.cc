#include "stages/lint_json.h"

#include "base/json.h"
#include "stages/lint_schema_data.h"

namespace moescope::stages {

namespace {

void AddPlace(Json& object, const SourceLocation& place) {
  if (!place.file.empty()) object["file"] = place.file;
  if (place.line > 0) object["line"] = place.line;
  if (place.line > 0 && place.column > 0) object["column"] = place.column;
}

Json ToJson(const LintFinding& finding) {
  Json object;
  object["id"] = finding.diagnostic.id;
  object["severity"] = SeverityName(finding.diagnostic.severity);
  object["message"] = finding.diagnostic.message;
  AddPlace(object, finding.diagnostic.location);
  if (finding.pc) object["pc"] = *finding.pc;
  if (!finding.stage.empty()) object["stage"] = finding.stage;
  object["related"] = Json::array();
  for (const DiagnosticNote& note : finding.diagnostic.notes) {
    Json related;
    related["message"] = note.message;
    AddPlace(related, note.location);
    object["related"].push_back(std::move(related));
  }
  return object;
}

}  // namespace

std::string LintJson(std::span<const LintFinding> findings) {
  Json document;
  document["schema"] = "moescope.lint";
  document["schema_version"] = 1;
  document["findings"] = Json::array();
  for (const LintFinding& finding : findings) document["findings"].push_back(ToJson(finding));
  const LintCounts counts = CountFindings(findings);
  document["counts"]["error"] = counts.errors;
  document["counts"]["warning"] = counts.warnings;
  document["counts"]["note"] = counts.notes;
  return JsonText(document);
}

std::string_view LintJsonSchema() { return data::kLintV1Schema; }

}  // namespace moescope::stages
