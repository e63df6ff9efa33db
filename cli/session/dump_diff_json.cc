#include "absl/strings/str_cat.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/json.h"
#include "base/status.h"
#include "cli/session/dump_diff.h"

namespace moescope::session {

namespace {

constexpr char kManifestId[] = "IM013";

absl::Status Malformed(const std::string& path, std::string message) {
  Diagnostic diagnostic{.id = kManifestId, .message = std::move(message)};
  diagnostic.location.file = path;
  return ToStatus(diagnostic);
}

// A member of an object when it has the wanted type.
const Json* Find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(key);
  return at == object.end() ? nullptr : &*at;
}

std::string TextOr(const Json& object, const char* key, const char* otherwise) {
  const Json* value = Find(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : otherwise;
}

std::optional<std::uint64_t> Number(const Json& object, const char* key) {
  const Json* value = Find(object, key);
  if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
  return value->get<std::uint64_t>();
}

absl::StatusOr<DumpShape> ShapeOf(const Json& entry, const std::string& path) {
  DumpShape shape;
  shape.name = TextOr(entry, "file", "");
  shape.element = TextOr(entry, "element", "bytes");
  const std::optional<std::uint64_t> bytes = Number(entry, "bytes");
  if (shape.name.empty() || shape.name.find('/') != std::string::npos || !bytes) {
    return Malformed(path, "a dump without the name of a file in the folder and its bytes");
  }
  shape.bytes = *bytes;
  const Json* range = Find(entry, "range");
  if (range == nullptr) return shape;
  const std::optional<std::uint64_t> first = Number(*range, "first");
  const std::optional<std::uint64_t> last = Number(*range, "last");
  if (!first || !last || *last < *first || *last == UINT64_MAX) {
    return Malformed(path, absl::StrCat(shape.name, " has no valid range"));
  }
  shape.first = *first;
  shape.units = *last - *first + 1;
  return shape;
}

Json FileJson(const DumpDifference& file) {
  Json json;
  json["file"] = file.shape.name;
  json["element"] = file.shape.element;
  json["bytes_a"] = file.bytes_a;
  json["bytes_b"] = file.bytes_b;
  json["elements"] = file.elements;
  json["differing"] = file.differing;
  if (file.differing == 0) return json;
  json["first"] = Json{{"place", file.place}, {"a", file.a}, {"b", file.b}};
  return json;
}

}  // namespace

absl::StatusOr<std::vector<DumpShape>> ReadDumpManifest(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/dump_manifest.json");
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  ASSIGN_OR_RETURN(const Json json, ParseJson(text, path, kManifestId));
  const Json* dumps = Find(json, "dumps");
  if (TextOr(json, "schema", "") != "moescope.dump_manifest" ||
      Number(json, "schema_version") != 1 || dumps == nullptr || !dumps->is_array()) {
    return Malformed(path, "not a moescope.dump_manifest of version 1");
  }
  std::vector<DumpShape> shapes;
  for (const Json& entry : *dumps) {
    ASSIGN_OR_RETURN(DumpShape shape, ShapeOf(entry, path));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

std::string DumpDiffJson(const DumpDiff& diff) {
  Json json;
  json["schema"] = "moescope.dump_diff";
  json["schema_version"] = 1;
  json["a"] = diff.a;
  json["b"] = diff.b;
  json["equal"] = diff.is_equal();
  json["files"] = Json::array();
  for (const DumpDifference& file : diff.files) json["files"].push_back(FileJson(file));
  json["only_in"] = Json::array();
  for (const auto& [name, side] : diff.one_sided) {
    json["only_in"].push_back(Json{{"file", name}, {"side", std::string(1, side)}});
  }
  return JsonText(json);
}

}  // namespace moescope::session
