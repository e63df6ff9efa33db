#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "isa/instruction_set.h"
#include "isa/program.h"

namespace moescope::profiler {

// Which words a commit log shows: "stage=gather;pc=10..90;group=VAL", all of the conditions at
// once. Stages are patterns with * and ?, a pc range includes both ends and may be one number.
struct LogFilter {
  std::optional<std::string> stage;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> pc;
  std::optional<std::string> group;
};

// InvalidArgument with the condition and what is allowed.
absl::StatusOr<LogFilter> ParseLogFilter(std::string_view text);

// Per word of the program, whether the filter lets it through.
std::vector<bool> SelectWords(const LogFilter& filter, const isa::Program& program,
                              const isa::InstructionSet& set);

}  // namespace moescope::profiler
