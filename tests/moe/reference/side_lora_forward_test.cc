#include <gtest/gtest.h>

#include "isa/bfloat16.h"
#include "moe/compare.h"
#include "moe/reference/wave.h"
#include "tests/moe/reference/small_layer.h"

namespace moescope::moe::reference {
namespace {

float Wide(std::uint16_t bits) { return isa::Bf16ToFloat(bits); }

TEST(SideLoraForwardTest, EqualsTheMergedWeightsUpToRounding) {
  Layer layer = TinyLayer();
  layer.shape = {48, 32, 4, 2};
  const SmallLayer small(layer, 6);
  const SideLora lora = SeededLora(layer, 3, 0.5f, 9);
  const ForwardOutputs side = small.Run(kIdeal, &lora);

  // W + s B A, rounded to BF16: equal in exact arithmetic.
  class Merged : public ExpertSource {
   public:
    Merged(const SmallLayer& small, const SideLora& lora) : small_(small), lora_(lora) {}
    absl::StatusOr<ExpertMatrices> Load(int e) const override {
      ExpertMatrices m = *small_.experts.Load(e);
      Add(m.gate, lora_.b1[static_cast<std::size_t>(e)], lora_.a1);
      Add(m.up, lora_.b3[static_cast<std::size_t>(e)], lora_.a3);
      Add(m.down, lora_.b2, lora_.a2[static_cast<std::size_t>(e)]);
      return m;
    }

   private:
    void Add(Bf16Matrix& w, const Bf16Matrix& b, const Bf16Matrix& a) const {
      for (std::int64_t r = 0; r < w.rows; ++r) {
        for (std::int64_t c = 0; c < w.columns; ++c) {
          float sum = 0;
          for (std::int64_t k = 0; k < a.rows; ++k) sum += Wide(b.At(r, k)) * Wide(a.At(k, c));
          w.At(r, c) = isa::FloatToBf16(Wide(w.At(r, c)) + lora_.scale * sum);
        }
      }
    }
    const SmallLayer& small_;
    const SideLora& lora_;
  };
  const Merged merged(small, lora);
  const ForwardOutputs folded =
      *Forward({small.layer, small.tensors, merged, small.x, small.routing}, kIdeal);
  const Metrics metrics = Compare(side.y, folded.y);
  EXPECT_GT(metrics.cosine, 0.9999) << Summary(metrics);
  EXPECT_LT(Compare(side.y, small.Run(kIdeal).y).cosine, 0.999);  // the adapter matters
}

TEST(SideLoraForwardTest, ScaleZeroIsTheBaseBitForBitEvenWithNanFactors) {
  const SmallLayer small(TinyLayer(), 6);
  SideLora lora = SeededLora(small.layer, 4, 0.0f, 9);
  for (std::uint16_t& bits : lora.a1.values) bits = 0x7FC0;
  for (std::uint16_t& bits : lora.b2.values) bits = isa::kBf16Infinity;
  for (const Accumulation accumulation : {Accumulation{16}, kIdeal}) {
    EXPECT_EQ(small.Run(accumulation, &lora).y, small.Run(accumulation).y);
  }
}

TEST(SideLoraForwardTest, PaddingTheRankChangesNoBit) {
  const SmallLayer small(TinyLayer(), 6);
  const SideLora lora = SeededLora(small.layer, 3, 0.5f, 9);
  SideLora padded = lora;
  padded.rank = 16;
  const auto rows = [](const Bf16Matrix& m) {
    Bf16Matrix wide(16, m.columns);
    std::copy(m.values.begin(), m.values.end(), wide.values.begin());
    return wide;
  };
  const auto columns = [&](const Bf16Matrix& m) { return Transposed(rows(Transposed(m))); };
  padded.a1 = rows(lora.a1);
  padded.a3 = rows(lora.a3);
  padded.b2 = columns(lora.b2);
  for (std::size_t e = 0; e < lora.b1.size(); ++e) {
    padded.b1[e] = columns(lora.b1[e]);
    padded.b3[e] = columns(lora.b3[e]);
    padded.a2[e] = rows(lora.a2[e]);
  }
  for (const Accumulation accumulation : {Accumulation{16}, kIdeal}) {
    EXPECT_EQ(small.Run(accumulation, &padded).y, small.Run(accumulation, &lora).y);
  }
}

TEST(SideLoraForwardTest, TokenModeHasOtherBitsAndTheSameMeaning) {
  Layer layer = TinyLayer();
  layer.shape = {96, 64, 5, 3};
  const SmallLayer small(layer, 8);
  SideLora lora = SeededLora(layer, 8, 0.5f, 9);
  const ForwardOutputs rows = small.Run(kIdeal, &lora);
  lora.side_rows = SideRows::kToken;
  const ForwardOutputs token = small.Run(kIdeal, &lora);
  EXPECT_EQ(token.z1, rows.z1);
  EXPECT_EQ(token.z2, rows.z2);
  EXPECT_NE(token.y, rows.y);
  EXPECT_GT(Compare(token.y, rows.y).cosine, 0.9999);
}

TEST(WaveTest, RootsAreWhatTheyAreAlone) {
  Layer layer = TinyLayer();
  layer.router.mode = RouterMode::kSoftmaxTopk;
  const SmallLayer small(layer, 9);
  Wave wave;
  wave.roots = {{0, 4, SeededLora(layer, 2, 0.5f, 1)},
                {4, 0, SeededLora(layer, 8, 0.5f, 2)},
                {4, 5, SeededLora(layer, 3, 0.0f, 3)}};
  const Bf16Matrix dy = SeededOutputGradient(layer, 9, 7);
  const auto outputs = ForwardWave(small.inputs(), wave, {16});
  const auto gradients = BackwardWave(small.inputs(), wave, dy, {16});
  ASSERT_TRUE(outputs.ok() && gradients.ok());
  ASSERT_EQ(outputs->size(), 3u);
  const Bf16Matrix base = small.Run({16}).y;
  EXPECT_EQ((*outputs)[2].y, RootRows(base, wave.roots[2]));  // disabled: the base layer
  EXPECT_NE((*outputs)[0].y, RootRows(base, wave.roots[0]));
  EXPECT_EQ((*outputs)[1].y.rows, 0);
  EXPECT_EQ((*gradients)[0].da1.rows, 2);
  EXPECT_EQ((*gradients)[1].da1, F32Matrix(8, 24));
  EXPECT_TRUE((*gradients)[2].da1.values.empty());

  // Another root's NaN factors change nothing here.
  for (std::uint16_t& bits : wave.roots[0].lora.b1[0].values) bits = 0x7FC0;
  const auto dirty = ForwardWave(small.inputs(), wave, {16});
  ASSERT_TRUE(dirty.ok());
  EXPECT_EQ((*dirty)[2].y, (*outputs)[2].y);
}

TEST(WaveTest, LossesAreOnePerRoot) {
  const Layer layer = TinyLayer();
  const SmallLayer small(layer, 9);
  const RouterResult result = Route(layer, small.tensors, small.x, {});
  Wave wave;
  wave.roots = {{0, 9, SeededLora(layer, 2, 0.5f, 1)}};
  const LossOptions options{0.5f, 0.25f};
  const Losses whole = RouterLosses(layer, result, options);
  EXPECT_EQ(WaveLosses(layer, result, wave, options)[0].aux, whole.aux);
  wave.roots = {{0, 4, SeededLora(layer, 2, 0.5f, 1)}, {4, 5, SeededLora(layer, 2, 0.5f, 1)}};
  const std::vector<Losses> parts = WaveLosses(layer, result, wave, options);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_NE(parts[0].aux, parts[1].aux);
  EXPECT_NEAR((parts[0].z * 4 + parts[1].z * 5) / 9, whole.z, 1e-5);
}

TEST(WaveTest, RootsThatDoNotFitAreRefused) {
  const SmallLayer small(TinyLayer(), 9);
  Wave wave;
  wave.roots = {{0, 4, SeededLora(small.layer, 2, 0.5f, 1)}};
  EXPECT_EQ(std::string(ForwardWave(small.inputs(), wave, kIdeal).status().message()),
            "the roots cover 4 of 9 tokens [RC044]");
}

}  // namespace
}  // namespace moescope::moe::reference
