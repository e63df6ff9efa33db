#include "isa/stage_table_json.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/diagnostic.h"
#include "base/json.h"
#include "base/status.h"
#include "base/string_view.h"

namespace moescope::isa {

namespace {

constexpr std::string_view kSchema = "moescope.stage_table";
constexpr std::uint32_t kSchemaVersion = 1;
constexpr std::string_view kOrigins[] = {"bucket", "builtin", "extension"};
constexpr std::string_view kScopes[] = {"layer", "pair"};

Json NameJson(const StageName& name) {
  Json json;
  json["name"] = name.name;
  json["origin"] = kOrigins[static_cast<std::size_t>(name.origin)];
  json["scope"] = kScopes[static_cast<std::size_t>(name.scope)];
  if (!name.parent.empty()) json["parent"] = name.parent;
  return json;
}

void Add(Json& json, const char* key, const std::optional<std::uint32_t>& value) {
  if (value) json[key] = *value;
}

Json RangeJson(const StageRange& range) {
  Json json;
  json["begin_pc"] = range.begin_pc;
  json["end_pc"] = range.end_pc;
  json["name"] = range.name;
  Add(json, "pair", range.pair);
  Add(json, "expert", range.expert);
  Add(json, "parent", range.parent);
  if (range.line > 0) {
    json["file"] = range.file;
    json["line"] = range.line;
  }
  return json;
}

absl::Status Error(const std::string& path, std::string_view id, std::string message) {
  Diagnostic diagnostic;
  diagnostic.id = std::string(id);
  diagnostic.message = std::move(message);
  diagnostic.location.file = path;
  return ToStatus(diagnostic);
}

// The fields of one object. The first thing that is wrong is kept in `problem`; later reads give
// defaults.
class Fields {
 public:
  Fields(const Json& object, std::string pointer, std::string& problem)
      : object_(object), pointer_(std::move(pointer)), problem_(problem) {
    if (!object.is_object()) Fail("", "is not an object");
  }

  // Refuses keys that are not among `known`.
  Fields& Only(std::initializer_list<std::string_view> known) {
    if (!object_.is_object()) return *this;
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        const std::vector<std::string> names(known.begin(), known.end());
        Fail(key, absl::StrCat("is unknown; known: ", absl::StrJoin(names, ", ")));
      }
    }
    return *this;
  }

  std::optional<std::uint32_t> OptionalNumber(const char* key) {
    const Json* value = Find(key);
    if (value == nullptr) return std::nullopt;
    if (value->is_number_unsigned() &&
        value->get<std::uint64_t>() < std::numeric_limits<std::uint32_t>::max()) {
      return value->get<std::uint32_t>();
    }
    Fail(key, "is not a number from 0 to 4294967294");
    return std::nullopt;
  }
  std::uint32_t Number(const char* key) {
    Require(key);
    return OptionalNumber(key).value_or(0);
  }

  std::string OptionalText(const char* key) {
    const Json* value = Find(key);
    if (value == nullptr) return "";
    if (value->is_string()) return value->get<std::string>();
    Fail(key, "is not a text");
    return "";
  }
  std::string Text(const char* key) {
    Require(key);
    return OptionalText(key);
  }

  // The index of a text among `names`.
  std::size_t Choice(const char* key, std::span<const std::string_view> names) {
    const std::string text = Text(key);
    const auto found = std::find(names.begin(), names.end(), text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    Fail(key, absl::StrCat("'", text, "' is none of ", absl::StrJoin(names, ", ", AppendName)));
    return 0;
  }

  const Json& Array(const char* key) {
    static const Json kEmpty = Json::array();
    Require(key);
    const Json* value = Find(key);
    if (value != nullptr && value->is_array()) return *value;
    Fail(key, "is not an array");
    return kEmpty;
  }

  std::vector<std::string> Texts(const char* key) {
    std::vector<std::string> texts;
    for (const Json& value : Array(key)) {
      if (!value.is_string()) Fail(key, "holds something that is not a text");
      texts.push_back(value.is_string() ? value.get<std::string>() : "");
    }
    return texts;
  }

 private:
  static void AppendName(std::string* out, std::string_view name) {
    absl::StrAppend(out, Absl(name));
  }

  const Json* Find(const char* key) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  void Require(const char* key) {
    if (Find(key) == nullptr) Fail(key, "is missing");
  }

  void Fail(std::string_view key, std::string_view what) {
    if (!problem_.empty()) return;
    problem_ = absl::StrCat("'", pointer_, key.empty() ? "" : "/", Absl(key), "' ", Absl(what));
  }

  const Json& object_;
  std::string pointer_;
  std::string& problem_;
};

std::vector<StageName> ReadNames(const Json& array, std::string& problem) {
  std::vector<StageName> names;
  for (const Json& json : array) {
    Fields fields(json, absl::StrCat("/names/", names.size()), problem);
    fields.Only({"name", "origin", "scope", "parent"});
    StageName& name = names.emplace_back();
    name.name = fields.Text("name");
    name.origin = static_cast<StageOrigin>(fields.Choice("origin", kOrigins));
    name.scope = static_cast<StageScope>(fields.Choice("scope", kScopes));
    name.parent = fields.OptionalText("parent");
  }
  return names;
}

std::vector<StageRange> ReadRanges(const Json& array, std::string& problem) {
  std::vector<StageRange> ranges;
  for (const Json& json : array) {
    Fields fields(json, absl::StrCat("/ranges/", ranges.size()), problem);
    fields.Only({"begin_pc", "end_pc", "name", "pair", "expert", "parent", "file", "line"});
    StageRange& range = ranges.emplace_back();
    range.begin_pc = fields.Number("begin_pc");
    range.end_pc = fields.Number("end_pc");
    range.name = fields.Number("name");
    range.pair = fields.OptionalNumber("pair");
    range.expert = fields.OptionalNumber("expert");
    range.parent = fields.OptionalNumber("parent");
    range.file = fields.OptionalNumber("file").value_or(0);
    range.line = fields.OptionalNumber("line").value_or(0);
  }
  return ranges;
}

// The files of a sidecar get new numbers where the program has files of its own.
void AdoptFiles(Program& table, std::vector<std::string> files) {
  const auto offset = static_cast<std::uint32_t>(table.files.size());
  std::move(files.begin(), files.end(), std::back_inserter(table.files));
  for (StageRange& range : table.ranges) {
    if (range.line > 0 && range.file < table.files.size()) range.file += offset;
  }
}

absl::Status CheckHeader(const Json& json, const std::string& path) {
  std::string problem;
  Fields fields(json, "", problem);
  const std::string schema = fields.Text("schema");
  const std::uint32_t version = fields.Number("schema_version");
  if (!problem.empty()) return Error(path, "PC010", problem);
  if (schema == kSchema && version == kSchemaVersion) return absl::OkStatus();
  return Error(path, "PC011",
               absl::StrCat("'", schema, "' version ", version, "; this build reads '",
                            Absl(kSchema), "' version ", kSchemaVersion));
}

}  // namespace

std::string WriteStageTableJson(const Program& program) {
  Json json;
  json["schema"] = kSchema;
  json["schema_version"] = kSchemaVersion;
  json["words"] = program.words.size();
  json["words_hash"] = program.WordsHash();
  json["stage_table_hash"] = program.StageTableHash();
  json["files"] = program.files;
  json["names"] = Json::array();
  for (const StageName& name : program.names) json["names"].push_back(NameJson(name));
  json["ranges"] = Json::array();
  for (const StageRange& range : program.ranges) json["ranges"].push_back(RangeJson(range));
  json["unresolved_markers"] = program.unresolved_markers;
  return JsonText(json);
}

absl::Status ReadStageTableJson(std::string_view text, const std::string& path, Program& program) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text, path, "PC010"));
  RETURN_IF_ERROR(CheckHeader(json, path));
  std::string problem;
  Fields fields(json, "", problem);
  fields.Only({"schema", "schema_version", "words", "words_hash", "stage_table_hash", "files",
               "names", "ranges", "unresolved_markers"});
  const std::uint32_t words = fields.Number("words");
  const std::string words_hash = fields.Text("words_hash");
  const std::string table_hash = fields.Text("stage_table_hash");
  std::vector<std::string> files = fields.Texts("files");
  Program table = program;
  table.names = ReadNames(fields.Array("names"), problem);
  table.ranges = ReadRanges(fields.Array("ranges"), problem);
  table.unresolved_markers = fields.Texts("unresolved_markers");
  table.attribution = AttributionSource::kSidecar;
  if (!problem.empty()) return Error(path, "PC010", problem);
  if (words != program.words.size()) {
    return Error(path, "PC012",
                 absl::StrCat("the stage table is for ", words, " words, the program has ",
                              program.words.size()));
  }
  if (words_hash != program.WordsHash()) {
    return Error(path, "PC013",
                 absl::StrCat("the stage table is for the words with hash ", words_hash,
                              ", those of the program have ", program.WordsHash()));
  }
  AdoptFiles(table, std::move(files));
  if (const absl::Status valid = Validate(table); !valid.ok()) {
    return Error(path, "PC014", absl::StrCat("inconsistent stage table: ", valid.message()));
  }
  if (table_hash != table.StageTableHash()) {
    return Error(path, "PC013",
                 absl::StrCat("the hash of the stage table is ", table.StageTableHash(),
                              ", the file says ", table_hash));
  }
  program = std::move(table);
  return absl::OkStatus();
}

}  // namespace moescope::isa
