#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/diagnostic.h"

namespace moescope::stages {

// Strict reading of our TOML files (vocabularies, annotate rules). Every problem is collected with
// its line and column and the path of its key; a getter that fails returns an empty value.
class TomlDocument {
 public:
  // Largest file read.
  static constexpr std::size_t kMaximumBytes = std::size_t{16} << 20;

  // Not-TOML is an error with id MS020; so is a file whose schema or version is not the given one.
  static absl::StatusOr<TomlDocument> Parse(std::string_view text, const std::string& path,
                                            std::string_view schema, std::int64_t version);

  const toml::table& root() const { return root_; }
  bool ok() const { return diagnostics_.empty(); }
  // Enough problems for one report; further ones are dropped.
  bool full() const { return diagnostics_.size() >= 100; }
  absl::Status ToStatus() const;

  // Reports `key_path = value: problem`, or `key_path: problem` when `value` has no short text.
  void Report(const toml::node& at, std::string_view key_path, std::string_view problem,
              std::string_view id);
  // Reports the keys of `table` that are not `known` (MS021).
  void CheckKeys(const toml::table& table, std::string_view table_path,
                 std::initializer_list<std::string_view> known);

  // MS022 when absent (unless `optional`) or not a string.
  std::string Text(const toml::table& table, std::string_view table_path, std::string_view key,
                   bool optional = false);
  // An array of strings; nothing when absent. MS022 when it is something else.
  std::optional<std::vector<std::string>> Texts(const toml::table& table,
                                                std::string_view table_path, std::string_view key);
  // An array of tables; empty when absent. MS022 when it is something else.
  std::vector<const toml::table*> Tables(const toml::table& table, std::string_view key);

 private:
  TomlDocument(std::string_view text, const std::string& path) : text_(text), path_(path) {}
  void Add(const toml::source_position& at, std::string message, std::string_view id);

  std::string_view text_;
  std::string path_;
  toml::table root_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace moescope::stages
