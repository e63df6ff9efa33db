#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "isa/bfloat16.h"
#include "isa/functions.h"
#include "moe/compare.h"
#include "moe/reference/reference.h"
#include "tests/moe/reference/small_layer.h"

namespace moescope::moe::reference {
namespace {

float Bf(float value) { return isa::Bf16ToFloat(isa::FloatToBf16(value)); }
float Wide(std::uint16_t bits) { return isa::Bf16ToFloat(bits); }

// moe.md, 5.1, swiglu, for one routed row, written as the table reads; FP64 sums.
std::vector<float> SwigluRow(const SmallLayer& small, std::int64_t pair) {
  const LayerShape& shape = small.layer.shape;
  const std::int64_t token = pair / shape.top_k;
  const ExpertMatrices expert =
      *small.experts.Load(small.routing.topk_idx[static_cast<std::size_t>(pair)]);
  const bool input = small.layer.weighting == Weighting::kInput;
  const bool post = small.layer.weighting == Weighting::kPost;
  const float w = small.routing.topk_w[static_cast<std::size_t>(pair)];
  std::vector<float> x;
  for (const std::uint16_t bits : small.x.Row(token)) {
    x.push_back(input ? Bf(Wide(bits) * w) : Wide(bits));
  }
  const auto dot = [](const Bf16Matrix& m, std::int64_t row, const std::vector<float>& v) {
    double sum = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      sum += static_cast<double>(Wide(m.Row(row)[k])) * v[k];
    }
    return static_cast<float>(sum);
  };
  std::vector<float> h;
  for (std::int64_t i = 0; i < shape.intermediate; ++i) {
    const float g = Bf(dot(expert.gate, i, x));
    const float u = Bf(dot(expert.up, i, x));
    const float q = g / (1 + isa::Exp(-g)) * u;
    h.push_back(post || input ? Bf(q) : Bf(q * w));
  }
  std::vector<float> o;
  for (std::int64_t n = 0; n < shape.hidden; ++n) o.push_back(Bf(dot(expert.down, n, h)));
  return o;
}

class ForwardTest : public testing::TestWithParam<Weighting::Kind> {};

TEST_P(ForwardTest, EqualsTheTableRowByRow) {
  const SmallLayer small(TinyLayer(Activation::kSwiglu, GetParam()), 7);
  const ForwardOutputs outputs = small.Run(kIdeal);
  for (std::int64_t t = 0; t < 7; ++t) {
    std::vector<float> sum(24);
    for (int k = 0; k < small.layer.shape.top_k; ++k) {
      const std::int64_t pair = t * small.layer.shape.top_k + k;
      if (small.routing.topk_idx[static_cast<std::size_t>(pair)] < 0) continue;
      const std::vector<float> o = SwigluRow(small, pair);
      const float w = small.routing.topk_w[static_cast<std::size_t>(pair)];
      for (std::size_t n = 0; n < 24; ++n) {
        EXPECT_EQ(Wide(outputs.slot.Row(pair)[n]), o[n]);
        sum[n] += GetParam() == Weighting::kPost ? o[n] * w : o[n];
      }
    }
    for (std::size_t n = 0; n < 24; ++n) EXPECT_EQ(Wide(outputs.y.Row(t)[n]), Bf(sum[n]));
  }
}

INSTANTIATE_TEST_SUITE_P(Weightings, ForwardTest,
                         testing::Values(Weighting::kPre, Weighting::kPost, Weighting::kInput));

TEST(ForwardProfileTest, BothAccumulationsAgreeInTierT2) {
  std::int64_t different = 0;
  for (const Activation activation :
       {Activation::kSwiglu, Activation::kGptOss, Activation::kGegluTanh, Activation::kGegluErf}) {
    Layer layer = TinyLayer(activation);
    layer.shape = {192, 128, 6, 3};
    layer.clamp = 1.0f;
    layer.expert_bias = true;
    layer.shared = SharedExpert{64, true};
    const SmallLayer small(layer, 9);
    const Metrics metrics = Compare(small.Run({64}).y, small.Run(kIdeal).y);
    EXPECT_TRUE(Passes(Tier::kEndToEnd, metrics, true)) << Summary(metrics);
    different += metrics.count - metrics.equal;
  }
  EXPECT_GT(different, 0);  // the orders are not the same
}

TEST(ForwardProfileTest, SaturatedFixturesAreEqualInBothAccumulations) {
  for (const Activation activation : {Activation::kSwiglu, Activation::kGptOss}) {
    for (const auto weighting : {Weighting::kPre, Weighting::kPost}) {
      Layer layer = TinyLayer(activation, weighting);
      layer.shape = {96, 80, 6, 4};
      layer.expert_bias = true;
      layer.clamp = activation == Activation::kGptOss ? std::optional(7.0f) : std::nullopt;
      layer.shared = SharedExpert{48, false};
      SmallLayer small(layer, 8, 3, Values::kSaturated);
      for (std::size_t pair = 0; pair < small.routing.topk_w.size(); ++pair) {
        if (small.routing.topk_idx[pair] >= 0) small.routing.topk_w[pair] = 1.0f;
      }
      const ForwardOutputs ideal = small.Run(kIdeal);
      EXPECT_EQ(small.Run({16}).y, ideal.y);
      EXPECT_EQ(small.Run({64}).y, ideal.y);
      EXPECT_GT(std::count_if(ideal.y.values.begin(), ideal.y.values.end(),
                              [](std::uint16_t bits) { return (bits & 0x7FFF) != 0; }),
                100);
    }
  }
}

// moe.md, 8.
TEST(DegenerateTest, NoTokensAndMaskedSlots) {
  const SmallLayer none(TinyLayer(), 0);
  EXPECT_EQ(none.Run({16}).y.rows, 0);
  const SmallLayer masked(TinyLayer(), 3, 1, Values::kRandom, "uniform+masked(1)");
  for (const Accumulation accumulation : {Accumulation{16}, kIdeal}) {
    EXPECT_EQ(masked.Run(accumulation).y, Bf16Matrix(3, 24));  // +0
  }
}

TEST(DegenerateTest, EmptyExpertsOneExpertAndAllExperts) {
  for (const char* workload : {"empty(first)", "empty(middle)", "empty(last)", "single"}) {
    const SmallLayer small(TinyLayer(), 6, 2, Values::kRandom, workload);
    EXPECT_EQ(Compare(small.Run({16}).y, small.Run(kIdeal).y).broken, 0) << workload;
  }
  Layer all = TinyLayer();
  all.shape.top_k = all.shape.experts;
  EXPECT_EQ(SmallLayer(all, 2).Run(kIdeal).y.rows, 2);
  Layer one = TinyLayer();
  one.shape.experts = one.shape.top_k = 1;
  EXPECT_EQ(SmallLayer(one, 2).Run(kIdeal).y.rows, 2);
}

TEST(DegenerateTest, ARowDependsOnItsTokenOnly) {
  SmallLayer small(TinyLayer(), 5, 1, Values::kRandom, "uniform");
  const Bf16Matrix clean = small.Run({16}).y;
  for (std::uint16_t& bits : small.x.Row(2)) bits = 0x7FC1;
  const Bf16Matrix dirty = small.Run({16}).y;
  for (std::int64_t t = 0; t < 5; ++t) {
    for (std::int64_t n = 0; n < 24; ++n) {
      EXPECT_EQ(dirty.At(t, n), t == 2 ? isa::kBf16Nan : clean.At(t, n));
    }
  }
}

TEST(DegenerateTest, SpecialInputsGiveDefinedBits) {
  SmallLayer small(TinyLayer(), 4, 1, Values::kRandom, "uniform");
  small.x.At(0, 3) = isa::kBf16Infinity;
  small.x.At(1, 3) = 0x0001;                        // subnormal
  for (auto& bits : small.x.Row(2)) bits = 0x8000;  // -0 everywhere
  const Bf16Matrix y = small.Run({16}).y;
  EXPECT_EQ(small.Run({16}).y, y);
  for (std::int64_t n = 0; n < 24; ++n) {
    EXPECT_TRUE(std::isfinite(Wide(y.At(1, n))));
    EXPECT_EQ(y.At(2, n) & 0x7FFF, 0);
  }
}

TEST(DegenerateTest, TheSameExpertTwiceCountsTwice) {
  SmallLayer small(TinyLayer(), 1, 1, Values::kRandom, "uniform");
  small.routing.topk_idx = {3, 3};
  small.routing.topk_w = {0.5f, 0.5f};
  const ForwardOutputs twice = small.Run(kIdeal);
  for (std::int64_t n = 0; n < 24; ++n) {
    EXPECT_EQ(twice.slot.At(0, n), twice.slot.At(1, n));
    EXPECT_EQ(Wide(twice.y.At(0, n)), 2 * Wide(twice.slot.At(0, n)));
  }
}

TEST(DegenerateTest, AdjacentExpertsOfOppositeSignDoNotLeak) {
  class Opposite : public ExpertSource {
   public:
    absl::StatusOr<ExpertMatrices> Load(int expert) const override {
      const std::uint16_t sign = expert % 2 == 0 ? 0x3F80 : 0xBF80;
      return ExpertMatrices{Bf16Matrix(16, 24, 0x3F80), Bf16Matrix(16, 24, 0x3F80),
                            Bf16Matrix(24, 16, sign)};
    }
  };
  SmallLayer small(TinyLayer(), 8, 1, Values::kRandom, "uniform");
  std::fill(small.x.values.begin(), small.x.values.end(), 0x3F80);
  const Opposite source;
  const LayerInputs inputs{small.layer, small.tensors, source, small.x, small.routing};
  const ForwardOutputs outputs = *Forward(inputs, {16});
  for (std::int64_t pair = 0; pair < 16; ++pair) {
    const bool even = small.routing.topk_idx[static_cast<std::size_t>(pair)] % 2 == 0;
    for (const std::uint16_t bits : outputs.slot.Row(pair)) EXPECT_EQ(bits >> 15, even ? 0 : 1);
  }
}

TEST(SharedExpertTest, AddsSigmaTimesTheDenseExpert) {
  Layer layer = TinyLayer();
  layer.shared = SharedExpert{32, true};
  const SmallLayer small(layer, 4, 5, Values::kRandom, "uniform+masked(1)");
  const ForwardOutputs gated = small.Run(kIdeal);
  Layer ungated_layer = layer;
  ungated_layer.shared->gate = false;
  const SmallLayer ungated(ungated_layer, 4, 5, Values::kRandom, "uniform+masked(1)");
  const ForwardOutputs plain = ungated.Run(kIdeal);
  for (std::int64_t t = 0; t < 4; ++t) {
    double logit = 0;
    for (std::size_t h = 0; h < 24; ++h) {
      logit +=
          static_cast<double>(Wide(small.x.Row(t)[h])) * Wide(small.tensors.shared_gate_vector[h]);
    }
    const double sigma = 1 / (1 + std::exp(-logit));
    EXPECT_NEAR(gated.sigma[static_cast<std::size_t>(t)], sigma, 1e-6);
    for (std::int64_t n = 0; n < 24; ++n) {
      EXPECT_NEAR(Wide(gated.shared.At(t, n)), sigma * Wide(plain.shared.At(t, n)),
                  0.01 * std::fabs(Wide(plain.shared.At(t, n))) + 1e-6);
      EXPECT_EQ(gated.y.At(t, n), gated.shared.At(t, n));  // the routed part is +0
    }
  }
}

// n experts side by side equal their concatenation up to the association of the down projection.
TEST(SharedExpertTest, ConcatenationIsTheSumOfItsExperts) {
  Layer layer = TinyLayer();
  layer.shared = SharedExpert{64, false};
  const SmallLayer whole(layer, 6, 5, Values::kRandom, "uniform+masked(1)");
  const ForwardOutputs together = whole.Run(kIdeal);
  F32Matrix sum(6, 24);
  for (const std::int64_t half : {0, 1}) {
    Layer part_layer = layer;
    part_layer.shared->intermediate = 32;
    SmallLayer part(part_layer, 6, 5, Values::kRandom, "uniform+masked(1)");
    for (std::int64_t i = 0; i < 32; ++i) {
      for (std::int64_t h = 0; h < 24; ++h) {
        part.tensors.shared_gate.At(i, h) = whole.tensors.shared_gate.At(32 * half + i, h);
        part.tensors.shared_up.At(i, h) = whole.tensors.shared_up.At(32 * half + i, h);
        part.tensors.shared_down.At(h, i) = whole.tensors.shared_down.At(h, 32 * half + i);
      }
    }
    const Bf16Matrix y = part.Run(kIdeal).y;
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += Wide(y.values[i]);
  }
  F32Matrix y(6, 24);
  isa::Bf16ToFloat(together.y.values, y.values);
  EXPECT_GT(Compare(y, sum).cosine, 0.99999);
}

TEST(ForwardChecksTest, ExactMessages) {
  SmallLayer small(TinyLayer(), 3);
  const auto message = [&] {
    return std::string(Forward(small.inputs(), kIdeal).status().message());
  };
  small.x = Bf16Matrix(2, 24);
  EXPECT_EQ(message(), "x: expected [3,24], got [2,24] [RC034]");
  small.x = Bf16Matrix(3, 24);
  small.routing.experts = 6;
  EXPECT_EQ(message(), "routing to 2 of 6 experts, layer has 2 of 5 [RC024]");
  small.routing.experts = 5;
  small.routing.topk_idx[0] = 5;
  EXPECT_EQ(message(), "topk_idx[0,0] = 5: must be -1 to 4 [RC020]");
}

}  // namespace
}  // namespace moescope::moe::reference
