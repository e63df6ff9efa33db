#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "cuda/plan.h"
#include "moe/weights.h"

namespace moescope::cuda {

// All weights of a layer in the order that the kernels read, as one block of host memory. Copy it
// to device memory of LayoutOf(plan, Buffer::kPackedWeights).bytes.
struct PackedWeights {
  std::vector<std::uint8_t> bytes;
};

// InvalidArgument when a tensor does not fit the plan's layer, when blocks do not run along the
// contraction, when a scale is outside the range that is exact in BF16, or for an E4M3 NaN.
absl::StatusOr<PackedWeights> PackWeights(const Plan& plan, const moe::Weights& weights);

}  // namespace moescope::cuda
