#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "isa/bfloat16.h"
#include "isa/functions.h"
#include "moe/reference/reference.h"
#include "tests/moe/reference/small_layer.h"

// Profile `fused` a second time, scalar by scalar as the table of moe.md, 5.1, 7 and 9.2 reads:
// which values are rounded, and in which order FP32 sums are made. Equal bits are demanded.

namespace moescope::moe::reference {
namespace {

using Row = std::vector<float>;

float Bf(float value) { return isa::Bf16ToFloat(isa::FloatToBf16(value)); }

Row Wide(std::span<const std::uint16_t> bits) {
  Row row;
  for (const std::uint16_t b : bits) row.push_back(isa::Bf16ToFloat(b));
  return row;
}

// One contraction over several ranges that share an accumulator. tile = 0: exact products summed in
// FP64, rounded once.
class Accumulator {
 public:
  explicit Accumulator(int tile) : tile_(tile) {}

  void Add(const Row& a, const Row& b) {
    for (std::size_t first = 0; first < a.size(); first += Width(a)) {
      float chain = 0;
      for (std::size_t k = first; k < std::min(first + Width(a), a.size()); ++k) {
        wide_ += static_cast<double>(a[k]) * b[k];
        chain = std::fma(a[k], b[k], chain);
      }
      narrow_ += chain;
    }
  }
  float Sum() const { return tile_ == 0 ? static_cast<float>(wide_) : narrow_; }

 private:
  std::size_t Width(const Row& a) const {
    return tile_ == 0 ? std::max<std::size_t>(a.size(), 1) : static_cast<std::size_t>(tile_);
  }
  int tile_;
  double wide_ = 0;
  float narrow_ = 0;
};

float Act(Activation activation, float g, float u) {
  switch (activation) {
    case Activation::kSwiglu: {
      const float a = g / (1 + isa::Exp(-g));
      return a * u;
    }
    case Activation::kGptOss: {
      const float a = g / (1 + isa::Exp(-(1.702f * g)));
      return a * (u + 1);
    }
    case Activation::kGegluTanh: {
      const float z = 0.79788456f * (g + 0.044715f * (g * g * g));
      const float a = 0.5f * g * (1 + static_cast<float>(std::tanh(static_cast<double>(z))));
      return a * u;
    }
    case Activation::kGegluErf: {
      const float z = g * 0.70710678118654752440f;
      const float a = 0.5f * g * (1 + static_cast<float>(std::erf(static_cast<double>(z))));
      return a * u;
    }
  }
  return 0;
}

// The narrow products of an adapter: bf(scale * A v).
Row Narrowed(int tile, const Bf16Matrix& a, const Row& v, float scale) {
  Row z;
  for (std::int64_t r = 0; r < a.rows; ++r) {
    Accumulator sum(tile);
    sum.Add(v, Wide(a.Row(r)));
    z.push_back(Bf(scale * sum.Sum()));
  }
  return z;
}

struct Expected {
  Bf16Matrix y, slot, hidden, gate, up, shared;
};

class ByTheTable {
 public:
  ByTheTable(const SmallLayer& small, int tile, const SideLora* lora)
      : in_(small), layer_(small.layer), tile_(tile), lora_(lora) {}

  Expected Run() {
    const std::int64_t pairs = in_.routing.pairs();
    const LayerShape& shape = layer_.shape;
    out_.y = Bf16Matrix(in_.routing.tokens, shape.hidden);
    out_.slot = Bf16Matrix(pairs, shape.hidden);
    out_.gate = out_.up = out_.hidden = Bf16Matrix(pairs, shape.intermediate);
    for (std::int64_t t = 0; t < in_.routing.tokens; ++t) Token(t);
    return std::move(out_);
  }

 private:
  void Token(std::int64_t t) {
    const Row x = Wide(in_.x.Row(t));
    Row r(static_cast<std::size_t>(layer_.shape.hidden));
    for (int k = 0; k < layer_.shape.top_k; ++k) {
      const std::int64_t pair = t * layer_.shape.top_k + k;
      if (in_.routing.topk_idx[static_cast<std::size_t>(pair)] < 0) continue;
      const float w = in_.routing.topk_w[static_cast<std::size_t>(pair)];
      const Row o = Slot(pair, x, w);
      for (std::size_t n = 0; n < r.size(); ++n) {
        r[n] = layer_.weighting == Weighting::kPost ? r[n] + o[n] * w : r[n] + o[n];
      }
    }
    const Row ys = layer_.shared.has_value() ? Shared(x) : Row();
    for (std::size_t n = 0; n < r.size(); ++n) {
      const float routed = Bf(r[n]);
      out_.y.Row(t)[n] = isa::FloatToBf16(ys.empty() ? routed : routed + ys[n]);
    }
  }

  Row Slot(std::int64_t pair, Row x, float w) {
    const int expert = in_.routing.topk_idx[static_cast<std::size_t>(pair)];
    const ExpertMatrices m = *in_.experts.Load(expert);
    const auto e = static_cast<std::size_t>(expert);
    const Row z1 = lora_ == nullptr ? Row() : Narrowed(tile_, lora_->a1, x, lora_->scale);
    const Row z3 = lora_ == nullptr ? Row() : Narrowed(tile_, lora_->a3, x, lora_->scale);
    if (layer_.weighting == Weighting::kInput) {
      for (float& value : x) value = Bf(value * w);
    }
    const float inside = layer_.weighting == Weighting::kPre ? w : 1.0f;
    Row h;
    for (std::int64_t i = 0; i < layer_.shape.intermediate; ++i) {
      const float g = Rounded(m.gate.Row(i), x, lora_ == nullptr ? nullptr : &lora_->b1[e], z1, i,
                              Bias(in_.tensors.gate_bias, expert, i), out_.gate.Row(pair));
      const float u = Rounded(m.up.Row(i), x, lora_ == nullptr ? nullptr : &lora_->b3[e], z3, i,
                              Bias(in_.tensors.up_bias, expert, i), out_.up.Row(pair));
      h.push_back(Bf(Act(layer_.activation, ClampedGate(g), ClampedUp(u)) * inside));
      out_.hidden.Row(pair)[static_cast<std::size_t>(i)] = isa::FloatToBf16(h.back());
    }
    const Row z2 = lora_ == nullptr ? Row() : Narrowed(tile_, lora_->a2[e], h, lora_->scale);
    Row o;
    for (std::int64_t n = 0; n < layer_.shape.hidden; ++n) {
      Accumulator sum(tile_);
      sum.Add(h, Wide(m.down.Row(n)));
      if (lora_ != nullptr) sum.Add(z2, Wide(lora_->b2.Row(n)));
      float ay = sum.Sum();
      if (layer_.expert_bias) ay = ay + inside * Bias(in_.tensors.down_bias, expert, n);
      o.push_back(Bf(ay));
      out_.slot.Row(pair)[static_cast<std::size_t>(n)] = isa::FloatToBf16(o.back());
    }
    return o;
  }

  // R1 of one gate or up value.
  float Rounded(std::span<const std::uint16_t> weights, const Row& x, const Bf16Matrix* wide,
                const Row& z, std::int64_t i, float bias, std::span<std::uint16_t> to) const {
    Accumulator sum(tile_);
    sum.Add(x, Wide(weights));
    if (wide != nullptr) sum.Add(z, Wide(wide->Row(i)));
    const float value = layer_.expert_bias ? sum.Sum() + bias : sum.Sum();
    to[static_cast<std::size_t>(i)] = isa::FloatToBf16(value);
    return Bf(value);
  }
  float Bias(const Bf16Matrix& bias, int expert, std::int64_t i) const {
    return layer_.expert_bias ? isa::Bf16ToFloat(bias.At(expert, i)) : 0.0f;
  }
  float ClampedGate(float g) const {
    return layer_.clamp.has_value() && g > *layer_.clamp ? *layer_.clamp : g;
  }
  float ClampedUp(float u) const {
    if (!layer_.clamp.has_value()) return u;
    if (u < -*layer_.clamp) return -*layer_.clamp;
    return u > *layer_.clamp ? *layer_.clamp : u;
  }

  Row Shared(const Row& x) const {
    const LayerTensors& t = in_.tensors;
    const auto dot = [&](const Row& a, std::span<const std::uint16_t> b) {
      Accumulator sum(tile_);
      sum.Add(a, Wide(b));
      return sum.Sum();
    };
    Row h;
    for (std::int64_t i = 0; i < layer_.shared->intermediate; ++i) {
      const float g = Bf(dot(x, t.shared_gate.Row(i)));
      const float u = Bf(dot(x, t.shared_up.Row(i)));
      h.push_back(Bf(Act(layer_.activation, ClampedGate(g), ClampedUp(u))));
    }
    Row ys;
    for (std::int64_t n = 0; n < layer_.shape.hidden; ++n) {
      float ays = dot(h, t.shared_down.Row(n));
      if (layer_.shared->gate) ays *= 1 / (1 + isa::Exp(-dot(x, t.shared_gate_vector)));
      ys.push_back(Bf(ays));
    }
    return ys;
  }

  const SmallLayer& in_;
  const Layer& layer_;
  int tile_;
  const SideLora* lora_;
  Expected out_;
};

using Case = std::tuple<Activation, Weighting::Kind, int>;  // and tile

class RoundingPointsTest : public testing::TestWithParam<Case> {};

void ExpectEqual(const SmallLayer& small, int tile, const SideLora* lora) {
  const ForwardOutputs actual = small.Run({tile}, lora);
  const Expected expected = ByTheTable(small, tile, lora).Run();
  EXPECT_EQ(actual.gate, expected.gate);
  EXPECT_EQ(actual.up, expected.up);
  EXPECT_EQ(actual.hidden, expected.hidden);
  EXPECT_EQ(actual.slot, expected.slot);
  EXPECT_EQ(actual.y, expected.y);
}

TEST_P(RoundingPointsTest, EveryOptionOfTheLayer) {
  const auto [activation, weighting, tile] = GetParam();
  for (const bool bias : {false, true}) {
    for (const std::optional<float> clamp : {std::optional<float>(), std::optional(0.75f)}) {
      for (const std::optional<SharedExpert> shared :
           {std::optional<SharedExpert>(), std::optional(SharedExpert{11, false}),
            std::optional(SharedExpert{11, true})}) {
        Layer layer = TinyLayer(activation, weighting);
        layer.expert_bias = bias;
        layer.clamp = clamp;
        layer.shared = shared;
        ExpectEqual(SmallLayer(layer, 5, 3), tile, nullptr);
      }
    }
  }
}

TEST_P(RoundingPointsTest, SideLoraExtendsTheAccumulators) {
  const auto [activation, weighting, tile] = GetParam();
  if (weighting != Weighting::kPre) return;  // refused elsewhere
  Layer layer = TinyLayer(activation, weighting);
  layer.expert_bias = true;
  layer.clamp = 1.5f;
  for (const int rank : {1, 3, 8, 17}) {
    const SmallLayer small(layer, 4, 9);
    const SideLora lora = SeededLora(layer, rank, 0.375f, 2);
    ExpectEqual(small, tile, &lora);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RoundingPointsTest,
    testing::Combine(testing::Values(Activation::kSwiglu, Activation::kGptOss,
                                     Activation::kGegluTanh, Activation::kGegluErf),
                     testing::Values(Weighting::kPre, Weighting::kPost, Weighting::kInput),
                     testing::Values(0, 4, 16, 64)));

// moe.md, 5.1: "association as written there". A different one has other bits somewhere.
TEST(AssociationTest, OrderOfTheProductsIsVisible) {
  int different = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const float g = Normal(1, Stream::kGate, i);
    const float u = Normal(1, Stream::kUp, i);
    const float w = std::fabs(Normal(1, Stream::kRouteWeight, i));
    const float as_written = Act(Activation::kSwiglu, g, u) * w;
    const float other = g / (1 + isa::Exp(-g)) * (u * w);
    different += as_written != other ? 1 : 0;
  }
  EXPECT_GT(different, 0);
}

}  // namespace
}  // namespace moescope::moe::reference
