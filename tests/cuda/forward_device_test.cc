// The forward on the device against the CPU reference (T2) and the kernels against each other (T0,
// T1 in its forward form: equal up to the order of sums).

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"
#include "moe/compare.h"
#include "moe/dispatch.h"
#include "moe/layer_names.h"
#include "tests/cuda/device_layer.h"

namespace moescope::cuda::test {
namespace {

using moe::Activation;
using moe::Tier;
using moe::WeightFormat;
using moe::Weighting;

void ExpectEndToEnd(const SeededCase& layer, const Options& options) {
  const absl::StatusOr<DeviceOutputs> device = RunOnDevice(layer, options);
  ASSERT_TRUE(device.ok()) << device.status();
  const moe::reference::ForwardOutputs reference = layer.Reference();
  const moe::Metrics metrics = moe::Compare(device->y, reference.y);
  EXPECT_TRUE(moe::Passes(Tier::kEndToEnd, metrics, true)) << moe::Summary(metrics);
  const moe::Metrics slots = moe::Compare(ValidRows(device->slot, layer.routing),
                                          ValidRows(reference.slot, layer.routing));
  EXPECT_TRUE(moe::Passes(Tier::kEndToEnd, slots, true)) << moe::Summary(slots);
}

Options With(const moe::Layer& layer, Kernels kernels, int tile = 0) {
  Options options = OptionsFor(layer);
  options.kernels = kernels;
  options.token_tile = tile;
  return options;
}

using FormatAndActivation = std::tuple<WeightFormat::Kind, Activation, Weighting::Kind>;
class ForwardFormats : public ::testing::TestWithParam<FormatAndActivation> {
 protected:
  moe::Layer LayerUnderTest() const {
    const auto [format, activation, weighting] = GetParam();
    moe::Layer layer = SmallLayer(activation, format, weighting);
    layer.expert_bias = weighting != Weighting::kInput;
    layer.clamp = 1.5f;
    return layer;
  }
};

std::string NameOf(const ::testing::TestParamInfo<FormatAndActivation>& info) {
  const auto [format, activation, weighting] = info.param;
  return absl::StrCat(Absl(moe::Name(WeightFormat(format))), "_", Absl(moe::Name(activation)), "_",
                      Absl(moe::Name(Weighting(weighting))));
}

INSTANTIATE_TEST_SUITE_P(
    All, ForwardFormats,
    ::testing::Combine(::testing::Values(WeightFormat::kBf16, WeightFormat::kMxfp8B8,
                                         WeightFormat::kMxfp8B32, WeightFormat::kMxfp4B32),
                       ::testing::Values(Activation::kSwiglu, Activation::kGptOss,
                                         Activation::kGegluTanh, Activation::kGegluErf),
                       ::testing::Values(Weighting::kPre, Weighting::kPost, Weighting::kInput)),
    NameOf);

TEST_P(ForwardFormats, PlainKernelsMatchTheReference) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase layer(LayerUnderTest(), 37);
  ExpectEndToEnd(layer, With(layer.layer, Kernels::kPlain));
}

TEST_P(ForwardFormats, TensorCoreKernelsMatchTheReference) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase layer(LayerUnderTest(), 37);
  for (const int tile : {16, 32, 64, 128}) {
    SCOPED_TRACE(tile);
    ExpectEndToEnd(layer, With(layer.layer, Kernels::kTensorCore, tile));
  }
}

// Every tile computes the same chain, so every variant gives the same bytes.
TEST_P(ForwardFormats, VariantsAreBitwiseEqual) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase layer(LayerUnderTest(), 150);
  const auto first = RunOnDevice(layer, With(layer.layer, Kernels::kTensorCore, 16));
  ASSERT_TRUE(first.ok()) << first.status();
  for (const int tile : {32, 64, 128}) {
    const auto other = RunOnDevice(layer, With(layer.layer, Kernels::kTensorCore, tile));
    ASSERT_TRUE(other.ok()) << other.status();
    EXPECT_EQ(first->y, other->y) << "token tile " << tile;
    EXPECT_EQ(ValidRows(first->slot, layer.routing), ValidRows(other->slot, layer.routing));
  }
}

// The same weights in BF16.
SeededCase Decoded(const SeededCase& packed) {
  SeededCase decoded = packed;
  decoded.layer.weights = WeightFormat::kBf16;
  for (auto* matrices : {&decoded.weights.experts.gate_up, &decoded.weights.experts.down}) {
    for (moe::EncodedMatrix& matrix : *matrices) {
      matrix = moe::Encode(*moe::Decode(matrix, {}), WeightFormat::kBf16,
                           moe::Orientation::kOutputMajor, {});
    }
  }
  return decoded;
}

// Packed weights give the bits of the BF16 kernel on the decoded weights (probe P3).
TEST_P(ForwardFormats, PackedWeightsEqualDecodedWeights) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase packed(LayerUnderTest(), 40);
  const SeededCase decoded = Decoded(packed);
  for (const Kernels kernels : {Kernels::kPlain, Kernels::kTensorCore}) {
    const auto a = RunOnDevice(packed, With(packed.layer, kernels));
    const auto b = RunOnDevice(decoded, With(decoded.layer, kernels));
    ASSERT_TRUE(a.ok()) << a.status();
    ASSERT_TRUE(b.ok()) << b.status();
    EXPECT_EQ(a->y, b->y) << "kernels " << static_cast<int>(kernels);
  }
}

// Scales on both sides of the largest one that is applied by a single product, so that warps with
// and without larger ones stand side by side.
TEST(ForwardDevice, LargeScalesEqualDecodedWeights) {
  MOESCOPE_NEEDS_DEVICE();
  for (const auto format :
       {WeightFormat::kMxfp8B8, WeightFormat::kMxfp8B32, WeightFormat::kMxfp4B32}) {
    SCOPED_TRACE(Absl(moe::Name(WeightFormat(format))));
    SeededCase packed(SmallLayer(Activation::kSwiglu, format), 150);
    for (moe::EncodedMatrix& matrix : packed.weights.experts.gate_up) {
      const std::size_t per_row = matrix.scales.size() / static_cast<std::size_t>(matrix.outputs);
      for (std::size_t i = 0; i < matrix.scales.size(); ++i) {
        const std::size_t row = i / per_row;
        const bool large = row % 64 >= 16 && (row + i) % 5 == 0;
        matrix.scales[i] = static_cast<std::uint8_t>(large ? 128 + row % 2 : 127 - row % 3);
      }
    }
    const SeededCase decoded = Decoded(packed);
    for (const int tile : {16, 32, 64, 128}) {
      SCOPED_TRACE(tile);
      const auto a = RunOnDevice(packed, With(packed.layer, Kernels::kTensorCore, tile));
      const auto b = RunOnDevice(decoded, With(decoded.layer, Kernels::kTensorCore, tile));
      ASSERT_TRUE(a.ok()) << a.status();
      ASSERT_TRUE(b.ok()) << b.status();
      EXPECT_EQ(a->y, b->y);
    }
  }
}

// Exact fixtures: every order of sums gives the same bits, so reference and both kernels agree.
TEST_P(ForwardFormats, SaturatedFixturesAreExact) {
  MOESCOPE_NEEDS_DEVICE();
  moe::Layer description = LayerUnderTest();
  const bool gated = description.activation == Activation::kSwiglu ||
                     description.activation == Activation::kGptOss;
  if (!gated) GTEST_SKIP() << "saturated fixtures exist for swiglu and gpt_oss";
  description.clamp.reset();
  if (description.activation == Activation::kGptOss) description.clamp = 7.0f;
  SeededCase layer(description, 37, "uniform+masked(0.2)", 3, moe::Values::kSaturated);
  for (float& w : layer.routing.topk_w) w = w == 0.0f ? 0.0f : 0.5f;
  const moe::reference::ForwardOutputs reference = layer.Reference();
  for (const Kernels kernels : {Kernels::kPlain, Kernels::kTensorCore}) {
    const auto device = RunOnDevice(layer, With(layer.layer, kernels));
    ASSERT_TRUE(device.ok()) << device.status();
    const moe::Metrics metrics = moe::Compare(device->y, reference.y);
    EXPECT_TRUE(moe::Passes(Tier::kBitwise, metrics, true)) << moe::Summary(metrics);
  }
}

TEST(ForwardDevice, DispatchIsTheStablePermutation) {
  MOESCOPE_NEEDS_DEVICE();
  for (const int experts : {8, 32, 64, 256, 1024}) {
    // Pairs: of one block, of a few in one cluster, of exactly eight, of more.
    for (const std::int64_t tokens : {1, 17, 256, 257, 300, 1500, 2048, 2049, 4000}) {
      SCOPED_TRACE(absl::StrCat("E ", experts, " T ", tokens));
      moe::Layer description{.shape = {16, 16, experts, 4},
                             .weighting = Weighting::kPre,
                             .weights = WeightFormat::kBf16};
      const SeededCase layer(description, tokens, "ragged+masked(0.2)");
      const auto device = RunOnDevice(layer, OptionsFor(description));
      ASSERT_TRUE(device.ok()) << device.status();
      const moe::DispatchMap expected = moe::Dispatch(layer.routing, kRowAlignment);
      EXPECT_EQ(device->count, expected.count);
      EXPECT_EQ(device->base, expected.base);
      EXPECT_EQ(device->row_of, expected.row_of);
      auto row_src = device->row_src;
      row_src.resize(expected.row_src.size());
      EXPECT_EQ(row_src, expected.row_src);
      EXPECT_EQ(device->report.groups, static_cast<std::int64_t>(expected.active.size()));
    }
  }
}

TEST(ForwardDevice, AllMaskedGivesPositiveZeros) {
  MOESCOPE_NEEDS_DEVICE();
  SeededCase layer(SmallLayer(), 20);
  for (auto& id : layer.routing.topk_idx) id = -1;
  for (auto& w : layer.routing.topk_w) w = 0;
  for (const Kernels kernels : {Kernels::kPlain, Kernels::kTensorCore}) {
    const auto device = RunOnDevice(layer, With(layer.layer, kernels));
    ASSERT_TRUE(device.ok()) << device.status();
    EXPECT_EQ(device->y, moe::Bf16Matrix(20, layer.layer.shape.hidden));
    EXPECT_EQ(device->report.groups, 0);
  }
}

TEST(ForwardDevice, NoTokens) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase layer(SmallLayer(), 0);
  const auto device = RunOnDevice(layer, OptionsFor(layer.layer));
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->report.rows, 0);
}

TEST(ForwardDevice, EveryPatternOfEmptyExperts) {
  MOESCOPE_NEEDS_DEVICE();
  moe::Layer description = SmallLayer();
  description.shape = {64, 64, 8, 1};
  SeededCase layer(description, 24);
  for (int pattern = 1; pattern < 256; ++pattern) {
    std::vector<std::int32_t> used;
    for (int e = 0; e < 8; ++e) {
      if ((pattern >> e & 1) != 0) used.push_back(e);
    }
    for (std::size_t j = 0; j < layer.routing.topk_idx.size(); ++j) {
      layer.routing.topk_idx[j] = used[j % used.size()];
      layer.routing.topk_w[j] = 0.5f;
    }
    const auto plain = RunOnDevice(layer, With(description, Kernels::kPlain));
    const auto tuned = RunOnDevice(layer, With(description, Kernels::kTensorCore));
    ASSERT_TRUE(plain.ok() && tuned.ok()) << plain.status() << tuned.status();
    const moe::Metrics metrics = moe::Compare(tuned->y, plain->y);
    ASSERT_TRUE(moe::Passes(Tier::kEndToEnd, metrics, true))
        << "pattern " << pattern << ": " << moe::Summary(metrics);
    ASSERT_EQ(tuned->report.groups, static_cast<std::int64_t>(used.size()));
  }
}

TEST(ForwardDevice, AnIdOutOfRangeIsMaskedAndReported) {
  MOESCOPE_NEEDS_DEVICE();
  SeededCase layer(SmallLayer(), 20, "uniform");
  SeededCase masked = layer;
  layer.routing.topk_idx[7] = 8;
  layer.routing.topk_idx[11] = -2;
  masked.routing.topk_idx[7] = masked.routing.topk_idx[11] = -1;
  const Plan plan = *MakePlan(layer.layer.shape, 20, OptionsFor(layer.layer), TestDevice()->traits);
  const PackedWeights packed = *PackWeights(plan, layer.weights);
  DeviceLayer device(layer, plan, packed);
  ASSERT_TRUE(Forward(plan, device.tensors(), device.workspace(), {}).ok());
  const auto report = Finish(plan, device.workspace(), {});
  EXPECT_EQ(report.status(),
            absl::InvalidArgumentError("topk_idx: pair 7 (token 2, slot 1) is outside -1 to 7"));
  const auto expected = RunOnDevice(masked, OptionsFor(layer.layer));
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_EQ(device.Outputs().y, expected->y);
}

// NaN in a token or in a padding row never reaches another row.
TEST(ForwardDevice, NanStaysInItsRow) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase clean(SmallLayer(), 33, "uniform");
  SeededCase dirty = clean;
  for (auto& value : dirty.x.Row(5)) value = 0x7FC0;
  const auto a = RunOnDevice(clean, OptionsFor(clean.layer));
  const auto b = RunOnDevice(dirty, OptionsFor(clean.layer));
  ASSERT_TRUE(a.ok() && b.ok());
  for (std::int64_t t = 0; t < 33; ++t) {
    const auto row_a = a->y.Row(t);
    const auto row_b = b->y.Row(t);
    if (t == 5) {
      EXPECT_EQ(row_b[0], 0x7FC0);
    } else {
      EXPECT_TRUE(std::equal(row_a.begin(), row_a.end(), row_b.begin())) << t;
    }
  }
}

TEST(ForwardDevice, SavedGateAndUpDoNotChangeTheOutput) {
  MOESCOPE_NEEDS_DEVICE();
  const SeededCase layer(SmallLayer(), 50);
  Options options = OptionsFor(layer.layer);
  const auto plain = RunOnDevice(layer, options);
  options.save_gate_up = true;
  const auto saved = RunOnDevice(layer, options);
  ASSERT_TRUE(plain.ok() && saved.ok()) << plain.status() << saved.status();
  EXPECT_EQ(plain->y, saved->y);
  const moe::reference::ForwardOutputs reference = layer.Reference();
  for (std::int64_t pair = 0; pair < layer.routing.pairs(); ++pair) {
    const std::int32_t row = saved->row_of[static_cast<std::size_t>(pair)];
    if (row < 0) continue;
    for (std::int64_t i = 0; i < layer.layer.shape.intermediate; ++i) {
      ASSERT_LE(moe::UlpDistance(saved->gate.At(row, i), reference.gate.At(pair, i)), 200);
    }
  }
}

TEST(ForwardDevice, GateUpLayoutsGiveTheSameBits) {
  MOESCOPE_NEEDS_DEVICE();
  for (const auto format : {WeightFormat::kBf16, WeightFormat::kMxfp4B32}) {
    const moe::Layer description = SmallLayer(Activation::kSwiglu, format);
    const SeededCase halves(description, 20);
    const auto expected = RunOnDevice(halves, OptionsFor(description));
    ASSERT_TRUE(expected.ok()) << expected.status();
    for (const auto layout : {moe::GateUpLayout::kInterleaved, moe::GateUpLayout::kGranule8}) {
      const SeededCase other(description, 20, "uniform+masked(0.2)", 1, moe::Values::kRandom,
                             layout);
      const auto device = RunOnDevice(other, OptionsFor(description));
      ASSERT_TRUE(device.ok()) << device.status();
      EXPECT_EQ(device->y, expected->y);
    }
  }
}

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const moe::Preset& preset : moe::Presets()) names.emplace_back(preset.name);
  return names;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& preset) {
  std::string name = preset.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

class ForwardPresets : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, ForwardPresets, ::testing::ValuesIn(PresetNames()), TestName);

TEST_P(ForwardPresets, ReducedWidthMatchesTheReference) {
  MOESCOPE_NEEDS_DEVICE();
  const moe::Layer full = *moe::FindPreset(GetParam());
  for (const auto format : {WeightFormat::kBf16, WeightFormat::kMxfp4B32}) {
    moe::Layer description = moe::Scaled(full, 16, 16);
    description.weights = format;
    const SeededCase layer(description, 40);
    ExpectEndToEnd(layer, With(description, Kernels::kPlain));
    ExpectEndToEnd(layer, With(description, Kernels::kTensorCore));
  }
}

}  // namespace
}  // namespace moescope::cuda::test
