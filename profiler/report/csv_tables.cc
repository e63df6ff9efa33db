#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "profiler/csv.h"
#include "profiler/report/formats.h"
#include "profiler/report/summary.h"

namespace moescope::profiler {

namespace {

constexpr std::array<std::string_view, 13> kScalarColumns = {"hbm_read_logical_bytes",
                                                             "hbm_read_physical_bytes",
                                                             "hbm_read_lines",
                                                             "hbm_read_burst_bytes",
                                                             "hbm_read_repeat_bytes",
                                                             "hbm_write_logical_bytes",
                                                             "hbm_write_physical_bytes",
                                                             "hbm_write_lines",
                                                             "hbm_write_burst_bytes",
                                                             "hbm_write_rmw_read_bytes",
                                                             "flops_matrix",
                                                             "flops_vector",
                                                             "flops_scalar"};

// Of a profile that may not have been verified.
std::optional<std::uint64_t> At(const std::vector<std::uint64_t>& values, std::size_t index) {
  return index < values.size() ? std::optional(values[index]) : std::nullopt;
}

// A row of names that ends with those of Scalars.
void Header(CsvWriter& csv, std::initializer_list<std::string_view> columns) {
  for (const std::string_view column : columns) csv.Field(column);
  for (const std::string_view column : kScalarColumns) csv.Field(column);
  csv.EndRow();
}

void Scalars(CsvWriter& csv, const CounterBlock& block) {
  for (const TrafficCounters* traffic : {&block.read, &block.write}) {
    csv.Field(traffic->logical_bytes).Field(traffic->physical_bytes).Field(traffic->lines);
    csv.Field(traffic->burst_bytes).Field(traffic->extra_bytes);
  }
  csv.Field(block.flops.matrix).Field(block.flops.vector).Field(block.flops.scalar);
  csv.EndRow();
}

void StagesTable(const Profile& profile, CsvWriter& csv) {
  Header(csv, {"name", "origin", "scope", "static_instructions", "calls", "first_cycle",
               "last_cycle", "instructions", "cycles", "inclusive_instructions", "inclusive_cycles",
               "cycle_share_ppm", "instruction_share_ppm", "bound", "top_reason"});
  for (const StageEntry& stage : profile.stages) {
    csv.Field(stage.name).Field(stage.origin);
    csv.Field(stage.scope).Field(stage.static_instructions).Field(stage.calls);
    csv.Optional(stage.first_cycle).Optional(stage.last_cycle);
    csv.Field(stage.counters.instructions).Field(stage.counters.cycles);
    csv.Field(stage.inclusive.instructions).Field(stage.inclusive.cycles);
    csv.Field(stage.cycle_share_ppm).Field(stage.instruction_share_ppm);
    csv.Optional(stage.roofline ? stage.roofline->bound : std::nullopt);
    const std::string reason = TopReason(stage.counters);
    csv.Field(reason == "-" ? "" : reason);
    Scalars(csv, stage.counters);
  }
}

void ReasonsTable(const Profile& profile, CsvWriter& csv) {
  csv.Row({"stage", "reason", "cycles"});
  for (const StageEntry& stage : profile.stages) {
    for (std::size_t i = 0; i < stage.counters.reasons.size(); ++i) {
      const std::string_view reason = emulator::kReasonNames[i];
      const auto& listed = profile.model.reasons;
      if (std::find(listed.begin(), listed.end(), reason) == listed.end()) continue;
      csv.Field(stage.name).Field(reason).Field(stage.counters.reasons[i]);
      csv.EndRow();
    }
  }
}

void UnitsTable(const Profile& profile, CsvWriter& csv) {
  csv.Row({"stage", "unit", "busy_cycles", "utilisation_ppm"});
  for (const StageEntry& stage : profile.stages) {
    for (const NamedCount& unit : profile.model.units) {
      for (std::size_t i = 0; i < stage.counters.units.size(); ++i) {
        if (unit.name != emulator::kUnitNames[i]) continue;
        csv.Field(stage.name).Field(unit.name);
        csv.Field(stage.counters.units[i]).Optional(At(stage.utilisation_ppm, i));
        csv.EndRow();
      }
    }
  }
}

void OpcodesTable(const Profile& profile, CsvWriter& csv) {
  csv.Row({"mnemonic", "group", "instructions", "cycles", "wait_cycles"});
  for (const OpcodeEntry& opcode : profile.opcodes) {
    csv.Field(opcode.mnemonic).Field(opcode.group);
    csv.Field(opcode.instructions).Field(opcode.cycles).Optional(opcode.wait_cycles);
    csv.EndRow();
  }
}

// The last row, with empty ids, is what has no pair.
void PairsTable(const Pairs& pairs, CsvWriter& csv) {
  Header(csv, {"pair", "expert", "expert_source", "instructions", "cycles"});
  for (const PairRow& row : pairs.rows) {
    csv.Field(row.pair).Optional(row.expert).Field(row.expert_source);
    csv.Field(row.counters.instructions).Field(row.counters.cycles);
    Scalars(csv, row.counters);
  }
  csv.Field("").Field("").Field("none").Field(pairs.none.instructions).Field(pairs.none.cycles);
  Scalars(csv, pairs.none);
}

void ExpertsTable(const Experts& experts, CsvWriter& csv) {
  Header(csv, {"expert", "pairs", "instructions", "cycles"});
  for (const ExpertRow& row : experts.rows) {
    csv.Field(row.expert).Field(row.pairs);
    csv.Field(row.counters.instructions).Field(row.counters.cycles);
    Scalars(csv, row.counters);
  }
  csv.Field("").Field("").Field(experts.none.instructions).Field(experts.none.cycles);
  Scalars(csv, experts.none);
}

void HotTable(const Profile& profile, CsvWriter& csv) {
  csv.Row({"pc", "word", "text", "file", "line", "stage", "instructions", "cycles", "top_reason"});
  for (const HotRow& row : profile.hot) {
    csv.Field(row.pc).Field(row.word).Field(row.text).Optional(row.file);
    csv.Optional(row.line).Field(row.stage).Field(row.instructions);
    csv.Field(row.cycles).Optional(row.top_reason);
    csv.EndRow();
  }
}

void TimelineTable(const Profile& profile, CsvWriter& csv) {
  const TimelineBins& timeline = *profile.timeline;
  csv.Field("begin_cycle").Field("end_cycle").Field("hbm_read_bytes").Field("hbm_write_bytes");
  for (const StageBins& stage : timeline.stage_cycles) csv.Field(stage.name);
  csv.EndRow();
  for (std::size_t bin = 0; bin < timeline.hbm_read_bytes.size(); ++bin) {
    const std::uint64_t begin = bin * timeline.bin_cycles;
    csv.Field(begin);
    csv.Field(std::min(begin + timeline.bin_cycles, profile.totals.counters.cycles));
    csv.Field(timeline.hbm_read_bytes[bin]).Optional(At(timeline.hbm_write_bytes, bin));
    for (const StageBins& stage : timeline.stage_cycles) csv.Optional(At(stage.cycles, bin));
    csv.EndRow();
  }
}

absl::Status Lacks(const Profile& profile, std::string_view field, const char* otherwise) {
  for (const NotMeasured& entry : profile.not_measured) {
    if (entry.field == field) {
      return absl::FailedPreconditionError(
          absl::StrCat("the profile has no ", Absl(field), ": ", entry.why));
    }
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the profile has no ", Absl(field), ": ", otherwise));
}

}  // namespace

absl::StatusOr<std::string> CsvReport(const Profile& profile, std::string_view table) {
  CsvWriter csv;
  if (table == "stages") {
    StagesTable(profile, csv);
  } else if (table == "reasons") {
    if (profile.model.reasons.empty()) return Lacks(profile, table, "not measured");
    ReasonsTable(profile, csv);
  } else if (table == "units") {
    if (profile.model.units.empty()) return Lacks(profile, table, "not measured");
    UnitsTable(profile, csv);
  } else if (table == "opcodes") {
    OpcodesTable(profile, csv);
  } else if (table == "pairs") {
    if (!profile.pairs) return Lacks(profile, table, "no marker of the program has a pair");
    PairsTable(*profile.pairs, csv);
  } else if (table == "experts") {
    if (!profile.experts) return Lacks(profile, table, "no expert of a pair is known");
    ExpertsTable(*profile.experts, csv);
  } else if (table == "hot") {
    HotTable(profile, csv);
  } else if (table == "timeline") {
    if (!profile.timeline) return Lacks(profile, table, "not measured");
    TimelineTable(profile, csv);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown table '", Absl(table),
                     "'; known: stages, reasons, units, opcodes, pairs, experts, hot, timeline"));
  }
  return csv.Take();
}

}  // namespace moescope::profiler
