#include "cli/session/manifest_values.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "emulator/dumps.h"

namespace moescope::session {

namespace {

bool Contains(std::string_view names, std::string_view name) {
  const std::vector<absl::string_view> all = absl::StrSplit(Absl(names), '|');
  return std::find(all.begin(), all.end(), Absl(name)) != all.end();
}

std::string OneOf(std::string_view names, std::string_view name) {
  const std::vector<std::string> all = absl::StrSplit(Absl(names), '|');
  const std::vector<std::string_view> candidates(all.begin(), all.end());
  return absl::StrCat("allowed: ", absl::StrJoin(all, ", "), DidYouMean(name, candidates));
}

}  // namespace

ManifestValues::ManifestValues(std::string_view text, const std::string& path)
    : findings_(path, text) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos) folder_ = path.substr(0, slash + 1);
}

std::optional<Memory> ManifestValues::MemoryOf(const JsonValue& value, const std::string& path,
                                               std::string_view allowed) {
  if (value.kind == JsonValue::Kind::kText && Contains(allowed, value.text)) {
    return emulator::ParseDumpTarget(value.text);
  }
  findings_.Report(value, path, OneOf(allowed, value.text), "MF005");
  return std::nullopt;
}

std::optional<Memory> ManifestValues::MemoryNamed(const JsonValue::Member& member,
                                                  const std::string& path,
                                                  std::string_view allowed) {
  if (Contains(allowed, member.key)) return emulator::ParseDumpTarget(member.key);
  findings_.ReportAt(member.line, member.column,
                     absl::StrCat("unknown key '", path, "': ", OneOf(allowed, member.key)),
                     "MF003");
  return std::nullopt;
}

std::string ManifestValues::TextOf(const JsonValue& value, const std::string& path) {
  if (value.kind != JsonValue::Kind::kText)
    findings_.Report(value, path, "must be a text", "MF004");
  return value.text;
}

std::string ManifestValues::ScalarText(const JsonValue& value, const std::string& path) {
  switch (value.kind) {
    case JsonValue::Kind::kText:
    case JsonValue::Kind::kReal:
      return value.text;
    case JsonValue::Kind::kInteger:
      return absl::StrCat(value.negative ? "-" : "", value.integer);
    case JsonValue::Kind::kBoolean:
      return value.boolean ? "true" : "false";
    default:
      findings_.Report(value, path, "must be a text, a number or a truth value", "MF004");
      return "";
  }
}

void ManifestValues::Path(ObjectReader& r, std::string_view key, std::string& target) {
  std::string text;
  r.Text(key, text);
  if (!text.empty()) target = Resolve(text);
}

std::string ManifestValues::Resolve(const std::string& path) const {
  if (path == "-" || path.front() == '/') return path;
  return folder_ + path;
}

std::string ManifestValues::FileOrName(const std::string& name) const {
  const std::string path = name.empty() ? name : Resolve(name);
  const bool plain = !absl::StrContains(name, '/') && !absl::StrContains(name, '.');
  return plain && ::access(path.c_str(), F_OK) != 0 ? name : path;
}

}  // namespace moescope::session
