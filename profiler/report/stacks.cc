#include "profiler/report/stacks.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/string_view.h"
#include "profiler/report/formats.h"
#include "profiler/report/summary.h"

namespace moescope::profiler {

namespace {

using Frames = std::vector<std::string>;

std::string PairFrame(std::uint64_t pair) { return absl::StrCat("pair ", pair); }

void Append(std::vector<Stack>& stacks, Frames frames, std::uint64_t weight) {
  if (weight > 0) stacks.push_back({std::move(frames), weight});
}

// Instructions or cycles; `Of` picks one of them.
template <typename Of>
std::vector<Stack> WorkStacks(const Profile& profile, Of of) {
  std::vector<PathEntry> paths = profile.paths.value_or(std::vector<PathEntry>());
  if (!profile.paths) {
    for (const StageEntry& stage : profile.stages) {
      paths.push_back({stage.name, stage.counters.instructions, stage.counters.cycles});
    }
  }
  std::vector<Frames> frames;
  std::map<std::string, int> paths_of_stage;
  for (const PathEntry& path : paths) {
    frames.emplace_back(absl::StrSplit(path.path, '/'));
    ++paths_of_stage[frames.back().back()];
  }
  std::vector<Stack> stacks;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const StageEntry* stage = FindStage(profile, frames[i].back());
    if (stage == nullptr || paths_of_stage[stage->name] > 1) {
      Append(stacks, frames[i], of(paths[i]));
      continue;
    }
    for (const OpcodeCount& opcode : stage->opcodes) {
      Frames with_mnemonic = frames[i];
      with_mnemonic.push_back(opcode.mnemonic);
      Append(stacks, std::move(with_mnemonic), of(opcode));
    }
  }
  return stacks;
}

std::vector<Stack> ByteStacks(const Profile& profile) {
  std::vector<Stack> stacks;
  for (const StageEntry& stage : profile.stages) {
    std::uint64_t rest = PhysicalBytes(stage.counters);
    std::vector<Stack> of_pairs;
    for (const PairRow& row : profile.pairs ? profile.pairs->rows : std::vector<PairRow>()) {
      for (const PairStage& part : row.stages) {
        const std::uint64_t bytes = part.read_bytes + part.write_bytes;
        if (part.name != stage.name || bytes > rest) continue;
        Append(of_pairs, {stage.name, PairFrame(row.pair)}, bytes);
        rest -= bytes;
      }
    }
    Append(stacks, {stage.name}, rest);
    stacks.insert(stacks.end(), of_pairs.begin(), of_pairs.end());
  }
  return stacks;
}

std::uint64_t WeightOf(const PcRow& row, std::string_view weight) {
  if (weight == "cycles") return row.cycles;
  if (weight == "instructions") return row.instructions;
  return row.read_physical_bytes + row.write_physical_bytes;
}

// All levels; equal stacks are one, at the place of the first.
std::vector<Stack> TableStacks(const PcTable& table, std::string_view weight) {
  std::vector<Stack> stacks;
  std::map<Frames, std::size_t> places;
  for (const PcRow& row : table.rows) {
    const std::uint64_t value = WeightOf(row, weight);
    if (value == 0) continue;
    Frames frames = absl::StrSplit(row.path, '/');
    if (row.pair) frames.push_back(PairFrame(*row.pair));
    frames.push_back(row.text.substr(0, row.text.find(' ')));
    const auto [at, is_new] = places.try_emplace(frames, stacks.size());
    if (is_new) stacks.push_back({frames, 0});
    stacks[at->second].weight += value;
  }
  return stacks;
}

}  // namespace

absl::StatusOr<std::vector<Stack>> StacksOf(const Profile& profile, std::string_view weight,
                                            const PcTable* table) {
  if (weight != "cycles" && weight != "instructions" && weight != "bytes") {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown weight '", Absl(weight), "'; known: cycles, instructions, bytes"));
  }
  if (table != nullptr) {
    if (absl::Status status = CheckPcTable(*table, profile); !status.ok()) return status;
    return TableStacks(*table, weight);
  }
  if (weight == "bytes") return ByteStacks(profile);
  if (weight == "cycles") {
    return WorkStacks(profile, [](const auto& work) { return work.cycles; });
  }
  return WorkStacks(profile, [](const auto& work) { return work.instructions; });
}

absl::StatusOr<std::string> CollapsedReport(const Profile& profile, std::string_view weight,
                                            const PcTable* table) {
  const absl::StatusOr<std::vector<Stack>> stacks = StacksOf(profile, weight, table);
  if (!stacks.ok()) return stacks.status();
  std::string text;
  for (const Stack& stack : *stacks) {
    for (std::size_t i = 0; i < stack.frames.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ";", stack.frames[i]);
    }
    absl::StrAppend(&text, " ", stack.weight, "\n");
  }
  return text;
}

}  // namespace moescope::profiler
