#include "moe/layer_check.h"

#include <bit>
#include <cmath>
#include <string_view>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "moe/layer_names.h"

namespace moescope::moe {
namespace {

absl::Status InRange(std::string_view name, int value, int largest, std::string_view option) {
  if (value >= 1 && value <= largest) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("%s = %d: must be 1 to %d (%s) [RC001]",
                                                    Absl(name), value, largest, Absl(option)));
}

absl::Status CheckShape(const LayerShape& shape) {
  RETURN_IF_ERROR(InRange("hidden", shape.hidden, kMaxWidth, "--hidden"));
  RETURN_IF_ERROR(InRange("intermediate", shape.intermediate, kMaxWidth, "--inter"));
  RETURN_IF_ERROR(InRange("experts", shape.experts, kMaxExperts, "--experts"));
  RETURN_IF_ERROR(InRange("top_k", shape.top_k, kMaxTopK, "--top-k"));
  if (shape.top_k > shape.experts) {
    return absl::InvalidArgumentError(
        absl::StrFormat("top_k = %d exceeds experts = %d (--top-k, --experts) [RC002]", shape.top_k,
                        shape.experts));
  }
  return absl::OkStatus();
}

bool HasCorrection(RouterMode mode) {
  return mode == RouterMode::kSigmoidGroup || mode == RouterMode::kSqrtSoftplus;
}

absl::Status CheckGroups(const LayerShape& shape, const Router& router) {
  if (router.groups != 1 && router.mode != RouterMode::kSigmoidGroup) {
    return absl::InvalidArgumentError(
        absl::StrFormat("groups = %d: router mode %s has no groups (--router) [RC003]",
                        router.groups, Absl(Name(router.mode))));
  }
  if (router.groups < 1 || shape.experts % router.groups != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("groups = %d does not divide experts = %d (--experts) [RC004]",
                        router.groups, shape.experts));
  }
  if (router.topk_group < 1 || router.topk_group > router.groups) {
    return absl::InvalidArgumentError(
        absl::StrFormat("topk_group = %d: must be 1 to groups = %d (--preset) [RC005]",
                        router.topk_group, router.groups));
  }
  const int reachable = shape.experts / router.groups * router.topk_group;
  if (shape.top_k > reachable) {
    return absl::InvalidArgumentError(
        absl::StrFormat("top_k = %d exceeds the %d experts of topk_group = %d groups (--top-k) "
                        "[RC006]",
                        shape.top_k, reachable, router.topk_group));
  }
  return absl::OkStatus();
}

absl::Status CheckRouter(const LayerShape& shape, const Router& router) {
  RETURN_IF_ERROR(CheckGroups(shape, router));
  if (!(std::isfinite(router.routed_scale) && router.routed_scale > 0)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "routed_scale = %g: must be finite and above 0 (--preset) [RC007]", router.routed_scale));
  }
  if (router.routed_scale != 1 && !HasCorrection(router.mode)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("routed_scale = %g: router mode %s has no routed scale (--router) [RC008]",
                        router.routed_scale, Absl(Name(router.mode))));
  }
  if (router.correction_bias && !HasCorrection(router.mode)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("bias_corr: router mode %s selects on the logits (--router) [RC009]",
                        Absl(Name(router.mode))));
  }
  return absl::OkStatus();
}

absl::Status CheckWeighting(const Layer& layer) {
  const bool input = layer.weighting == Weighting::kInput;
  if (layer.router.mode == RouterMode::kSigmoidInput && !input) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "weighting %s: router mode sigmoid_input needs weighting input (--router) [RC010]",
        Absl(Name(layer.weighting))));
  }
  if (input && layer.router.mode != RouterMode::kSigmoidInput &&
      layer.router.mode != RouterMode::kGiven) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "weighting input: needs router mode sigmoid_input or given, not %s (--router) [RC010]",
        Absl(Name(layer.router.mode))));
  }
  if (input && layer.shape.top_k != 1) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "top_k = %d: weighting input needs top_k = 1 (--top-k) [RC011]", layer.shape.top_k));
  }
  return absl::OkStatus();
}

absl::Status CheckClamp(float clamp) {
  if (!(std::isfinite(clamp) && clamp > 0)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("clamp = %g: must be finite and above 0 (--clamp) [RC012]", clamp));
  }
  if ((std::bit_cast<std::uint32_t>(clamp) & 0xFFFFu) != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("clamp = %.9g is not a BF16 value (--clamp) [RC013]", clamp));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Check(const Layer& layer) {
  RETURN_IF_ERROR(CheckShape(layer.shape));
  RETURN_IF_ERROR(CheckRouter(layer.shape, layer.router));
  RETURN_IF_ERROR(CheckWeighting(layer));
  if (layer.clamp.has_value()) RETURN_IF_ERROR(CheckClamp(*layer.clamp));
  if (layer.shared.has_value()) {
    RETURN_IF_ERROR(
        InRange("shared intermediate", layer.shared->intermediate, kMaxWidth, "--shared"));
  }
  return absl::OkStatus();
}

}  // namespace moescope::moe
