#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

// Comma-separated values of RFC 4180: lines end with CR LF, fields are quoted only where needed.

namespace moescope::profiler {

class CsvWriter {
 public:
  CsvWriter& Field(std::string_view text);
  CsvWriter& Field(std::uint64_t number) { return Field(std::to_string(number)); }
  // Absent is an empty field.
  CsvWriter& Optional(const std::optional<std::uint64_t>& number);
  CsvWriter& Optional(const std::optional<std::string>& text);
  void EndRow();
  // All fields of a row.
  void Row(const std::vector<std::string>& fields);

  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  bool row_is_empty_ = true;
};

// The rows of a text; line ends may be LF alone. InvalidArgument with the line for a quote that is
// not closed or stands inside a field.
absl::StatusOr<std::vector<std::vector<std::string>>> ParseCsv(std::string_view text);

}  // namespace moescope::profiler
