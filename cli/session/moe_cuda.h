#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "moe/compare.h"
#include "moe/generated_layer.h"

namespace moescope::session {

// The third side of `moe check`: the layer on a CUDA device with ids and weights of `routing`,
// compared with the CPU reference (T2, or T0 where the layer has one result in every profile) and
// with itself. Without a device every comparison is recorded as skipped, with the reason.
// InvalidArgument [RC095] when a matrix of the program cannot be stored as CUDA stores it, blocks
// along the contraction: the sides would compute with other weights.
absl::StatusOr<std::vector<moe::ComparisonRecord>> CheckGeneratedOnCuda(
    const moe::GeneratedLayer& layer, const moe::Routing& routing);

// Why nothing ran on a device; empty when something did, or was not asked for.
std::string WhyNotOnCuda(const std::vector<moe::ComparisonRecord>& records);

}  // namespace moescope::session
