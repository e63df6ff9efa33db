#include "base/diagnostic_sarif_json.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"

namespace moescope {

namespace {

std::string UriOf(const std::string& path) {
  std::string uri = path.front() == '/' ? "file://" : "";
  for (const char c : path) {
    const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      absl::StrAppendFormat(&uri, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

Json PhysicalLocation(const SourceLocation& at, const std::string& source_line) {
  Json location;
  location["artifactLocation"]["uri"] = UriOf(at.file);
  if (at.line == 0) return location;
  Json& region = location["region"];
  region["startLine"] = at.line;
  if (at.column > 0) {
    region["startColumn"] = at.column;
    if (at.length > 0) region["endColumn"] = at.column + at.length;
  }
  if (!source_line.empty()) region["snippet"]["text"] = source_line;
  return location;
}

Json ResultOf(const Diagnostic& diagnostic, std::span<const Explanation> rules) {
  Json result;
  if (!diagnostic.id.empty()) result["ruleId"] = diagnostic.id;
  const auto rule = std::ranges::find(rules, diagnostic.id, &Explanation::id);
  if (rule != rules.end()) result["ruleIndex"] = rule - rules.begin();
  result["level"] = SeverityName(diagnostic.severity);
  std::string text = diagnostic.message;
  Json related = Json::array();
  for (const DiagnosticNote& note : diagnostic.notes) {
    if (note.location.file.empty()) {
      absl::StrAppend(&text, "\nnote: ", note.message);
      continue;
    }
    related.push_back(Json{{"message", {{"text", note.message}}},
                           {"physicalLocation", PhysicalLocation(note.location, "")}});
  }
  result["message"]["text"] = text;
  if (!diagnostic.location.file.empty()) {
    result["locations"].push_back(
        Json{{"physicalLocation", PhysicalLocation(diagnostic.location, diagnostic.source_line)}});
  }
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  return result;
}

Json RuleOf(const Explanation& rule) {
  return {{"id", rule.id},
          {"shortDescription", {{"text", rule.title}}},
          {"fullDescription", {{"text", rule.cause}}},
          {"help", {{"text", rule.fix}}}};
}

}  // namespace

std::string DiagnosticsSarif(std::span<const Diagnostic> diagnostics,
                             std::span<const Explanation> rules) {
  Json run;
  run["tool"]["driver"]["name"] = "moescope";
  run["tool"]["driver"]["rules"] = Json::array();
  for (const Explanation& rule : rules) {
    run["tool"]["driver"]["rules"].push_back(RuleOf(rule));
  }
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    run["results"].push_back(ResultOf(diagnostic, rules));
  }
  Json log;
  log["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  log["version"] = "2.1.0";
  log["runs"].push_back(std::move(run));
  return JsonText(log);
}

}  // namespace moescope
