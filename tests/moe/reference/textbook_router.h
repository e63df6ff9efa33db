#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "moe/layer.h"
#include "tests/moe/reference/dual.h"

// The router a second time, from moe.md, 3: selection by repeated search for the largest key, and
// weights for any scalar type. Shares nothing with moe/reference.

namespace moescope::moe::reference {

inline double ValueOf(float x) { return x; }
inline double ValueOf(double x) { return x; }
inline double ValueOf(Dual x) { return x.value; }

// Ids of the k largest keys: NaN is -inf, zeros are equal, equal keys go to the lower id.
inline std::vector<std::int32_t> LargestKeys(std::vector<double> keys, int k) {
  const double lowest = -std::numeric_limits<double>::infinity();
  std::vector<bool> taken(keys.size());
  std::vector<std::int32_t> ids;
  for (double& key : keys) key = std::isnan(key) ? lowest : key;
  for (int rank = 0; rank < k; ++rank) {
    std::size_t best = keys.size();
    for (std::size_t e = 0; e < keys.size(); ++e) {
      if (!taken[e] && (best == keys.size() || keys[e] > keys[best])) best = e;
    }
    taken[best] = true;
    ids.push_back(static_cast<std::int32_t>(best));
  }
  return ids;
}

template <typename S>
S TextbookScore(RouterMode mode, S logit) {
  using std::exp;
  using std::log1p;
  using std::sqrt;
  if (mode != RouterMode::kSqrtSoftplus) return S(1) / (S(1) + exp(-logit));
  return logit > S(20) ? sqrt(logit) : sqrt(log1p(exp(logit)));
}

// Whether ids are chosen by score + bias_corr instead of by logit.
inline bool HasCorrection(RouterMode mode) {
  return mode == RouterMode::kSigmoidGroup || mode == RouterMode::kSqrtSoftplus;
}

// Ids in slot order. `scores` are those of the mode; `correction` is empty or [E].
template <typename S>
std::vector<std::int32_t> TextbookSelection(const Layer& layer, const std::vector<S>& logits,
                                            const std::vector<S>& scores,
                                            const std::vector<float>& correction) {
  const Router& router = layer.router;
  std::vector<double> keys;
  for (std::size_t e = 0; e < logits.size(); ++e) {
    if (!HasCorrection(router.mode)) {
      keys.push_back(ValueOf(logits[e]));
    } else {
      // In the precision of the scores, as the definition says.
      keys.push_back(ValueOf(scores[e] + S(correction.empty() ? 0.0f : correction[e])));
    }
  }
  if (router.groups > 1) {
    const std::size_t size = keys.size() / static_cast<std::size_t>(router.groups);
    std::vector<double> group_scores;
    for (int g = 0; g < router.groups; ++g) {
      const auto first =
          keys.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(g) * size);
      std::vector<double> group(first, first + static_cast<std::ptrdiff_t>(size));
      std::sort(group.begin(), group.end(), [](double a, double b) { return a > b; });
      const S best = S(group[0]);
      group_scores.push_back(ValueOf(size > 1 ? best + S(group[1]) : best));
    }
    const std::vector<std::int32_t> kept = LargestKeys(group_scores, router.topk_group);
    for (std::size_t e = 0; e < keys.size(); ++e) {
      const auto group = static_cast<std::int32_t>(e / size);
      if (std::find(kept.begin(), kept.end(), group) == kept.end()) {
        keys[e] = -std::numeric_limits<double>::infinity();
      }
    }
  }
  return LargestKeys(std::move(keys), layer.shape.top_k);
}

// Weights of the chosen ids in real arithmetic, every sum usable.
template <typename S>
std::vector<S> TextbookWeights(const Layer& layer, const std::vector<S>& logits,
                               const std::vector<std::int32_t>& ids) {
  using std::exp;
  const Router& router = layer.router;
  const bool softmax =
      router.mode == RouterMode::kSoftmaxTopk || router.mode == RouterMode::kSoftmaxAll;
  std::vector<S> scores;
  S all(0);
  for (const S logit : logits) {
    scores.push_back(softmax ? exp(logit) : TextbookScore(router.mode, logit));
    all += scores.back();
  }
  S chosen(0);
  for (const std::int32_t id : ids) chosen += scores[static_cast<std::size_t>(id)];
  const bool over_chosen = router.mode == RouterMode::kSoftmaxTopk || router.norm;
  std::vector<S> weights;
  for (const std::int32_t id : ids) {
    S weight = scores[static_cast<std::size_t>(id)];
    if (over_chosen) {
      weight = weight / chosen;
    } else if (softmax) {
      weight = weight / all;
    }
    if (HasCorrection(router.mode)) weight = weight * S(double{router.routed_scale});
    weights.push_back(weight);
  }
  return weights;
}

}  // namespace moescope::moe::reference
