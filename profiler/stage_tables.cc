#include "profiler/stage_tables.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_join.h"
#include "profiler/identity.h"
#include "profiler/ratio.h"
#include "profiler/roofline.h"

namespace moescope::profiler {

namespace {

// profile.md 5.5.
constexpr std::array<std::string_view, 6> kRoutingTaxStages = {
    "router_topk",           "accumulator_init",    "gather",
    "expert_weight_address", "expert_route_weight", "scatter_combine"};

const isa::StageName& NameOf(const Recording& recording, std::uint32_t stage) {
  return recording.program().names[recording.map.stage_names[stage]];
}

void SetCycleRange(const Recording& recording, std::uint32_t stage, StageEntry& entry) {
  const Recording::StageRun& run = recording.stages[stage];
  if (run.calls == 0) return;
  const emulator::Cycle total = recording.end.cycles;
  entry.first_cycle = *run.first_cycle;
  // Work that was in flight when the run was cut is cut with it.
  if (recording.description.measures_completion) {
    entry.last_cycle = std::min(run.last_cycle.value_or(total), total);
  }
}

std::vector<OpcodeCount> StageOpcodes(const RunSums& sums, std::uint32_t stage,
                                      const isa::InstructionSet& set) {
  std::vector<OpcodeCount> opcodes;
  for (std::size_t row = 0; row < sums.opcodes.size(); ++row) {
    const Work& work = sums.stage_opcodes[stage * sums.opcodes.size() + row];
    if (work == Work{}) continue;
    opcodes.push_back(
        {std::string(set.instructions()[row].mnemonic), work.instructions, work.cycles});
  }
  return opcodes;
}

Split Utilisation(const emulator::RunDescription& run, const CounterBlock& counters) {
  Split ppm(counters.units.size());
  for (const auto& [unit, instances] : run.units) {
    const auto i = static_cast<std::size_t>(unit);
    ppm[i] = Scaled(counters.units[i], 1'000'000, Wide{counters.cycles} * instances);
  }
  return ppm;
}

// Self work of each stage plus that of the regions inside it.
std::vector<Work> InclusiveWork(const Recording& recording, const RunSums& sums) {
  std::vector<Work> inclusive(recording.map.stage_names.size());
  for (std::size_t range = 0; range < sums.ranges.size(); ++range) {
    std::vector<std::uint32_t> path = recording.map.paths[recording.map.path_of_range[range]];
    std::sort(path.begin(), path.end());
    path.erase(std::unique(path.begin(), path.end()), path.end());
    for (const std::uint32_t stage : path) {
      inclusive[stage].instructions += sums.ranges[range].instructions;
      inclusive[stage].cycles += sums.ranges[range].cycles;
    }
  }
  return inclusive;
}

std::vector<std::vector<NamedCount>> WaitsOn(const Recording& recording) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries(recording.waits_on.begin(),
                                                               recording.waits_on.end());
  std::sort(entries.begin(), entries.end());
  std::vector<std::vector<NamedCount>> waits(recording.map.stage_names.size());
  for (const auto& [key, cycles] : entries) {
    const auto producer = static_cast<std::uint32_t>(key & 0xFFFFFFFFu);
    waits[key >> 32].push_back({NameOf(recording, producer).name, cycles});
  }
  return waits;
}

}  // namespace

bool MeasuresWaits(const emulator::RunDescription& run) {
  return std::any_of(run.reasons.begin(), run.reasons.end(), [](emulator::Reason reason) {
    return Contains(BitsOf(kWaitsOnReasons), reason);
  });
}

std::vector<StageEntry> StagesOf(const Recording& recording, const RunSums& sums,
                                 const isa::InstructionSet& set, const Profile& profile) {
  const std::vector<Work> inclusive = InclusiveWork(recording, sums);
  std::vector<std::vector<NamedCount>> waits = WaitsOn(recording);
  std::vector<StageEntry> entries;
  for (std::uint32_t stage = 0; stage < recording.map.stage_names.size(); ++stage) {
    const isa::StageName& name = NameOf(recording, stage);
    StageEntry& entry = entries.emplace_back();
    entry.name = name.name;
    entry.origin = std::string(Name(name.origin));
    entry.scope = std::string(Name(name.scope));
    entry.static_instructions = recording.map.static_instructions[stage];
    entry.calls = recording.stages[stage].calls;
    SetCycleRange(recording, stage, entry);
    entry.counters = sums.stages[stage];
    entry.inclusive = inclusive[stage];
    entry.cycle_share_ppm = Ppm(entry.counters.cycles, profile.totals.counters.cycles);
    entry.instruction_share_ppm =
        Ppm(entry.counters.instructions, profile.totals.counters.instructions);
    entry.opcodes = StageOpcodes(sums, stage, set);
    entry.utilisation_ppm = Utilisation(recording.description, entry.counters);
    if (MeasuresWaits(recording.description)) entry.waits_on = std::move(waits[stage]);
    if (profile.roofline && entry.counters.cycles > 0) {
      entry.roofline = PointOf(entry.counters, *profile.roofline);
    }
  }
  return entries;
}

std::optional<std::vector<PathEntry>> PathsOf(const Recording& recording, const RunSums& sums) {
  if (!recording.map.has_regions) return std::nullopt;
  std::vector<PathEntry> paths;
  for (const std::vector<std::uint32_t>& path : recording.map.paths) {
    paths.push_back({absl::StrJoin(path, "/", [&](std::string* out, std::uint32_t stage) {
      out->append(NameOf(recording, stage).name);
    })});
  }
  for (std::size_t range = 0; range < sums.ranges.size(); ++range) {
    PathEntry& path = paths[recording.map.path_of_range[range]];
    path.instructions += sums.ranges[range].instructions;
    path.cycles += sums.ranges[range].cycles;
  }
  return paths;
}

std::vector<OpcodeEntry> OpcodesOf(const RunSums& sums, const isa::InstructionSet& set,
                                   bool with_waits) {
  std::vector<OpcodeEntry> opcodes;
  for (std::size_t row = 0; row < sums.opcodes.size(); ++row) {
    const RunSums::Opcode& opcode = sums.opcodes[row];
    if (opcode.work == Work{}) continue;
    const isa::Instruction& instruction = set.instructions()[row];
    OpcodeEntry& entry = opcodes.emplace_back();
    entry.mnemonic = std::string(instruction.mnemonic);
    entry.group = std::string(isa::GroupName(instruction.group));
    entry.instructions = opcode.work.instructions;
    entry.cycles = opcode.work.cycles;
    if (with_waits) entry.wait_cycles = opcode.wait_cycles;
  }
  return opcodes;
}

std::optional<emulator::Reason> TopReason(const Recording& recording, std::uint32_t pc) {
  if (recording.description.reasons.empty()) return std::nullopt;
  std::optional<emulator::Reason> top;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < emulator::kReasonCount; ++i) {
    const auto reason = static_cast<emulator::Reason>(i);
    const std::uint64_t cycles = recording.CyclesOf(pc, reason);
    if (cycles <= most) continue;
    most = cycles;
    top = reason;
  }
  return top;
}

std::string DisplayFile(const std::string& path) {
  return path.starts_with('/') ? path.substr(path.rfind('/') + 1) : path;
}

std::vector<HotRow> HotRowsOf(const Recording& recording, const isa::InstructionSet& set,
                              std::size_t count) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;  // cycles, pc
  for (std::uint32_t pc = 0; pc < recording.words(); ++pc) {
    std::uint64_t cycles = 0;
    for (std::size_t i = 0; i < emulator::kReasonCount; ++i) {
      cycles += recording.CyclesOf(pc, static_cast<emulator::Reason>(i));
    }
    if (recording.instructions[pc] > 0 || cycles > 0) order.emplace_back(cycles, pc);
  }
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  order.erase(end, order.end());

  const isa::Program& program = recording.program();
  std::vector<HotRow> rows;
  for (const auto& [cycles, pc] : order) {
    HotRow& row = rows.emplace_back();
    row.pc = pc;
    row.word = program.words[pc];
    row.text = set.LenientText(program.words[pc]);
    if (pc < program.positions.size()) {
      row.file = DisplayFile(program.files[program.positions[pc].file]);
      row.line = program.positions[pc].line;
    }
    row.stage = NameOf(recording, recording.StageOf(pc)).name;
    row.instructions = recording.instructions[pc];
    row.cycles = cycles;
    if (const auto reason = TopReason(recording, pc)) row.top_reason = std::string(Name(*reason));
  }
  return rows;
}

Derived DerivedOf(const std::vector<StageEntry>& stages) {
  Derived derived;
  for (const StageEntry& stage : stages) {
    if (std::find(kRoutingTaxStages.begin(), kRoutingTaxStages.end(), stage.name) ==
        kRoutingTaxStages.end()) {
      continue;
    }
    derived.routing_tax_cycles += stage.counters.cycles;
    derived.routing_tax_stages.push_back(stage.name);
  }
  return derived;
}

}  // namespace moescope::profiler
