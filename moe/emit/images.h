#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "moe/emit/compile.h"
#include "moe/weights.h"

// The memory images of a compiled layer. Small memories as values; HBM as a stream, because a layer
// at full width is larger than what should be held twice.

namespace moescope::moe {

struct ImageInputs {
  const LayerTensors& tensors;
  const ExpertSource& experts;
  const Bf16Matrix& x;                                      // [T, H]
  const std::vector<std::uint16_t>* norm_weight = nullptr;  // [H]; residual=norm
};

std::vector<std::uint16_t> VramImage(const CompiledLayer& compiled, const ImageInputs& inputs);
std::vector<std::uint16_t> FpImage(const CompiledLayer& compiled, const ImageInputs& inputs);
std::vector<std::uint32_t> IntImage(const CompiledLayer& compiled);

// Receives the pieces of the HBM image in ascending order; bytes between them are zero.
using HbmSink = std::function<absl::Status(std::uint64_t offset, std::span<const std::uint8_t>)>;

// Which routed experts the image holds; the others stay zero. Null: all.
using ExpertFilter = std::function<bool(int expert)>;

// InvalidArgument when a matrix changes by being encoded in the layer's format (moe.md, 6), or what
// the expert source says.
absl::Status StreamHbm(const CompiledLayer& compiled, const ImageInputs& inputs,
                       const HbmSink& sink, const ExpertFilter& filter = nullptr);

// StreamHbm into a file that appears when complete, with holes where nothing is written.
absl::Status WriteHbmFile(const CompiledLayer& compiled, const ImageInputs& inputs,
                          const std::string& path, const ExpertFilter& filter = nullptr);

// Little-endian bytes of image values.
std::string Bytes(std::span<const std::uint16_t> values);
std::string Bytes(std::span<const std::uint32_t> values);

}  // namespace moescope::moe
