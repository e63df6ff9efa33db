#include "profiler/routing_record.h"

#include <algorithm>

namespace moescope::profiler {

RoutingRecord::RoutingRecord(std::span<const std::uint32_t> pairs) : observed_(pairs.size()) {
  for (std::size_t row = 0; row < pairs.size(); ++row) row_of_pair_.emplace(pairs[row], row);
}

void RoutingRecord::Add(std::uint32_t experts, std::span<const std::uint32_t> ids,
                        bool after_pair) {
  if (executions_ == 0) {
    num_experts_ = experts;
    top_k_ = ids.size();
  }
  if (num_experts_ != experts) num_experts_.reset();
  if (top_k_ != ids.size()) top_k_.reset();
  usable_ = usable_ && top_k_.has_value() && !after_pair;

  if (counts_.size() < experts) counts_.resize(experts);
  for (const std::uint32_t id : ids) {
    if (id >= counts_.size()) counts_.resize(std::size_t{id} + 1);
    ++counts_[id];
  }

  ids_full_ =
      ids_full_ || ids_.size() + ids.size() > kMaximumIds || id_counts_.size() >= kMaximumIds;
  if (!ids_full_) {
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    id_counts_.push_back(static_cast<std::uint32_t>(ids.size()));
  }
  for (std::size_t rank = 0; usable_ && rank < ids.size(); ++rank) {
    const auto row = row_of_pair_.find(executions_ * *top_k_ + rank);
    if (row != row_of_pair_.end()) observed_[row->second] = ids[rank];
  }
  ++executions_;
}

std::vector<std::vector<std::uint64_t>> RoutingRecord::Ids() const {
  std::vector<std::vector<std::uint64_t>> executions;
  auto next = ids_.begin();
  for (const std::uint32_t count : id_counts_) {
    executions.emplace_back(next, next + count);
    next += count;
  }
  return executions;
}

std::optional<std::uint32_t> RoutingRecord::ObservedExpert(std::size_t pair_row) const {
  return usable_ ? observed_[pair_row] : std::nullopt;
}

}  // namespace moescope::profiler
