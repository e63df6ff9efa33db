#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "moe/layer.h"
#include "moe/matrix.h"
#include "moe/reference/arithmetic.h"
#include "moe/routing.h"

// Selection, weights and gradients of the router (moe.md, 3), written once for both arithmetics.

namespace moescope::moe::reference {

// The total order of moe.md, 3.2: NaN counts as -inf, -0 equals +0, larger first, equal keys by
// lower index.
template <typename Real>
std::vector<std::int32_t> RankDescending(std::span<const Real> keys) {
  std::vector<std::int32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::int32_t e) {
    const Real value = keys[static_cast<std::size_t>(e)];
    return std::isnan(value) ? -std::numeric_limits<Real>::infinity() : value;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return key(a) > key(b); });
  return order;
}

// A token's logits to everything the router says about it.
template <typename Real>
struct TokenRoute {
  std::vector<Real> scores;           // [E]
  std::vector<std::int32_t> experts;  // [K], rank order
  std::vector<Real> weights;          // [K]
};

template <typename Arithmetic>
class TokenRouter {
 public:
  using Real = typename Arithmetic::Real;
  // `correction` is empty or [E].
  TokenRouter(const Layer& layer, std::span<const float> correction)
      : router_(layer.router), shape_(layer.shape), correction_(correction) {}

  TokenRoute<Real> Route(std::span<const Real> logits) const {
    TokenRoute<Real> route;
    route.scores = Scores(logits);
    route.experts = Select(logits, route.scores);
    route.weights = Weights(logits, route);
    return route;
  }

  static Real Sigmoid(Real logit) { return 1 / (1 + Arithmetic::Exp(-logit)); }
  static Real SqrtSoftplus(Real logit) {
    if (logit > 20) return std::sqrt(logit);
    const double exponential = std::exp(static_cast<double>(logit));
    return std::sqrt(static_cast<Real>(std::log1p(exponential)));
  }

 private:
  std::vector<Real> Scores(std::span<const Real> logits) const;
  std::vector<std::int32_t> Select(std::span<const Real> logits,
                                   const std::vector<Real>& scores) const;
  std::vector<Real> GroupKeys(const std::vector<Real>& keys) const;
  std::vector<Real> Weights(std::span<const Real> logits, const TokenRoute<Real>& route) const;

  const Router& router_;
  const LayerShape& shape_;
  std::span<const float> correction_;
};

template <typename Real>
Real NanAsMinusInfinity(Real value) {
  return std::isnan(value) ? -std::numeric_limits<Real>::infinity() : value;
}

// Softmax over all experts, index order; zero everywhere when the sum is not finite and positive.
template <typename Arithmetic, typename Real = typename Arithmetic::Real>
std::vector<Real> Softmax(std::span<const Real> logits) {
  Real largest = -std::numeric_limits<Real>::infinity();
  for (const Real logit : logits) largest = std::max(largest, NanAsMinusInfinity(logit));
  std::vector<Real> scores;
  Real sum = 0;
  for (const Real logit : logits) {
    scores.push_back(Arithmetic::Exp(NanAsMinusInfinity(logit) - largest));
    sum += scores.back();
  }
  for (Real& score : scores) score = std::isfinite(sum) && sum > 0 ? score / sum : Real(0);
  return scores;
}

template <typename Arithmetic>
auto TokenRouter<Arithmetic>::Scores(std::span<const Real> logits) const -> std::vector<Real> {
  if (router_.mode == RouterMode::kSoftmaxTopk || router_.mode == RouterMode::kSoftmaxAll) {
    return Softmax<Arithmetic>(logits);
  }
  std::vector<Real> scores;
  for (const Real logit : logits) {
    scores.push_back(router_.mode == RouterMode::kSqrtSoftplus ? SqrtSoftplus(logit)
                                                               : Sigmoid(logit));
  }
  return scores;
}

// Keys of experts outside the kept groups become -inf.
template <typename Arithmetic>
auto TokenRouter<Arithmetic>::GroupKeys(const std::vector<Real>& keys) const -> std::vector<Real> {
  const std::size_t size = keys.size() / static_cast<std::size_t>(router_.groups);
  std::vector<Real> group_scores;
  for (std::size_t first = 0; first < keys.size(); first += size) {
    const std::span<const Real> group = std::span<const Real>(keys).subspan(first, size);
    const std::vector<std::int32_t> order = RankDescending(group);
    Real sum = NanAsMinusInfinity(group[static_cast<std::size_t>(order[0])]);
    if (size > 1) sum += NanAsMinusInfinity(group[static_cast<std::size_t>(order[1])]);
    group_scores.push_back(sum);
  }
  const std::vector<std::int32_t> order = RankDescending<Real>(group_scores);
  std::vector<Real> kept(keys.size(), -std::numeric_limits<Real>::infinity());
  for (int rank = 0; rank < router_.topk_group; ++rank) {
    const std::size_t first =
        static_cast<std::size_t>(order[static_cast<std::size_t>(rank)]) * size;
    std::copy_n(keys.begin() + static_cast<std::ptrdiff_t>(first), size,
                kept.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return kept;
}

template <typename Arithmetic>
std::vector<std::int32_t> TokenRouter<Arithmetic>::Select(std::span<const Real> logits,
                                                          const std::vector<Real>& scores) const {
  std::vector<Real> keys(logits.begin(), logits.end());
  if (router_.mode == RouterMode::kSigmoidGroup || router_.mode == RouterMode::kSqrtSoftplus) {
    keys = scores;
    for (std::size_t e = 0; e < correction_.size(); ++e)
      keys[e] += static_cast<Real>(correction_[e]);
  }
  if (router_.groups > 1) keys = GroupKeys(keys);
  std::vector<std::int32_t> order = RankDescending<Real>(keys);
  order.resize(static_cast<std::size_t>(shape_.top_k));
  return order;
}

template <typename Arithmetic>
auto TokenRouter<Arithmetic>::Weights(std::span<const Real> logits,
                                      const TokenRoute<Real>& route) const -> std::vector<Real> {
  std::vector<Real> weights;
  const Real largest = NanAsMinusInfinity(logits[static_cast<std::size_t>(route.experts[0])]);
  for (const std::int32_t expert : route.experts) {
    const auto e = static_cast<std::size_t>(expert);
    weights.push_back(router_.mode == RouterMode::kSoftmaxTopk
                          ? Arithmetic::Exp(NanAsMinusInfinity(logits[e]) - largest)
                          : route.scores[e]);
  }
  Real sum = 0;
  for (const Real weight : weights) sum += weight;
  const bool usable = std::isfinite(sum) && sum > 0;
  const bool corrected =
      router_.mode == RouterMode::kSigmoidGroup || router_.mode == RouterMode::kSqrtSoftplus;
  const bool divide = router_.mode == RouterMode::kSoftmaxTopk || router_.norm;
  const Real divisor = corrected ? sum + static_cast<Real>(1e-20f) : sum;
  for (Real& weight : weights) {
    if (divide) weight /= divisor;
    if (corrected) weight *= static_cast<Real>(router_.routed_scale);
    if (!usable) weight = 0;
  }
  return weights;
}

// dl [E] of one token from dw [K] (moe.md, 3.4); unselected entries are +0 unless the mode says
// otherwise. `experts` may hold -1: such a slot has no gradient.
template <typename Real>
std::vector<Real> TokenRouterGradient(const Layer& layer, std::span<const Real> logits,
                                      const TokenRoute<Real>& route, std::span<const Real> dw) {
  const Router& router = layer.router;
  std::vector<Real> dl(logits.size());
  Real weighted = 0;  // sum of w_j dw_j
  Real selected = 0;  // sum of the selected scores
  Real scored = 0;    // sum of s_j dw_j
  for (std::size_t i = 0; i < dw.size(); ++i) {
    if (route.experts[i] < 0) continue;
    const Real score = route.scores[static_cast<std::size_t>(route.experts[i])];
    weighted += route.weights[i] * dw[i];
    selected += score;
    scored += score * dw[i];
  }
  const bool softmax =
      router.mode == RouterMode::kSoftmaxTopk || router.mode == RouterMode::kSoftmaxAll;
  const bool normalised = router.mode == RouterMode::kSoftmaxTopk || router.norm;
  if (softmax && !normalised) {
    for (std::size_t e = 0; e < dl.size(); ++e) dl[e] = -route.scores[e] * scored;
  }
  const Real scale = static_cast<Real>(router.routed_scale);
  for (std::size_t i = 0; i < dw.size(); ++i) {
    if (route.experts[i] < 0) continue;
    const auto e = static_cast<std::size_t>(route.experts[i]);
    const Real score = route.scores[e];
    if (softmax) {
      dl[e] = normalised ? route.weights[i] * (dw[i] - weighted) : dl[e] + score * dw[i];
      continue;
    }
    const Real ds = router.norm ? scale / selected * (dw[i] - weighted / scale) : scale * dw[i];
    if (router.mode != RouterMode::kSqrtSoftplus) {
      dl[e] = ds * score * (1 - score);
    } else if (score != 0) {
      const Real sigmoid = 1 / (1 + static_cast<Real>(std::exp(-static_cast<double>(logits[e]))));
      dl[e] = ds * sigmoid / (2 * score);
    }
  }
  return dl;
}

// The sum over tokens of moe.md, 3.5: blocks of 256; in a block lane i adds tokens i, i+32, ...,
// then lane i += lane i+d for d = 16 ... 1; blocks ascending.
template <typename Real, typename Value>
Real SumOverTokens(std::int64_t tokens, Value value) {
  Real total = 0;
  for (std::int64_t block = 0; block < tokens; block += 256) {
    Real lanes[32] = {};
    for (std::int64_t t = block; t < std::min(block + 256, tokens); ++t) {
      lanes[t % 32] += value(t);
    }
    for (int d = 16; d > 0; d /= 2) {
      for (int i = 0; i < d; ++i) lanes[i] += lanes[i + d];
    }
    total += lanes[0];
  }
  return total;
}

}  // namespace moescope::moe::reference
