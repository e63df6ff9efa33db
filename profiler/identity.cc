#include "profiler/identity.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "profiler/profile_json.h"

namespace moescope::profiler {

std::string_view Name(isa::AttributionSource source) {
  switch (source) {
    case isa::AttributionSource::kNone:
      return "none";
    case isa::AttributionSource::kMarkers:
      return "markers";
    case isa::AttributionSource::kSidecar:
      return "sidecar";
    case isa::AttributionSource::kAnnotated:
      return "annotated";
  }
  return "none";
}

std::string_view Name(isa::StageOrigin origin) {
  switch (origin) {
    case isa::StageOrigin::kBucket:
      return "bucket";
    case isa::StageOrigin::kBuiltin:
      return "builtin";
    case isa::StageOrigin::kExtension:
      return "extension";
  }
  return "bucket";
}

std::string_view Name(isa::StageScope scope) {
  return scope == isa::StageScope::kPair ? "pair" : "layer";
}

End EndOf(const emulator::RunEnd& end) {
  End result;
  result.reason = std::string(Name(end.reason));
  result.cycle = end.cycles;
  if (end.pc) result.pc = *end.pc;
  if (end.fault) result.fault = absl::StrCat(end.fault->id, ": ", end.fault->text);
  if (end.signal) result.signal = static_cast<std::uint64_t>(*end.signal);
  result.limit = end.limit;
  return result;
}

ProgramIdentity ProgramOf(const isa::Program& program) {
  ProgramIdentity identity;
  identity.sha256 = program.WordsHash();
  identity.words = program.words.size();
  identity.stage_table_sha256 = program.StageTableHash();
  identity.attribution = std::string(Name(program.attribution));
  const auto add = [&](const isa::StageName& name) {
    identity.vocabulary.push_back(
        {name.name, std::string(Name(name.origin)), std::string(Name(name.scope))});
  };
  std::for_each(program.names.begin() + 1, program.names.end(), add);
  add(program.names[0]);  // the bucket is last wherever stages are shown
  identity.vocabulary_sha256 = VocabularyHash(identity.vocabulary);
  identity.unresolved_markers = program.unresolved_markers;
  return identity;
}

MachineIdentity MachineOf(const emulator::RunDescription& run) {
  MachineIdentity machine;
  machine.name = run.machine_name;
  machine.timing_model = run.timing_model;
  machine.latency_profile = run.latency_profile;
  machine.hbm_model = run.hbm_model;
  machine.clock_period_ps = run.clock_period_ps;
  machine.number_convention = run.number_convention;
  machine.scale_rule = run.scale_rule;
  machine.dialect = run.dialect;
  for (const emulator::EffectiveValue& value : run.effective) {
    const bool is_text = value.kind == emulator::EffectiveValue::Kind::kText;
    machine.effective.push_back({value.key, is_text, value.integer, value.text});
  }
  machine.sha256 = EffectiveHash(machine.effective);
  return machine;
}

}  // namespace moescope::profiler
