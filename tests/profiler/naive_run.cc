// The parts of the naive profile that look at the run as a whole.

#include <algorithm>
#include <string_view>

#include "profiler/roofline.h"
#include "tests/profiler/naive_profile.h"

namespace moescope::profiler::test {

namespace {

using emulator::Reason;
using emulator::Unit;

bool IsMemory(Unit unit) {
  return unit == Unit::kDmaM || unit == Unit::kDmaV || unit == Unit::kHbm;
}

// Waits for data or the slot of a transfer, by their names: all of the DMA and the HBM but the
// order of HBM accesses, and the filling of an SRAM.
bool IsTransferWait(Reason reason) {
  const std::string_view name = Name(reason);
  if (name == "hbm_order") return false;
  return name.starts_with("dma_") || name.starts_with("hbm_") || name == "sram_fill";
}

}  // namespace

Routing NaiveProfile::Routed() const {
  Routing routing;
  routing.executions = choices_.size();
  std::uint32_t highest = 0;
  for (const Choice& choice : choices_) {
    highest = std::max(highest, choice.experts);
    for (const std::uint32_t id : choice.ids) highest = std::max(highest, id + 1);
  }
  routing.counts.resize(highest);
  bool same_experts = !choices_.empty();
  bool same_top_k = !choices_.empty();
  for (const Choice& choice : choices_) {
    for (const std::uint32_t id : choice.ids) ++routing.counts[id];
    routing.ids.emplace_back(choice.ids.begin(), choice.ids.end());
    same_experts = same_experts && choice.experts == choices_[0].experts;
    same_top_k = same_top_k && choice.ids.size() == choices_[0].ids.size();
  }
  if (same_experts) routing.num_experts = choices_[0].experts;
  if (same_top_k) routing.top_k = choices_[0].ids.size();
  return routing;
}

// The narrowest bins of a power of two of which 512 hold everything that was announced.
TimelineBins NaiveProfile::Bins(const Profile& profile) const {
  emulator::Cycle last = 0;
  for (const emulator::Attributed& event : attributed_) {
    if (event.begin < event.end) last = std::max(last, event.end - 1);
  }
  for (const emulator::Traffic& event : traffic_) last = std::max(last, event.cycle);
  TimelineBins bins;
  while (last / bins.bin_cycles >= 512) bins.bin_cycles *= 2;
  const std::uint64_t run_last = end_.cycles == 0 ? 0 : end_.cycles - 1;
  const std::uint64_t last_bin = run_last / bins.bin_cycles;
  const auto bin_of = [&](emulator::Cycle cycle) {
    return std::min(cycle / bins.bin_cycles, last_bin);
  };
  bins.hbm_read_bytes.resize(last_bin + 1);
  bins.hbm_write_bytes.resize(last_bin + 1);
  for (const emulator::Traffic& event : traffic_) {
    std::vector<std::uint64_t>& row = event.is_write ? bins.hbm_write_bytes : bins.hbm_read_bytes;
    row[bin_of(event.cycle)] += 64 * event.lines;
  }
  for (const StageEntry& stage : profile.stages) {
    if (stage.counters.cycles == 0) continue;
    StageBins& row = bins.stage_cycles.emplace_back();
    row.name = stage.name;
    row.cycles.resize(last_bin + 1);
    for (const emulator::Attributed& event : attributed_) {
      if (StageOf(event.pc) != stage.name) continue;
      for (emulator::Cycle cycle = event.begin; cycle < event.end; ++cycle) {
        ++row.cycles[bin_of(cycle)];
      }
    }
  }
  return bins;
}

Overlap NaiveProfile::Overlapped() const {
  std::vector<bool> memory(end_.cycles);
  std::vector<bool> compute(end_.cycles);
  for (const emulator::Busy& event : busy_) {
    std::vector<bool>& kind = IsMemory(event.unit) ? memory : compute;
    for (emulator::Cycle c = event.begin; c < event.end && c < end_.cycles; ++c) kind[c] = true;
  }
  Overlap overlap;
  for (std::size_t cycle = 0; cycle < end_.cycles; ++cycle) {
    overlap.memory_busy += memory[cycle];
    overlap.compute_busy += compute[cycle];
    overlap.both += memory[cycle] && compute[cycle];
  }
  for (const emulator::Attributed& event : attributed_) {
    if (!IsTransferWait(event.reason)) continue;
    const bool for_slot = event.waits_for_slot || event.reason == Reason::kDmaSlot;
    (for_slot ? overlap.slot_wait : overlap.data_wait) += event.end - event.begin;
  }
  return overlap;
}

Coverage NaiveProfile::Covered() const {
  Coverage coverage;
  coverage.classes.resize(emulator::kCostClassCount);
  for (const emulator::Accepted& event : accepted_) {
    ++coverage.classes[static_cast<std::size_t>(run_.cost_class[event.pc])].instructions;
  }
  for (const emulator::Attributed& event : attributed_) {
    const std::uint32_t pc = event.producer_pc == emulator::kNoPc ? event.pc : event.producer_pc;
    coverage.classes[static_cast<std::size_t>(run_.cost_class[pc])].cycles +=
        event.end - event.begin;
  }
  const std::uint64_t good = coverage.classes[0].cycles + coverage.classes[1].cycles;
  coverage.in_domain_ppm = end_.cycles == 0 ? 0 : good * 1'000'000 / end_.cycles;
  return coverage;
}

Profile NaiveProfile::Make(const Profile& other, std::size_t hot_rows) const {
  Profile profile = other;
  profile.totals.counters = Count([](std::uint32_t) { return true; }, true);
  profile.totals.static_instructions = program().words.size();
  profile.totals.time_ps = end_.cycles * run_.clock_period_ps;
  profile.model.coverage = Covered();
  profile.roofline->issued_flops = profile.totals.counters.flops.matrix;
  profile.roofline->point = PointOf(profile.totals.counters, *profile.roofline);
  profile.stages.clear();
  for (const std::string& name : StageNames()) profile.stages.push_back(Stage(name, profile));
  const bool has_regions =
      std::any_of(program().ranges.begin(), program().ranges.end(),
                  [](const isa::StageRange& range) { return range.parent.has_value(); });
  profile.paths.reset();
  if (has_regions) profile.paths = Paths();
  profile.pairs.reset();
  profile.experts.reset();
  SetPairs(profile);
  profile.routing.reset();
  for (std::uint32_t pc = 0; pc < program().words.size(); ++pc) {
    if (MnemonicOf(pc) == "V_TOPK") profile.routing = Routed();
  }
  profile.opcodes = Opcodes(!run_.reasons.empty());
  profile.hot = Hot(hot_rows);
  profile.timeline = Bins(profile);
  if (!run_.units.empty()) profile.overlap = Overlapped();
  profile.derived = {};
  for (const StageEntry& stage : profile.stages) {
    for (const char* taxed : {"router_topk", "accumulator_init", "gather", "expert_weight_address",
                              "expert_route_weight", "scatter_combine"}) {
      if (stage.name != taxed) continue;
      profile.derived.routing_tax_cycles += stage.counters.cycles;
      profile.derived.routing_tax_stages.push_back(stage.name);
    }
  }
  profile.model.weak_opcodes.clear();
  for (const OpcodeEntry& opcode : profile.opcodes) {
    for (const char* weak : {"extrapolated", "assumed", "unsupported"}) {
      for (const emulator::Accepted& event : accepted_) {
        if (MnemonicOf(event.pc) != opcode.mnemonic) continue;
        if (Name(run_.cost_class[event.pc]) != weak) continue;
        profile.model.weak_opcodes.push_back({opcode.mnemonic, weak});
        break;
      }
    }
  }
  return profile;
}

}  // namespace moescope::profiler::test
