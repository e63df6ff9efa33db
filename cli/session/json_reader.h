#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/diagnostic.h"
#include "cli/session/document_json.h"

namespace moescope::session {

// The findings about one JSON file, collected while it is read.
class JsonFindings {
 public:
  JsonFindings(std::string path, std::string_view text);

  // "KEY = value: what is wrong [ID]" at the place of `value`.
  void Report(const JsonValue& value, std::string_view key_path, std::string_view what,
              std::string_view id);
  void ReportAt(std::uint32_t line, std::uint32_t column, std::string message, std::string_view id);

  bool ok() const { return findings_.empty(); }
  // All findings, by place; at most 20.
  absl::Status ToStatus() const;

 private:
  std::string path_;
  std::string_view text_;
  std::vector<Diagnostic> findings_;
};

// Reads the members of one object, each at most once, and reports at the end what is left over.
// MF003 unknown key, MF004 wrong type or missing, MF005 value not allowed.
class ObjectReader {
 public:
  ObjectReader(const JsonValue& object, std::string key_path, JsonFindings& findings);

  // Null when absent. The key counts as known from then on.
  const JsonValue* Find(std::string_view key);
  // Each leaves `target` alone when the key is absent or wrong.
  void Text(std::string_view key, std::string& target);
  void Text(std::string_view key, std::optional<std::string>& target);
  void Texts(std::string_view key, std::vector<std::string>& target);
  void Boolean(std::string_view key, bool& target);
  // An integer, or a text that ParseNumber accepts ("16G").
  void Number(std::string_view key, std::uint64_t& target);
  void Number(std::string_view key, std::optional<std::uint64_t>& target);
  // One of `names`, separated by '|'.
  void Choice(std::string_view key, std::string_view names, std::optional<std::string>& target);
  // Calls `read` with a reader of the object of this key, and finishes it.
  void Object(std::string_view key, const std::function<void(ObjectReader&)>& read);
  // Calls `read` with each member of the object of this key and its key path.
  void Members(std::string_view key,
               const std::function<void(const JsonValue::Member&, const std::string&)>& read);
  // Calls `read` with each element of the array of this key and its key path.
  void Items(std::string_view key,
             const std::function<void(const JsonValue&, const std::string&)>& read);
  // Reports a missing key.
  void Require(std::string_view key);

  // Reports the keys that nothing asked for.
  void Finish();

  std::string PathOf(std::string_view key) const;
  JsonFindings& findings() { return findings_; }
  const JsonValue& object() const { return object_; }

 private:
  // The value of `key` when it has the given kind; reports another kind.
  const JsonValue* Typed(std::string_view key, JsonValue::Kind kind, std::string_view demand);

  const JsonValue& object_;
  std::string key_path_;
  JsonFindings& findings_;
  std::vector<std::string> known_;
};

// The value as a number, or nothing after a report.
std::optional<std::uint64_t> NumberOf(const JsonValue& value, const std::string& key_path,
                                      JsonFindings& findings);

}  // namespace moescope::session
