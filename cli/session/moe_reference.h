#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace moescope::session {

// `machine` = stepwise + tile(M), `f32` = fused + tile(M), `f64` = fused + ideal (moe.md, 2).
enum class Precision : std::uint8_t { kMachine, kF32, kF64 };

// Computes a generated layer's outputs on the CPU and writes them to a folder: NAME.f32 for values,
// NAME.u32 for ids, little-endian, row-major. In `machine` everything that the program leaves; in
// the others ids of the fused router, and y. Returns the names and shapes, one a line.
absl::StatusOr<std::string> WriteReference(const std::string& layer_folder, Precision precision,
                                           const std::string& folder);

}  // namespace moescope::session
