#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "isa/instruction_set.h"
#include "profiler/profile.h"
#include "profiler/recorder.h"

namespace moescope::profiler {

// One word of the program and what it cost.
struct PcRow {
  std::uint32_t word = 0;
  std::string text;  // disassembly
  std::string file;  // empty when unknown
  std::uint64_t line = 0;
  std::string path;  // "expert_projection/ksplit_add"
  std::optional<std::uint64_t> pair;
  std::optional<std::uint64_t> expert;  // as marked
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::string top_reason;  // empty when not measured or without cycles
  std::uint64_t read_logical_bytes = 0;
  std::uint64_t read_physical_bytes = 0;
  std::uint64_t write_logical_bytes = 0;
  std::uint64_t write_physical_bytes = 0;
  std::vector<std::uint64_t> reasons;  // by PcTable::reasons
};

// The costs of a run per word: what a profile sums up. Written by `run --pc-table` as RFC 4180 text
// with a header row; row n is the word at pc n.
struct PcTable {
  std::vector<std::string> reasons;  // that the timing model can produce
  std::vector<PcRow> rows;
};

PcTable MakePcTable(const Recording& recording, const isa::InstructionSet& set);
std::string PcTableText(const PcTable& table);
// InvalidArgument names the line and what is wrong with it.
absl::StatusOr<PcTable> ReadPcTable(std::string_view text);

// InvalidArgument unless the table has the words, instructions and cycles of the profile.
absl::Status CheckPcTable(const PcTable& table, const Profile& profile);

}  // namespace moescope::profiler
