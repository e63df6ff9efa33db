#include "profiler/schema_json.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/string_view.h"

namespace moescope::profiler {

namespace {

constexpr std::array<std::string_view, 6> kAnnotations = {"$schema",     "$id",   "title",
                                                          "description", "$defs", "$comment"};

std::size_t CodePoints(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool HasType(const Json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  CHECK_BECAUSE(type == "null", "unknown type in a schema");
  return value.is_null();
}

// A value as a message shows it.
std::string Shown(const Json& value) {
  std::string text = CompactText(value);
  constexpr std::size_t kMaximum = 60;
  if (text.size() > kMaximum) text = text.substr(0, kMaximum) + "...";
  return text;
}

}  // namespace

SchemaValidator::SchemaValidator(std::string_view schema) {
  absl::StatusOr<ParsedJson> parsed = ParseJson(schema);
  CHECK_BECAUSE(parsed.ok(), "a schema of ours is not JSON");
  root_ = std::move(parsed->value);
  top_ = Compile(root_);
}

const SchemaValidator::Node* SchemaValidator::Compile(const Json& schema) {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"].get<std::string>().substr(std::size("#/$defs/") - 1);
    const Node*& node = definitions_[name];
    if (node == nullptr) node = Compile(root_.at("$defs").at(name));
    return node;
  }
  Node& node = nodes_.emplace_back();
  for (const auto& [keyword, value] : schema.items()) SetKeyword(keyword, value, node);
  return &node;
}

void SchemaValidator::SetKeyword(const std::string& keyword, const Json& value, Node& node) {
  if (keyword == "type") {
    node.types = value.is_array() ? value.get<std::vector<std::string>>()
                                  : std::vector<std::string>{value.get<std::string>()};
  } else if (keyword == "const") {
    node.values = {value};
  } else if (keyword == "enum") {
    node.values = value.get<std::vector<Json>>();
  } else if (keyword == "required") {
    node.required = value.get<std::vector<std::string>>();
  } else if (keyword == "properties") {
    for (const auto& [name, property] : value.items()) {
      node.properties[name] = {node.properties.size(), Compile(property)};
    }
  } else if (keyword == "unevaluatedProperties") {
    node.is_closed = !value.get<bool>();
  } else if (keyword == "additionalProperties") {
    node.additional = Compile(value);
  } else if (keyword == "propertyNames") {
    node.names = Compile(value);
  } else if (keyword == "items") {
    node.items = Compile(value);
  } else if (keyword == "pattern") {
    node.pattern.emplace(value.get<std::string>(), std::regex::ECMAScript | std::regex::optimize);
  } else if (std::find(kAnnotations.begin(), kAnnotations.end(), keyword) == kAnnotations.end()) {
    const std::map<std::string_view, std::optional<std::uint64_t>*> numbers = {
        {"minimum", &node.minimum},      {"maximum", &node.maximum},
        {"minItems", &node.min_items},   {"maxItems", &node.max_items},
        {"minLength", &node.min_length}, {"maxLength", &node.max_length}};
    const auto at = numbers.find(keyword);
    CHECK_BECAUSE(at != numbers.end(), "unknown keyword in a schema");
    *at->second = value.get<std::uint64_t>();
  }
}

// One validation: the path to the value in hand, and the violations so far.
class SchemaValidator::Run {
 public:
  explicit Run(std::size_t limit) : limit_(limit) {}

  void Visit(const Node& node, const Json& value) {
    if (violations.size() >= limit_) return;
    if (!CheckType(node, value) || !CheckValues(node, value)) return;
    if (value.is_number_integer()) CheckNumber(node, value);
    if (value.is_string()) CheckText(node, value.get_ref<const std::string&>());
    if (value.is_array()) VisitArray(node, value);
    if (value.is_object()) VisitObject(node, value);
  }

  std::vector<std::string> violations;

 private:
  template <typename... Parts>
  void Violate(const Parts&... parts) {
    if (violations.size() >= limit_) return;
    violations.push_back(
        absl::StrCat(path_.empty() ? "the top level" : absl::StrJoin(path_, ""), ": ", parts...));
  }

  bool CheckType(const Node& node, const Json& value) {
    if (node.types.empty()) return true;
    for (const std::string& type : node.types) {
      if (HasType(value, type)) return true;
    }
    Violate(Shown(value), " is not of type ", absl::StrJoin(node.types, " or "));
    return false;
  }

  bool CheckValues(const Node& node, const Json& value) {
    if (node.values.empty()) return true;
    if (std::find(node.values.begin(), node.values.end(), value) != node.values.end()) return true;
    std::vector<std::string> allowed;
    for (const Json& v : node.values) allowed.push_back(CompactText(v));
    Violate(Shown(value), " is not ", allowed.size() > 1 ? "one of " : "",
            absl::StrJoin(allowed, " "));
    return false;
  }

  void CheckNumber(const Node& node, const Json& value) {
    const bool negative = !value.is_number_unsigned();
    const std::uint64_t number = negative ? 0 : value.get<std::uint64_t>();
    const bool low = node.minimum && (negative || number < *node.minimum);
    const bool high = node.maximum && !negative && number > *node.maximum;
    if (low || high) {
      Violate(Shown(value), " is outside ", node.minimum.value_or(0), "..",
              node.maximum.value_or(UINT64_MAX));
    }
  }

  // The length is checked first: it bounds the work of the pattern.
  void CheckText(const Node& node, const std::string& text) {
    const std::size_t length = CodePoints(text);
    if ((node.min_length && length < *node.min_length) ||
        (node.max_length && length > *node.max_length)) {
      return Violate("a text of ", length, " characters is outside ", node.min_length.value_or(0),
                     "..", node.max_length.value_or(UINT64_MAX));
    }
    if (node.pattern && !std::regex_search(text, *node.pattern)) {
      Violate(Shown(text), " does not have the form that is demanded here");
    }
  }

  void VisitArray(const Node& node, const Json& value) {
    if ((node.min_items && value.size() < *node.min_items) ||
        (node.max_items && value.size() > *node.max_items)) {
      Violate("an array of ", value.size(), " entries is outside ", node.min_items.value_or(0),
              "..", node.max_items.value_or(UINT64_MAX));
    }
    if (node.items == nullptr) return;
    for (std::size_t i = 0; i < value.size(); ++i) {
      path_.push_back(absl::StrCat("/", i));
      Visit(*node.items, value[i]);
      path_.pop_back();
    }
  }

  void VisitObject(const Node& node, const Json& value) {
    for (const std::string& name : node.required) {
      if (!value.contains(name)) Violate("'", name, "' is missing");
    }
    std::size_t last = 0;
    for (const auto& [name, member] : value.get_ref<const Json::object_t&>()) {
      if (node.names != nullptr) VisitName(*node.names, name);
      const auto at = node.properties.find(name);
      const Node* next = at == node.properties.end() ? node.additional : at->second.second;
      if (next == nullptr) {
        if (node.is_closed) Violate("'", name, "' is not a known member");
        continue;
      }
      const std::size_t place = PlaceOf(node, name);
      if (place < last) Violate("'", name, "' stands too late");
      last = std::max(last, place);
      path_.push_back(absl::StrCat("/", name));
      Visit(*next, member);
      path_.pop_back();
    }
  }

  void VisitName(const Node& node, const std::string& name) {
    const std::size_t before = violations.size();
    Visit(node, Json(name));
    if (violations.size() > before) violations.back() += " (a member name)";
  }

  // Position of a member among those that its object lists; 0 when there is no order.
  static std::size_t PlaceOf(const Node& node, const std::string& name) {
    const auto at = node.properties.find(name);
    if (at != node.properties.end()) return at->second.first;
    if (node.names == nullptr) return 0;
    const std::vector<Json>& values = node.names->values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i].get_ref<const std::string&>() == name) return i;
    }
    return 0;
  }

  std::size_t limit_;
  std::vector<std::string> path_;
};

std::vector<std::string> SchemaValidator::Check(const Json& value, std::size_t limit) const {
  Run run(limit);
  run.Visit(*top_, value);
  return std::move(run.violations);
}

}  // namespace moescope::profiler
