#include "profiler/document_json.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "profiler/json_text.h"

namespace moescope::profiler {

namespace {

constexpr std::size_t kMaximumDepth = 64;

// Builds the tree from parser events, so that no lookup per key makes large objects slow and every
// token is seen.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit TreeBuilder(ParsedJson& result) : result_(result) {}

  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(number_integer_t value) override {
    Problem("negative number");
    return Put(value);
  }
  bool number_unsigned(number_unsigned_t value) override { return Put(value); }
  bool number_float(number_float_t value, const string_t&) override {
    Problem("floating-point number");
    return Put(value);
  }
  bool string(string_t& value) override { return Put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(Json::object()); }
  bool start_array(std::size_t) override { return Open(Json::array()); }
  bool key(string_t& key) override {
    key_ = std::move(key);
    return true;
  }
  bool end_object() override {
    key_.clear();
    ReportDuplicates(*open_.back());
    return Close();
  }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    error_ = e.what();
    return false;
  }

  const std::string& error() const { return error_; }

 private:
  bool Put(Json value) {
    Add(std::move(value));
    return true;
  }

  Json& Add(Json value) {
    if (open_.empty()) return result_.value = std::move(value);
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return parent.back();
    }
    return AppendMember(parent, key_) = std::move(value);
  }

  bool Open(Json value) {
    if (open_.size() >= kMaximumDepth) {
      error_ = "nested deeper than 64 levels";
      return false;
    }
    open_.push_back(&Add(std::move(value)));
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  void ReportDuplicates(const Json& object) {
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    const auto at = std::adjacent_find(keys.begin(), keys.end());
    if (at != keys.end()) Problem(absl::StrCat("duplicate key '", Absl(*at), "'"));
  }

  void Problem(const std::string& text) {
    constexpr std::size_t kMaximumProblems = 20;
    if (result_.problems.size() < kMaximumProblems) {
      result_.problems.push_back(absl::StrCat(text, " in ", Where()));
    }
  }

  // The path of the innermost open container, by its last keys.
  std::string Where() const {
    std::string path;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      const Json& parent = *open_[i];
      if (parent.is_array()) {
        absl::StrAppend(&path, "/", parent.size() - 1);
      } else {
        absl::StrAppend(&path, "/", std::prev(parent.end()).key());
      }
    }
    if (!key_.empty() && !open_.empty() && open_.back()->is_object()) {
      absl::StrAppend(&path, "/", key_);
    }
    return path.empty() ? "the top level" : path;
  }

  ParsedJson& result_;
  std::vector<Json*> open_;
  std::string key_;
  std::string error_;
};

// "line 3, column 7: unexpected ..." out of the library's message.
std::string PlainError(std::string message) {
  const std::size_t at = message.find(" at line ");
  if (at != std::string::npos) message = message.substr(at + 4);
  return message;
}

}  // namespace

absl::StatusOr<ParsedJson> ParseJson(std::string_view text) {
  ParsedJson result;
  TreeBuilder builder(result);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    return absl::InvalidArgumentError(absl::StrCat("not JSON: ", PlainError(builder.error())));
  }
  return result;
}

std::string PrettyText(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string CompactText(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string JsonString(std::string_view text) { return CompactText(Json(std::string(text))); }

Json& AppendMember(Json& object, std::string_view key) {
  auto& members = object.get_ref<Json::object_t&>();
  members.emplace_back(std::string(key), Json());
  return members.back().second;
}

}  // namespace moescope::profiler
