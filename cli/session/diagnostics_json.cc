#include "cli/session/diagnostics_json.h"

#include <nlohmann/json.hpp>

namespace moescope::session {

namespace {

using Json = nlohmann::ordered_json;

void AddLocation(Json& object, const SourceLocation& location) {
  if (!location.file.empty()) object["file"] = location.file;
  if (location.line == 0) return;
  object["line"] = location.line;
  if (location.column == 0) return;
  object["column"] = location.column;
  if (location.length > 0) object["length"] = location.length;
}

Json ToJson(const Diagnostic& diagnostic) {
  Json object;
  if (!diagnostic.id.empty()) object["id"] = diagnostic.id;
  object["severity"] = SeverityName(diagnostic.severity);
  object["message"] = diagnostic.message;
  AddLocation(object, diagnostic.location);
  if (!diagnostic.source_line.empty()) object["source_line"] = diagnostic.source_line;
  object["notes"] = Json::array();
  for (const DiagnosticNote& note : diagnostic.notes) {
    Json entry{{"message", note.message}};
    AddLocation(entry, note.location);
    object["notes"].push_back(std::move(entry));
  }
  return object;
}

}  // namespace

std::string DiagnosticsJson(std::span<const Diagnostic> diagnostics) {
  Json document{{"schema", "moescope.diagnostics"}, {"schema_version", 1}};
  document["diagnostics"] = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    document["diagnostics"].push_back(ToJson(diagnostic));
  }
  // Source text may hold bytes that are not UTF-8; they become U+FFFD.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace moescope::session
