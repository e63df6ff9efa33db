#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction_set.h"
#include "isa/program.h"

namespace moescope::moe {

// How often each word of a program executes. Bodies never write a loop counter, so the loop counts
// in the words are the trip counts.
inline std::vector<std::uint64_t> Executions(const isa::Program& program) {
  const isa::InstructionSet& set = isa::InstructionSet::Builtin();
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> open{1};
  for (const std::uint32_t word : program.words) {
    const isa::Decoded decoded = set.Decode(word);
    const std::string_view mnemonic = decoded.instruction->mnemonic;
    counts.push_back(open.back());
    if (mnemonic == "C_LOOP_START") open.push_back(open.back() * decoded.operands.imm);
    if (mnemonic == "C_LOOP_END") {
      counts.back() = open.back();
      open.pop_back();
    }
  }
  return counts;
}

struct DynamicCounts {
  std::map<std::string, std::uint64_t> by_mnemonic;
  std::map<std::string, std::uint64_t> by_stage;
  std::map<std::string, std::map<std::string, std::uint64_t>> by_stage_and_mnemonic;
  std::uint64_t total = 0;

  std::uint64_t Mnemonic(const std::string& name) const {
    const auto place = by_mnemonic.find(name);
    return place == by_mnemonic.end() ? 0 : place->second;
  }
  std::uint64_t Stage(const std::string& name) const {
    const auto place = by_stage.find(name);
    return place == by_stage.end() ? 0 : place->second;
  }
};

inline DynamicCounts CountsOf(const isa::Program& program) {
  const isa::InstructionSet& set = isa::InstructionSet::Builtin();
  const std::vector<std::uint64_t> executions = Executions(program);
  DynamicCounts counts;
  for (const isa::StageRange& range : program.ranges) {
    const std::string& stage = program.names[range.name].name;
    for (std::uint32_t pc = range.begin_pc; pc < range.end_pc; ++pc) {
      const std::string mnemonic(set.Decode(program.words[pc]).instruction->mnemonic);
      counts.by_mnemonic[mnemonic] += executions[pc];
      counts.by_stage[stage] += executions[pc];
      counts.by_stage_and_mnemonic[stage][mnemonic] += executions[pc];
      counts.total += executions[pc];
    }
  }
  return counts;
}

}  // namespace moescope::moe
