#include "base/json.h"
#include "cli/session/isa_usage.h"
#include "isa/names.h"

namespace moescope::session {

namespace {

Json CountsJson(const isa::WordCounts& counts) {
  return {{"defined", counts.defined},
          {"reserved", counts.reserved},
          {"unassigned", counts.unassigned}};
}

Json InstructionJson(const InstructionUse& use) {
  Json json;
  json["mnemonic"] = use.mnemonic;
  json["words"] = use.words;
  json["fields"] = Json::object();
  for (const InstructionUse::Field& field : use.fields) {
    Json& entry = json["fields"][std::string(isa::FieldName(field.letter))];
    if (field.is_range) {
      entry = {{"smallest", field.values.front()}, {"largest", field.values.back()}};
    } else {
      entry = {{"values", field.values}};
    }
  }
  return json;
}

}  // namespace

std::string CoverageJson(const isa::DocumentCoverage& coverage,
                         const std::optional<CorpusUse>& use) {
  Json json;
  json["schema"] = "moescope.isa_coverage";
  json["schema_version"] = 1;
  json["total"] = CountsJson(coverage.total);
  json["opcodes"] = Json::array();
  for (const isa::WordCounts& counts : coverage.by_opcode) {
    json["opcodes"].push_back(CountsJson(counts));
  }
  json["free_opcodes"] = coverage.FreeOpcodes();
  json["partly_free_opcodes"] = coverage.PartlyFreeOpcodes();
  if (!use) return JsonText(json);
  Json& corpus = json["corpus"];
  corpus["programs"] = use->programs;
  corpus["words"] = use->words;
  corpus["undefined"] = use->undefined;
  corpus["instructions"] = Json::array();
  for (const InstructionUse& instruction : use->instructions) {
    corpus["instructions"].push_back(InstructionJson(instruction));
  }
  return JsonText(json);
}

}  // namespace moescope::session
