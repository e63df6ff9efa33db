#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "moe/capacity.h"
#include "moe/reference/losses_math.h"
#include "moe/reference/router.h"
#include "moe/seeded_layer.h"
#include "tests/moe/reference/textbook_router.h"

// Auxiliary and z loss (moe.md, 3.5) against the textbook and its derivatives, and properties that
// follow from the definition.

namespace moescope::moe::reference {
namespace {

constexpr int kExperts = 9;
constexpr int kTopK = 3;

Layer LayerOf(RouterMode mode) {
  return {.shape = {16, 16, kExperts, kTopK},
          .router = {.mode = mode},
          .weighting = Weighting::kPre,
          .weights = WeightFormat::kBf16};
}

F32Matrix SeededLogits(std::int64_t tokens, std::uint64_t seed) {
  F32Matrix logits(tokens, kExperts);
  for (std::size_t i = 0; i < logits.values.size(); ++i) {
    logits.values[i] = Normal(seed, Stream::kHidden, i);
  }
  return logits;
}

// c_aux sum f_e P_e + c_z mean lse^2 of logits, the counts held.
template <typename S>
S TextbookLosses(RouterMode mode, const std::vector<std::vector<S>>& logits,
                 const std::vector<std::int64_t>& counts, double aux, double z) {
  using std::exp;
  using std::log;
  const auto tokens = static_cast<double>(logits.size());
  std::vector<S> mean(kExperts, S(0));
  S squares(0);
  for (const std::vector<S>& row : logits) {
    const bool softmax = mode == RouterMode::kSoftmaxTopk || mode == RouterMode::kSoftmaxAll;
    std::vector<S> scores;
    S sum(0);
    S exponentials(0);
    for (const S logit : row) {
      scores.push_back(softmax ? exp(logit) : TextbookScore(mode, logit));
      sum += scores.back();
      exponentials += exp(logit);
    }
    for (std::size_t e = 0; e < row.size(); ++e) mean[e] += scores[e] / sum / S(tokens);
    const S lse = log(exponentials);
    squares += lse * lse;
  }
  S balance(0);
  for (std::size_t e = 0; e < mean.size(); ++e) {
    const double f = kExperts / (kTopK * tokens) * static_cast<double>(counts[e]);
    balance += S(f) * mean[e];
  }
  return S(aux) * balance + S(z) * squares / S(tokens);
}

class LossesTest : public testing::TestWithParam<RouterMode> {};

TEST_P(LossesTest, ValuesAndGradientsAgreeWithTheTextbook) {
  const Layer layer = LayerOf(GetParam());
  double worst = 0;
  for (const std::int64_t tokens : {1, 2, 7}) {
    const F32Matrix narrow = SeededLogits(tokens, 4);
    const RouterResult result = RouteLogits(layer, {}, narrow);
    const std::vector<std::int64_t> counts = CountPerExpert(result.routing);
    std::vector<std::vector<double>> logits;
    Matrix<double> wide(tokens, kExperts);
    Matrix<double> scores(tokens, kExperts);
    for (std::int64_t t = 0; t < tokens; ++t) {
      logits.emplace_back(narrow.Row(t).begin(), narrow.Row(t).end());
      const std::vector<double> row = TokenRouter<Exact>(layer, {}).Route(logits.back()).scores;
      std::copy(logits.back().begin(), logits.back().end(), wide.Row(t).begin());
      std::copy(row.begin(), row.end(), scores.Row(t).begin());
    }
    const LossValues<double> values =
        LossPass<Exact>({layer, wide, scores, counts, {0.5f, 0.25f}}).Run();
    EXPECT_NEAR(values.aux + values.z, TextbookLosses(GetParam(), logits, counts, 0.5, 0.25),
                1e-12);
    for (std::int64_t t = 0; t < tokens; ++t) {
      for (std::size_t e = 0; e < kExperts; ++e) {
        std::vector<std::vector<Dual>> moved;
        for (const std::vector<double>& row : logits) moved.emplace_back(row.begin(), row.end());
        moved[static_cast<std::size_t>(t)][e].slope = 1;
        const double slope = TextbookLosses(GetParam(), moved, counts, 0.5, 0.25).slope;
        worst = std::max(worst, std::fabs(slope - values.dl.Row(t)[e]));
      }
    }
    const Losses single = RouterLosses(layer, result, {0.5f, 0.25f});
    EXPECT_NEAR(single.aux, values.aux, 1e-5);
    EXPECT_NEAR(single.z, values.z, 1e-5);
    for (std::size_t i = 0; i < single.dl.values.size(); ++i) {
      EXPECT_NEAR(single.dl.values[i], values.dl.values[i], 1e-5);
    }
  }
  EXPECT_LT(worst, 1e-12);
  std::printf("[ GRADIENT ] losses: largest error %.2e\n", worst);
}

// Each loss alone, and their sum.
TEST_P(LossesTest, TheTwoLossesAddUp) {
  const Layer layer = LayerOf(GetParam());
  const RouterResult result = RouteLogits(layer, {}, SeededLogits(6, 2));
  const Losses both = RouterLosses(layer, result, {0.5f, 0.25f});
  const Losses aux = RouterLosses(layer, result, {0.5f, 0});
  const Losses z = RouterLosses(layer, result, {0, 0.25f});
  EXPECT_EQ(both.aux, aux.aux);
  EXPECT_EQ(both.z, z.z);
  EXPECT_EQ(aux.z, 0);
  EXPECT_EQ(z.aux, 0);
  for (std::size_t i = 0; i < both.dl.values.size(); ++i) {
    EXPECT_NEAR(both.dl.values[i], aux.dl.values[i] + z.dl.values[i], 1e-6);
  }
}

TEST_P(LossesTest, CoefficientsArePowersOfTwoExact) {
  const Layer layer = LayerOf(GetParam());
  const RouterResult result = RouteLogits(layer, {}, SeededLogits(6, 2));
  const Losses one = RouterLosses(layer, result, {1, 1});
  const Losses quarter = RouterLosses(layer, result, {0.25f, 0.25f});
  EXPECT_EQ(quarter.aux, one.aux / 4);
  EXPECT_EQ(quarter.z, one.z / 4);
  for (std::size_t i = 0; i < one.dl.values.size(); ++i) {
    EXPECT_EQ(quarter.dl.values[i], one.dl.values[i] / 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, LossesTest,
                         testing::Values(RouterMode::kSoftmaxTopk, RouterMode::kSoftmaxAll,
                                         RouterMode::kSigmoidGroup, RouterMode::kSqrtSoftplus));

TEST(AuxLossTest, GradientsOfATokenSumToZeroUnderSoftmax) {
  const Layer layer = LayerOf(RouterMode::kSoftmaxAll);
  const RouterResult result = RouteLogits(layer, {}, SeededLogits(8, 5));
  const Losses losses = RouterLosses(layer, result, {1, 0});
  for (std::int64_t t = 0; t < 8; ++t) {
    double sum = 0;
    for (const float gradient : losses.dl.Row(t)) sum += gradient;
    EXPECT_NEAR(sum, 0, 1e-6) << t;
  }
}

// f counts slots before capacity drops: dropping afterwards must not be seen.
TEST(AuxLossTest, CapacityDropsComeLater) {
  const Layer layer = LayerOf(RouterMode::kSoftmaxTopk);
  const RouterResult before = RouteLogits(layer, {}, SeededLogits(32, 6));
  RouterResult after = before;
  EXPECT_GT(DropBeyondCapacity(after.routing, 0.5, Drop::kProbabilities), 0);
  EXPECT_NE(RouterLosses(layer, after, {1, 0}).aux, RouterLosses(layer, before, {1, 0}).aux);
  EXPECT_NE(CountPerExpert(after.routing), CountPerExpert(before.routing));
}

TEST(AuxLossTest, IsSmallestWhenRoutingIsBalanced) {
  const Layer layer = LayerOf(RouterMode::kSoftmaxTopk);
  const auto aux = [&](bool collapsed) {
    F32Matrix logits(9, kExperts);
    for (std::int64_t t = 0; t < 9; ++t) {
      for (std::int64_t e = 0; e < kExperts; ++e) {
        const std::int64_t place = collapsed ? e : (e + t) % kExperts;
        logits.At(t, e) = static_cast<float>(place);
      }
    }
    return RouterLosses(layer, RouteLogits(layer, {}, logits), {1, 0}).aux;
  };
  EXPECT_NEAR(aux(false), 1, 1e-5);  // sum over e of 1 * 1/E
  EXPECT_GT(aux(true), 2.5f);
}

TEST(ZLossTest, GrowsWithTheLogitsAndKnowsItsClosedForm) {
  const Layer layer = LayerOf(RouterMode::kSoftmaxTopk);
  for (const float level : {0.0f, 1.0f, 10.0f, 50.0f}) {
    const F32Matrix logits(4, kExperts, level);
    const Losses losses = RouterLosses(layer, RouteLogits(layer, {}, logits), {0, 1});
    const double lse = level + std::log(9.0);
    EXPECT_NEAR(losses.z, lse * lse, 1e-4 * lse * lse);
    for (const float gradient : losses.dl.values) {
      EXPECT_NEAR(gradient, 2.0 / 4 * lse / 9, 1e-5 * lse);
    }
  }
}

// Sums over more than one block of 256 tokens follow the fixed order, so equal tokens in another
// place give a loss that differs at most in rounding.
TEST(LossOrderTest, ManyTokens) {
  const Layer layer = LayerOf(RouterMode::kSoftmaxTopk);
  for (const std::int64_t tokens : {255, 256, 257, 600}) {
    F32Matrix logits = SeededLogits(tokens, 12);
    const Losses forward = RouterLosses(layer, RouteLogits(layer, {}, logits), {1, 1});
    F32Matrix reversed(tokens, kExperts);
    for (std::int64_t t = 0; t < tokens; ++t) {
      std::copy(logits.Row(t).begin(), logits.Row(t).end(), reversed.Row(tokens - 1 - t).begin());
    }
    const Losses backward = RouterLosses(layer, RouteLogits(layer, {}, reversed), {1, 1});
    EXPECT_NEAR(forward.aux, backward.aux, 1e-5);
    EXPECT_NEAR(forward.z, backward.z, 1e-4);
    EXPECT_EQ(RouterLosses(layer, RouteLogits(layer, {}, logits), {1, 1}).z, forward.z);
  }
}

}  // namespace
}  // namespace moescope::moe::reference
