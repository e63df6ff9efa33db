#include "tests/moe/reference/textbook_router.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "isa/functions.h"
#include "moe/generator.h"
#include "moe/presets.h"
#include "moe/reference/losses_math.h"
#include "moe/reference/router.h"
#include "moe/reference/router_math.h"
#include "moe/seeded_layer.h"

namespace moescope::moe::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Mode {
  const char* name;
  Router router;
  int experts;
  int top_k;
};

const Mode kModes[] = {
    {"softmax_topk", {.mode = RouterMode::kSoftmaxTopk}, 24, 5},
    {"softmax_all", {.mode = RouterMode::kSoftmaxAll}, 24, 5},
    {"softmax_all_norm", {.mode = RouterMode::kSoftmaxAll, .norm = true}, 24, 5},
    {"sigmoid", {.mode = RouterMode::kSigmoidGroup}, 24, 5},
    {"sigmoid_norm_scale",
     {.mode = RouterMode::kSigmoidGroup, .norm = true, .routed_scale = 2.5f},
     24,
     5},
    {"sigmoid_groups",
     {.mode = RouterMode::kSigmoidGroup,
      .norm = true,
      .routed_scale = 2.5f,
      .groups = 6,
      .topk_group = 3,
      .correction_bias = true},
     24,
     5},
    {"sigmoid_groups_of_one",
     {.mode = RouterMode::kSigmoidGroup, .groups = 8, .topk_group = 4, .correction_bias = true},
     8,
     4},
    {"sqrtsoftplus", {.mode = RouterMode::kSqrtSoftplus, .correction_bias = true}, 24, 5},
    {"sqrtsoftplus_norm",
     {.mode = RouterMode::kSqrtSoftplus, .norm = true, .routed_scale = 1.5f},
     24,
     5},
    {"sigmoid_input", {.mode = RouterMode::kSigmoidInput}, 24, 1},
    {"all_experts", {.mode = RouterMode::kSoftmaxTopk}, 6, 6},
    {"one_expert", {.mode = RouterMode::kSoftmaxTopk}, 1, 1},
};

Layer LayerOf(const Mode& mode) {
  const bool input = mode.router.mode == RouterMode::kSigmoidInput;
  return {.shape = {16, 16, mode.experts, mode.top_k},
          .router = mode.router,
          .weighting = input ? Weighting::kInput : Weighting::kPre,
          .weights = WeightFormat::kBf16};
}

std::vector<float> Logits(std::uint64_t seed, int experts, float sigma = 2.0f) {
  std::vector<float> logits;
  for (int e = 0; e < experts; ++e) {
    logits.push_back(sigma * Normal(seed, Stream::kHidden, static_cast<std::uint64_t>(e)));
  }
  return logits;
}

std::vector<float> CorrectionOf(const Layer& layer, std::uint64_t seed) {
  if (!layer.router.correction_bias) return {};
  return SeededTensors(layer, seed).correction_bias;
}

class TextbookRouterTest : public testing::TestWithParam<Mode> {};

TEST_P(TextbookRouterTest, IdsAreEqualAndWeightsAgree) {
  const Layer layer = LayerOf(GetParam());
  ASSERT_TRUE(layer.shape.top_k <= layer.shape.experts);
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::vector<float> logits = Logits(seed, layer.shape.experts);
    const std::vector<float> correction = CorrectionOf(layer, seed);
    const TokenRoute<float> route = TokenRouter<Fused>(layer, correction).Route(logits);
    const std::vector<std::int32_t> ids =
        TextbookSelection<float>(layer, logits, route.scores, correction);
    ASSERT_EQ(route.experts, ids) << "seed " << seed;
    const std::vector<double> wide(logits.begin(), logits.end());
    const std::vector<double> weights = TextbookWeights<double>(layer, wide, ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      worst = std::max(worst, std::fabs(route.weights[i] - weights[i]) / weights[i]);
    }
  }
  EXPECT_LT(worst, 1e-6);
  std::printf("[  ROUTER  ] %s: largest relative error of an FP32 weight %.2e\n", GetParam().name,
              worst);
}

TEST_P(TextbookRouterTest, ScoresAreThoseOfTheMode) {
  const Layer layer = LayerOf(GetParam());
  const RouterMode mode = layer.router.mode;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<float> logits = Logits(seed, layer.shape.experts, 4.0f);
    const TokenRoute<float> route = TokenRouter<Fused>(layer, {}).Route(logits);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    for (std::size_t e = 0; e < logits.size(); ++e) {
      const double logit = logits[e];
      const bool softmax = mode == RouterMode::kSoftmaxTopk || mode == RouterMode::kSoftmaxAll;
      const double expected = softmax ? std::exp(logit) / sum : TextbookScore(mode, logit);
      EXPECT_NEAR(route.scores[e], expected, 1e-6 * expected + 1e-12);
    }
  }
}

// dl by dual numbers through the weights, the ids held.
TEST_P(TextbookRouterTest, GradientIsTheDerivativeOfTheWeights) {
  const Layer layer = LayerOf(GetParam());
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<float> narrow = Logits(seed, layer.shape.experts);
    const std::vector<double> logits(narrow.begin(), narrow.end());
    const std::vector<float> correction = CorrectionOf(layer, seed);
    const TokenRoute<double> route = TokenRouter<Exact>(layer, correction).Route(logits);
    std::vector<double> dw;
    for (std::size_t i = 0; i < route.weights.size(); ++i) {
      dw.push_back(Normal(seed, Stream::kOutputGradient, i));
    }
    const std::vector<double> dl = TokenRouterGradient<double>(layer, logits, route, dw);
    for (std::size_t e = 0; e < logits.size(); ++e) {
      std::vector<Dual> moved(logits.begin(), logits.end());
      moved[e].slope = 1;
      const std::vector<Dual> weights = TextbookWeights<Dual>(layer, moved, route.experts);
      double expected = 0;
      for (std::size_t i = 0; i < dw.size(); ++i) expected += dw[i] * weights[i].slope;
      worst = std::max(worst, std::fabs(dl[e] - expected));
    }
  }
  EXPECT_LT(worst, 1e-12);
  std::printf("[ GRADIENT ] %s: largest error %.2e\n", GetParam().name, worst);
}

// Properties of the definition, whatever the numbers.
TEST_P(TextbookRouterTest, AShiftOfAllLogitsMovesNoSoftmaxWeight) {
  const Layer layer = LayerOf(GetParam());
  const RouterMode mode = layer.router.mode;
  if (mode != RouterMode::kSoftmaxTopk && mode != RouterMode::kSoftmaxAll) return;
  std::vector<float> logits = Logits(5, layer.shape.experts);
  for (float& logit : logits) logit = Fused::Round(logit);  // so that the shift is exact
  const TokenRoute<float> before = TokenRouter<Fused>(layer, {}).Route(logits);
  for (float& logit : logits) logit += 4;
  const TokenRoute<float> after = TokenRouter<Fused>(layer, {}).Route(logits);
  EXPECT_EQ(after.experts, before.experts);
  EXPECT_EQ(after.weights, before.weights);
}

TEST_P(TextbookRouterTest, WeightsAreNonNegativeAndSumAsPromised) {
  const Layer layer = LayerOf(GetParam());
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const TokenRoute<float> route = TokenRouter<Fused>(layer, CorrectionOf(layer, seed))
                                        .Route(Logits(seed, layer.shape.experts));
    double sum = 0;
    for (const float weight : route.weights) {
      EXPECT_GE(weight, 0.0f);
      sum += weight;
    }
    if (layer.router.mode == RouterMode::kSoftmaxTopk || layer.router.norm) {
      EXPECT_NEAR(sum, layer.router.routed_scale, 1e-5);
    } else if (layer.router.mode == RouterMode::kSoftmaxAll) {
      EXPECT_LE(sum, 1 + 1e-6);
    }
  }
}

// Renaming the experts renames the ids and nothing else, as long as no keys are equal.
TEST_P(TextbookRouterTest, PermutingTheExpertsPermutesTheIds) {
  const Layer layer = LayerOf(GetParam());
  if (layer.router.groups > 1) return;  // groups are ranges of ids
  const auto experts = static_cast<std::size_t>(layer.shape.experts);
  const std::vector<float> logits = Logits(8, layer.shape.experts);
  std::vector<float> reversed(logits.rbegin(), logits.rend());
  const TokenRoute<double> a =
      TokenRouter<Exact>(layer, {}).Route(std::vector<double>(logits.begin(), logits.end()));
  const TokenRoute<double> b =
      TokenRouter<Exact>(layer, {}).Route(std::vector<double>(reversed.begin(), reversed.end()));
  for (std::size_t i = 0; i < a.experts.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(a.experts[i] + b.experts[i]), experts - 1);
    EXPECT_NEAR(a.weights[i], b.weights[i], 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TextbookRouterTest, testing::ValuesIn(kModes),
                         [](const testing::TestParamInfo<Mode>& entry) {
                           return std::string(entry.param.name);
                         });

TEST(TotalOrderOracleTest, SearchAndSortAgreeOnSpecialValuesAndTies) {
  const double specials[] = {NAN, -0.0, 0.0, kInfinity, -kInfinity, 1, -1, 1, 0.5};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::vector<double> keys;
    const auto count = 1 + Below(30, U64(seed, Stream::kPermutation, 0));
    for (std::uint64_t e = 0; e < count; ++e) {
      keys.push_back(specials[Below(std::size(specials), U64(seed, Stream::kChoice, e))]);
    }
    EXPECT_EQ(RankDescending<double>(keys), LargestKeys(keys, static_cast<int>(count)));
  }
}

TEST(TotalOrderOracleTest, AllOrdersOfFourKeysWithTies) {
  for (int code = 0; code < 81; ++code) {  // three values in four places
    std::vector<float> keys;
    for (int rest = code, i = 0; i < 4; ++i, rest /= 3)
      keys.push_back(static_cast<float>(rest % 3));
    const std::vector<std::int32_t> order = RankDescending<float>(keys);
    for (std::size_t i = 1; i < order.size(); ++i) {
      const float before = keys[static_cast<std::size_t>(order[i - 1])];
      const float after = keys[static_cast<std::size_t>(order[i])];
      EXPECT_TRUE(before > after || (before == after && order[i - 1] < order[i])) << code;
    }
  }
}

// FP32, bit for bit: every operation of 3.3 in the order written there.
TEST(RouterBitsTest, SoftmaxTopkSumsInRankOrder) {
  const Layer layer = LayerOf(kModes[0]);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<float> logits = Logits(seed, layer.shape.experts);
    const TokenRoute<float> route = TokenRouter<Fused>(layer, {}).Route(logits);
    std::vector<float> q;
    float sum = 0;
    const float m = logits[static_cast<std::size_t>(route.experts[0])];
    for (const std::int32_t id : route.experts) {
      q.push_back(isa::Exp(logits[static_cast<std::size_t>(id)] - m));
      sum += q.back();
    }
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_EQ(route.weights[i], q[i] / sum);
  }
}

TEST(RouterBitsTest, SigmoidNormAddsTheEpsilonThenScales) {
  const Layer layer = LayerOf(kModes[4]);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<float> logits = Logits(seed, layer.shape.experts);
    const TokenRoute<float> route = TokenRouter<Fused>(layer, {}).Route(logits);
    float sum = 0;
    for (const std::int32_t id : route.experts) {
      sum += 1 / (1 + isa::Exp(-logits[static_cast<std::size_t>(id)]));
    }
    for (std::size_t i = 0; i < route.experts.size(); ++i) {
      const float s = 1 / (1 + isa::Exp(-logits[static_cast<std::size_t>(route.experts[i])]));
      EXPECT_EQ(route.weights[i], s / (sum + 1e-20f) * 2.5f);
    }
  }
}

TEST(RouterBitsTest, SqrtSoftplusSwitchesAboveTwenty) {
  const auto score = [](float logit) { return TokenRouter<Fused>::SqrtSoftplus(logit); };
  EXPECT_EQ(score(20.5f), std::sqrt(20.5f));
  EXPECT_EQ(score(100.0f), 10.0f);
  EXPECT_NEAR(score(20.0f), std::sqrt(20.0f), 1e-6);  // log1p(exp(20)) = 20 + 2e-9
  EXPECT_NEAR(score(0.0f), std::sqrt(std::log(2.0)), 1e-7);
  EXPECT_EQ(score(-200.0f), 0.0f);
  EXPECT_TRUE(std::isnan(score(NAN)));
}

// Masked slots of a routed batch take no part in the gradient of the others.
TEST(RouterGradientBatchTest, EqualsTheTokensOneByOne) {
  const Layer layer = LayerOf(kModes[2]);
  F32Matrix logits(6, layer.shape.experts);
  for (std::int64_t t = 0; t < 6; ++t) {
    const std::vector<float> row = Logits(static_cast<std::uint64_t>(t) + 1, layer.shape.experts);
    std::copy(row.begin(), row.end(), logits.Row(t).begin());
  }
  RouterResult result = RouteLogits(layer, {}, logits);
  result.routing.topk_idx[7] = -1;
  result.routing.topk_w[7] = 0;
  std::vector<float> dw;
  for (std::uint64_t i = 0; i < 30; ++i) dw.push_back(Normal(3, Stream::kOutputGradient, i));
  const F32Matrix dl = RouterGradient(layer, result, dw);
  for (std::int64_t t = 0; t < 6; ++t) {
    TokenRoute<float> route;
    route.scores.assign(result.scores.Row(t).begin(), result.scores.Row(t).end());
    for (std::size_t i = static_cast<std::size_t>(5 * t); i < static_cast<std::size_t>(5 * t + 5);
         ++i) {
      route.experts.push_back(result.routing.topk_idx[i]);
      route.weights.push_back(result.routing.topk_w[i]);
    }
    const std::vector<float> row = TokenRouterGradient<float>(
        layer, logits.Row(t), route,
        std::span<const float>(dw).subspan(static_cast<std::size_t>(5 * t), 5));
    EXPECT_TRUE(std::equal(row.begin(), row.end(), dl.Row(t).begin())) << t;
  }
}

}  // namespace
}  // namespace moescope::moe::reference
