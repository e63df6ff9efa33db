#include <algorithm>
#include <map>
#include <set>

#include "base/string_view.h"
#include "isa/program.h"
#include "profiler/verify/families.h"

namespace moescope::profiler {

namespace {

template <typename T>
std::vector<std::string> NamesOf(const std::vector<T>& values, std::string T::*name) {
  std::vector<std::string> names;
  for (const T& value : values) names.push_back(value.*name);
  return names;
}

// Stages in display order, the bucket last, all of them in the vocabulary with the same facts.
void CheckStageNames(const Profile& profile, Findings& findings) {
  const std::vector<std::string> vocabulary =
      NamesOf(profile.program.vocabulary, &VocabularyEntry::name);
  findings.Demand("PV01", InOrder(NamesOf(profile.stages, &StageEntry::name), vocabulary),
                  "stages are not distinct names of program.vocabulary in its order");
  const bool has_bucket =
      !profile.stages.empty() && profile.stages.back().name == isa::kUnattributed;
  findings.Demand("PV01", has_bucket, "the last stage is not 'unattributed'");
  std::map<std::string, const VocabularyEntry*> entries;
  for (const VocabularyEntry& entry : profile.program.vocabulary) entries[entry.name] = &entry;
  for (const StageEntry& stage : profile.stages) {
    const auto at = entries.find(stage.name);
    if (at == entries.end()) continue;
    const bool same = at->second->origin == stage.origin && at->second->scope == stage.scope;
    findings.Demand("PV01", same,
                    absl::StrCat("stage '", stage.name, "' differs from its vocabulary entry"));
  }
}

void CheckReferences(const Profile& profile, Findings& findings) {
  const std::vector<std::string> stages = NamesOf(profile.stages, &StageEntry::name);
  const std::vector<std::string> opcodes = NamesOf(profile.opcodes, &OpcodeEntry::mnemonic);
  for (const StageEntry& stage : profile.stages) {
    findings.Demand(
        "PV01", InOrder(NamesOf(stage.opcodes, &OpcodeCount::mnemonic), opcodes),
        absl::StrCat("opcodes of stage '", stage.name, "' are not in the order of opcodes"));
    if (!stage.waits_on) continue;
    findings.Demand(
        "PV01", InOrder(NamesOf(*stage.waits_on, &NamedCount::name), stages),
        absl::StrCat("waits_on of stage '", stage.name, "' is not in the order of stages"));
  }
  if (profile.pairs) {
    const auto bad = std::find_if(
        profile.pairs->rows.begin(), profile.pairs->rows.end(),
        [&](const auto& row) { return !InOrder(NamesOf(row.stages, &PairStage::name), stages); });
    if (bad != profile.pairs->rows.end()) {
      findings.Fail("PV01",
                    absl::StrCat("stages of pair ", bad->pair, " are not in the order of stages"));
    }
  }
  if (profile.timeline) {
    findings.Demand("PV01",
                    InOrder(NamesOf(profile.timeline->stage_cycles, &StageBins::name), stages),
                    "timeline.stage_cycles is not in the order of stages");
  }
  for (const HotRow& row : profile.hot) {
    findings.Demand("PV01", std::find(stages.begin(), stages.end(), row.stage) != stages.end(),
                    absl::StrCat("hot pc ", row.pc, " names an unlisted stage"));
  }
  findings.Demand("PV01", std::is_sorted(profile.labels.begin(), profile.labels.end()),
                  "labels are not sorted");
}

// What is absent is listed in not_measured, and nothing else is.
void CheckAbsences(const Profile& profile, Findings& findings) {
  std::set<std::string> listed;
  for (const NotMeasured& entry : profile.not_measured) listed.insert(entry.field);
  const auto check = [&](const char* field, bool present) {
    if (present && listed.contains(field)) {
      findings.Fail("PV01", absl::StrCat("'", field, "' is present and listed in not_measured"));
    }
    if (!present && !listed.contains(field)) {
      findings.Fail("PV01", absl::StrCat("'", field, "' is absent but not in not_measured"));
    }
  };
  check("model.coverage", profile.model.coverage.has_value());
  check("reasons", !profile.model.reasons.empty());
  check("units", !profile.model.units.empty());
  check("structures", profile.structures.has_value());
  check("hbm_channels", profile.hbm_channels.has_value());
  check("roofline", profile.roofline.has_value());
  check("overlap", profile.overlap.has_value());
}

}  // namespace

bool InOrder(const std::vector<std::string>& listed, const std::vector<std::string>& order) {
  auto at = order.begin();
  for (const std::string& name : listed) {
    at = std::find(at, order.end(), name);
    if (at == order.end()) return false;
    ++at;
  }
  return true;
}

void CheckNames(const Profile& profile, Findings& findings) {
  CheckStageNames(profile, findings);
  CheckReferences(profile, findings);
  CheckAbsences(profile, findings);
}

}  // namespace moescope::profiler
