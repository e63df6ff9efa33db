#include "isa/document_toml.h"

#include <toml++/toml.h>

#include <sstream>

#include "base/diagnostic.h"

namespace moescope::isa {

namespace {

// The library throws; this is the only place that sees it.
absl::StatusOr<toml::table> ParseFenced(std::string_view text, const std::string& path) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    Diagnostic diagnostic;
    diagnostic.id = "IS001";
    diagnostic.message = std::string(error.description());
    diagnostic.location = {path, error.source().begin.line, error.source().begin.column};
    return ToStatus(diagnostic);
  }
}

}  // namespace

absl::StatusOr<std::string> JsonOfToml(std::string_view text, const std::string& path) {
  const absl::StatusOr<toml::table> table = ParseFenced(text, path);
  if (!table.ok()) return table.status();
  std::ostringstream json;
  json << toml::json_formatter(*table);
  return json.str();
}

}  // namespace moescope::isa
