#include "moe/reference/router.h"

#include <utility>

#include "moe/reference/losses_math.h"
#include "moe/reference/router_math.h"

namespace moescope::moe::reference {
namespace {

TokenRoute<float> RouteOf(const RouterResult& result, std::int64_t token) {
  const Routing& routing = result.routing;
  const auto scores = result.scores.Row(token);
  TokenRoute<float> route;
  route.scores.assign(scores.begin(), scores.end());
  for (std::int64_t pair = token * routing.top_k; pair < (token + 1) * routing.top_k; ++pair) {
    route.experts.push_back(routing.topk_idx[static_cast<std::size_t>(pair)]);
    route.weights.push_back(routing.topk_w[static_cast<std::size_t>(pair)]);
  }
  return route;
}

}  // namespace

RouterResult RouteLogits(const Layer& layer, const LayerTensors& tensors, F32Matrix logits,
                         bool bf16_weights) {
  RouterResult result;
  result.routing = {
      .tokens = logits.rows, .top_k = layer.shape.top_k, .experts = layer.shape.experts};
  result.scores = F32Matrix(logits.rows, logits.columns);
  const TokenRouter<Fused> router(layer, tensors.correction_bias);
  for (std::int64_t t = 0; t < logits.rows; ++t) {
    const TokenRoute<float> route = router.Route(logits.Row(t));
    std::copy(route.scores.begin(), route.scores.end(), result.scores.Row(t).begin());
    result.routing.topk_idx.insert(result.routing.topk_idx.end(), route.experts.begin(),
                                   route.experts.end());
    for (const float weight : route.weights) {
      result.routing.topk_w.push_back(bf16_weights ? Fused::Round(weight) : weight);
    }
  }
  result.logits = std::move(logits);
  return result;
}

RouterResult Route(const Layer& layer, const LayerTensors& tensors, const Bf16Matrix& x,
                   const RouterOptions& options) {
  const Fused arithmetic(options.accumulation);
  F32Matrix logits = arithmetic.Contract({{Widen<float>(x), tensors.router}});
  for (std::int64_t t = 0; t < logits.rows; ++t) {
    for (std::int64_t e = 0; e < logits.columns; ++e) {
      float& logit = logits.At(t, e);
      if (!tensors.router_bias.empty()) logit += tensors.router_bias[static_cast<std::size_t>(e)];
      if (options.bf16_logits) logit = Fused::Round(logit);
    }
  }
  return RouteLogits(layer, tensors, std::move(logits), options.bf16_weights);
}

F32Matrix RouterGradient(const Layer& layer, const RouterResult& result,
                         const std::vector<float>& dw) {
  const std::int64_t tokens = result.logits.rows;
  F32Matrix dl(tokens, result.logits.columns);
  const auto k = static_cast<std::size_t>(result.routing.top_k);
  for (std::int64_t t = 0; t < tokens; ++t) {
    const std::vector<float> row = TokenRouterGradient<float>(
        layer, result.logits.Row(t), RouteOf(result, t),
        std::span<const float>(dw).subspan(static_cast<std::size_t>(t) * k, k));
    std::copy(row.begin(), row.end(), dl.Row(t).begin());
  }
  return dl;
}

Losses RouterLosses(const Layer& layer, const RouterResult& result, const LossOptions& options) {
  const std::vector<std::int64_t> counts = CountPerExpert(result.routing);
  LossValues<float> values =
      LossPass<Fused>({layer, result.logits, result.scores, counts, options}).Run();
  return {values.aux, values.z, std::move(values.dl)};
}

}  // namespace moescope::moe::reference
