#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "isa/instruction_set.h"
#include "isa/program.h"
#include "nlohmann/json.hpp"
#include "tests/support/gzip_file.h"

// The compiled programs of the shared folder, and what an execution of one must count.

namespace moescope::test {

struct CorpusProgram {
  std::string name;
  std::string text;
  std::vector<std::uint32_t> words;
  nlohmann::json expected;  // case.json
};

inline std::vector<std::string> CorpusNames(const std::string& shared) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(shared + "/corpus")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline CorpusProgram ReadCorpusProgram(const std::string& shared, const std::string& name) {
  const std::string folder = shared + "/corpus/" + name + "/";
  CorpusProgram program{.name = name};
  program.text = ReadPlainOrGzipped(folder + "program.asm").value();
  const std::string mem = ReadPlainOrGzipped(folder + "program.mem").value();
  for (std::size_t at = 0; at + 10 <= mem.size(); at += 11) {
    program.words.push_back(
        static_cast<std::uint32_t>(std::stoul(mem.substr(at + 2, 8), nullptr, 16)));
  }
  program.expected = nlohmann::json::parse(ReadFile(folder + "case.json").value());
  return program;
}

// How often each pc executes. Trip counts are immediates, so no machine is needed.
inline std::vector<std::uint64_t> ExecutionCounts(const std::vector<std::uint32_t>& words) {
  const isa::InstructionSet& set = isa::InstructionSet::Builtin();
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> trips{1};
  for (const std::uint32_t word : words) {
    const isa::Decoded decoded = set.Decode(word);
    const std::string_view mnemonic = decoded.instruction->mnemonic;
    counts.push_back(trips.back());  // a start counts once per entry, an end once per iteration
    if (mnemonic == "C_LOOP_START") {
      trips.push_back(trips.back() * isa::OperandValue(decoded.operands, 'i'));
    } else if (mnemonic == "C_LOOP_END") {
      trips.pop_back();
    }
  }
  return counts;
}

struct StageTotals {
  std::map<std::string, std::uint64_t> static_words;
  std::map<std::string, std::uint64_t> dynamic;
  std::map<std::string, std::uint64_t> serial_cycles;  // without H_*
};

// Sums by stage; `cost` is the serial cost of one execution by mnemonic.
inline StageTotals TotalsByStage(const isa::Program& program, const nlohmann::json& cost) {
  const isa::InstructionSet& set = isa::InstructionSet::Builtin();
  const std::vector<std::uint64_t> counts = ExecutionCounts(program.words);
  StageTotals totals;
  for (const isa::StageRange& range : program.ranges) {
    const std::string& stage = program.names[range.name].name;
    for (std::uint32_t pc = range.begin_pc; pc < range.end_pc; ++pc) {
      ++totals.static_words[stage];
      totals.dynamic[stage] += counts[pc];
      const isa::Decoded decoded = set.Decode(program.words[pc]);
      const isa::Group group = decoded.instruction->group;
      const bool is_memory =
          group == isa::Group::kPfm || group == isa::Group::kPfv || group == isa::Group::kSto;
      const bool writes_f0 = (group == isa::Group::kVrd || group == isa::Group::kSfp) &&
                             isa::OperandValue(decoded.operands, 'd') == 0;
      const std::string mnemonic(decoded.instruction->mnemonic);
      const std::uint64_t cycles =
          is_memory || writes_f0 ? 0 : cost.at(mnemonic).get<std::uint64_t>();
      totals.serial_cycles[stage] += cycles * counts[pc];
    }
  }
  return totals;
}

}  // namespace moescope::test
