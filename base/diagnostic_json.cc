#include "base/diagnostic_json.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"

namespace moescope {

namespace {

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
    Json entry;
    entry["message"] = note.message;
    AddLocation(entry, note.location);
    object["notes"].push_back(std::move(entry));
  }
  return object;
}

std::string EscapedText(const std::string& text) {
  return absl::StrReplaceAll(text, {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}});
}

std::string EscapedProperty(const std::string& text) {
  return absl::StrReplaceAll(
      text, {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}, {":", "%3A"}, {",", "%2C"}});
}

std::string Properties(const Diagnostic& diagnostic) {
  const SourceLocation& at = diagnostic.location;
  std::string text;
  const auto add = [&text](const char* key, const std::string& value) {
    absl::StrAppend(&text, text.empty() ? " " : ",", key, "=", value);
  };
  if (!at.file.empty()) add("file", EscapedProperty(at.file));
  if (at.line > 0) add("line", absl::StrCat(at.line));
  if (at.line > 0 && at.column > 0) {
    add("col", absl::StrCat(at.column));
    if (at.length > 0) add("endColumn", absl::StrCat(at.column + at.length));
  }
  if (!diagnostic.id.empty()) add("title", EscapedProperty(diagnostic.id));
  return text;
}

}  // namespace

std::string DiagnosticsJson(std::span<const Diagnostic> diagnostics) {
  Json document;
  document["schema"] = "moescope.diagnostics";
  document["schema_version"] = 1;
  document["diagnostics"] = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    document["diagnostics"].push_back(ToJson(diagnostic));
  }
  return JsonText(document);
}

std::string DiagnosticsGithub(std::span<const Diagnostic> diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    const bool is_note = diagnostic.severity == Severity::kNote;
    const std::string_view command = is_note ? "notice" : SeverityName(diagnostic.severity);
    std::string message = diagnostic.message;
    for (const DiagnosticNote& note : diagnostic.notes) {
      const std::string place = ToString(note.location);
      absl::StrAppend(&message, "\n", place, place.empty() ? "" : ": ", "note: ", note.message);
    }
    absl::StrAppend(&text, "::", std::string(command), Properties(diagnostic),
                    "::", EscapedText(message), "\n");
  }
  return text;
}

}  // namespace moescope
