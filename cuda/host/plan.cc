#include "cuda/plan.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/sha256.h"
#include "base/status.h"
#include "base/string_view.h"
#include "moe/dispatch.h"
#include "moe/layer_check.h"
#include "moe/layer_names.h"

namespace moescope::cuda {
namespace {

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();
constexpr std::array<TileRule, 4> kBf16Tiles = {{{8, 16}, {24, 32}, {72, 64}, {kNoBound, 128}}};
constexpr std::array<TileRule, 4> kMxTiles = {{{12, 16}, {24, 32}, {56, 64}, {kNoBound, 128}}};
constexpr std::array<int, 4> kTokenTiles = {16, 32, 64, 128};

absl::Status InRange(std::string_view name, std::int64_t value, std::int64_t smallest,
                     std::int64_t largest) {
  if (value >= smallest && value <= largest) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s = %d: must be %d to %d", Absl(name), value, smallest, largest));
}

absl::Status CheckWidth(std::string_view name, int value) {
  RETURN_IF_ERROR(InRange(name, value, kWidthUnit, kMaxWidth));
  if (value % kWidthUnit == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s = %d: must be a multiple of %d", Absl(name), value, kWidthUnit));
}

absl::Status CheckShape(const moe::LayerShape& shape, std::int64_t tokens) {
  RETURN_IF_ERROR(CheckWidth("hidden", shape.hidden));
  RETURN_IF_ERROR(CheckWidth("intermediate", shape.intermediate));
  RETURN_IF_ERROR(InRange("experts", shape.experts, 1, kMaxExperts));
  RETURN_IF_ERROR(InRange("top_k", shape.top_k, 1, std::min(kMaxTopK, shape.experts)));
  // 16 rows of padding per expert must fit as well.
  const std::int64_t largest =
      (std::numeric_limits<std::int32_t>::max() - 16 * kMaxExperts) / shape.top_k;
  return InRange("tokens", tokens, 0, largest);
}

absl::Status Refused(const std::string& what) { return absl::UnimplementedError(what); }

absl::Status CheckStepwise(const Options& options) {
  if (options.kernels != Kernels::kStepwise) {
    if (!options.stepwise.has_value()) return absl::OkStatus();
    return absl::InvalidArgumentError("stepwise order without Kernels::kStepwise");
  }
  if (!options.stepwise.has_value()) {
    return absl::InvalidArgumentError("Kernels::kStepwise needs a stepwise order");
  }
  RETURN_IF_ERROR(InRange("stepwise tile", options.stepwise->tile, 1, kMaxWidth));
  RETURN_IF_ERROR(InRange("stepwise tiles per chunk", options.stepwise->tiles_per_chunk, 1,
                          std::numeric_limits<int>::max()));
  if (options.activation != moe::Activation::kSwiglu &&
      options.activation != moe::Activation::kGptOss) {
    return Refused(
        absl::StrCat("stepwise kernels with activation ", Absl(moe::Name(options.activation))));
  }
  if (options.shared.has_value()) return Refused("stepwise kernels with a shared expert");
  if (options.fast_math_forward) return Refused("fast_math_forward with stepwise kernels");
  if (options.save_gate_up) return Refused("save_gate_up with stepwise kernels");
  if (options.weighting == moe::Weighting::kInput) {
    return Refused("stepwise kernels with weighting input");
  }
  return absl::OkStatus();
}

absl::Status CheckRouterOptions(const Options& options) {
  if (options.router.mode != moe::RouterMode::kGiven) return absl::OkStatus();
  if (options.bf16_logits) {
    return absl::InvalidArgumentError("bf16_logits: router mode given computes no logits");
  }
  if (options.bf16_weights) {
    return absl::InvalidArgumentError("bf16_weights: router mode given computes no weights");
  }
  return absl::OkStatus();
}

absl::Status CheckTuning(const Options& options, const DeviceTraits& device) {
  if (options.kernels != Kernels::kTensorCore) {
    if (options.sm_limit != 0) return Refused("sm_limit without tensor-core kernels");
    if (options.token_tile != 0) return Refused("token_tile without tensor-core kernels");
  }
  RETURN_IF_ERROR(InRange("multiprocessors", device.multiprocessors, 1, 4096));
  RETURN_IF_ERROR(InRange("sm_limit", options.sm_limit, 0, device.multiprocessors));
  const bool known = options.token_tile == 0 || std::find(kTokenTiles.begin(), kTokenTiles.end(),
                                                          options.token_tile) != kTokenTiles.end();
  if (!known) {
    return absl::InvalidArgumentError(
        absl::StrFormat("token_tile = %d: must be 0, 16, 32, 64 or 128", options.token_tile));
  }
  if (device.shared_bytes_per_block < DesignTraits().shared_bytes_per_block) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the kernels need %d bytes of shared memory per block, the device has %d",
                        DesignTraits().shared_bytes_per_block, device.shared_bytes_per_block));
  }
  return absl::OkStatus();
}

int TableTile(const moe::LayerShape& shape, std::int64_t tokens, moe::WeightFormat weights) {
  const std::int64_t pairs = tokens * shape.top_k;
  const std::span<const TileRule> table = TileTable(weights);
  for (const TileRule& rule : table) {
    // pairs / experts <= bound, without rounding
    if (pairs / shape.experts < rule.rows_per_expert ||
        pairs <= rule.rows_per_expert * shape.experts) {
      return rule.token_tile;
    }
  }
  return table.back().token_tile;
}

std::string Fingerprint(const Plan& plan) {
  const Options& o = plan.options;
  const moe::Router& r = o.router;
  std::string text = absl::StrFormat(
      "moescope-cuda-v1 H=%d I=%d E=%d K=%d T=%d tile=%d warpgroups=%d sms=%d", plan.shape.hidden,
      plan.shape.intermediate, plan.shape.experts, plan.shape.top_k, plan.tokens, plan.token_tile,
      plan.warpgroups, plan.multiprocessors);
  absl::StrAppendFormat(&text, " %s %s %s clamp=%s bias=%d kernels=%d", Absl(Name(o.weighting)),
                        Absl(Name(o.weights)), Absl(Name(o.activation)),
                        o.clamp.has_value() ? absl::StrFormat("%a", *o.clamp) : "none",
                        o.expert_bias, static_cast<int>(o.kernels));
  absl::StrAppendFormat(&text, " %s norm=%d scale=%a groups=%d/%d bias=%d/%d", Absl(Name(r.mode)),
                        r.norm, r.routed_scale, r.topk_group, r.groups, r.logit_bias,
                        r.correction_bias);
  absl::StrAppendFormat(&text, " bf16=%d/%d fast=%d save=%d", o.bf16_logits, o.bf16_weights,
                        o.fast_math_forward, o.save_gate_up);
  if (o.shared.has_value()) {
    absl::StrAppendFormat(&text, " shared=%d gate=%d", o.shared->intermediate, o.shared->gate);
  }
  if (o.stepwise.has_value()) {
    absl::StrAppendFormat(&text, " order=%d/%d", o.stepwise->tile, o.stepwise->tiles_per_chunk);
  }
  return Sha256Name(text);
}

}  // namespace

std::span<const TileRule> TileTable(moe::WeightFormat weights) {
  return weights == moe::WeightFormat::kBf16 ? kBf16Tiles : kMxTiles;
}

moe::Layer Plan::layer() const {
  return {.shape = shape,
          .router = options.router,
          .activation = options.activation,
          .clamp = options.clamp,
          .expert_bias = options.expert_bias,
          .weighting = options.weighting,
          .weights = options.weights,
          .shared = options.shared};
}

int ClusterBlocks(const Plan& plan, moe::WeightFormat weights) {
  const bool wide = weights == moe::WeightFormat::kBf16 && plan.token_tile == kTokenTiles.back();
  return wide && plan.multiprocessors % 2 == 0 ? 2 : 1;
}

absl::StatusOr<Plan> MakePlan(const moe::LayerShape& shape, std::int64_t tokens,
                              const Options& options, const DeviceTraits& device) {
  RETURN_IF_ERROR(CheckShape(shape, tokens));
  Plan plan{.shape = shape, .tokens = tokens, .options = options};
  RETURN_IF_ERROR(moe::Check(plan.layer()));
  if (options.shared.has_value()) {
    RETURN_IF_ERROR(CheckWidth("shared intermediate", options.shared->intermediate));
  }
  RETURN_IF_ERROR(CheckRouterOptions(options));
  RETURN_IF_ERROR(CheckStepwise(options));
  RETURN_IF_ERROR(CheckTuning(options, device));
  if (options.fast_math_forward && options.activation != moe::Activation::kSwiglu &&
      options.activation != moe::Activation::kGptOss) {
    return Refused(
        absl::StrCat("fast_math_forward with activation ", Absl(moe::Name(options.activation))));
  }
  plan.token_tile =
      options.token_tile != 0 ? options.token_tile : TableTile(shape, tokens, options.weights);
  plan.warpgroups = plan.token_tile >= 64 ? 2 : 1;
  plan.multiprocessors = options.sm_limit != 0 ? options.sm_limit : device.multiprocessors;
  plan.rows_max = moe::RowsMax(tokens, shape.top_k, shape.experts, kRowAlignment);
  plan.fingerprint = Fingerprint(plan);
  return plan;
}

}  // namespace moescope::cuda
