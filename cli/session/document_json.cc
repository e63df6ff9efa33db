#include "cli/session/document_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/diagnostic.h"
#include "base/status.h"

namespace moescope::session {

namespace {

using Json = nlohmann::json;

// Where the values and keys of a valid JSON text begin, in the order in which a parser announces
// them; closing brackets are left out.
std::vector<std::size_t> TokenOffsets(std::string_view text) {
  constexpr std::string_view kNoToken = " \t\r\n:,]}\xEF\xBB\xBF";
  std::vector<std::size_t> offsets;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(kNoToken, at)) != std::string_view::npos) {
    offsets.push_back(at);
    if (text[at] == '{' || text[at] == '[') {
      ++at;
    } else if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
      }
      ++at;
    } else {
      at = std::min(text.find_first_of(kNoToken, at), text.size());
    }
  }
  return offsets;
}

// Turns ascending offsets into lines and columns in one pass over the text.
class PlaceFinder {
 public:
  explicit PlaceFinder(std::string_view text) : text_(text) {}

  std::pair<std::uint32_t, std::uint32_t> At(std::size_t offset) {
    for (; next_ < std::min(offset, text_.size()); ++next_) {
      if (text_[next_] == '\n') {
        ++line_, column_ = 1;
      } else if ((static_cast<unsigned char>(text_[next_]) & 0xC0) != 0x80) {
        ++column_;
      }
    }
    return {line_, column_};
  }

 private:
  std::string_view text_;
  std::size_t next_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

struct Problem {
  std::size_t offset = 0;
  std::string id;
  std::string message;
};

// What the library says about a syntax error, without its codes and its excerpt.
std::string Reason(std::string text) {
  const std::size_t begin = text.find("syntax error");
  if (begin == std::string::npos) return "not JSON: a number or text is out of range";
  text = text.substr(begin);
  const std::size_t excerpt = text.find("; last read: '");
  if (excerpt != std::string::npos) {
    const std::size_t rest = text.rfind("'; expected ");
    text.erase(excerpt, rest == std::string::npos ? rest : rest + 1 - excerpt);
  }
  return absl::StrCat("not JSON: ", text);
}

// Receives the events of nlohmann's parser and builds the tree. Values are placed by counting: the
// n-th event is the n-th token.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit TreeBuilder(std::string_view text) : places_(text), offsets_(TokenOffsets(text)) {}

  JsonValue Take() { return std::move(root_); }
  const std::optional<Problem>& problem() const { return problem_; }

  bool null() override { return Add(JsonValue::Kind::kNull) != nullptr; }
  bool boolean(bool value) override {
    Add(JsonValue::Kind::kBoolean)->boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    JsonValue* added = Add(JsonValue::Kind::kInteger);
    added->negative = value < 0;
    added->integer =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    added->real = static_cast<double>(value);
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    JsonValue* added = Add(JsonValue::Kind::kInteger);
    added->integer = value;
    added->real = static_cast<double>(value);
    return true;
  }
  bool number_float(number_float_t value, const string_t& token) override {
    JsonValue* added = Add(JsonValue::Kind::kReal);
    added->real = value;
    added->text = token;
    return true;
  }
  bool string(string_t& value) override {
    Add(JsonValue::Kind::kText)->text = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(JsonValue::Kind::kObject); }
  bool start_array(std::size_t) override { return Open(JsonValue::Kind::kArray); }
  bool end_object() override {
    open_.pop_back();
    return true;
  }
  bool end_array() override {
    open_.pop_back();
    return true;
  }
  bool key(string_t& name) override {
    const std::size_t offset = NextOffset();
    if (!open_.back().keys.insert(name).second) {
      return Stop(offset, "MF006", absl::StrCat("key '", name, "' is given twice"));
    }
    const auto [line, column] = places_.At(offset);
    open_.back().value->members.push_back({std::move(name), line, column, {}});
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const Json::exception& error) override {
    // The library counts the offending byte itself.
    return Stop(position == 0 ? 0 : position - 1, "MF001", Reason(error.what()));
  }

 private:
  JsonValue* Add(JsonValue::Kind kind) {
    JsonValue* value = &root_;
    if (!open_.empty() && open_.back().value->kind == JsonValue::Kind::kArray) {
      value = &open_.back().value->items.emplace_back();
    } else if (!open_.empty()) {
      value = &open_.back().value->members.back().value;
    }
    value->kind = kind;
    const auto [line, column] = places_.At(NextOffset());
    value->line = line;
    value->column = column;
    return value;
  }

  bool Open(JsonValue::Kind kind) {
    if (open_.size() == kMaximumJsonDepth) {
      return Stop(NextOffset(), "MF001",
                  absl::StrCat("nested deeper than ", kMaximumJsonDepth, " levels"));
    }
    open_.push_back({Add(kind), {}});
    return true;
  }

  std::size_t NextOffset() {
    CHECK(events_ < offsets_.size());
    return offsets_[events_++];
  }

  bool Stop(std::size_t offset, std::string id, std::string message) {
    if (!problem_) problem_ = {offset, std::move(id), std::move(message)};
    return false;
  }

  PlaceFinder places_;
  std::vector<std::size_t> offsets_;
  std::size_t events_ = 0;
  JsonValue root_;
  // Pointers stay valid: only the innermost open container grows.
  struct Container {
    JsonValue* value;
    absl::flat_hash_set<std::string> keys;
  };
  std::vector<Container> open_;
  std::optional<Problem> problem_;
};

std::string LineAt(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::size_t begin = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return std::string(line.substr(0, 200));
}

absl::Status ToError(const Problem& problem, std::string_view text, const std::string& path) {
  Diagnostic diagnostic;
  diagnostic.id = problem.id;
  diagnostic.message = problem.message;
  const auto [line, column] = PlaceFinder(text).At(problem.offset);
  diagnostic.location = {.file = path, .line = line, .column = column};
  diagnostic.source_line = LineAt(text, problem.offset);
  return ToStatus(diagnostic);
}

}  // namespace

std::string_view KindName(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kBoolean:
      return "true or false";
    case JsonValue::Kind::kInteger:
      return "an integer";
    case JsonValue::Kind::kReal:
      return "a number with a fraction";
    case JsonValue::Kind::kText:
      return "a text";
    case JsonValue::Kind::kArray:
      return "an array";
    case JsonValue::Kind::kObject:
      break;
  }
  return "an object";
}

absl::StatusOr<JsonValue> ParseLocatedJson(std::string_view text, const std::string& path) {
  if (text.size() > kMaximumJsonBytes) {
    return ToError({0, "MF001",
                    absl::StrCat("the file has ", text.size(), " bytes; at most ",
                                 kMaximumJsonBytes, " are read")},
                   "", path);
  }
  TreeBuilder builder(text);
  const bool complete = Json::sax_parse(text.begin(), text.end(), &builder);
  if (builder.problem()) return ToError(*builder.problem(), text, path);
  CHECK(complete);
  return builder.Take();
}

}  // namespace moescope::session
