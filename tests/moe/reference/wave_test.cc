#include "moe/reference/wave.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/moe/reference/small_layer.h"

// "The result equals running each root alone with the same policy, bit for bit" (moe.md, 10), over
// seeded partitions of the tokens, and what of one root may not reach another.

namespace moescope::moe::reference {
namespace {

constexpr std::int64_t kTokens = 11;

// Contiguous ranges that cover all tokens; some are empty.
std::vector<std::int64_t> Partition(std::uint64_t seed) {
  std::vector<std::int64_t> lengths;
  std::int64_t left = kTokens;
  for (std::uint64_t i = 0; left > 0; ++i) {
    const auto length = static_cast<std::int64_t>(
        Below(static_cast<std::uint64_t>(left) + 1, U64(seed, Stream::kChoice, i)));
    lengths.push_back(length);
    left -= length;
  }
  return lengths;
}

Wave WaveOf(const Layer& layer, std::uint64_t seed) {
  Wave wave;
  std::int64_t first = 0;
  std::uint64_t root = 0;
  for (const std::int64_t length : Partition(seed)) {
    const int rank = 1 + static_cast<int>(Below(9, U64(seed, Stream::kHot, root)));
    const float scale = root % 3 == 2 ? 0.0f : 0.5f;
    wave.roots.push_back({first, length, SeededLora(layer, rank, scale, seed + root)});
    first += length;
    ++root;
  }
  return wave;
}

// The root as a layer of its own: only its tokens exist.
struct Alone {
  Bf16Matrix x;
  Bf16Matrix dy;
  Routing routing;

  Alone(const SmallLayer& small, const Bf16Matrix& gradient, const WaveRoot& root) {
    const auto rows = [&](const Bf16Matrix& from) {
      Bf16Matrix to(root.tokens, from.columns);
      for (std::int64_t t = 0; t < root.tokens; ++t) {
        for (std::int64_t n = 0; n < from.columns; ++n) {
          to.At(t, n) = from.At(root.first_token + t, n);
        }
      }
      return to;
    };
    x = rows(small.x);
    dy = rows(gradient);
    routing = {.tokens = root.tokens,
               .top_k = small.routing.top_k,
               .experts = small.routing.experts,
               .topk_idx = {},
               .topk_w = {}};
    for (std::int64_t pair = 0; pair < root.tokens * routing.top_k; ++pair) {
      const auto from = static_cast<std::size_t>(root.first_token * routing.top_k + pair);
      routing.topk_idx.push_back(small.routing.topk_idx[from]);
      routing.topk_w.push_back(small.routing.topk_w[from]);
    }
  }
};

class WavePropertyTest : public testing::TestWithParam<int> {};

TEST_P(WavePropertyTest, EqualsEveryRootAlone) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  Layer layer = TinyLayer(seed % 2 == 0 ? Activation::kSwiglu : Activation::kGptOss);
  layer.expert_bias = seed % 3 == 0;
  const SmallLayer small(layer, kTokens, seed);
  const Bf16Matrix dy = SeededOutputGradient(layer, kTokens, seed + 1);
  const Wave wave = WaveOf(layer, seed);
  for (const Accumulation accumulation : {Accumulation{16}, kIdeal}) {
    const auto outputs = ForwardWave(small.inputs(), wave, accumulation);
    const auto gradients = BackwardWave(small.inputs(), wave, dy, accumulation);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    ASSERT_TRUE(gradients.ok()) << gradients.status();
    ASSERT_EQ(outputs->size(), wave.roots.size());
    for (std::size_t root = 0; root < wave.roots.size(); ++root) {
      SCOPED_TRACE(root);
      const Alone alone(small, dy, wave.roots[root]);
      const LayerInputs inputs{layer,   small.tensors, small.experts,
                               alone.x, alone.routing, &wave.roots[root].lora};
      const ForwardOutputs forward = *Forward(inputs, accumulation);
      const BackwardOutputs backward = *Backward(inputs, alone.dy, accumulation);
      EXPECT_EQ((*outputs)[root].y, forward.y);
      EXPECT_EQ((*outputs)[root].z1, forward.z1);
      EXPECT_EQ((*outputs)[root].z2, forward.z2);
      EXPECT_EQ((*gradients)[root].grad_x, backward.grad_x);
      EXPECT_EQ((*gradients)[root].dw, backward.dw);
      EXPECT_EQ((*gradients)[root].da1, backward.da1);
      EXPECT_EQ((*gradients)[root].da3, backward.da3);
      EXPECT_EQ((*gradients)[root].db2, backward.db2);
      EXPECT_EQ((*gradients)[root].db1, backward.db1);
      EXPECT_EQ((*gradients)[root].db3, backward.db3);
      EXPECT_EQ((*gradients)[root].da2, backward.da2);
    }
  }
}

// The rows of a root do not change when another root is split, dropped in rank or made of NaN.
TEST_P(WavePropertyTest, OtherRootsAreInvisible) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const Layer layer = TinyLayer();
  const SmallLayer small(layer, kTokens, seed);
  Wave wave;
  wave.roots = {{0, 4, SeededLora(layer, 4, 0.5f, 1)},
                {4, 3, SeededLora(layer, 2, 0.25f, 2)},
                {7, 4, SeededLora(layer, 8, 0.5f, 3)}};
  const auto whole = *ForwardWave(small.inputs(), wave, {16});
  for (auto* factor : {&wave.roots[1].lora.a1, &wave.roots[1].lora.b2}) {
    for (std::uint16_t& bits : factor->values) bits = 0x7FC0;
  }
  SmallLayer dirty(layer, kTokens, seed);
  for (std::int64_t t = 4; t < 7; ++t) {
    for (std::uint16_t& bits : dirty.x.Row(t)) bits = 0xFF80;  // -inf
  }
  const auto poisoned = *ForwardWave(dirty.inputs(), wave, {16});
  EXPECT_EQ(poisoned[0].y, whole[0].y);
  EXPECT_EQ(poisoned[2].y, whole[2].y);
  EXPECT_NE(poisoned[1].y, whole[1].y);
  Wave split = wave;
  split.roots[1].tokens = 1;
  split.roots.insert(split.roots.begin() + 2, WaveRoot{5, 2, SeededLora(layer, 1, 0.5f, 9)});
  const auto finer = *ForwardWave(small.inputs(), split, {16});
  EXPECT_EQ(finer[0].y, whole[0].y);
  EXPECT_EQ(finer[3].y, whole[2].y);
}

TEST_P(WavePropertyTest, LossesAreThoseOfTheRootAlone) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const Layer layer = TinyLayer();
  const SmallLayer small(layer, kTokens, seed);
  const Wave wave = WaveOf(layer, seed);
  const RouterResult result = Route(layer, small.tensors, small.x, {});
  const LossOptions options{0.5f, 0.25f};
  const std::vector<Losses> losses = WaveLosses(layer, result, wave, options);
  ASSERT_EQ(losses.size(), wave.roots.size());
  for (std::size_t root = 0; root < wave.roots.size(); ++root) {
    const WaveRoot& range = wave.roots[root];
    const RouterResult own = Route(layer, small.tensors, RootRows(small.x, range), {});
    const Losses alone = RouterLosses(layer, own, options);
    EXPECT_EQ(losses[root].aux, alone.aux) << root;
    EXPECT_EQ(losses[root].z, alone.z) << root;
    EXPECT_EQ(losses[root].dl, alone.dl) << root;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, WavePropertyTest, testing::Range(1, 9));

TEST(WaveRefusalTest, ExactMessages) {
  const SmallLayer small(TinyLayer(), kTokens);
  const auto message = [&](void (*change)(Wave&)) {
    Wave wave;
    wave.roots = {{0, 5, SeededLora(small.layer, 2, 0.5f, 1)},
                  {5, 6, SeededLora(small.layer, 3, 0.5f, 2)}};
    change(wave);
    const absl::Status forward = ForwardWave(small.inputs(), wave, kIdeal).status();
    const absl::Status backward =
        BackwardWave(small.inputs(), wave, SeededOutputGradient(small.layer, kTokens, 1), kIdeal)
            .status();
    EXPECT_EQ(forward, backward);
    return std::string(forward.message());
  };
  EXPECT_EQ(message([](Wave&) {}), "");
  EXPECT_EQ(message([](Wave& w) { w.policy = ""; }),
            "wave policy '' is unknown; known: moescope-wave-v1 [RC043]");
  EXPECT_EQ(message([](Wave& w) { w.roots[1].first_token = 4; }),
            "root 1 starts at 4, expected 5 [RC044]");
  EXPECT_EQ(message([](Wave& w) { w.roots[1].tokens = 7; }),
            "root 1 has 7 tokens, 6 are left [RC044]");
  EXPECT_EQ(message([](Wave& w) { w.roots.clear(); }), "the roots cover 0 of 11 tokens [RC044]");
  EXPECT_EQ(message([](Wave& w) { w.roots[0].lora.rank = 300; }),
            "side-LoRA rank = 300: must be 1 to 256 [RC041]");
  EXPECT_EQ(message([](Wave& w) { w.roots[1].lora.b3.pop_back(); }),
            "side-LoRA factor B3: expected 5 experts, got 4 [RC042]");
}

TEST(WaveRefusalTest, NoRootsForNoTokens) {
  const SmallLayer small(TinyLayer(), 0);
  const auto outputs = ForwardWave(small.inputs(), {}, kIdeal);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_TRUE(outputs->empty());
}

}  // namespace
}  // namespace moescope::moe::reference
