#include "tests/profiler/naive_profile.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "absl/strings/str_join.h"
#include "isa/instruction_set.h"
#include "profiler/flops.h"
#include "profiler/identity.h"
#include "profiler/roofline.h"

namespace moescope::profiler::test {

namespace {

using emulator::Reason;

std::uint64_t Share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : part * 1'000'000 / whole;
}

// The reasons by their names, as profile.md 5.3 and 5.4 list them.
bool StartsWithAny(Reason reason, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return Name(reason).starts_with(prefix); });
}
bool HasProducer(Reason reason) {
  return StartsWithAny(reason, {"raw_", "war_waw", "dma_issue", "hbm_", "sram_fill"});
}
bool IsWait(Reason reason) {
  return !StartsWithAny(
      reason, {"issue", "execute", "fill", "refill", "recovery", "ctrl_loop", "drain_", "other"});
}

}  // namespace

void NaiveProfile::OnAccepted(const emulator::Accepted& event) {
  accepted_.push_back(event);
  pair_was_executed_ = pair_was_executed_ || RangeOf(event.pc).pair.has_value();
}

void NaiveProfile::OnRouted(const emulator::Routed& event) {
  choices_.push_back({event.experts, {event.ids.begin(), event.ids.end()}, pair_was_executed_});
}

const isa::StageRange& NaiveProfile::RangeOf(std::uint32_t pc) const {
  for (const isa::StageRange& range : program().ranges) {
    if (range.begin_pc <= pc && pc < range.end_pc) return range;
  }
  std::abort();
}

const std::string& NaiveProfile::StageOf(std::uint32_t pc) const {
  return program().names[RangeOf(pc).name].name;
}

std::string NaiveProfile::MnemonicOf(std::uint32_t pc) const {
  return std::string(
      isa::InstructionSet::Builtin().Decode(program().words[pc]).instruction->mnemonic);
}

std::vector<std::string> NaiveProfile::StageNames() const {
  std::vector<std::string> names;
  for (std::size_t name = 1; name < program().names.size(); ++name) {
    for (const isa::StageRange& range : program().ranges) {
      if (range.name != name) continue;
      names.push_back(program().names[name].name);
      break;
    }
  }
  names.push_back(program().names[0].name);
  return names;
}

std::vector<std::size_t> NaiveProfile::PathOf(std::size_t range) const {
  const std::vector<std::string> names = StageNames();
  const isa::StageRange& r = program().ranges[range];
  const auto place = [&](std::size_t name) {
    return static_cast<std::size_t>(
        std::find(names.begin(), names.end(), program().names[name].name) - names.begin());
  };
  std::vector<std::size_t> path;
  if (r.parent) path = PathOf(*r.parent);
  if (path == std::vector{names.size() - 1}) path.clear();  // the bucket encloses nothing
  path.push_back(place(r.name));
  return path;
}

CounterBlock NaiveProfile::Count(const std::function<bool(std::uint32_t pc)>& in,
                                 bool with_splits) const {
  CounterBlock block;
  if (with_splits && !run_.reasons.empty()) block.reasons.resize(emulator::kReasonCount);
  if (with_splits && !run_.units.empty()) block.units.resize(emulator::kUnitCount);
  for (const emulator::Accepted& event : accepted_) {
    if (!in(event.pc)) continue;
    ++block.instructions;
    const isa::Instruction* row =
        isa::InstructionSet::Builtin().Decode(program().words[event.pc]).instruction;
    const Flops flops = FlopsOf(row->timing, run_);
    block.flops.matrix += flops.matrix;
    block.flops.vector += flops.vector;
    block.flops.scalar += flops.scalar;
  }
  for (const emulator::Attributed& event : attributed_) {
    if (!in(event.pc)) continue;
    for (emulator::Cycle cycle = event.begin; cycle < event.end; ++cycle) {
      ++block.cycles;
      if (!block.reasons.empty()) ++block.reasons[static_cast<std::size_t>(event.reason)];
    }
  }
  for (const emulator::Busy& event : busy_) {
    if (block.units.empty() || !in(event.pc)) continue;
    for (emulator::Cycle cycle = event.begin; cycle < event.end && cycle < end_.cycles; ++cycle) {
      ++block.units[static_cast<std::size_t>(event.unit)];
    }
  }
  for (const emulator::Traffic& event : traffic_) {
    if (!in(event.pc)) continue;
    TrafficCounters& traffic = event.is_write ? block.write : block.read;
    traffic.logical_bytes += event.logical_bytes;
    traffic.physical_bytes += 64 * event.lines;
    traffic.lines += event.lines;
    traffic.burst_bytes += event.burst_bytes;
    traffic.extra_bytes += event.is_write ? event.rmw_read_bytes : event.repeat_bytes;
  }
  return block;
}

StageEntry NaiveProfile::Stage(const std::string& name, const Profile& profile) const {
  StageEntry stage;
  const auto at = std::find_if(program().names.begin(), program().names.end(),
                               [&](const isa::StageName& n) { return n.name == name; });
  stage.name = name;
  stage.origin = std::string(Name(at->origin));
  stage.scope = std::string(Name(at->scope));
  const auto in_stage = [&](std::uint32_t pc) { return StageOf(pc) == name; };
  for (std::uint32_t pc = 0; pc < program().words.size(); ++pc) {
    stage.static_instructions += in_stage(pc);
  }
  using Triple =
      std::tuple<std::string, std::optional<std::uint32_t>, std::optional<std::uint32_t>>;
  std::optional<Triple> before;
  for (const emulator::Accepted& event : accepted_) {
    const isa::StageRange& range = RangeOf(event.pc);
    const Triple triple{StageOf(event.pc), range.pair, range.expert};
    if (in_stage(event.pc)) {
      if (!stage.first_cycle) stage.first_cycle = event.cycle;
      if (triple != before) ++stage.calls;
    }
    before = triple;
  }
  if (stage.calls > 0 && run_.measures_completion) {
    std::optional<std::uint64_t> last;
    for (const emulator::Completed& event : completed_) {
      if (in_stage(event.pc)) last = std::max(last.value_or(0), event.cycle);
    }
    stage.last_cycle = std::min(last.value_or(end_.cycles), end_.cycles);
  }
  stage.counters = Count(in_stage, true);
  const std::vector<std::string> names = StageNames();
  for (std::size_t range = 0; range < program().ranges.size(); ++range) {
    const std::vector<std::size_t> path = PathOf(range);
    const bool is_inside =
        std::any_of(path.begin(), path.end(), [&](std::size_t p) { return names[p] == name; });
    if (!is_inside) continue;
    const isa::StageRange& r = program().ranges[range];
    const CounterBlock block =
        Count([&](std::uint32_t pc) { return r.begin_pc <= pc && pc < r.end_pc; }, false);
    stage.inclusive.instructions += block.instructions;
    stage.inclusive.cycles += block.cycles;
  }
  stage.cycle_share_ppm = Share(stage.counters.cycles, end_.cycles);
  stage.instruction_share_ppm = Share(stage.counters.instructions, accepted_.size());
  for (const OpcodeEntry& opcode : Opcodes(false)) {
    const CounterBlock block = Count(
        [&](std::uint32_t pc) { return in_stage(pc) && MnemonicOf(pc) == opcode.mnemonic; }, false);
    if (block.instructions == 0 && block.cycles == 0) continue;
    stage.opcodes.push_back({opcode.mnemonic, block.instructions, block.cycles});
  }
  if (!run_.units.empty()) {
    stage.utilisation_ppm.resize(emulator::kUnitCount);
    for (const auto& [unit, instances] : run_.units) {
      stage.utilisation_ppm[static_cast<std::size_t>(unit)] = Share(
          stage.counters.units[static_cast<std::size_t>(unit)], stage.counters.cycles * instances);
    }
  }
  if (std::any_of(run_.reasons.begin(), run_.reasons.end(), HasProducer)) {
    stage.waits_on.emplace();
    for (const std::string& producer : names) {
      std::uint64_t cycles = 0;
      for (const emulator::Attributed& event : attributed_) {
        if (!in_stage(event.pc) || !HasProducer(event.reason)) continue;
        const std::uint32_t pc =
            event.producer_pc == emulator::kNoPc ? event.pc : event.producer_pc;
        if (StageOf(pc) == producer) cycles += event.end - event.begin;
      }
      if (cycles > 0) stage.waits_on->push_back({producer, cycles});
    }
  }
  if (profile.roofline && stage.counters.cycles > 0) {
    stage.roofline = PointOf(stage.counters, *profile.roofline);
  }
  return stage;
}

std::vector<PathEntry> NaiveProfile::Paths() const {
  const std::vector<std::string> names = StageNames();
  std::map<std::vector<std::size_t>, Work> works;
  for (std::size_t range = 0; range < program().ranges.size(); ++range) {
    const isa::StageRange& r = program().ranges[range];
    const CounterBlock block =
        Count([&](std::uint32_t pc) { return r.begin_pc <= pc && pc < r.end_pc; }, false);
    Work& work = works[PathOf(range)];
    work.instructions += block.instructions;
    work.cycles += block.cycles;
  }
  std::vector<PathEntry> paths;
  for (const auto& [path, work] : works) {
    std::vector<std::string> parts;
    for (const std::size_t place : path) parts.push_back(names[place]);
    paths.push_back({absl::StrJoin(parts, "/"), work.instructions, work.cycles});
  }
  return paths;
}

std::vector<OpcodeEntry> NaiveProfile::Opcodes(bool with_waits) const {
  std::vector<OpcodeEntry> opcodes;
  for (const isa::Instruction& row : isa::InstructionSet::Builtin().instructions()) {
    const auto is_row = [&](std::uint32_t pc) { return MnemonicOf(pc) == row.mnemonic; };
    const CounterBlock block = Count(is_row, false);
    if (block.instructions == 0 && block.cycles == 0) continue;
    OpcodeEntry& entry = opcodes.emplace_back();
    entry.mnemonic = std::string(row.mnemonic);
    entry.group = std::string(isa::GroupName(row.group));
    entry.instructions = block.instructions;
    entry.cycles = block.cycles;
    if (!with_waits) continue;
    entry.wait_cycles = 0;
    for (const emulator::Attributed& event : attributed_) {
      if (is_row(event.pc) && IsWait(event.reason)) *entry.wait_cycles += event.end - event.begin;
    }
  }
  return opcodes;
}

std::vector<HotRow> NaiveProfile::Hot(std::size_t count) const {
  std::vector<HotRow> rows;
  for (std::uint32_t pc = 0; pc < program().words.size(); ++pc) {
    const CounterBlock block = Count([&](std::uint32_t p) { return p == pc; }, true);
    if (block.instructions == 0 && block.cycles == 0) continue;
    HotRow& row = rows.emplace_back();
    row.pc = pc;
    row.word = program().words[pc];
    row.text = isa::InstructionSet::Builtin().LenientText(program().words[pc]);
    row.file = program().files[program().positions[pc].file];
    row.line = program().positions[pc].line;
    row.stage = StageOf(pc);
    row.instructions = block.instructions;
    row.cycles = block.cycles;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < block.reasons.size(); ++i) {
      if (block.reasons[i] > most) row.top_reason = std::string(emulator::kReasonNames[i]);
      most = std::max(most, block.reasons[i]);
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const HotRow& a, const HotRow& b) { return a.cycles > b.cycles; });
  if (rows.size() > count) rows.resize(count);
  return rows;
}

std::optional<std::uint32_t> NaiveProfile::ExpertOfPair(std::uint32_t pair,
                                                        std::string& source) const {
  for (const isa::StageRange& range : program().ranges) {
    if (range.pair != pair || !range.expert) continue;
    source = "marker";
    return range.expert;
  }
  source = "unknown";
  if (choices_.empty()) return std::nullopt;
  const std::size_t top_k = choices_[0].ids.size();
  for (const Choice& choice : choices_) {
    if (choice.ids.size() != top_k || choice.after_pair) return std::nullopt;
  }
  if (top_k == 0 || pair / top_k >= choices_.size()) return std::nullopt;
  source = "observed";
  return choices_[pair / top_k].ids[pair % top_k];
}

void NaiveProfile::SetPairs(Profile& profile) const {
  std::map<std::uint32_t, PairRow> pairs;
  std::map<std::uint32_t, ExpertRow> experts;
  for (const isa::StageRange& range : program().ranges) {
    if (range.pair) pairs[*range.pair].pair = *range.pair;
    if (range.expert) experts[*range.expert].expert = *range.expert;
  }
  for (auto& entry : pairs) {
    const std::uint32_t pair = entry.first;
    PairRow& row = entry.second;
    const std::optional<std::uint32_t> expert = ExpertOfPair(pair, row.expert_source);
    if (expert) {
      row.expert = *expert;
      experts[*expert].expert = *expert;
      ++experts[*expert].pairs;
    }
    const auto in_pair = [&](std::uint32_t pc) { return RangeOf(pc).pair == row.pair; };
    row.counters = Count(in_pair, false);
    for (const std::string& stage : StageNames()) {
      const bool is_marked = std::any_of(
          program().ranges.begin(), program().ranges.end(), [&](const isa::StageRange& range) {
            return range.pair == row.pair && program().names[range.name].name == stage;
          });
      if (!is_marked) continue;
      const CounterBlock block =
          Count([&](std::uint32_t pc) { return in_pair(pc) && StageOf(pc) == stage; }, false);
      row.stages.push_back({stage, block.instructions, block.cycles, block.read.physical_bytes,
                            block.write.physical_bytes});
    }
  }
  // The expert of a word: its marker's, else its pair's.
  const auto expert_of = [&](std::uint32_t pc) -> std::optional<std::uint64_t> {
    const isa::StageRange& range = RangeOf(pc);
    if (range.expert) return *range.expert;
    return range.pair ? pairs[*range.pair].expert : std::nullopt;
  };
  if (!pairs.empty()) {
    profile.pairs.emplace();
    profile.pairs->detail = "stages";
    profile.pairs->none = Count([&](std::uint32_t pc) { return !RangeOf(pc).pair; }, false);
    for (const auto& [pair, row] : pairs) profile.pairs->rows.push_back(row);
  }
  if (experts.empty()) return;
  profile.experts.emplace();
  profile.experts->none = Count([&](std::uint32_t pc) { return !expert_of(pc); }, false);
  for (auto& entry : experts) {
    ExpertRow& row = entry.second;
    row.counters = Count([&](std::uint32_t pc) { return expert_of(pc) == row.expert; }, false);
    profile.experts->rows.push_back(row);
  }
}

}  // namespace moescope::profiler::test
