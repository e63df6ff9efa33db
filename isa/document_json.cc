#include "isa/document_json.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/diagnostic.h"
#include "base/json.h"
#include "base/status.h"
#include "base/string_view.h"
#include "base/suggestion.h"
#include "isa/isa_schema_data.h"
#include "isa/names.h"

namespace moescope::isa {

namespace {

constexpr std::string_view kSchema = "moescope.isa";
constexpr std::uint32_t kSchemaVersion = 1;
constexpr std::string_view kUnusedBits =
    "'-' in an encoding: written as 0; a 1 is ignored, and illegal under strict encoding";

Json ValuesJson(std::uint32_t values) {
  Json json = Json::array();
  for (std::uint32_t v = 0; v < 32; ++v) {
    if ((values >> v & 1) != 0) json.push_back(v);
  }
  return json;
}

Json OperandJson(const Operand& operand) {
  Json json;
  json["kind"] = OperandKindName(operand.kind);
  if (operand.field != '\0') json["field"] = std::string(1, operand.field);
  json["presence"] = PresenceName(operand.presence);
  if (operand.accepts_zero) json["accepts_zero"] = true;
  if (operand.values != 0) json["values"] = ValuesJson(operand.values);
  return json;
}

Json InstructionJson(const DocumentInstruction& row) {
  Json json;
  json["mnemonic"] = row.mnemonic;
  json["encoding"] = row.encoding;
  json["operands"] = Json::array();
  for (const Operand& operand : row.operands) json["operands"].push_back(OperandJson(operand));
  json["group"] = GroupName(row.group);
  json["timing"] = TimingClassName(row.timing);
  json["semantics"] = row.semantics;
  json["semantics_version"] = row.semantics_version;
  json["since"] = VersionText(row.since);
  json["summary"] = row.summary;
  if (row.overlaps.empty()) return json;
  json["overlaps"] = Json::array();
  for (const DeclaredOverlap& overlap : row.overlaps) {
    json["overlaps"].push_back(Json{{"with", overlap.with}, {"reason", overlap.reason}});
  }
  return json;
}

Json FieldNamesJson() {
  Json json;
  for (const char letter : std::string_view("dabcfi")) {
    json[std::string(1, letter)] = FieldName(letter);
  }
  return json;
}

// The same names, in any order: TOML keeps none.
bool AreFieldNames(const Json& fields) {
  const Json names = FieldNamesJson();
  if (!fields.is_object() || fields.size() != names.size()) return false;
  return std::all_of(names.items().begin(), names.items().end(), [&fields](const auto& name) {
    const auto found = fields.find(name.key());
    return found != fields.end() && *found == name.value();
  });
}

// One line, with U+FFFD for bytes that are not UTF-8.
std::string Line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::Status Error(const std::string& path, std::string_view id, std::string message) {
  Diagnostic diagnostic;
  diagnostic.id = std::string(id);
  diagnostic.message = std::move(message);
  diagnostic.location.file = path;
  return ToStatus(diagnostic);
}

// What is wrong with a document: the first thing found.
struct Problem {
  std::string id;
  std::string text;
};

// The members of one object, called `place` in messages.
class Members {
 public:
  Members(const Json& object, std::string place, Problem& problem)
      : object_(object), place_(std::move(place)), problem_(problem) {
    if (!object.is_object()) Fail("IS003", "is not an object");
  }

  Members& Only(std::initializer_list<std::string_view> known) {
    if (!object_.is_object()) return *this;
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      Fail("IS003", absl::StrCat("has the unknown key '", key, "'",
                                 DidYouMean(key, std::span(known.begin(), known.size()))));
    }
    return *this;
  }

  // Null, with a problem, when it is missing and `required`.
  const Json* Find(const char* key, bool required = true) {
    if (object_.is_object()) {
      const auto found = object_.find(key);
      if (found != object_.end()) return &*found;
    }
    if (required) Fail("IS003", absl::StrCat("lacks the key '", key, "'"));
    return nullptr;
  }

  std::string Text(const char* key) {
    const Json* value = Find(key);
    if (value == nullptr) return "";
    if (value->is_string()) return value->get<std::string>();
    WrongType(key, "a text");
    return "";
  }

  std::uint32_t Number(const char* key, std::uint32_t lowest, std::uint32_t largest) {
    const Json* value = Find(key);
    if (value == nullptr) return lowest;
    const bool fits = value->is_number_unsigned() && value->get<std::uint64_t>() >= lowest &&
                      value->get<std::uint64_t>() <= largest;
    if (fits) return value->get<std::uint32_t>();
    WrongType(key, absl::StrCat("a number from ", lowest, " to ", largest));
    return lowest;
  }

  bool Flag(const char* key) {
    const Json* value = Find(key, /*required=*/false);
    if (value == nullptr) return false;
    if (value->is_boolean()) return value->get<bool>();
    WrongType(key, "true or false");
    return false;
  }

  const Json& Array(const char* key, bool required = true) {
    static const Json kEmpty = Json::array();
    const Json* value = Find(key, required);
    if (value == nullptr) return kEmpty;
    if (value->is_array()) return *value;
    WrongType(key, "an array");
    return kEmpty;
  }

  template <typename Value>
  Value Named(const char* key, std::optional<Value> (*parse)(std::string_view)) {
    const std::string text = Text(key);
    if (problem_.id.empty()) {
      if (const std::optional<Value> value = parse(text)) return *value;
      Fail("IS004", absl::StrCat("has the ", key, " '", text, "', which does not exist"));
    }
    return Value{};
  }

  void WrongType(const char* key, const std::string& wanted) {
    Fail("IS003", absl::StrCat("has a ", key, " that is not ", wanted));
  }
  void Fail(std::string_view id, const std::string& what) {
    if (problem_.id.empty()) problem_ = {std::string(id), absl::StrCat(place_, " ", what)};
  }

 private:
  const Json& object_;
  std::string place_;
  Problem& problem_;
};

Operand ReadOperand(const Json& json, const std::string& place, Problem& problem) {
  Members members(json, place, problem);
  members.Only({"kind", "field", "presence", "accepts_zero", "values"});
  Operand operand;
  operand.kind = members.Named<OperandKind>("kind", ParseOperandKind);
  if (operand.kind != OperandKind::kPlaceholder && problem.id.empty()) {
    const std::string field = members.Text("field");
    if (field.size() == 1 && !FieldName(field[0]).empty()) {
      operand.field = field[0];
    } else {
      members.Fail("IS004",
                   absl::StrCat("has the field '", field, "'; fields are d, a, b, c, f and i"));
    }
  } else if (members.Find("field", /*required=*/false) != nullptr) {
    members.Fail("IS004", "is a placeholder and has a field");
  }
  operand.presence = members.Named<Presence>("presence", ParsePresence);
  if (operand.presence == Presence::kPad && operand.kind != OperandKind::kPlaceholder) {
    members.Fail("IS004", "is a pad and no placeholder");
  }
  operand.accepts_zero = members.Flag("accepts_zero");
  for (const Json& value : members.Array("values", /*required=*/false)) {
    if (!IsEnumerated(operand.kind)) {
      members.Fail(
          "IS004",
          "lists values; only those of order, row_stride, precision and policy are listed");
    } else if (value.is_number_unsigned() && value.get<std::uint64_t>() < 16) {
      operand.values |= std::uint32_t{1} << value.get<std::uint32_t>();
    } else {
      members.Fail("IS004", "lists a value that is not a number from 0 to 15");
    }
  }
  if (IsEnumerated(operand.kind)) operand.values = LegalValues(operand);
  return operand;
}

DocumentInstruction ReadInstruction(const Json& json, std::size_t index, Problem& problem) {
  std::string place = absl::StrCat("instruction ", index + 1);
  if (json.is_object() && json.contains("mnemonic") && json["mnemonic"].is_string()) {
    place = json["mnemonic"].get<std::string>();
  }
  Members members(json, place, problem);
  members.Only({"mnemonic", "encoding", "operands", "group", "timing", "semantics",
                "semantics_version", "since", "summary", "overlaps"});
  DocumentInstruction row;
  row.mnemonic = members.Text("mnemonic");
  row.encoding = members.Text("encoding");
  for (const Json& operand : members.Array("operands")) {
    if (row.operands.size() == OperandList::kCapacity) {
      members.Fail("IS004", absl::StrCat("has more than ", OperandList::kCapacity, " operands"));
      break;
    }
    row.operands.push_back(ReadOperand(
        operand, absl::StrCat("operand ", row.operands.size() + 1, " of ", place), problem));
  }
  row.group = members.Named<Group>("group", ParseGroup);
  row.timing = members.Named<TimingClass>("timing", ParseTimingClass);
  row.semantics = members.Text("semantics");
  row.semantics_version = static_cast<int>(members.Number("semantics_version", 1, 1'000'000));
  row.since = members.Named<Version>("since", ParseVersion);
  row.summary = members.Text("summary");
  for (const Json& overlap : members.Array("overlaps", /*required=*/false)) {
    Members declared(overlap, absl::StrCat("an overlap of ", place), problem);
    declared.Only({"with", "reason"});
    row.overlaps.push_back({declared.Text("with"), declared.Text("reason")});
  }
  return row;
}

absl::Status CheckHeader(const Json& json, const std::string& path) {
  Problem problem;
  Members members(json, "the document", problem);
  const std::string schema = members.Text("schema");
  const std::uint32_t version = members.Number("schema_version", 0, 1'000'000);
  if (!problem.id.empty()) return Error(path, problem.id, problem.text);
  if (schema == kSchema && version == kSchemaVersion) return absl::OkStatus();
  return Error(path, "IS002",
               absl::StrCat("'", schema, "' version ", version, "; this build reads '",
                            Absl(kSchema), "' version ", kSchemaVersion));
}

}  // namespace

std::string WriteDocumentJson(const Document& document) {
  std::vector<DocumentInstruction> rows = document.instructions;
  SortCanonically(rows);
  std::string text = absl::StrCat(
      "{\n  \"schema\": ", Line(Json(kSchema)), ",\n  \"schema_version\": ", kSchemaVersion,
      ",\n  \"version\": ", Line(Json(VersionText(document.version))),
      ",\n  \"fields\": ", Line(FieldNamesJson()),
      ",\n  \"unused_bits\": ", Line(Json(kUnusedBits)), ",\n  \"instructions\": [");
  const char* separator = "\n    ";
  for (const DocumentInstruction& row : rows) {
    absl::StrAppend(&text, separator, Line(InstructionJson(row)));
    separator = ",\n    ";
  }
  text += "\n  ]\n}\n";
  return text;
}

absl::StatusOr<Document> ReadDocumentJson(std::string_view text, const std::string& path) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text, path, "IS001"));
  RETURN_IF_ERROR(CheckHeader(json, path));
  Problem problem;
  Members members(json, "the document", problem);
  members.Only({"schema", "schema_version", "version", "fields", "unused_bits", "instructions"});
  Document document;
  document.version = members.Named<Version>("version", ParseVersion);
  if (const Json* fields = members.Find("fields", /*required=*/false);
      fields != nullptr && !AreFieldNames(*fields)) {
    members.Fail("IS004", absl::StrCat("has fields other than ", Line(FieldNamesJson())));
  }
  if (members.Find("unused_bits", /*required=*/false) != nullptr &&
      members.Text("unused_bits") != kUnusedBits) {
    members.Fail("IS004", absl::StrCat("has another unused_bits than \"", Absl(kUnusedBits), "\""));
  }
  const Json& rows = members.Array("instructions");
  if (rows.size() > kMaximumInstructions) {
    members.Fail("IS004", absl::StrCat("has ", rows.size(), " instructions; the most is ",
                                       kMaximumInstructions));
  } else {
    for (const Json& row : rows) {
      document.instructions.push_back(ReadInstruction(row, document.instructions.size(), problem));
      if (!problem.id.empty()) break;
    }
  }
  if (!problem.id.empty()) return Error(path, problem.id, problem.text);
  SortCanonically(document.instructions);
  return document;
}

std::string DiffJson(const DocumentDiff& diff) {
  Json json;
  json["schema"] = "moescope.isa_diff";
  json["schema_version"] = 1;
  json["old_version"] = VersionText(diff.old_version);
  json["new_version"] = VersionText(diff.new_version);
  json["equal"] = diff.equal();
  json["changes"] = Json::array();
  for (const InstructionChange& change : diff.changes) {
    json["changes"].push_back(Json{{"mnemonic", change.mnemonic},
                                   {"kind", ChangeKindName(change.kind)},
                                   {"text", change.text}});
  }
  return JsonText(json);
}

std::string_view DocumentSchema() { return data::kIsaV1Schema; }

}  // namespace moescope::isa
