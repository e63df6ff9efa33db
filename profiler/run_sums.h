#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "isa/instruction_set.h"
#include "profiler/recorder.h"

namespace moescope::profiler {

// A recording summed up along the ways in which a profile shows it.
struct RunSums {
  struct Opcode {
    Work work;
    std::uint64_t wait_cycles = 0;
  };

  CounterBlock total;
  std::vector<CounterBlock> stages;
  std::vector<CounterBlock> ranges;  // without reasons and units
  std::vector<Opcode> opcodes;       // by row of the instruction set
  std::vector<Work> stage_opcodes;   // [stage][row]
  std::array<std::uint64_t, emulator::kCostClassCount> class_instructions{};
  // Executed rows with a class worse than derived, in table order.
  std::set<std::pair<std::size_t, emulator::CostClass>> weak_opcodes;
};

RunSums SumUp(const Recording& recording, const isa::InstructionSet& instruction_set);

}  // namespace moescope::profiler
