#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/document_json.h"

namespace moescope::profiler {

// Validates JSON trees against the part of JSON Schema 2020-12 that our schemas use: type, const,
// enum, properties, required, unevaluatedProperties: false, additionalProperties, propertyNames,
// items, minItems, maxItems, minimum, maximum, minLength, maxLength, pattern and $ref into $defs.
// Beyond the standard it demands that members appear in the order of `properties`, or of the `enum`
// that `propertyNames` refers to. A schema that uses anything else fails a CHECK.
class SchemaValidator {
 public:
  explicit SchemaValidator(std::string_view schema);
  SchemaValidator(const SchemaValidator&) = delete;
  SchemaValidator& operator=(const SchemaValidator&) = delete;

  // Up to `limit` violations, "/totals/cycles: -1 is not an integer from 0 to 9007199254740991".
  std::vector<std::string> Check(const Json& value, std::size_t limit = 20) const;

 private:
  struct Node {
    std::vector<std::string> types;  // empty: any
    std::vector<Json> values;        // of const or enum; empty: any
    std::vector<std::string> required;
    std::map<std::string, std::pair<std::size_t, const Node*>, std::less<>> properties;
    bool is_closed = false;
    const Node* additional = nullptr;
    const Node* names = nullptr;
    const Node* items = nullptr;
    std::optional<std::uint64_t> minimum, maximum;
    std::optional<std::uint64_t> min_items, max_items;
    std::optional<std::uint64_t> min_length, max_length;
    std::optional<std::regex> pattern;
  };
  class Run;

  const Node* Compile(const Json& schema);
  void SetKeyword(const std::string& keyword, const Json& value, Node& node);

  Json root_;
  std::deque<Node> nodes_;
  std::map<std::string, const Node*> definitions_;
  const Node* top_ = nullptr;
};

}  // namespace moescope::profiler
