#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace moescope {

// Objects keep the order of their keys, so that what we write is what we meant.
using Json = nlohmann::ordered_json;

// Parses a JSON text without exceptions. On a syntax error or a key given twice in one object the
// status is a diagnostic with `id` about `path`, with line and column where they are known.
absl::StatusOr<Json> ParseJson(std::string_view text, const std::string& path, std::string_view id);

// The text form of our files: two blanks of indentation and a final newline; bytes that are not
// UTF-8 become U+FFFD.
std::string JsonText(const Json& json);

}  // namespace moescope
