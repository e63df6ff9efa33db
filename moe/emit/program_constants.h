#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "moe/layer.h"

// Numbers that programs keep in FP_MEM. All are rounded to BF16 there.

namespace moescope::moe {

inline constexpr float kGptOssSlope = -1.702f;    // BF16: -1.703125
inline constexpr float kGeluSlope = 0.79788456f;  // sqrt(2 / pi)
inline constexpr float kGeluCubic = 0.044715f;
inline constexpr float kScoreEpsilon = 1e-20f;
inline constexpr float kNormEpsilon = 1e-6f;

inline float InverseWidth(int hidden) { return 1.0f / static_cast<float>(hidden); }

inline std::vector<float> ActivationConstants(Activation activation, std::optional<float> clamp) {
  std::vector<float> constants;
  switch (activation) {
    case Activation::kSwiglu:
      constants = {-1.0f, 1.0f};
      break;
    case Activation::kGptOss:
      constants = {kGptOssSlope, 1.0f};
      break;
    default:
      constants = {kGeluCubic, kGeluSlope, 2.0f, -2.0f, 1.0f, 0.5f};
      break;
  }
  if (clamp.has_value()) {
    constants.push_back(*clamp);
    constants.push_back(-*clamp);
  }
  return constants;
}

inline std::vector<float> RouterConstants(const Router& router) {
  constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
  if (router.mode == RouterMode::kSoftmaxTopk) return {};
  return {1.0f, kScoreEpsilon, kMinusInfinity, router.routed_scale};
}

}  // namespace moescope::moe
