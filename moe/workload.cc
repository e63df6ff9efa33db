#include "moe/workload.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "isa/functions.h"
#include "moe/generator.h"
#include "moe/layer_check.h"

namespace moescope::moe {
namespace {

using Experts = std::vector<std::int32_t>;

absl::Status Unsuitable(std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "workload: ", absl::string_view(why.data(), why.size()), " (--workload) [RC051]"));
}

// Draws for the ids of one run. Draw i is a pure function of the seed.
class Draws {
 public:
  Draws(std::uint64_t seed, int top_k) : seed_(seed), top_k_(static_cast<std::uint64_t>(top_k)) {}
  std::uint64_t Choice(std::int64_t token, int slot) const {
    return U64(seed_, Stream::kChoice, Pair(token, slot));
  }
  std::uint64_t Hot(std::int64_t token, int draw) const {
    return U64(seed_, Stream::kHot,
               2 * static_cast<std::uint64_t>(token) + static_cast<std::uint64_t>(draw));
  }

 private:
  std::uint64_t Pair(std::int64_t token, int slot) const {
    return static_cast<std::uint64_t>(token) * top_k_ + static_cast<std::uint64_t>(slot);
  }
  std::uint64_t seed_;
  std::uint64_t top_k_;
};

Experts Permutation(int experts, std::uint64_t seed) {
  Experts perm(static_cast<std::size_t>(experts));
  std::iota(perm.begin(), perm.end(), 0);
  for (std::size_t i = perm.size(); i > 1; --i) {
    std::swap(perm[i - 1], perm[Below(i, U64(seed, Stream::kPermutation, i))]);
  }
  return perm;
}

bool Contains(const Experts& experts, std::int32_t expert) {
  return std::find(experts.begin(), experts.end(), expert) != experts.end();
}

// One of `pool` that is not in `taken`, each with the same chance. Some must be left.
std::int32_t DrawFrom(const Experts& pool, const Experts& taken, std::uint64_t draw) {
  std::size_t left = 0;
  for (const std::int32_t expert : pool) left += Contains(taken, expert) ? 0u : 1u;
  std::uint64_t skip = Below(left, draw);
  for (const std::int32_t expert : pool) {
    if (Contains(taken, expert)) continue;
    if (skip-- == 0) return expert;
  }
  return -1;
}

// As DrawFrom, with chance proportional to the integer weight of each position of `pool`.
std::int32_t DrawWeighted(const Experts& pool, const std::vector<std::uint64_t>& weights,
                          const Experts& taken, std::uint64_t draw) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < pool.size(); ++i) total += Contains(taken, pool[i]) ? 0 : weights[i];
  std::uint64_t left = Below(total, draw);
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (Contains(taken, pool[i])) continue;
    if (left < weights[i]) return pool[i];
    left -= weights[i];
  }
  return -1;
}

// Fills the slots that `chosen` leaves open from `pool`.
void FillUniform(const Experts& pool, const Draws& draws, std::int64_t token, int top_k,
                 Experts& chosen) {
  for (int slot = static_cast<int>(chosen.size()); slot < top_k; ++slot) {
    chosen.push_back(DrawFrom(pool, chosen, draws.Choice(token, slot)));
  }
}

class Chooser {
 public:
  Chooser(const Workload& workload, const RoutingShape& shape, std::uint64_t seed)
      : workload_(workload),
        shape_(shape),
        perm_(Permutation(shape.experts, seed)),
        draws_(seed, shape.top_k) {}

  // Names of `empty` to ids; everything the parameters must satisfy.
  absl::Status Prepare();
  Experts Choose(std::int64_t token) const;

 private:
  absl::Status PrepareEmpty();
  absl::Status CheckHot() const;
  Experts Hot(std::int64_t token) const;
  Experts Rotating(std::int64_t token) const;
  Experts Ragged(std::int64_t token) const;
  Experts Balanced(std::int64_t token) const;
  Experts Uniform(std::int64_t token) const {
    Experts chosen;
    FillUniform(perm_, draws_, token, shape_.top_k, chosen);
    return chosen;
  }

  const Workload& workload_;
  RoutingShape shape_;
  Experts perm_;
  Experts pool_;
  std::vector<std::uint64_t> zipf_;
  Draws draws_;
};

absl::Status Chooser::PrepareEmpty() {
  Experts named;
  for (const std::string& name : workload_.empty) {
    std::int32_t expert = -1;
    if (name == "first") {
      expert = 0;
    } else if (name == "middle") {
      expert = shape_.experts / 2;
    } else if (name == "last") {
      expert = shape_.experts - 1;
    } else if (!absl::SimpleAtoi(name, &expert)) {
      return Unsuitable("'" + name + "' is not first, middle, last or an expert id");
    }
    if (expert < 0 || expert >= shape_.experts) {
      return Unsuitable(
          absl::StrCat("empty expert ", name, " is outside 0 to ", shape_.experts - 1));
    }
    named.push_back(expert);
  }
  for (std::int32_t e = 0; e < shape_.experts; ++e) {
    if (!Contains(named, e)) pool_.push_back(e);
  }
  if (pool_.size() < static_cast<std::size_t>(shape_.top_k)) {
    return Unsuitable(
        absl::StrCat("only ", pool_.size(), " experts are left for top_k = ", shape_.top_k));
  }
  return absl::OkStatus();
}

absl::Status Chooser::CheckHot() const {
  if (workload_.hot_experts >= 1 && workload_.hot_experts <= shape_.experts) {
    return absl::OkStatus();
  }
  return Unsuitable(
      absl::StrCat("n = ", workload_.hot_experts, " hot experts: must be 1 to ", shape_.experts));
}

absl::Status Chooser::Prepare() {
  switch (workload_.kind) {
    case WorkloadKind::kEmpty:
      return PrepareEmpty();
    case WorkloadKind::kHot:
      return CheckHot();
    case WorkloadKind::kRotating:
      if (workload_.period < 1) return Unsuitable("period = 0: must be at least 1");
      return CheckHot();
    case WorkloadKind::kBurst:
      if (workload_.length < 1) return Unsuitable("length = 0: must be at least 1");
      return absl::OkStatus();
    case WorkloadKind::kRagged:
      for (std::uint64_t rank = 0; rank < perm_.size(); ++rank) {
        zipf_.push_back((std::uint64_t{1} << 20) / (1 + rank));
      }
      return absl::OkStatus();
    case WorkloadKind::kReplay:
      return Unsuitable("replay needs a route trace");
    default:
      return absl::OkStatus();
  }
}

Experts Chooser::Balanced(std::int64_t token) const {
  Experts chosen;
  for (int slot = 0; slot < shape_.top_k; ++slot) {
    const std::int64_t position = (token * shape_.top_k + slot) % shape_.experts;
    chosen.push_back(perm_[static_cast<std::size_t>(position)]);
  }
  return chosen;
}

Experts Chooser::Hot(std::int64_t token) const {
  Experts chosen;
  if (Chance(workload_.probability, draws_.Hot(token, 0))) {
    const auto hot = static_cast<std::uint64_t>(workload_.hot_experts);
    chosen.push_back(perm_[Below(hot, draws_.Hot(token, 1))]);
  }
  FillUniform(perm_, draws_, token, shape_.top_k, chosen);
  return chosen;
}

Experts Chooser::Rotating(std::int64_t token) const {
  Experts hot;
  const std::int64_t first = token / workload_.period % shape_.experts * workload_.hot_experts;
  for (int i = 0; i < workload_.hot_experts; ++i) {
    hot.push_back(perm_[static_cast<std::size_t>((first + i) % shape_.experts)]);
  }
  Experts chosen;
  FillUniform(hot, draws_, token, std::min(shape_.top_k, workload_.hot_experts), chosen);
  FillUniform(perm_, draws_, token, shape_.top_k, chosen);
  return chosen;
}

Experts Chooser::Ragged(std::int64_t token) const {
  Experts chosen;
  for (int slot = 0; slot < shape_.top_k; ++slot) {
    chosen.push_back(DrawWeighted(perm_, zipf_, chosen, draws_.Choice(token, slot)));
  }
  return chosen;
}

Experts Chooser::Choose(std::int64_t token) const {
  switch (workload_.kind) {
    case WorkloadKind::kBalanced:
      return Balanced(token);
    case WorkloadKind::kHot:
      return Hot(token);
    case WorkloadKind::kRagged:
      return Ragged(token);
    case WorkloadKind::kRotating:
      return Rotating(token);
    case WorkloadKind::kSingle:
      return Balanced(0);
    case WorkloadKind::kBurst: {
      const std::int64_t period = workload_.length + workload_.gap;
      const std::int64_t inside = token % period;
      return Uniform(inside < workload_.length ? token - inside : token);
    }
    case WorkloadKind::kEmpty: {
      Experts chosen;
      FillUniform(pool_, draws_, token, shape_.top_k, chosen);
      return chosen;
    }
    default:
      return Uniform(token);
  }
}

// Softmax of K sorted normals; sum in rank order, every step correctly rounded FP32.
void AppendWeights(std::int64_t token, int top_k, std::uint64_t seed, std::vector<float>& weights) {
  std::vector<float> logits;
  for (int slot = 0; slot < top_k; ++slot) {
    logits.push_back(
        Normal(seed, Stream::kRouteWeight, static_cast<std::uint64_t>(token * top_k + slot)));
  }
  std::sort(logits.begin(), logits.end(), [](float a, float b) { return a > b; });
  float sum = 0;
  const float largest = logits.front();
  for (float& logit : logits) {
    logit = isa::Exp(logit - largest);
    sum += logit;
  }
  for (const float exponential : logits) weights.push_back(exponential / sum);
}

}  // namespace

absl::StatusOr<Routing> GenerateRouting(const Workload& workload, const RoutingShape& shape,
                                        std::uint64_t seed) {
  if (shape.tokens < 0 || shape.experts < 1 || shape.experts > kMaxExperts || shape.top_k < 1 ||
      shape.top_k > kMaxTopK || shape.top_k > shape.experts) {
    return Unsuitable(absl::StrCat("cannot route ", shape.tokens, " tokens to ", shape.top_k,
                                   " of ", shape.experts, " experts"));
  }
  Chooser chooser(workload, shape, seed);
  RETURN_IF_ERROR(chooser.Prepare());
  Routing routing{.tokens = shape.tokens, .top_k = shape.top_k, .experts = shape.experts};
  for (std::int64_t token = 0; token < shape.tokens; ++token) {
    const Experts chosen = chooser.Choose(token);
    routing.topk_idx.insert(routing.topk_idx.end(), chosen.begin(), chosen.end());
    AppendWeights(token, shape.top_k, seed, routing.topk_w);
  }
  MaskSlots(routing, workload.masked, seed);
  return routing;
}

void MaskSlots(Routing& routing, double probability, std::uint64_t seed) {
  for (std::size_t pair = 0; pair < routing.topk_idx.size(); ++pair) {
    if (!Chance(probability, U64(seed, Stream::kMask, pair))) continue;
    routing.topk_idx[pair] = -1;
    routing.topk_w[pair] = 0;
  }
}

}  // namespace moescope::moe
