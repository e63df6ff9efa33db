#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "moe/layer.h"

namespace moescope::moe {

// A public model configuration (moe.md, 12). Its weights are BF16; callers set another format.
struct Preset {
  std::string_view name;
  Layer layer;
};

// All presets, in the order of moe.md.
std::span<const Preset> Presets();

// InvalidArgument with the nearest names when unknown.
absl::StatusOr<Layer> FindPreset(std::string_view name);

// H, I and the shared width divided by `divisor` and rounded up to a multiple of `tile`.
Layer Scaled(Layer layer, int divisor, int tile);
// Without the shared expert.
Layer RoutedOnly(Layer layer);
// Without biases of logits and experts and without clamp; everything else stays.
Layer Plain(Layer layer);

// The value of C_SET_TOPK_REG: (E << 8) | K.
constexpr std::uint32_t PackedTopK(const LayerShape& shape) {
  return static_cast<std::uint32_t>(shape.experts) << 8 | static_cast<std::uint32_t>(shape.top_k);
}

// Parameters of the routed experts: 3 H I E.
constexpr std::int64_t RoutedParameters(const LayerShape& shape) {
  return std::int64_t{3} * shape.hidden * shape.intermediate * shape.experts;
}

}  // namespace moescope::moe
