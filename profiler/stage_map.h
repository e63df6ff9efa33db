#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/program.h"

namespace moescope::profiler {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

// What the stage table of a program says, in the numbers that counting needs. Stages are those that
// the program marks, in display order, the bucket last; a stage index counts in that order.
struct StageMap {
  std::vector<std::uint32_t> stage_names;          // by stage: index into Program::names
  std::vector<std::uint64_t> static_instructions;  // by stage

  // By range of the program.
  std::vector<std::uint32_t> stage_of_range;
  std::vector<std::uint32_t> triple_of_range;  // equal exactly for equal (stage, pair, expert)
  std::vector<std::uint32_t> path_of_range;
  std::vector<std::uint32_t> pair_row_of_range;  // index into `pairs`, or kNone

  // Distinct chains of nested stages, outermost first, in display order.
  std::vector<std::vector<std::uint32_t>> paths;
  bool has_regions = false;

  std::vector<std::uint32_t> pairs;     // ascending
  std::uint32_t first_pair_pc = kNone;  // first word with a pair

  std::uint32_t bucket() const { return static_cast<std::uint32_t>(stage_names.size()) - 1; }
};

// The program must be valid (isa::Validate).
StageMap MakeStageMap(const isa::Program& program);

}  // namespace moescope::profiler
