#include "profiler/report/stage_profile.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "stages/stage.h"

namespace moescope::profiler {

namespace {

using Proxy = std::array<std::uint64_t, PublicCounters::kClasses>;

// The ten routed stages stand together in the vocabulary.
constexpr std::size_t kFirstRouted = 1;
constexpr std::size_t kRoutedEnd = 11;

std::size_t ClassOf(std::string_view mnemonic) {
  switch (mnemonic.empty() ? '\0' : mnemonic[0]) {
    case 'M':
      return 0;
    case 'V':
      return 1;
    case 'S':
    case 'C':
      return 2;
    case 'H':
      return 3;
    default:
      return 4;
  }
}

void AddOptional(std::optional<std::uint64_t>& sum, const std::optional<std::uint64_t>& part) {
  if (sum && part) {
    *sum += *part;
  } else {
    sum.reset();
  }
}

PublicCounters Zero() {
  PublicCounters zero;
  zero.logical_read = zero.logical_written = 0;
  zero.proxy = Proxy{};
  return zero;
}

class Folder {
 public:
  Folder(const Profile& profile, bool all_stages) : profile_(profile) {
    for (std::size_t i = 0; i < stages::kBuiltinStages.size(); ++i) {
      if (!all_stages && (i < kFirstRouted || i >= kRoutedEnd)) continue;
      result_.names.emplace_back(stages::kBuiltinStages[i].name);
    }
    result_.names.emplace_back("other");
    result_.stages.assign(result_.names.size(), Zero());
    result_.total = Zero();
    for (const StageEntry& stage : profile.stages) {
      if (stage.origin == "builtin") builtin_.insert(stage.name);
    }
  }

  absl::StatusOr<PublicStages> FromProfile() {
    for (const StageEntry& stage : profile_.stages) {
      ASSIGN_OR_RETURN(const std::string target, TargetOf(stage));
      targets_[stage.name] = target;
      PublicCounters counters = CountersOf(stage.counters);
      counters.proxy = Proxy{};
      for (const OpcodeCount& opcode : stage.opcodes) {
        (*counters.proxy)[ClassOf(opcode.mnemonic)] += opcode.cycles;
      }
      AddTo(Index(stage.name, target), counters);
    }
    if (profile_.pairs) AddPairs(*profile_.pairs);
    return std::move(result_);
  }

  PublicStages FromTable(const PcTable& table) {
    for (const PcRow& row : table.rows) {
      const std::vector<std::string> path = absl::StrSplit(row.path, '/');
      const std::size_t stage = Index(path.back(), Nearest(path));
      PublicCounters counters;
      counters.instructions = row.instructions;
      counters.cycles = row.cycles;
      counters.logical_read = row.read_logical_bytes;
      counters.logical_written = row.write_logical_bytes;
      counters.physical_read = row.read_physical_bytes;
      counters.physical_written = row.write_physical_bytes;
      counters.proxy = Proxy{};
      (*counters.proxy)[ClassOf(row.text)] = row.cycles;
      AddTo(stage, counters);
      if (!row.pair) continue;
      PublicStages::Pair& pair = PairOf(*row.pair);
      pair.total.Add(counters);
      pair.stages[stage].Add(counters);
    }
    return std::move(result_);
  }

 private:
  static PublicCounters CountersOf(const CounterBlock& block) {
    return {.instructions = block.instructions,
            .cycles = block.cycles,
            .logical_read = block.read.logical_bytes,
            .logical_written = block.write.logical_bytes,
            .physical_read = block.read.physical_bytes,
            .physical_written = block.write.physical_bytes,
            .proxy = std::nullopt};
  }

  // The innermost built-in stage of a path, or `other`.
  std::string Nearest(const std::vector<std::string>& path) const {
    const auto at = std::find_if(path.rbegin(), path.rend(),
                                 [&](const std::string& name) { return builtin_.contains(name); });
    return at == path.rend() ? "other" : *at;
  }

  absl::StatusOr<std::string> TargetOf(const StageEntry& stage) const {
    if (stage.origin == "builtin" || !profile_.paths) return Nearest({stage.name});
    std::set<std::string> targets;
    for (const PathEntry& entry : *profile_.paths) {
      const std::vector<std::string> path = absl::StrSplit(entry.path, '/');
      if (path.back() == stage.name) targets.insert(Nearest(path));
    }
    if (targets.size() > 1) {
      return absl::FailedPreconditionError(
          absl::StrCat("stage '", stage.name, "' is nested in '", *targets.begin(), "' and '",
                       *std::next(targets.begin()), "'; only the per-pc table tells them apart"));
    }
    return targets.empty() ? "other" : *targets.begin();
  }

  // Row of a target; notes when it is not the stage itself.
  std::size_t Index(const std::string& stage, const std::string& target) {
    const auto at = std::find(result_.names.begin(), result_.names.end() - 1, target);
    const std::string note =
        at == result_.names.end() - 1 ? stage : absl::StrCat(stage, " (into ", target, ")");
    std::vector<std::string>& folded = result_.folded;
    const bool is_folded = at == result_.names.end() - 1 || target != stage;
    if (is_folded && std::find(folded.begin(), folded.end(), note) == folded.end()) {
      folded.push_back(note);
    }
    return static_cast<std::size_t>(at - result_.names.begin());
  }

  void AddTo(std::size_t stage, const PublicCounters& counters) {
    result_.stages[stage].Add(counters);
    result_.total.Add(counters);
  }

  PublicStages::Pair& PairOf(std::uint64_t pair) {
    const auto [at, is_new] = result_.pairs.try_emplace(pair);
    if (is_new) {
      at->second.total = Zero();
      at->second.stages.assign(result_.names.size(), Zero());
    }
    return at->second;
  }

  // What a profile does not hold stays absent in every cell, so that no cell is half counted.
  void AddPairs(const Pairs& pairs) {
    for (const PairRow& row : pairs.rows) {
      PublicStages::Pair& pair = PairOf(row.pair);
      pair.total = CountersOf(row.counters);
      pair.stages.assign(result_.names.size(), PublicCounters());
      for (const PairStage& stage : row.stages) {
        PublicCounters counters;
        counters.instructions = stage.instructions;
        counters.cycles = stage.cycles;
        counters.physical_read = stage.read_bytes;
        counters.physical_written = stage.write_bytes;
        pair.stages[Index(stage.name, targets_[stage.name])].Add(counters);
      }
    }
  }

  const Profile& profile_;
  PublicStages result_;
  std::set<std::string> builtin_;
  std::map<std::string, std::string> targets_;
};

}  // namespace

void PublicCounters::Add(const PublicCounters& other) {
  instructions += other.instructions;
  cycles += other.cycles;
  AddOptional(logical_read, other.logical_read);
  AddOptional(logical_written, other.logical_written);
  physical_read += other.physical_read;
  physical_written += other.physical_written;
  if (proxy && other.proxy) {
    for (std::size_t i = 0; i < kClasses; ++i) (*proxy)[i] += (*other.proxy)[i];
  } else {
    proxy.reset();
  }
}

absl::StatusOr<PublicStages> FoldStages(const Profile& profile, bool all_stages,
                                        const PcTable* table) {
  Folder folder(profile, all_stages);
  if (table == nullptr) return folder.FromProfile();
  RETURN_IF_ERROR(CheckPcTable(*table, profile));
  return folder.FromTable(*table);
}

}  // namespace moescope::profiler
