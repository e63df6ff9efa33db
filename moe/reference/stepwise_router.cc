#include "moe/reference/stepwise_router.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "moe/reference/arithmetic.h"
#include "moe/reference/bf16_steps.h"
#include "moe/reference/router_math.h"

namespace moescope::moe::reference {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// V_TOPK: ids in the total order, weights as the softmax of the chosen values, one rounding.
struct TopK {
  std::vector<std::int32_t> ids;
  std::vector<float> weights;
};

TopK SelectTopK(std::span<const float> keys, int k) {
  TopK result;
  result.ids = RankDescending(keys);
  result.ids.resize(static_cast<std::size_t>(k));
  float sum = 0;
  const float largest = NanAsMinusInfinity(keys[static_cast<std::size_t>(result.ids.front())]);
  for (const std::int32_t id : result.ids) {
    const float value = NanAsMinusInfinity(keys[static_cast<std::size_t>(id)]);
    result.weights.push_back(isa::Exp(value - largest));
    sum += result.weights.back();
  }
  for (float& weight : result.weights) {
    weight = std::isfinite(sum) && sum > 0 ? Bf(weight / sum) : 0.0f;
  }
  return result;
}

// One token of a router whose weights come from scores.
class ScoreRouter {
 public:
  ScoreRouter(const StepwiseInputs& in, std::span<const float> logits)
      : in_(in), router_(in.layer.router), logits_(logits) {}

  TopK Run() {
    TopK result = SelectTopK(Keys(), in_.layer.shape.top_k);
    if (router_.mode == RouterMode::kSoftmaxAll) {
      SoftmaxWeights(result);
    } else {
      SigmoidWeights(result);
    }
    return result;
  }

 private:
  std::vector<float> Keys() const {
    std::vector<float> keys(logits_.begin(), logits_.end());
    if (router_.mode != RouterMode::kSigmoidGroup) return keys;
    for (std::size_t e = 0; e < keys.size(); ++e) {
      keys[e] = SigmoidSteps(logits_[e]);
      if (router_.correction_bias) keys[e] = Add(keys[e], Bf(in_.tensors.correction_bias[e]));
    }
    if (router_.groups > 1) DropGroups(keys);
    return keys;
  }
  void DropGroups(std::vector<float>& keys) const {
    const std::size_t size = keys.size() / static_cast<std::size_t>(router_.groups);
    std::vector<float> scores;
    for (std::size_t first = 0; first < keys.size(); first += size) {
      const auto group = std::span<const float>(keys).subspan(first, size);
      const std::vector<std::int32_t> order = RankDescending(group);
      float sum = Add(0.0f, group[static_cast<std::size_t>(order[0])]);
      if (size > 1) sum = Add(sum, group[static_cast<std::size_t>(order[1])]);
      scores.push_back(sum);
    }
    const std::vector<std::int32_t> order = RankDescending<float>(scores);
    for (std::size_t rank = static_cast<std::size_t>(router_.topk_group); rank < order.size();
         ++rank) {
      const std::size_t first = static_cast<std::size_t>(order[rank]) * size;
      for (std::size_t e = first; e < first + size; ++e) keys[e] = kMinusInfinity;
    }
  }

  void SigmoidWeights(TopK& result) const {
    float sum = 0;
    for (std::size_t i = 0; i < result.ids.size(); ++i) {
      result.weights[i] = SigmoidSteps(logits_[static_cast<std::size_t>(result.ids[i])]);
      sum = Add(sum, result.weights[i]);
    }
    const float inverse = Reciprocal(Add(sum, Bf(1e-20f)));
    for (float& weight : result.weights) {
      if (router_.norm) weight = Multiply(weight, inverse);
      if (router_.routed_scale != 1) weight = Multiply(weight, Bf(router_.routed_scale));
    }
  }

  // Lanes past E hold -inf.
  void SoftmaxWeights(TopK& result) const {
    float largest = kMinusInfinity;
    for (const float logit : logits_) {
      if (std::isnan(logit) || std::isnan(largest)) {
        largest = Bf(std::numeric_limits<float>::quiet_NaN());
      } else if (logit > largest) {
        largest = logit;
      }
    }
    const auto lanes = static_cast<std::size_t>(in_.plan.tile);
    float sum = 0;
    for (std::size_t first = 0; first < logits_.size(); first += lanes) {
      std::vector<float> exponentials;
      for (std::size_t lane = first; lane < first + lanes; ++lane) {
        const float logit = lane < logits_.size() ? logits_[lane] : kMinusInfinity;
        exponentials.push_back(Exponential(Subtract(logit, largest)));
      }
      sum = Add(sum, PairwiseSum(std::move(exponentials)));
    }
    const float inverse = Reciprocal(sum);
    for (std::size_t i = 0; i < result.ids.size(); ++i) {
      const float logit = logits_[static_cast<std::size_t>(result.ids[i])];
      result.weights[i] = Multiply(Exponential(Subtract(logit, largest)), inverse);
    }
  }

  const StepwiseInputs& in_;
  const Router& router_;
  std::span<const float> logits_;
};

bool HasScores(const Router& router) {
  return router.mode == RouterMode::kSigmoidGroup || router.mode == RouterMode::kSigmoidInput ||
         (router.mode == RouterMode::kSoftmaxAll && !router.norm);
}

}  // namespace

F32Matrix StepwiseLogits(const StepwiseInputs& in, const F32Matrix& x) {
  F32Matrix weights = in.tensors.router;
  for (float& weight : weights.values) weight = Bf(weight);
  F32Matrix logits(x.rows, weights.rows);
  const auto lanes = static_cast<std::size_t>(in.plan.tile);
  if (in.plan.router == RouterPath::kMatrix) {
    logits = Fused({in.plan.tile}).Contract({{x, weights}});
    // The write-out rounds; copying to consecutive rows adds +0.
    for (float& logit : logits.values) logit = Add(Bf(logit), 0.0f);
  } else {
    for (std::int64_t t = 0; t < x.rows; ++t) {
      for (std::int64_t e = 0; e < weights.rows; ++e) {
        logits.At(t, e) = DotSteps(x.Row(t), weights.Row(e), lanes);
      }
    }
  }
  for (std::size_t i = 0; i < logits.values.size() && in.layer.router.logit_bias; ++i) {
    const std::size_t e = i % static_cast<std::size_t>(logits.columns);
    logits.values[i] = Add(logits.values[i], Bf(in.tensors.router_bias[e]));
  }
  return logits;
}

Routing StepwiseRoute(const StepwiseInputs& in, const F32Matrix& logits) {
  Routing routing{
      .tokens = logits.rows, .top_k = in.layer.shape.top_k, .experts = in.layer.shape.experts};
  for (std::int64_t t = 0; t < logits.rows; ++t) {
    const TopK top = HasScores(in.layer.router) ? ScoreRouter(in, logits.Row(t)).Run()
                                                : SelectTopK(logits.Row(t), in.layer.shape.top_k);
    routing.topk_idx.insert(routing.topk_idx.end(), top.ids.begin(), top.ids.end());
    routing.topk_w.insert(routing.topk_w.end(), top.weights.begin(), top.weights.end());
  }
  return routing;
}

}  // namespace moescope::moe::reference
