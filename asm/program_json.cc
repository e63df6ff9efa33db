#include "asm/program_json.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "isa/isa_hash.h"

namespace moescope::assembler {

namespace {

Json WordJson(const isa::Program& program, const isa::InstructionSet& set,
              const isa::StageRange& range, std::uint32_t pc) {
  Json json;
  json["pc"] = pc;
  json["word"] = absl::StrFormat("0x%08X", program.words[pc]);
  json["text"] = set.Text(program.words[pc]);
  json["stage"] = program.names[range.name].name;
  if (range.pair) json["pair"] = *range.pair;
  if (range.expert) json["expert"] = *range.expert;
  if (!program.positions.empty()) {
    json["file"] = program.files[program.positions[pc].file];
    json["line"] = program.positions[pc].line;
  }
  return json;
}

}  // namespace

std::string WriteProgramJson(const isa::Program& program, const isa::InstructionSet& set) {
  Json json;
  json["schema"] = "moescope.program";
  json["schema_version"] = 1;
  json["isa_version"] = absl::StrCat(set.version().major, ".", set.version().minor);
  json["isa_hash"] = isa::IsaHash(set);
  json["words_hash"] = program.WordsHash();
  json["stage_table_hash"] = program.StageTableHash();
  json["words"] = Json::array();
  for (const isa::StageRange& range : program.ranges) {
    for (std::uint32_t pc = range.begin_pc; pc < range.end_pc; ++pc) {
      json["words"].push_back(WordJson(program, set, range, pc));
    }
  }
  return JsonText(json);
}

}  // namespace moescope::assembler
