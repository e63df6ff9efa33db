#include "cli/session/json_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/number.h"
#include "base/string_view.h"
#include "base/suggestion.h"

namespace moescope::session {

namespace {

constexpr std::size_t kMaximumFindings = 20;

// A value as messages show it; containers and long texts are left out.
std::string ShortText(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::kText:
      return value.text.size() > 80 ? "" : absl::StrCat("\"", value.text, "\"");
    case JsonValue::Kind::kBoolean:
      return value.boolean ? "true" : "false";
    case JsonValue::Kind::kInteger:
      return absl::StrCat(value.negative ? "-" : "", value.integer);
    case JsonValue::Kind::kReal:
      return value.text;
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kArray:
    case JsonValue::Kind::kObject:
      break;
  }
  return "";
}

std::string LineText(std::string_view text, std::uint32_t line) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return std::string(text.substr(0, 200));
}

}  // namespace

JsonFindings::JsonFindings(std::string path, std::string_view text)
    : path_(std::move(path)), text_(text) {}

void JsonFindings::Report(const JsonValue& value, std::string_view key_path, std::string_view what,
                          std::string_view id) {
  const std::string shown = ShortText(value);
  ReportAt(value.line, value.column,
           absl::StrCat(Absl(key_path), shown.empty() ? "" : " = ", shown, ": ", Absl(what)), id);
}

void JsonFindings::ReportAt(std::uint32_t line, std::uint32_t column, std::string message,
                            std::string_view id) {
  if (findings_.size() == kMaximumFindings) return;
  Diagnostic& finding = findings_.emplace_back();
  finding.id = std::string(id);
  finding.message = std::move(message);
  finding.location = {.file = path_, .line = line, .column = column};
  finding.source_line = LineText(text_, line);
}

absl::Status JsonFindings::ToStatus() const {
  if (ok()) return absl::OkStatus();
  std::vector<Diagnostic> sorted = findings_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.location.line, a.location.column) <
           std::pair(b.location.line, b.location.column);
  });
  return moescope::ToStatus(sorted);
}

ObjectReader::ObjectReader(const JsonValue& object, std::string key_path, JsonFindings& findings)
    : object_(object), key_path_(std::move(key_path)), findings_(findings) {}

std::string ObjectReader::PathOf(std::string_view key) const {
  return absl::StrCat(key_path_, key_path_.empty() ? "" : ".", Absl(key));
}

const JsonValue* ObjectReader::Find(std::string_view key) {
  known_.emplace_back(key);
  for (const JsonValue::Member& member : object_.members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

const JsonValue* ObjectReader::Typed(std::string_view key, JsonValue::Kind kind,
                                     std::string_view demand) {
  const JsonValue* value = Find(key);
  if (value == nullptr || value->kind == kind) return value;
  findings_.Report(*value, PathOf(key), absl::StrCat("must be ", Absl(demand)), "MF004");
  return nullptr;
}

void ObjectReader::Text(std::string_view key, std::string& target) {
  const JsonValue* value = Typed(key, JsonValue::Kind::kText, "a text");
  if (value != nullptr) target = value->text;
}

void ObjectReader::Text(std::string_view key, std::optional<std::string>& target) {
  const JsonValue* value = Typed(key, JsonValue::Kind::kText, "a text");
  if (value != nullptr) target = value->text;
}

void ObjectReader::Texts(std::string_view key, std::vector<std::string>& target) {
  Items(key, [&](const JsonValue& item, const std::string& path) {
    if (item.kind != JsonValue::Kind::kText) {
      return findings_.Report(item, path, "must be a text", "MF004");
    }
    target.push_back(item.text);
  });
}

void ObjectReader::Boolean(std::string_view key, bool& target) {
  const JsonValue* value = Typed(key, JsonValue::Kind::kBoolean, "true or false");
  if (value != nullptr) target = value->boolean;
}

std::optional<std::uint64_t> NumberOf(const JsonValue& value, const std::string& key_path,
                                      JsonFindings& findings) {
  if (value.kind == JsonValue::Kind::kInteger && !value.negative) return value.integer;
  if (value.kind == JsonValue::Kind::kText) {
    const absl::StatusOr<std::uint64_t> number = ParseNumber(value.text);
    if (number.ok()) return *number;
  }
  const bool number =
      value.kind == JsonValue::Kind::kInteger || value.kind == JsonValue::Kind::kText;
  findings.Report(value, key_path,
                  "must be an integer from 0 to 2^64 - 1, or a text such as \"16G\"",
                  number ? "MF005" : "MF004");
  return std::nullopt;
}

void ObjectReader::Number(std::string_view key, std::uint64_t& target) {
  std::optional<std::uint64_t> number;
  Number(key, number);
  if (number) target = *number;
}

void ObjectReader::Number(std::string_view key, std::optional<std::uint64_t>& target) {
  const JsonValue* value = Find(key);
  if (value == nullptr) return;
  if (const std::optional<std::uint64_t> number = NumberOf(*value, PathOf(key), findings_)) {
    target = number;
  }
}

void ObjectReader::Choice(std::string_view key, std::string_view names,
                          std::optional<std::string>& target) {
  const JsonValue* value = Typed(key, JsonValue::Kind::kText, "a text");
  if (value == nullptr) return;
  const std::vector<std::string> allowed = absl::StrSplit(Absl(names), '|');
  if (std::find(allowed.begin(), allowed.end(), value->text) != allowed.end()) {
    target = value->text;
    return;
  }
  const std::vector<std::string_view> candidates(allowed.begin(), allowed.end());
  findings_.Report(
      *value, PathOf(key),
      absl::StrCat("allowed: ", absl::StrJoin(allowed, ", "), DidYouMean(value->text, candidates)),
      "MF005");
}

void ObjectReader::Object(std::string_view key, const std::function<void(ObjectReader&)>& read) {
  const JsonValue* value = Typed(key, JsonValue::Kind::kObject, "an object");
  if (value == nullptr) return;
  ObjectReader reader(*value, PathOf(key), findings_);
  read(reader);
  reader.Finish();
}

void ObjectReader::Members(
    std::string_view key,
    const std::function<void(const JsonValue::Member&, const std::string&)>& read) {
  const JsonValue* value = Typed(key, JsonValue::Kind::kObject, "an object");
  if (value == nullptr) return;
  for (const JsonValue::Member& member : value->members) {
    read(member, absl::StrCat(PathOf(key), ".", member.key));
  }
}

void ObjectReader::Items(std::string_view key,
                         const std::function<void(const JsonValue&, const std::string&)>& read) {
  const JsonValue* value = Typed(key, JsonValue::Kind::kArray, "an array");
  if (value == nullptr) return;
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    read(value->items[i], absl::StrCat(PathOf(key), "[", i, "]"));
  }
}

void ObjectReader::Require(std::string_view key) {
  if (Find(key) == nullptr) {
    findings_.ReportAt(object_.line, object_.column, absl::StrCat(PathOf(key), ": missing"),
                       "MF004");
  }
}

void ObjectReader::Finish() {
  const std::vector<std::string_view> candidates(known_.begin(), known_.end());
  for (const JsonValue::Member& member : object_.members) {
    if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
    findings_.ReportAt(
        member.line, member.column,
        absl::StrCat("unknown key '", PathOf(member.key), "'", DidYouMean(member.key, candidates)),
        "MF003");
  }
}

}  // namespace moescope::session
