#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace moescope::session {

// A JSON value that knows its place, so that an error in a file written by hand can point at it.
// Which fields are valid follows from `kind`.
struct JsonValue {
  enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kReal, kText, kArray, kObject };
  struct Member;

  Kind kind = Kind::kNull;
  std::uint32_t line = 0;    // from 1
  std::uint32_t column = 0;  // from 1, in code points
  bool boolean = false;
  bool negative = false;         // kInteger: `integer` is the magnitude
  std::uint64_t integer = 0;     // kInteger
  double real = 0;               // kReal, and kInteger as far as a double holds it
  std::string text;              // kText; kReal: as written
  std::vector<JsonValue> items;  // kArray
  std::vector<Member> members;   // kObject, in file order, keys unique
};

struct JsonValue::Member {
  std::string key;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  JsonValue value;
};

// "a text", "an object": what a value is, for messages.
std::string_view KindName(JsonValue::Kind kind);

// Deepest nesting and largest file accepted.
inline constexpr std::size_t kMaximumJsonDepth = 64;
inline constexpr std::size_t kMaximumJsonBytes = std::size_t{64} << 20;

// Reads a JSON text. Errors are one diagnostic with the id MF001 (not JSON, too deep, too large) or
// MF006 (a key given twice in an object) about `path`.
absl::StatusOr<JsonValue> ParseLocatedJson(std::string_view text, const std::string& path);

}  // namespace moescope::session
