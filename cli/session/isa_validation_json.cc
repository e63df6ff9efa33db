#include <cstddef>

#include "base/json.h"
#include "cli/session/isa_validation.h"
#include "isa/names.h"

namespace moescope::session {

namespace {

Json CoverageJson(const isa::WordCounts& counts) {
  return {{"defined", counts.defined},
          {"reserved", counts.reserved},
          {"unassigned", counts.unassigned}};
}

Json WordJson(const ChangedWord& word) {
  return {{"word", word.word}, {"before", word.before}, {"after", word.after}};
}

Json CyclesJson(const CyclesChange& change) {
  return {{"name", change.name}, {"before", change.before}, {"after", change.after}};
}

Json ProgramJson(const ProgramValidation& program) {
  constexpr const char* kRuns[] = {"not_run", "new_only", "equal", "different"};
  Json json;
  json["name"] = program.name;
  json["binary"] = program.is_binary;
  if (!program.before_error.empty()) json["before_error"] = program.before_error;
  if (!program.after_error.empty()) json["after_error"] = program.after_error;
  json["words"] = program.words;
  json["same"] = program.same;
  json["different"] = program.different;
  json["undefined"] = program.undefined;
  json["reassembled"] = program.reassembled;
  json["run"] = kRuns[static_cast<std::size_t>(program.run)];
  if (program.run == ProgramValidation::Run::kNotRun) return json;
  if (!program.difference.empty()) json["difference"] = program.difference;
  json["instructions"] = program.instructions;
  if (program.run != ProgramValidation::Run::kNewOnly) {
    json["before_cycles"] = program.before_cycles;
  }
  json["after_cycles"] = program.after_cycles;
  json["stages"] = Json::array();
  for (const CyclesChange& change : program.stages) json["stages"].push_back(CyclesJson(change));
  if (program.most_changed) json["most_changed"] = CyclesJson(*program.most_changed);
  return json;
}

}  // namespace

std::string IsaValidationJson(const IsaValidation& v) {
  Json json;
  json["schema"] = "moescope.isa_validation";
  json["schema_version"] = 1;
  json["old_version"] = isa::VersionText(v.before_version);
  json["new_version"] = isa::VersionText(v.after_version);
  json["verdict"] = IsaVerdictName(v.verdict);
  json["timing_changed"] = v.timing_changed;
  json["reasons"] = v.reasons;
  json["failures"] = v.failures;
  json["not_judged"] = v.not_judged;
  json["problems"] = v.problems;
  json["findings"] = Json::array();
  for (const Diagnostic& finding : v.findings) {
    json["findings"].push_back(Json{{"severity", SeverityName(finding.severity)},
                                    {"id", finding.id},
                                    {"message", finding.message}});
  }
  if (v.problems == 0) {
    json["old_coverage"] = CoverageJson(v.before_coverage);
    json["new_coverage"] = CoverageJson(v.after_coverage);
  }
  json["changes"] = Json::array();
  for (const isa::InstructionChange& change : v.diff.changes) {
    json["changes"].push_back(Json{{"mnemonic", change.mnemonic},
                                   {"kind", isa::ChangeKindName(change.kind)},
                                   {"text", change.text}});
  }
  json["meanings"] = Json::array();
  for (std::size_t i = 0; i < v.meanings.size(); ++i) {
    json["meanings"].push_back(Json{{"mnemonic", v.meanings[i].mnemonic},
                                    {"same", v.meanings[i].same},
                                    {"different", v.meanings[i].different},
                                    {"undefined", v.meanings[i].undefined},
                                    {"witness", WordJson(v.witnesses[i])}});
  }
  json["instructions"] = Json::array();
  for (const ChangedInstruction& changed : v.instructions) {
    json["instructions"].push_back(Json{{"mnemonic", changed.mnemonic},
                                        {"different", changed.different},
                                        {"undefined", changed.undefined},
                                        {"first", changed.first},
                                        {"word", WordJson(changed.word)}});
  }
  json["programs"] = Json::array();
  for (const ProgramValidation& program : v.programs) {
    json["programs"].push_back(ProgramJson(program));
  }
  return JsonText(json);
}

}  // namespace moescope::session
