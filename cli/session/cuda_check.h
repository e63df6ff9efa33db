#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "moe/compare.h"
#include "moe/layer.h"
#include "moe/matrix.h"
#include "moe/routing.h"
#include "moe/weights.h"

namespace moescope::session {

// One layer with its inputs; all must outlive the call. Weights have their blocks along the
// contraction.
struct CudaCheckInputs {
  const moe::Layer& layer;
  const moe::Weights& weights;
  const moe::Bf16Matrix& x;
  const moe::Routing& routing;  // profile `given`
  bool exact_fixture = false;   // saturated values: bits must be equal (T0) instead of T2
};

// Runs the forward on device `ordinal` with the tensor-core and with the plain kernels and compares
// y and the slot outputs with the CPU reference (`fused`, `ideal`), then the two kernels with each
// other, and a second run with the first (T0). Without a device, or in a build without CUDA, every
// comparison is recorded as skipped with the reason.
absl::StatusOr<std::vector<moe::ComparisonRecord>> CheckOnCuda(const CudaCheckInputs& inputs,
                                                               int ordinal = 0);

}  // namespace moescope::session
