#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "moe/generator.h"
#include "moe/reference/losses_math.h"
#include "moe/reference/router_math.h"

namespace moescope::moe::reference {
namespace {

constexpr int kExperts = 7;
constexpr int kTopK = 3;
constexpr int kTokens = 5;

struct Mode {
  RouterMode mode;
  bool norm;
};
constexpr Mode kModes[] = {
    {RouterMode::kSoftmaxTopk, false}, {RouterMode::kSoftmaxAll, false},
    {RouterMode::kSoftmaxAll, true},   {RouterMode::kSigmoidGroup, false},
    {RouterMode::kSigmoidGroup, true}, {RouterMode::kSqrtSoftplus, false},
    {RouterMode::kSqrtSoftplus, true},
};

Layer LayerOf(Mode mode) {
  Layer layer{.shape = {16, 16, kExperts, kTopK},
              .router = {.mode = mode.mode, .norm = mode.norm},
              .weighting = Weighting::kPre,
              .weights = WeightFormat::kBf16};
  if (mode.mode == RouterMode::kSigmoidGroup || mode.mode == RouterMode::kSqrtSoftplus) {
    layer.router.routed_scale = 2.5f;
  }
  return layer;
}

std::vector<double> Normals(std::uint64_t seed, std::size_t count) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(Normal(seed, Stream::kHidden, i));
  return values;
}

double Relative(double a, double b) {
  return std::fabs(a - b) / std::max(1e-3, std::max(std::fabs(a), std::fabs(b)));
}

class RouterGradientTest : public testing::TestWithParam<Mode> {};

TEST_P(RouterGradientTest, AgreesWithFiniteDifferences) {
  constexpr double kStep = 1e-5;
  const Layer layer = LayerOf(GetParam());
  const TokenRouter<Exact> router(layer, {});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<double> logits = Normals(seed, kExperts);
    const std::vector<double> dw = Normals(seed + 100, kTopK);
    const TokenRoute<double> route = router.Route(logits);
    const std::vector<double> dl = TokenRouterGradient<double>(layer, logits, route, dw);
    const auto loss = [&] {
      const TokenRoute<double> moved = router.Route(logits);
      EXPECT_EQ(moved.experts, route.experts);
      double sum = 0;
      for (std::size_t i = 0; i < dw.size(); ++i) sum += dw[i] * moved.weights[i];
      return sum;
    };
    for (std::size_t e = 0; e < kExperts; ++e) {
      const double centre = logits[e];
      logits[e] = centre + kStep;
      const double above = loss();
      logits[e] = centre - kStep;
      const double below = loss();
      logits[e] = centre;
      EXPECT_LT(Relative(dl[e], (above - below) / (2 * kStep)), 1e-6) << "expert " << e;
    }
  }
}

TEST_P(RouterGradientTest, MaskedSlotsHaveNone) {
  const Layer layer = LayerOf(GetParam());
  const std::vector<double> logits = Normals(3, kExperts);
  TokenRoute<double> route = TokenRouter<Exact>(layer, {}).Route(logits);
  for (std::size_t i = 0; i < kTopK; ++i) {
    route.experts[i] = -1;
    route.weights[i] = 0;
  }
  for (const double gradient :
       TokenRouterGradient<double>(layer, logits, route, Normals(4, kTopK))) {
    EXPECT_EQ(gradient, 0);
  }
}

// The gradient of the two losses together, through the scores of every expert.
TEST_P(RouterGradientTest, LossesAgreeWithFiniteDifferences) {
  constexpr double kStep = 1e-5;
  const Layer layer = LayerOf(GetParam());
  const TokenRouter<Exact> router(layer, {});
  Matrix<double> logits(kTokens, kExperts);
  logits.values = Normals(8, kTokens * kExperts);
  const std::vector<std::int64_t> counts = {3, 0, 5, 1, 2, 4, 0};
  const auto run = [&] {
    Matrix<double> scores(kTokens, kExperts);
    for (std::int64_t t = 0; t < kTokens; ++t) {
      const std::vector<double> row = router.Route(logits.Row(t)).scores;
      std::copy(row.begin(), row.end(), scores.Row(t).begin());
    }
    return LossPass<Exact>({layer, logits, scores, counts, {0.5f, 0.25f}}).Run();
  };
  const LossValues<double> values = run();
  EXPECT_GT(values.aux, 0);
  EXPECT_GT(values.z, 0);
  for (std::size_t i = 0; i < logits.values.size(); ++i) {
    const double centre = logits.values[i];
    logits.values[i] = centre + kStep;
    const LossValues<double> above = run();
    logits.values[i] = centre - kStep;
    const LossValues<double> below = run();
    logits.values[i] = centre;
    const double difference = (above.aux + above.z - below.aux - below.z) / (2 * kStep);
    EXPECT_LT(Relative(values.dl.values[i], difference), 1e-6) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RouterGradientTest, testing::ValuesIn(kModes));

TEST(LossesTest, ClosedForms) {
  const Layer layer = LayerOf({RouterMode::kSoftmaxTopk, false});
  // Uniform logits and balanced counts: P_e = 1/E, sum f_e = E, L_aux = c; lse = log E.
  const Matrix<double> logits(kTokens, kExperts);
  const Matrix<double> scores(kTokens, kExperts, 1.0 / kExperts);
  const std::vector<std::int64_t> counts = {3, 2, 2, 2, 2, 2, 2};
  const LossValues<double> values =
      LossPass<Exact>({layer, logits, scores, counts, {0.5f, 2.0f}}).Run();
  EXPECT_NEAR(values.aux, 0.5, 1e-12);
  EXPECT_NEAR(values.z, 2 * std::log(7.0) * std::log(7.0), 1e-12);
}

TEST(LossesTest, NoTokensNoLoss) {
  const Layer layer = LayerOf({RouterMode::kSoftmaxTopk, false});
  const Matrix<double> none(0, kExperts);
  const LossValues<double> values =
      LossPass<Exact>({layer, none, none, std::vector<std::int64_t>(kExperts), {1, 1}}).Run();
  EXPECT_EQ(values.aux, 0);
  EXPECT_EQ(values.z, 0);
  EXPECT_EQ(values.dl.rows, 0);
}

}  // namespace
}  // namespace moescope::moe::reference
