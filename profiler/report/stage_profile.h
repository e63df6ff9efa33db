#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "profiler/pc_table.h"
#include "profiler/profile.h"

namespace moescope::profiler {

// One cell of a public stage profile. Absent parts are not in the input.
struct PublicCounters {
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::optional<std::uint64_t> logical_read;
  std::optional<std::uint64_t> logical_written;
  std::uint64_t physical_read = 0;
  std::uint64_t physical_written = 0;
  // Cycles by opcode class: matrix, vector, scalar (S and C), dma, other.
  static constexpr std::size_t kClasses = 5;
  std::optional<std::array<std::uint64_t, kClasses>> proxy;

  void Add(const PublicCounters& other);
};

// The stages of a run folded to those that public stage profiles know (profile.md, 5.9).
struct PublicStages {
  std::vector<std::string> names;      // in display order, `other` last
  std::vector<PublicCounters> stages;  // by name
  PublicCounters total;
  struct Pair {
    PublicCounters total;
    std::vector<PublicCounters> stages;
  };
  std::map<std::uint64_t, Pair> pairs;
  std::vector<std::string> folded;  // "unattributed", "ksplit_add (into expert_projection)"
};

absl::StatusOr<PublicStages> FoldStages(const Profile& profile, bool all_stages,
                                        const PcTable* table);

}  // namespace moescope::profiler
