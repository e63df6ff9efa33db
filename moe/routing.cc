#include "moe/routing.h"

#include <bit>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_format.h"

namespace moescope::moe {
namespace {

absl::Status CheckSlot(const Routing& routing, std::size_t pair) {
  const std::int32_t expert = routing.topk_idx[pair];
  const float weight = routing.topk_w[pair];
  const std::size_t token = pair / static_cast<std::size_t>(routing.top_k);
  const std::size_t slot = pair % static_cast<std::size_t>(routing.top_k);
  if (expert < -1 || expert >= routing.experts) {
    return absl::InvalidArgumentError(
        absl::StrFormat("topk_idx[%d,%d] = %d: must be -1 to %d [RC020]", token, slot, expert,
                        routing.experts - 1));
  }
  if (!std::isfinite(weight)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("topk_w[%d,%d] = %g: must be finite [RC021]", token, slot, weight));
  }
  if (expert == -1 && std::bit_cast<std::uint32_t>(weight) != 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "topk_w[%d,%d] = %g: a masked slot has weight +0 [RC022]", token, slot, weight));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Check(const Routing& routing) {
  if (routing.tokens < 0 || routing.top_k < 1 || routing.experts < 1) {
    return absl::InvalidArgumentError(
        absl::StrFormat("routing of %d tokens, top_k %d, %d experts [RC023]", routing.tokens,
                        routing.top_k, routing.experts));
  }
  const auto pairs = static_cast<std::size_t>(routing.pairs());
  if (routing.topk_idx.size() != pairs || routing.topk_w.size() != pairs) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "routing of %d x %d slots has %d ids and %d weights [RC023]", routing.tokens, routing.top_k,
        routing.topk_idx.size(), routing.topk_w.size()));
  }
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    if (absl::Status status = CheckSlot(routing, pair); !status.ok()) return status;
  }
  return absl::OkStatus();
}

std::vector<std::int64_t> CountPerExpert(const Routing& routing) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(routing.experts));
  for (const std::int32_t expert : routing.topk_idx) {
    if (expert >= 0) ++counts[static_cast<std::size_t>(expert)];
  }
  return counts;
}

}  // namespace moescope::moe
