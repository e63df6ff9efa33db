#include "moe/reference/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "isa/bfloat16.h"
#include "moe/capacity.h"
#include "moe/presets.h"
#include "moe/reference/router_math.h"
#include "moe/seeded_layer.h"

namespace moescope::moe::reference {
namespace {

using testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Layer Routed(Router router, int experts, int top_k) {
  return {.shape = {16, 16, experts, top_k},
          .router = router,
          .weighting = Weighting::kPre,
          .weights = WeightFormat::kBf16};
}

RouterResult OneToken(const Layer& layer, std::vector<float> logits,
                      std::vector<float> correction = {}) {
  F32Matrix row(1, static_cast<std::int64_t>(logits.size()));
  row.values = std::move(logits);
  LayerTensors tensors;
  tensors.correction_bias = std::move(correction);
  return RouteLogits(layer, tensors, std::move(row));
}

TEST(TotalOrderTest, ExampleOfTheDesignDocument) {
  const std::vector<float> logits = {1, NAN, 2, -0.0f, 2, 0.0f, -1, 2};
  EXPECT_THAT(RankDescending<float>(logits), ElementsAre(2, 4, 7, 0, 3, 5, 6, 1));
  const RouterResult result = OneToken(Routed({.mode = RouterMode::kSoftmaxTopk}, 8, 4), logits);
  EXPECT_THAT(result.routing.topk_idx, ElementsAre(2, 4, 7, 0));
  std::vector<std::uint16_t> bits;
  for (const float w : result.routing.topk_w) bits.push_back(isa::FloatToBf16(w));
  EXPECT_THAT(bits, ElementsAre(0x3E98, 0x3E98, 0x3E98, 0x3DE0));
}

// The packed key of moe.md, 3.2, is the oracle.
TEST(TotalOrderTest, AgreesWithThePackedKey) {
  const auto key = [](float value, std::uint32_t e) {
    if (std::isnan(value)) value = -kInfinity;
    if (value == 0) value = 0.0f;
    const auto u = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t ordered = (u >> 31) != 0 ? ~u : u | 0x80000000u;
    return std::uint64_t{ordered} << 32 | (0xFFFFFFFFu - e);
  };
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<float> logits;
    for (std::uint64_t e = 0; e < 40; ++e) {
      const std::uint64_t draw = U64(seed, Stream::kChoice, e);
      const float special[] = {NAN, -0.0f, 0.0f, kInfinity, -kInfinity, 1.0f, -1.0f};
      logits.push_back(draw % 3 == 0 ? special[draw / 3 % 7] : Normal(seed, Stream::kHidden, e));
    }
    std::vector<std::int32_t> order = RankDescending<float>(logits);
    for (std::size_t i = 1; i < order.size(); ++i) {
      const auto a = static_cast<std::uint32_t>(order[i - 1]);
      const auto b = static_cast<std::uint32_t>(order[i]);
      EXPECT_GT(key(logits[a], a), key(logits[b], b));
    }
  }
}

TEST(RouterTest, GroupsOfTheDesignDocument) {
  Router router{.mode = RouterMode::kSigmoidGroup, .norm = true, .groups = 2, .topk_group = 1};
  const std::vector<float> s = {.9f, .1f, .2f, .8f, .5f, .6f, .55f, .1f};
  std::vector<float> logits;
  for (const float score : s) logits.push_back(std::log(score / (1 - score)));
  const RouterResult result = OneToken(Routed(router, 8, 3), logits, {0, 0, 0, -1, 0, 0, 0, 0});
  EXPECT_THAT(result.routing.topk_idx, ElementsAre(5, 6, 4));
  EXPECT_NEAR(result.routing.topk_w[0], .6 / 1.65, 1e-6);
}

TEST(RouterTest, ExpertsOutsideTheKeptGroupsLoseAgainstNegativeKeys) {
  Router router{
      .mode = RouterMode::kSigmoidGroup, .groups = 2, .topk_group = 1, .correction_bias = true};
  // Group 0 is kept although all its keys are negative.
  const RouterResult result = OneToken(Routed(router, 4, 2), {0, 0, 0, 0}, {-1, -1, -2, -2});
  EXPECT_THAT(result.routing.topk_idx, ElementsAre(0, 1));
  EXPECT_THAT(result.routing.topk_w, ElementsAre(0.5f, 0.5f));  // unbiased scores
}

TEST(RouterTest, TiesBetweenGroupsGoToTheLowerGroup) {
  Router router{.mode = RouterMode::kSigmoidGroup, .groups = 4, .topk_group = 2};
  const RouterResult result = OneToken(Routed(router, 4, 2), {1, 2, 2, 2});
  EXPECT_THAT(result.routing.topk_idx, ElementsAre(1, 2));
}

TEST(RouterTest, ClosedForms) {
  const std::vector<float> logits = {0.0f, std::log(2.0f), std::log(4.0f), std::log(1.0f)};
  const auto weights = [&](Router router, int k) {
    return OneToken(Routed(router, 4, k), logits).routing.topk_w;
  };
  EXPECT_NEAR(weights({.mode = RouterMode::kSoftmaxTopk}, 2)[0], 4.0 / 6, 1e-6);
  EXPECT_NEAR(weights({.mode = RouterMode::kSoftmaxAll}, 2)[0], 4.0 / 8, 1e-6);
  EXPECT_NEAR(weights({.mode = RouterMode::kSoftmaxAll, .norm = true}, 2)[0], 4.0 / 6, 1e-6);
  EXPECT_NEAR(weights({.mode = RouterMode::kSigmoidInput}, 1)[0], 4.0 / 5, 1e-6);
  EXPECT_NEAR(weights({.mode = RouterMode::kSigmoidGroup, .routed_scale = 2}, 1)[0], 8.0 / 5, 1e-6);
  EXPECT_NEAR(weights({.mode = RouterMode::kSqrtSoftplus}, 1)[0], std::sqrt(std::log(5.0)), 1e-6);
  EXPECT_NEAR(weights({.mode = RouterMode::kSqrtSoftplus, .norm = true, .routed_scale = 3}, 1)[0],
              3.0, 1e-6);
}

TEST(RouterTest, SumsThatAreNotUsableGiveZeroWeights) {
  const std::vector<float> none(4, -kInfinity);
  for (const auto mode : {RouterMode::kSoftmaxTopk, RouterMode::kSoftmaxAll,
                          RouterMode::kSigmoidGroup, RouterMode::kSqrtSoftplus}) {
    const RouterResult result = OneToken(Routed({.mode = mode, .norm = true}, 4, 2), none);
    EXPECT_THAT(result.routing.topk_w, ElementsAre(0.0f, 0.0f));
    EXPECT_THAT(result.routing.topk_idx, ElementsAre(0, 1));
  }
  const std::vector<float> large(4, kInfinity);
  EXPECT_THAT(OneToken(Routed({.mode = RouterMode::kSoftmaxTopk}, 4, 2), large).routing.topk_w,
              ElementsAre(0.0f, 0.0f));
}

TEST(RouterTest, SoftmaxAllSelectsOnTheLogits) {
  // Both scores underflow to zero; the larger logit still wins.
  const RouterResult result =
      OneToken(Routed({.mode = RouterMode::kSoftmaxAll}, 3, 3), {-300, 0, -200});
  EXPECT_THAT(result.routing.topk_idx, ElementsAre(1, 2, 0));
}

TEST(RouterTest, LogitsBiasesAndRoundings) {
  Layer layer = Routed({.mode = RouterMode::kSoftmaxTopk, .logit_bias = true}, 6, 2);
  const LayerTensors tensors = SeededTensors(layer, 4);
  const Bf16Matrix x = SeededHidden(layer, 5, 4);
  const RouterResult exact = Route(layer, tensors, x, {});
  const RouterResult rounded = Route(layer, tensors, x, {{16}, true, true});
  for (std::int64_t t = 0; t < 5; ++t) {
    for (std::int64_t e = 0; e < 6; ++e) {
      double sum = tensors.router_bias[static_cast<std::size_t>(e)];
      for (std::int64_t h = 0; h < 16; ++h) {
        sum += static_cast<double>(isa::Bf16ToFloat(x.At(t, h))) * tensors.router.At(e, h);
      }
      EXPECT_NEAR(exact.logits.At(t, e), sum, 1e-6);
      EXPECT_EQ(rounded.logits.At(t, e), Fused::Round(rounded.logits.At(t, e)));
    }
  }
  for (const float w : rounded.routing.topk_w) EXPECT_EQ(w, Fused::Round(w));
  EXPECT_TRUE(Check(exact.routing).ok());
}

TEST(RouterTest, EveryPresetRoutesToValidIds) {
  for (const Preset& preset : Presets()) {
    Layer layer = Scaled(preset.layer, 256, 16);
    const LayerTensors tensors = SeededTensors(layer, 2);
    const RouterResult result = Route(layer, tensors, SeededHidden(layer, 3, 2), {});
    EXPECT_TRUE(Check(result.routing).ok()) << preset.name;
    float sum = 0;
    for (int k = 0; k < layer.shape.top_k; ++k) {
      sum += result.routing.topk_w[static_cast<std::size_t>(k)];
    }
    if (layer.router.norm) {
      EXPECT_NEAR(sum, layer.router.routed_scale, 1e-5) << preset.name;
    }
  }
}

TEST(CapacityTest, KeepsTheLargestOrTheFirst) {
  const Routing routing{.tokens = 4,
                        .top_k = 1,
                        .experts = 2,
                        .topk_idx = {0, 0, 0, 1},
                        .topk_w = {0.5f, 0.25f, 0.5f, 1.0f}};
  EXPECT_EQ(Capacity(routing, 1.0), 2);
  EXPECT_EQ(Capacity(routing, 1.01), 3);
  Routing probabilities = routing;
  EXPECT_EQ(DropBeyondCapacity(probabilities, 0.5, Drop::kProbabilities), 2);
  EXPECT_THAT(probabilities.topk_idx, ElementsAre(0, -1, -1, 1));  // tie: the lower pair stays
  EXPECT_THAT(probabilities.topk_w, ElementsAre(0.5f, 0.0f, 0.0f, 1.0f));
  Routing position = routing;
  EXPECT_EQ(DropBeyondCapacity(position, 1.0, Drop::kPosition), 1);
  EXPECT_THAT(position.topk_idx, ElementsAre(0, 0, -1, 1));
  Routing all = routing;
  EXPECT_EQ(DropBeyondCapacity(all, 10, Drop::kPosition), 0);
  EXPECT_EQ(all, routing);
  EXPECT_EQ(DropBeyondCapacity(all, 0, Drop::kPosition), 4);
}

TEST(TokenSumTest, FollowsTheFixedOrder) {
  for (const std::int64_t tokens : {0, 1, 31, 32, 33, 256, 257, 700}) {
    std::vector<float> values;
    for (std::int64_t t = 0; t < tokens; ++t) {
      values.push_back(Normal(1, Stream::kHidden, static_cast<std::uint64_t>(t)));
    }
    float total = 0;
    for (std::size_t block = 0; block < values.size(); block += 256) {
      std::vector<float> lanes(32);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        for (std::size_t t = lane; t < 256 && block + t < values.size(); t += 32) {
          lanes[lane] += values[block + t];
        }
      }
      while (lanes.size() > 1) {
        const std::size_t half = lanes.size() / 2;
        for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
        lanes.resize(half);
      }
      total += lanes[0];
    }
    EXPECT_EQ(SumOverTokens<float>(
                  tokens, [&](std::int64_t t) { return values[static_cast<std::size_t>(t)]; }),
              total);
  }
}

}  // namespace
}  // namespace moescope::moe::reference
