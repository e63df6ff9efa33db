#include "profiler/run_sums.h"

#include "profiler/flops.h"

namespace moescope::profiler {

namespace {

using emulator::Reason;

constexpr std::uint64_t kWaitBits = BitsOf(kWaitReasons);

void AddTimes(Flops& sum, const Flops& one, std::uint64_t times) {
  sum.matrix += one.matrix * times;
  sum.vector += one.vector * times;
  sum.scalar += one.scalar * times;
}

class Summer {
 public:
  Summer(const Recording& recording, const isa::InstructionSet& set, RunSums& sums)
      : recording_(recording), set_(set), sums_(sums) {
    const bool has_reasons = !recording.description.reasons.empty();
    const bool has_units = !recording.description.units.empty();
    CounterBlock empty;
    if (has_reasons) empty.reasons.resize(emulator::kReasonCount);
    if (has_units) empty.units.resize(emulator::kUnitCount);
    sums.stages.assign(recording.map.stage_names.size(), empty);
    sums.ranges.resize(recording.program().ranges.size());
    sums.opcodes.resize(set.instructions().size());
    sums.stage_opcodes.resize(sums.stages.size() * sums.opcodes.size());
  }

  void Run() {
    const isa::Program& program = recording_.program();
    for (const Recording::WordTraffic& traffic : recording_.traffic) {
      CounterBlock& block = sums_.ranges[recording_.RangeOf(traffic.pc)];
      Add(block.read, traffic.read);
      Add(block.write, traffic.write);
    }
    for (std::uint32_t range = 0; range < program.ranges.size(); ++range) {
      for (std::uint32_t pc = program.ranges[range].begin_pc; pc < program.ranges[range].end_pc;
           ++pc) {
        AddWord(pc, range);
      }
      AddScalars(sums_.stages[recording_.map.stage_of_range[range]], sums_.ranges[range]);
    }
    FinishStages();
  }

 private:
  // Cycles can come to a word that was never accepted: the wait of an instruction that was cut.
  void AddWord(std::uint32_t pc, std::uint32_t range) {
    CounterBlock& stage = sums_.stages[recording_.map.stage_of_range[range]];
    std::uint64_t cycles = 0;
    std::uint64_t wait_cycles = 0;
    for (std::size_t i = 0; i < emulator::kReasonCount; ++i) {
      const auto reason = static_cast<Reason>(i);
      const std::uint64_t part = recording_.CyclesOf(pc, reason);
      if (part == 0) continue;
      cycles += part;
      if (Contains(kWaitBits, reason)) wait_cycles += part;
      if (!stage.reasons.empty()) stage.reasons[i] += part;
    }
    const std::uint64_t instructions = recording_.instructions[pc];
    if (instructions == 0 && cycles == 0) return;
    CounterBlock& block = sums_.ranges[range];
    block.instructions += instructions;
    block.cycles += cycles;
    AddOpcode(pc, range, {instructions, cycles}, wait_cycles);
  }

  void AddOpcode(std::uint32_t pc, std::uint32_t range, const Work& work,
                 std::uint64_t wait_cycles) {
    const isa::Decoded decoded = set_.Decode(recording_.program().words[pc]);
    if (decoded.instruction == nullptr) return;
    const std::size_t row = set_.IndexOf(decoded.instruction);
    sums_.opcodes[row].work.instructions += work.instructions;
    sums_.opcodes[row].work.cycles += work.cycles;
    sums_.opcodes[row].wait_cycles += wait_cycles;
    const std::size_t stage = recording_.map.stage_of_range[range];
    Work& of_stage = sums_.stage_opcodes[stage * sums_.opcodes.size() + row];
    of_stage.instructions += work.instructions;
    of_stage.cycles += work.cycles;
    AddTimes(sums_.ranges[range].flops,
             FlopsOf(decoded.instruction->timing, recording_.description), work.instructions);
    AddClass(pc, row, work.instructions);
  }

  void AddClass(std::uint32_t pc, std::size_t row, std::uint64_t instructions) {
    if (instructions == 0 || pc >= recording_.description.cost_class.size()) return;
    const emulator::CostClass cost_class = recording_.description.cost_class[pc];
    sums_.class_instructions[static_cast<std::size_t>(cost_class)] += instructions;
    if (cost_class > emulator::CostClass::kDerived) sums_.weak_opcodes.emplace(row, cost_class);
  }

  void FinishStages() {
    for (std::size_t i = 0; i < sums_.stages.size(); ++i) {
      CounterBlock& stage = sums_.stages[i];
      for (std::size_t unit = 0; unit < stage.units.size(); ++unit) {
        stage.units[unit] = recording_.busy.cycles()[i][unit];
      }
      Add(sums_.total, stage);
    }
  }

  const Recording& recording_;
  const isa::InstructionSet& set_;
  RunSums& sums_;
};

}  // namespace

RunSums SumUp(const Recording& recording, const isa::InstructionSet& instruction_set) {
  RunSums sums;
  Summer(recording, instruction_set, sums).Run();
  return sums;
}

}  // namespace moescope::profiler
