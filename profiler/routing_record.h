#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace moescope::profiler {

// What the executed V_TOPKs chose, and which expert each pair of the program got by it (profile.md,
// 5.6): execution t, rank k is pair t * top_k + k.
class RoutingRecord {
 public:
  static constexpr std::size_t kMaximumIds = 65536;

  RoutingRecord() = default;
  // `pairs` are the pair numbers of the program, ascending.
  explicit RoutingRecord(std::span<const std::uint32_t> pairs);

  // `after_pair`: an instruction with a pair was executed before.
  void Add(std::uint32_t experts, std::span<const std::uint32_t> ids, bool after_pair);

  std::uint64_t executions() const { return executions_; }
  // Absent when there was no execution or executions differ.
  const std::optional<std::uint64_t>& num_experts() const { return num_experts_; }
  const std::optional<std::uint64_t>& top_k() const { return top_k_; }
  // By expert, up to the largest number of experts and the largest id seen.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  // Of the first executions, whole ones, at most kMaximumIds.
  std::vector<std::vector<std::uint64_t>> Ids() const;
  // The observed expert of the pair in this row, if the observation may be used.
  std::optional<std::uint32_t> ObservedExpert(std::size_t pair_row) const;

 private:
  std::uint64_t executions_ = 0;
  std::optional<std::uint64_t> num_experts_;
  std::optional<std::uint64_t> top_k_;
  bool usable_ = true;
  bool ids_full_ = false;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint32_t> ids_;
  std::vector<std::uint32_t> id_counts_;  // per stored execution
  absl::flat_hash_map<std::uint64_t, std::size_t> row_of_pair_;
  std::vector<std::optional<std::uint32_t>> observed_;  // by pair row
};

}  // namespace moescope::profiler
