#include "moe/reference/stepwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "isa/bfloat16.h"
#include "isa/functions.h"
#include "moe/compare.h"
#include "moe/reference/reference.h"
#include "moe/reference/stepwise_router.h"
#include "tests/moe/reference/small_layer.h"

// Profile `stepwise` a third time (the emulator is the second): scalar by scalar from moe.md, 5.3,
// for any plan of K chunks; the example of the document; and what the plan may and may not change.

namespace moescope::moe::reference {
namespace {

using Row = std::vector<float>;

constexpr int kTile = 4;

float Bf(float value) { return isa::Bf16ToFloat(isa::FloatToBf16(value)); }
Row Wide(std::span<const std::uint16_t> bits) {
  Row row;
  for (const std::uint16_t b : bits) row.push_back(isa::Bf16ToFloat(b));
  return row;
}

// p_0 + p_1 + ..., every chunk and every sum rounded.
float Project(const Row& x, const Row& w, const std::vector<int>& chunks) {
  float p = 0;
  std::size_t at = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    float accumulator = 0;
    for (int tile = 0; tile < chunks[c]; ++tile) {
      float chain = 0;
      for (int k = 0; k < kTile; ++k, ++at) chain = std::fma(x[at], w[at], chain);
      accumulator += chain;
    }
    p = c == 0 ? Bf(accumulator) : Bf(p + Bf(accumulator));
  }
  return p;
}

float Exp88(float t) { return Bf(isa::Exp(std::fmin(std::fmax(t, -88.0f), 88.0f))); }

// h before the route weight.
float Hidden(Activation activation, std::optional<float> clamp, float g, float u) {
  if (clamp.has_value()) {
    g = std::fmin(g, *clamp);
    u = std::fmax(std::fmin(u, *clamp), -*clamp);
  }
  if (activation == Activation::kGegluTanh) {
    float z = Bf(g * Bf(0.044715f));
    z = Bf(Bf(z * g) * g);
    z = Bf(Bf(z + g) * Bf(0.79788456f));
    const float inverse = Bf(1 / Bf(Exp88(Bf(z * 2)) + 1));
    const float factor = Bf(Bf(Bf(inverse * -2) + 1) + 1);
    return Bf(u * Bf(Bf(g * 0.5f) * factor));
  }
  const float slope = activation == Activation::kGptOss ? -1.703125f : -1.0f;
  const float t = Bf(1 / Bf(Exp88(Bf(g * slope)) + 1));
  if (activation == Activation::kGptOss) u = Bf(u + 1);
  return Bf(u * Bf(g * t));
}

Row ExpertRow(const SmallLayer& small, const Layer& layer, const StepwisePlan& plan,
              std::size_t pair) {
  const auto token = static_cast<std::int64_t>(pair) / layer.shape.top_k;
  const int expert = small.routing.topk_idx[pair];
  const float w = Bf(small.routing.topk_w[pair]);
  const ExpertMatrices m = *small.experts.Load(expert);
  const auto bias = [&](const Bf16Matrix& table, std::int64_t i, float value) {
    return layer.expert_bias ? Bf(value + isa::Bf16ToFloat(table.At(expert, i))) : value;
  };
  Row x = Wide(small.x.Row(token));
  for (float& value : x) {
    if (plan.gather_adds) value = Bf(0.0f + value);
    if (layer.weighting == Weighting::kInput) value = Bf(value * w);
  }
  Row h;
  for (std::int64_t i = 0; i < layer.shape.intermediate; ++i) {
    const float g =
        bias(small.tensors.gate_bias, i, Project(x, Wide(m.gate.Row(i)), plan.hidden_chunks));
    const float u =
        bias(small.tensors.up_bias, i, Project(x, Wide(m.up.Row(i)), plan.hidden_chunks));
    const float hidden = Hidden(layer.activation, layer.clamp, g, u);
    h.push_back(layer.weighting == Weighting::kPre ? Bf(hidden * w) : hidden);
  }
  Row o;
  for (std::int64_t n = 0; n < layer.shape.hidden; ++n) {
    const float down =
        bias(small.tensors.down_bias, n, Project(h, Wide(m.down.Row(n)), plan.intermediate_chunks));
    o.push_back(layer.weighting == Weighting::kPost ? Bf(down * w) : down);
  }
  return o;
}

Row SharedRow(const SmallLayer& small, const Layer& layer, const StepwisePlan& plan, const Row& x) {
  const LayerTensors& t = small.tensors;
  Row h;
  for (std::int64_t i = 0; i < layer.shared->intermediate; ++i) {
    h.push_back(Hidden(layer.activation, layer.clamp,
                       Project(x, Wide(t.shared_gate.Row(i)), plan.hidden_chunks),
                       Project(x, Wide(t.shared_up.Row(i)), plan.hidden_chunks)));
  }
  float sigma = 1;
  if (layer.shared->gate) {
    float logit = 0;
    for (std::size_t first = 0; first < x.size(); first += kTile) {
      float products[kTile];
      for (std::size_t k = 0; k < kTile; ++k) {
        products[k] = Bf(x[first + k] * isa::Bf16ToFloat(t.shared_gate_vector[first + k]));
      }
      logit = Bf(logit + ((products[0] + products[1]) + (products[2] + products[3])));
    }
    sigma = Bf(1 / Bf(Exp88(Bf(0.0f - logit)) + 1));
  }
  Row ys;
  for (std::int64_t n = 0; n < layer.shape.hidden; ++n) {
    const float ays = Project(h, Wide(t.shared_down.Row(n)), plan.shared_intermediate_chunks);
    ys.push_back(layer.shared->gate ? Bf(ays * sigma) : ays);
  }
  return ys;
}

Bf16Matrix Third(const SmallLayer& small, const Layer& layer, const StepwisePlan& plan) {
  Bf16Matrix y(small.routing.tokens, layer.shape.hidden);
  for (std::int64_t t = 0; t < small.routing.tokens; ++t) {
    Row sum(static_cast<std::size_t>(layer.shape.hidden));
    const auto add = [&](const Row& row) {
      for (std::size_t n = 0; n < sum.size(); ++n) sum[n] = Bf(sum[n] + row[n]);
    };
    for (int k = 0; k < layer.shape.top_k; ++k) {
      const auto pair = static_cast<std::size_t>(t * layer.shape.top_k + k);
      if (small.routing.topk_idx[pair] >= 0) add(ExpertRow(small, layer, plan, pair));
    }
    const Row x = Wide(small.x.Row(t));
    if (layer.shared.has_value()) add(SharedRow(small, layer, plan, x));
    for (std::size_t n = 0; n < sum.size(); ++n) {
      const bool residual = plan.residual == Residual::kAdd;
      y.Row(t)[n] = isa::FloatToBf16(residual ? Bf(x[n] + sum[n]) : sum[n]);
    }
  }
  return y;
}

// `tiles` cut at random places.
std::vector<int> RandomChunks(int tiles, std::uint64_t seed) {
  std::vector<int> chunks;
  for (std::uint64_t i = 0; tiles > 0; ++i) {
    const int part = 1 + static_cast<int>(Below(static_cast<std::uint64_t>(tiles),
                                                U64(seed, Stream::kChoice, i)));
    chunks.push_back(part);
    tiles -= part;
  }
  return chunks;
}

StepwisePlan PlanOf(const Layer& layer, std::uint64_t seed) {
  StepwisePlan plan{.tile = kTile};
  plan.hidden_chunks = RandomChunks(layer.shape.hidden / kTile, seed);
  plan.intermediate_chunks = RandomChunks(layer.shape.intermediate / kTile, seed + 1);
  if (layer.shared.has_value()) {
    plan.shared_intermediate_chunks = RandomChunks(layer.shared->intermediate / kTile, seed + 2);
  }
  plan.gather_adds = seed % 2 == 0;
  plan.residual = seed % 3 == 0 ? Residual::kAdd : Residual::kNone;
  return plan;
}

StepwiseOutputs Twin(const SmallLayer& small, const StepwisePlan& plan) {
  absl::StatusOr<StepwiseOutputs> outputs =
      Stepwise({small.layer, plan, small.tensors, small.experts, small.x, &small.routing});
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  return *std::move(outputs);
}

class StepwiseTest : public testing::TestWithParam<int> {};

TEST_P(StepwiseTest, EqualsTheThirdImplementation) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const Activation activations[] = {Activation::kSwiglu, Activation::kGptOss,
                                    Activation::kGegluTanh};
  const Weighting::Kind weightings[] = {Weighting::kPre, Weighting::kPost, Weighting::kInput};
  Layer layer = TinyLayer(activations[seed % 3], weightings[seed / 3 % 3]);
  layer.router = {.mode = RouterMode::kGiven};
  layer.expert_bias = seed % 2 == 1;
  if (seed % 4 < 2) layer.clamp = 0.5f;
  if (seed % 5 != 0) layer.shared = SharedExpert{12, seed % 5 > 2};
  const SmallLayer small(layer, 4, seed);
  const StepwisePlan plan = PlanOf(layer, seed);
  EXPECT_EQ(Twin(small, plan).y, Third(small, layer, plan));
}

INSTANTIATE_TEST_SUITE_P(Seeds, StepwiseTest, testing::Range(1, 61));

Layer GivenLayer(Weighting weighting = Weighting::kPre) {
  Layer layer = TinyLayer(Activation::kSwiglu, weighting);
  layer.router = {.mode = RouterMode::kGiven};
  return layer;
}

StepwisePlan WholePlan(const Layer& layer) {
  StepwisePlan plan{.tile = kTile};
  plan.hidden_chunks = {layer.shape.hidden / kTile};
  plan.intermediate_chunks = {layer.shape.intermediate / kTile};
  return plan;
}

// g = 1.5, u = -0.75 from one-hot weights: the numbers of moe.md, 5.3.
TEST(StepwiseExampleTest, SwigluOfTheDesignDocument) {
  class Fixed : public ExpertSource {
   public:
    absl::StatusOr<ExpertMatrices> Load(int) const override {
      ExpertMatrices m{Bf16Matrix(16, 24), Bf16Matrix(16, 24), Bf16Matrix(24, 16)};
      m.gate.At(0, 0) = isa::FloatToBf16(1.5f);
      m.up.At(0, 0) = isa::FloatToBf16(-0.75f);
      m.down.At(0, 0) = isa::FloatToBf16(1.0f);
      return m;
    }
  };
  const Layer layer = GivenLayer();
  SmallLayer small(layer, 1, 1, Values::kRandom, "single");
  small.x = Bf16Matrix(1, 24);
  small.x.At(0, 0) = isa::FloatToBf16(1.0f);
  small.routing.topk_idx = {0, -1};
  small.routing.topk_w = {0.625f, 0};
  const Fixed experts;
  const StepwisePlan plan = WholePlan(layer);
  const StepwiseOutputs pre =
      *Stepwise({layer, plan, small.tensors, experts, small.x, &small.routing});
  EXPECT_EQ(pre.gate.At(0, 0), 0x3F9E);
  EXPECT_EQ(pre.hidden.At(0, 0), 0xBF14);
  const Layer post = GivenLayer(Weighting::kPost);
  const StepwiseOutputs unweighted =
      *Stepwise({post, plan, small.tensors, experts, small.x, &small.routing});
  EXPECT_EQ(unweighted.hidden.At(0, 0), 0xBF6D);
}

TEST(StepwisePlanTest, OneChunkPerTileRoundsMoreOftenThanOneChunk) {
  Layer layer = GivenLayer();
  layer.shape = {96, 64, 5, 2};
  const SmallLayer small(layer, 6, 3);
  StepwisePlan fine = WholePlan(layer);
  fine.hidden_chunks.assign(24, 1);
  fine.intermediate_chunks.assign(16, 1);
  const Bf16Matrix whole = Twin(small, WholePlan(layer)).y;
  const Bf16Matrix split = Twin(small, fine).y;
  const Bf16Matrix truth = small.Run(kIdeal).y;
  EXPECT_NE(whole, split);
  EXPECT_LT(Compare(whole, truth).relative_l2, Compare(split, truth).relative_l2);
}

TEST(StepwisePlanTest, GatherAddsTurnsMinusZeroIntoZero) {
  const Layer layer = GivenLayer(Weighting::kPost);
  SmallLayer small(layer, 1, 1, Values::kRandom, "single");
  for (std::uint16_t& bits : small.x.values) bits = 0x8000;
  StepwisePlan plan = WholePlan(layer);
  const StepwiseOutputs straight = Twin(small, plan);
  plan.gather_adds = true;
  const StepwiseOutputs added = Twin(small, plan);
  for (const StepwiseOutputs* outputs : {&straight, &added}) {
    for (const std::uint16_t bits : outputs->y.values) EXPECT_EQ(bits & 0x7FFF, 0);
  }
}

TEST(StepwisePlanTest, NormDividesByTheRootMeanSquare) {
  Layer layer = GivenLayer();
  SmallLayer small(layer, 2, 4, Values::kRandom, "uniform+masked(1)");
  for (std::int64_t n = 0; n < 24; ++n) {
    small.x.At(0, n) = isa::FloatToBf16(4.0f);
    small.x.At(1, n) = isa::FloatToBf16(n % 2 == 0 ? 2.0f : -2.0f);
  }
  layer.shared = SharedExpert{8, true};
  SmallLayer dense(layer, 2, 4, Values::kRandom, "uniform+masked(1)");
  dense.x = small.x;
  StepwisePlan plan = WholePlan(layer);
  plan.shared_intermediate_chunks = {2};
  plan.residual = Residual::kNorm;
  const std::vector<std::uint16_t> ones(24, 0x3F80);
  const auto norm =
      Stepwise({layer, plan, dense.tensors, dense.experts, dense.x, &dense.routing, &ones});
  ASSERT_TRUE(norm.ok()) << norm.status();
  // RMSNorm of a row of equal magnitudes is +-1, so the shared expert sees +-1 (one ulp aside).
  SmallLayer unit = dense;
  for (std::size_t i = 0; i < unit.x.values.size(); ++i) {
    unit.x.values[i] = static_cast<std::uint16_t>((dense.x.values[i] & 0x8000) | 0x3F80);
  }
  StepwisePlan plain = plan;
  plain.residual = Residual::kNone;
  const StepwiseOutputs expected = Twin(unit, plain);
  EXPECT_GT(Compare(norm->shared, expected.shared).cosine, 0.999);
  for (std::int64_t t = 0; t < 2; ++t) {
    for (std::int64_t n = 0; n < 24; ++n) {
      const float x = isa::Bf16ToFloat(dense.x.At(t, n));
      EXPECT_EQ(isa::Bf16ToFloat(norm->y.At(t, n)),
                Bf(x + isa::Bf16ToFloat(norm->shared.At(t, n))));
    }
  }
}

// Each property holds for the output bits, because the operations it moves are exact.
TEST(StepwisePropertyTest, RenamingTheExpertsChangesNoBit) {
  const Layer layer = GivenLayer();
  const SmallLayer small(layer, 7, 2);
  class Renamed : public ExpertSource {
   public:
    explicit Renamed(const SmallLayer& s) : small_(s) {}
    absl::StatusOr<ExpertMatrices> Load(int e) const override { return small_.experts.Load(4 - e); }

   private:
    const SmallLayer& small_;
  };
  Routing routing = small.routing;
  for (std::int32_t& id : routing.topk_idx) id = id < 0 ? id : 4 - id;
  const Renamed experts(small);
  const StepwisePlan plan = WholePlan(layer);
  const StepwiseOutputs renamed =
      *Stepwise({layer, plan, small.tensors, experts, small.x, &routing});
  EXPECT_EQ(renamed.y, Twin(small, plan).y);
}

TEST(StepwisePropertyTest, DoublingTheDownMatricesDoublesTheOutput) {
  const Layer layer = GivenLayer();
  const SmallLayer small(layer, 5, 2);
  class Doubled : public ExpertSource {
   public:
    explicit Doubled(const SmallLayer& s) : small_(s) {}
    absl::StatusOr<ExpertMatrices> Load(int e) const override {
      ExpertMatrices m = *small_.experts.Load(e);
      for (std::uint16_t& bits : m.down.values) {
        bits = isa::FloatToBf16(2 * isa::Bf16ToFloat(bits));
      }
      return m;
    }

   private:
    const SmallLayer& small_;
  };
  const Doubled experts(small);
  const StepwisePlan plan = PlanOf(layer, 3);
  StepwisePlan bare = plan;
  bare.residual = Residual::kNone;
  const StepwiseOutputs twice =
      *Stepwise({layer, bare, small.tensors, experts, small.x, &small.routing});
  const StepwiseOutputs once = Twin(small, bare);
  for (std::size_t i = 0; i < once.y.values.size(); ++i) {
    EXPECT_EQ(isa::Bf16ToFloat(twice.y.values[i]), 2 * isa::Bf16ToFloat(once.y.values[i]));
  }
}

TEST(StepwisePropertyTest, MaskedSlotsAddNothing) {
  const Layer layer = GivenLayer();
  SmallLayer small(layer, 4, 2, Values::kRandom, "uniform");
  const StepwisePlan plan = WholePlan(layer);
  const StepwiseOutputs full = Twin(small, plan);
  for (std::size_t pair = 1; pair < 8; pair += 2) {
    small.routing.topk_idx[pair] = -1;
    small.routing.topk_w[pair] = 0;
  }
  const StepwiseOutputs masked = Twin(small, plan);
  for (std::int64_t t = 0; t < 4; ++t) {
    for (std::int64_t n = 0; n < 24; ++n) {
      EXPECT_EQ(isa::Bf16ToFloat(masked.y.At(t, n)), isa::Bf16ToFloat(full.slot.At(2 * t, n)));
      EXPECT_EQ(masked.slot.At(2 * t + 1, n), 0);
    }
  }
}

TEST(StepwiseChecksTest, ExactMessages) {
  const Layer layer = GivenLayer();
  SmallLayer small(layer, 2, 2);
  const StepwisePlan plan = WholePlan(layer);
  const auto message = [&] {
    return std::string(
        Stepwise({small.layer, plan, small.tensors, small.experts, small.x, &small.routing})
            .status()
            .message());
  };
  EXPECT_EQ(message(), "");
  small.routing.topk_idx[0] = 5;
  EXPECT_EQ(message(), "topk_idx[0,0] = 5: must be -1 to 4 [RC020]");
  small.routing.topk_idx[0] = 0;
  small.tensors.down_bias = Bf16Matrix(1, 1);
  EXPECT_EQ(message(), "b2: expected [0,0], got [1,1] [RC034]");
  small.layer.shape.top_k = 6;
  EXPECT_EQ(message(), "top_k = 6 exceeds experts = 5 (--top-k, --experts) [RC002]");
}

}  // namespace
}  // namespace moescope::moe::reference
