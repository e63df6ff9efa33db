#include "profiler/profile_builder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/string_view.h"
#include "profiler/identity.h"
#include "profiler/pair_tables.h"
#include "profiler/ratio.h"
#include "profiler/roofline.h"
#include "profiler/run_sums.h"
#include "profiler/stage_tables.h"
#include "stages/stage.h"

namespace moescope::profiler {

namespace {

std::string Text(std::string_view text) { return std::string(text); }

Model ModelOf(const Recording& recording, const RunSums& sums, const isa::InstructionSet& set) {
  const emulator::RunDescription& run = recording.description;
  Model model;
  model.issue_model = run.issue_model;
  for (const emulator::Reason reason : run.reasons) model.reasons.push_back(Text(Name(reason)));
  for (const auto& [unit, instances] : run.units) {
    model.units.push_back({Text(Name(unit)), instances});
  }
  if (run.cost_class.size() == recording.words()) {
    Coverage& coverage = model.coverage.emplace();
    for (std::size_t i = 0; i < emulator::kCostClassCount; ++i) {
      coverage.classes.push_back({sums.class_instructions[i], recording.class_cycles[i]});
    }
    coverage.in_domain_ppm =
        Ppm(coverage.classes[0].cycles + coverage.classes[1].cycles, sums.total.cycles);
  }
  model.assumptions = run.assumptions;
  for (const auto& [row, cost_class] : sums.weak_opcodes) {
    model.weak_opcodes.push_back({Text(set.instructions()[row].mnemonic), Text(Name(cost_class))});
  }
  for (const auto& [name, shapes] : run.laws) model.laws.push_back({name, shapes});
  if (recording.end.missing_interlocks) {
    model.missing_interlocks.emplace();
    for (const auto& [name, count] : *recording.end.missing_interlocks) {
      model.missing_interlocks->push_back({name, count});
    }
  }
  return model;
}

Totals TotalsOf(const Recording& recording, const RunSums& sums) {
  Totals totals;
  totals.counters = sums.total;
  // The run's own figures, so that the stage sums are checked against an independent count.
  totals.counters.instructions = recording.end.instructions;
  totals.counters.cycles = recording.end.cycles;
  totals.static_instructions = recording.words();
  totals.time_ps = recording.end.cycles * recording.description.clock_period_ps;
  return totals;
}

std::optional<Routing> RoutingOf(const Recording& recording, const isa::InstructionSet& set) {
  const std::vector<std::uint32_t>& words = recording.program().words;
  const bool has_topk = std::any_of(words.begin(), words.end(), [&set](std::uint32_t word) {
    const isa::Instruction* row = set.Decode(word).instruction;
    return row != nullptr && isa::SemanticsOf(*row) == "V_TOPK";
  });
  if (!has_topk) return std::nullopt;
  const RoutingRecord& record = recording.routing;
  return Routing{.executions = record.executions(),
                 .num_experts = record.num_experts(),
                 .top_k = record.top_k(),
                 .counts = record.counts(),
                 .ids = record.Ids()};
}

void SetMemoryTables(const Recording& recording, Profile& profile) {
  if (!recording.end.structures.empty()) {
    profile.structures.emplace();
    for (const emulator::Structure& s : recording.end.structures) {
      profile.structures->push_back({s.name, s.unit, s.capacity, s.high_water, s.cycle});
    }
  }
  if (!recording.end.channels.empty()) {
    profile.hbm_channels.emplace();
    for (const emulator::HbmChannelFigures& figures : recording.end.channels) {
      profile.hbm_channels->push_back({profile.hbm_channels->size(), figures});
    }
  }
  if (profile.model.units.empty() || !recording.busy.overlap()) return;
  const BusyOverlap::Figures& figures = *recording.busy.overlap();
  profile.overlap = Overlap{figures.memory, figures.compute, figures.both, recording.data_wait,
                            recording.slot_wait};
}

TimelineBins TimelineOf(const Recording& recording, const Profile& profile) {
  const std::uint64_t total = recording.end.cycles;
  TimelineBins bins;
  bins.bin_cycles = recording.timeline.bin_cycles();
  bins.hbm_read_bytes = recording.timeline.Bytes(false, total);
  bins.hbm_write_bytes = recording.timeline.Bytes(true, total);
  for (std::uint32_t stage = 0; stage < profile.stages.size(); ++stage) {
    if (profile.stages[stage].counters.cycles == 0) continue;
    bins.stage_cycles.push_back(
        {profile.stages[stage].name, recording.timeline.StageCycles(stage, total)});
  }
  return bins;
}

std::vector<NotMeasured> MissingFields(const Recording& recording, const Profile& profile) {
  std::vector<NotMeasured> missing;
  const std::string model = absl::StrCat("the timing model '", profile.machine.timing_model, "' ");
  const auto unless = [&](bool measured, const char* field, const std::string& why) {
    if (!measured) missing.push_back({field, why});
  };
  const bool reasons = !profile.model.reasons.empty();
  const bool units = !profile.model.units.empty();
  unless(profile.model.coverage.has_value(), "model.coverage",
         model + "states no cost class per instruction");
  unless(reasons, "reasons", model + "does not split cycles by reason");
  unless(units, "units", model + "does not measure busy units");
  unless(recording.description.measures_completion, "stages.last_cycle",
         model + "does not tell when an instruction completes");
  unless(units, "stages.utilisation_ppm", model + "does not measure busy units");
  unless(MeasuresWaits(recording.description), "stages.waits_on",
         model + "does not tell what an instruction waits for");
  unless(reasons, "opcodes.wait_cycles", model + "does not split cycles by reason");
  if (profile.routing && profile.routing->executions > 0) {
    unless(profile.routing->num_experts.has_value(), "routing.num_experts",
           "executions of V_TOPK differ in it");
    unless(profile.routing->top_k.has_value(), "routing.top_k",
           "executions of V_TOPK differ in it");
  }
  unless(profile.structures.has_value(), "structures", model + "announces no structures");
  unless(profile.hbm_channels.has_value(), "hbm_channels",
         absl::StrCat("the HBM model '", profile.machine.hbm_model, "' keeps no channel counters"));
  unless(profile.roofline.has_value(), "roofline", "the machine states no peak rates");
  unless(profile.overlap.has_value(), "overlap",
         units ? model + "announced too late which cycles have passed"
               : model + "does not measure busy units");
  return missing;
}

}  // namespace

Profile MakeProfile(const Recording& recording, const ProfileOptions& options) {
  const isa::InstructionSet& set = *options.instruction_set;
  const RunSums sums = SumUp(recording, set);
  Profile profile;
  profile.complete = recording.end.complete();
  profile.end = EndOf(recording.end);
  profile.caveat = Text(stages::kSharedVersusRoutedCaveat);
  profile.tool = options.tool;
  profile.labels = options.labels;
  std::sort(profile.labels.begin(), profile.labels.end());
  profile.program = ProgramOf(recording.program());
  profile.machine = MachineOf(recording.description);
  profile.isa = options.isa;
  for (const emulator::ImageRecord& image : recording.description.images) {
    profile.images.push_back({image.target, image.bytes, image.sha256});
  }
  profile.model = ModelOf(recording, sums, set);
  profile.totals = TotalsOf(recording, sums);
  profile.roofline = Roofs(recording.description);
  if (profile.roofline) {
    profile.roofline->issued_flops = profile.totals.counters.flops.matrix;
    profile.roofline->point = PointOf(profile.totals.counters, *profile.roofline);
  }
  profile.stages = StagesOf(recording, sums, set, profile);
  profile.paths = PathsOf(recording, sums);
  SetPairTables(recording, sums, profile);
  profile.routing = RoutingOf(recording, set);
  profile.opcodes = OpcodesOf(sums, set, !profile.model.reasons.empty());
  profile.hot = HotRowsOf(recording, set, options.hot_rows);
  SetMemoryTables(recording, profile);
  profile.timeline = TimelineOf(recording, profile);
  profile.derived = DerivedOf(profile.stages);
  profile.not_measured = MissingFields(recording, profile);
  profile.host = options.host;
  return profile;
}

}  // namespace moescope::profiler
