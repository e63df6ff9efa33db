#include "moe/presets.h"

#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "base/suggestion.h"

namespace moescope::moe {
namespace {

constexpr Router kSoftmaxTopk{.mode = RouterMode::kSoftmaxTopk, .norm = true, .logit_bias = true};
constexpr Router kSoftmaxNorm{.mode = RouterMode::kSoftmaxAll, .norm = true};
constexpr Router kSoftmax{.mode = RouterMode::kSoftmaxAll};
constexpr Router kSigmoidInput{.mode = RouterMode::kSigmoidInput};

constexpr Router Corrected(RouterMode mode, float scale, int groups = 1, int kept = 1) {
  return {.mode = mode,
          .norm = true,
          .routed_scale = scale,
          .groups = groups,
          .topk_group = kept,
          .correction_bias = true};
}

constexpr Layer Swiglu(LayerShape shape, Router router, std::optional<SharedExpert> shared = {}) {
  return {.shape = shape,
          .router = router,
          .weighting = Weighting::kPre,
          .weights = WeightFormat::kBf16,
          .shared = shared};
}

constexpr Layer GptOss(int experts) {
  return {.shape = {2880, 2880, experts, 4},
          .router = kSoftmaxTopk,
          .activation = Activation::kGptOss,
          .clamp = 7.0f,
          .expert_bias = true,
          .weighting = Weighting::kPost,
          .weights = WeightFormat::kBf16};
}

constexpr Layer Clamped(Layer layer, float clamp) {
  layer.clamp = clamp;
  return layer;
}

constexpr Layer InputWeighted(Layer layer) {
  layer.weighting = Weighting::kInput;
  return layer;
}

constexpr RouterMode kGroup = RouterMode::kSigmoidGroup;

constexpr std::array<Preset, 14> kPresets = {{
    {"gpt-oss-20b", GptOss(32)},
    {"gpt-oss-120b", GptOss(128)},
    {"qwen3-30b-a3b", Swiglu({2048, 768, 128, 8}, kSoftmaxNorm)},
    {"qwen1.5-moe-a2.7b", Swiglu({2048, 1408, 60, 4}, kSoftmax, SharedExpert{5632, true})},
    {"qwen2-57b-a14b", Swiglu({3584, 2560, 64, 8}, kSoftmax, SharedExpert{20480, true})},
    {"deepseek-v2-lite", Swiglu({2048, 1408, 64, 6}, kSoftmax, SharedExpert{2816, false})},
    {"deepseek-v3",
     Swiglu({7168, 2048, 256, 8}, Corrected(kGroup, 2.5f, 8, 4), SharedExpert{2048, false})},
    {"kimi-k2", Swiglu({7168, 2048, 384, 8}, Corrected(kGroup, 2.827f), SharedExpert{2048, false})},
    {"llama4-scout",
     InputWeighted(Swiglu({5120, 8192, 16, 1}, kSigmoidInput, SharedExpert{8192, false}))},
    {"glm-4.5", Swiglu({5120, 1536, 160, 8}, Corrected(kGroup, 2.5f), SharedExpert{1536, false})},
    {"glm-4.5-air",
     Swiglu({4096, 1408, 128, 8}, Corrected(kGroup, 1.0f), SharedExpert{1408, false})},
    {"qwen3-next-80b-a3b", Swiglu({2048, 512, 512, 10}, kSoftmaxNorm, SharedExpert{512, true})},
    {"mixtral-8x7b", Swiglu({4096, 14336, 8, 2}, kSoftmaxNorm)},
    {"dsv4-flash", Clamped(Swiglu({4096, 2048, 256, 6}, Corrected(RouterMode::kSqrtSoftplus, 1.5f),
                                  SharedExpert{2048, false}),
                           10.0f)},
}};

int Divide(int width, int divisor, int tile) {
  const int quotient = (width + divisor - 1) / divisor;
  return (quotient + tile - 1) / tile * tile;
}

}  // namespace

std::span<const Preset> Presets() { return kPresets; }

absl::StatusOr<Layer> FindPreset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return preset.layer;
    names.push_back(preset.name);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown preset '", Absl(name), "' (--preset)",
                                                 DidYouMean(name, names), " [RC014]"));
}

Layer Scaled(Layer layer, int divisor, int tile) {
  layer.shape.hidden = Divide(layer.shape.hidden, divisor, tile);
  layer.shape.intermediate = Divide(layer.shape.intermediate, divisor, tile);
  if (layer.shared.has_value()) {
    layer.shared->intermediate = Divide(layer.shared->intermediate, divisor, tile);
  }
  return layer;
}

Layer RoutedOnly(Layer layer) {
  layer.shared.reset();
  return layer;
}

Layer Plain(Layer layer) {
  layer.router.logit_bias = false;
  layer.expert_bias = false;
  layer.clamp.reset();
  return layer;
}

}  // namespace moescope::moe
