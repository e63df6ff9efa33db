#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace moescope::profiler {

using Json = nlohmann::ordered_json;

// A JSON text as a tree that keeps the order of keys. What a profile may not hold is told as a
// problem ("floating-point number at /totals/cycles"): floats, duplicate keys, and negative numbers
// are kept in the tree, so that the caller decides.
struct ParsedJson {
  Json value;
  std::vector<std::string> problems;
};

// InvalidArgument with line and column when the text is not JSON, or nests deeper than 64 levels.
absl::StatusOr<ParsedJson> ParseJson(std::string_view text);

// Two-space indent, trailing newline, UTF-8; bytes that are not UTF-8 become U+FFFD.
std::string PrettyText(const Json& value);
// Without any blank.
std::string CompactText(const Json& value);

// Appends a member without looking for an earlier one of the same key.
Json& AppendMember(Json& object, std::string_view key);

}  // namespace moescope::profiler
