#pragma once

#include <optional>
#include <vector>

#include "isa/instruction_set.h"
#include "profiler/profile.h"
#include "profiler/run_sums.h"

// The tables of a profile that show stages, instructions and words.

namespace moescope::profiler {

// Whether a model says which instruction a waiting one waits for.
bool MeasuresWaits(const emulator::RunDescription& run);

// Uses the model, totals and roofs of `profile`.
std::vector<StageEntry> StagesOf(const Recording& recording, const RunSums& sums,
                                 const isa::InstructionSet& set, const Profile& profile);
// Absent when the program has no regions.
std::optional<std::vector<PathEntry>> PathsOf(const Recording& recording, const RunSums& sums);
std::vector<OpcodeEntry> OpcodesOf(const RunSums& sums, const isa::InstructionSet& set,
                                   bool with_waits);
// The `count` words with the most cycles; ties by pc.
std::vector<HotRow> HotRowsOf(const Recording& recording, const isa::InstructionSet& set,
                              std::size_t count);
Derived DerivedOf(const std::vector<StageEntry>& stages);

// The reason with the most cycles of a word, the first of equals; absent when the model does not
// split cycles or there are none.
std::optional<emulator::Reason> TopReason(const Recording& recording, std::uint32_t pc);
// A source file as profiles name it: never with an absolute path.
std::string DisplayFile(const std::string& path);

}  // namespace moescope::profiler
