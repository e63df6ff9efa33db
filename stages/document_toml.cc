#include "stages/document_toml.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "base/suggestion.h"

namespace moescope::stages {

namespace {

// A value as a message shows it: short scalars as written in TOML, nothing for the rest.
std::string ShortText(const toml::node& node) {
  if (node.is_table() || node.is_array()) return "";
  if (const auto text = node.value<std::string>(); node.is_string()) {
    return text->size() > 80 ? "" : absl::StrCat("\"", *text, "\"");
  }
  if (node.is_integer()) return absl::StrCat(*node.value<std::int64_t>());
  if (node.is_boolean()) return *node.value<bool>() ? "true" : "false";
  return "";
}

std::string_view LineOf(std::string_view text, std::uint32_t line) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// The one place where toml++ throws.
absl::StatusOr<toml::table> ParseFenced(std::string_view text, Diagnostic& diagnostic) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    diagnostic.message = std::string(error.description());
    diagnostic.location.line = error.source().begin.line;
    diagnostic.location.column = error.source().begin.column;
  }
  return absl::InvalidArgumentError("");
}

std::string Join(std::string_view table_path, std::string_view key) {
  return absl::StrCat(Absl(table_path), table_path.empty() ? "" : ".", Absl(key));
}

}  // namespace

absl::StatusOr<TomlDocument> TomlDocument::Parse(std::string_view text, const std::string& path,
                                                 std::string_view schema, std::int64_t version) {
  Diagnostic diagnostic{.id = "MS020", .location = {.file = path}};
  if (text.size() > kMaximumBytes) {
    diagnostic.message =
        absl::StrCat("the file has ", text.size(), " bytes; at most ", kMaximumBytes, " are read");
    return moescope::ToStatus(diagnostic);
  }
  TomlDocument document(text, path);
  absl::StatusOr<toml::table> root = ParseFenced(text, diagnostic);
  if (!root.ok()) {
    diagnostic.source_line = std::string(LineOf(text, diagnostic.location.line));
    return moescope::ToStatus(diagnostic);
  }
  document.root_ = *std::move(root);
  const std::string found = document.Text(document.root_, "", "schema");
  if (document.ok() && found != schema) {
    document.Report(*document.root_.get("schema"), "schema",
                    absl::StrCat("must be \"", Absl(schema), "\""), "MS020");
  }
  const toml::node* number = document.root_.get("version");
  if (number == nullptr || number->value_exact<std::int64_t>() != version) {
    document.Report(number == nullptr ? document.root_ : *number, "version",
                    absl::StrCat("must be ", version), "MS020");
  }
  if (!document.ok()) return document.ToStatus();
  return document;
}

absl::Status TomlDocument::ToStatus() const {
  if (ok()) return absl::OkStatus();
  std::vector<Diagnostic> sorted = diagnostics_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.location.line, a.location.column) <
           std::pair(b.location.line, b.location.column);
  });
  return moescope::ToStatus(sorted);
}

void TomlDocument::Add(const toml::source_position& at, std::string message, std::string_view id) {
  if (full()) return;
  Diagnostic& diagnostic = diagnostics_.emplace_back();
  diagnostic.id = std::string(id);
  diagnostic.message = std::move(message);
  diagnostic.location = {.file = path_, .line = at.line, .column = at.column};
  diagnostic.source_line = std::string(LineOf(text_, at.line));
}

void TomlDocument::Report(const toml::node& at, std::string_view key_path, std::string_view problem,
                          std::string_view id) {
  const std::string value = ShortText(at);
  Add(at.source().begin,
      absl::StrCat(Absl(key_path), value.empty() ? "" : " = ", value, ": ", Absl(problem)), id);
}

void TomlDocument::CheckKeys(const toml::table& table, std::string_view table_path,
                             std::initializer_list<std::string_view> known) {
  const std::vector<std::string_view> candidates(known);
  for (const auto& [key, value] : table) {
    const std::string_view name = key.str();
    if (full()) return;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    Add(key.source().begin,
        absl::StrCat("unknown key '", Join(table_path, name), "'", DidYouMean(name, candidates)),
        "MS021");
  }
}

std::string TomlDocument::Text(const toml::table& table, std::string_view table_path,
                               std::string_view key, bool optional) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    if (!optional) Report(table, Join(table_path, key), "missing", "MS022");
    return "";
  }
  if (!node->is_string()) {
    Report(*node, Join(table_path, key), "must be a string", "MS022");
    return "";
  }
  return *node->value<std::string>();
}

std::optional<std::vector<std::string>> TomlDocument::Texts(const toml::table& table,
                                                            std::string_view table_path,
                                                            std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  const toml::array* array = node->as_array();
  if (array == nullptr ||
      !std::all_of(array->begin(), array->end(), [](const auto& e) { return e.is_string(); })) {
    Report(*node, Join(table_path, key), "must be an array of strings", "MS022");
    return std::nullopt;
  }
  std::vector<std::string> texts;
  for (const toml::node& element : *array) texts.push_back(*element.value<std::string>());
  return texts;
}

std::vector<const toml::table*> TomlDocument::Tables(const toml::table& table,
                                                     std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return {};
  const toml::array* array = node->as_array();
  if (array == nullptr ||
      !std::all_of(array->begin(), array->end(), [](const auto& e) { return e.is_table(); })) {
    Report(*node, key, "must be an array of tables", "MS022");
    return {};
  }
  std::vector<const toml::table*> tables;
  for (const toml::node& element : *array) tables.push_back(element.as_table());
  return tables;
}

}  // namespace moescope::stages
