#include "base/json.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/diagnostic.h"

namespace moescope {

namespace {

// Notices keys that one object has twice; the parser itself would keep the last.
class DuplicateKeys {
 public:
  bool OnEvent(Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = value.get_ref<const std::string&>();
      if (!open_.back().insert(key).second && duplicate_.empty()) duplicate_ = key;
    }
    return true;
  }
  const std::string& duplicate() const { return duplicate_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::string duplicate_;
};

SourceLocation LocationOfByte(std::string_view text, const std::string& path, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 = 0
  const auto is_code_point = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  SourceLocation location;
  location.file = path;
  location.line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
  location.column = static_cast<std::uint32_t>(
      std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_begin), before.end(),
                    is_code_point) +
      1);
  return location;
}

}  // namespace

absl::StatusOr<Json> ParseJson(std::string_view text, const std::string& path,
                               std::string_view id) {
  DuplicateKeys duplicates;
  Diagnostic diagnostic;
  diagnostic.id = std::string(id);
  diagnostic.location.file = path;
  try {
    Json json =
        Json::parse(text.begin(), text.end(),
                    [&duplicates](int /*depth*/, Json::parse_event_t event, const Json& value) {
                      return duplicates.OnEvent(event, value);
                    });
    if (duplicates.duplicate().empty()) return json;
    diagnostic.message = absl::StrCat("key '", duplicates.duplicate(), "' is given twice");
  } catch (const Json::parse_error& error) {
    diagnostic.location = LocationOfByte(text, path, error.byte);
    diagnostic.message = "malformed JSON";
  } catch (const Json::exception&) {
    diagnostic.message = "a number or text of this JSON is out of range";
  }
  return ToStatus(diagnostic);
}

std::string JsonText(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace moescope
