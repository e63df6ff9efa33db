#include "moe/seeded_layer.h"

#include <gtest/gtest.h>

#include <string>

#include "isa/bfloat16.h"
#include "moe/presets.h"

namespace moescope::moe {
namespace {

constexpr NumberRules kOcp{};

Layer Small(const char* preset, int divisor = 64) {
  Layer layer = Scaled(*FindPreset(preset), divisor, 16);
  layer.shape.experts = 8;
  layer.shape.top_k = std::min(layer.shape.top_k, 2);
  layer.router.groups = layer.router.topk_group = 1;
  return layer;
}

TEST(SeededLayerTest, EveryPresetHasTheTensorsItAsksFor) {
  for (const Preset& preset : Presets()) {
    const Layer layer = Small(std::string(preset.name).c_str());
    const LayerTensors tensors = SeededTensors(layer, 1);
    EXPECT_TRUE(Check(tensors, layer).ok()) << preset.name << Check(tensors, layer);
    for (const float value : tensors.router.values) {
      EXPECT_EQ(isa::Bf16ToFloat(isa::FloatToBf16(value)), value);
    }
  }
}

TEST(SeededLayerTest, ElementsDoNotDependOnTheirNeighbours) {
  const Layer layer = Small("qwen3-30b-a3b");
  const Bf16Matrix three = SeededHidden(layer, 3, 7);
  Bf16Matrix five = SeededHidden(layer, 5, 7);
  five.values.resize(three.values.size());
  five.rows = 3;
  EXPECT_EQ(five, three);
  EXPECT_NE(SeededExpert(layer, 0, 7), SeededExpert(layer, 1, 7));
  EXPECT_NE(SeededExpert(layer, 0, 7), SeededExpert(layer, 0, 8));
}

TEST(SeededLayerTest, StoredAndGeneratedExpertsAreEqual) {
  for (const auto format : {WeightFormat::kBf16, WeightFormat::kMxfp8B8, WeightFormat::kMxfp8B32,
                            WeightFormat::kMxfp4B32}) {
    Layer layer = Small("qwen3-30b-a3b", 16);
    layer.weights = format;
    for (const auto layout : {GateUpLayout::kHalves, GateUpLayout::kGranule8}) {
      const Weights weights = SeededWeights(layer, 3, layout, Orientation::kOutputMajor, kOcp);
      ASSERT_TRUE(Check(weights.experts, layer).ok()) << Check(weights.experts, layer);
      const StoredExperts stored(weights.experts, kOcp);
      const SeededExperts seeded(layer, 3, Orientation::kOutputMajor, kOcp);
      for (const int expert : {0, 7}) {
        const absl::StatusOr<ExpertMatrices> a = stored.Load(expert);
        const absl::StatusOr<ExpertMatrices> b = seeded.Load(expert);
        ASSERT_TRUE(a.ok() && b.ok());
        EXPECT_EQ(*a, *b);
      }
    }
  }
}

TEST(SeededLayerTest, SaturatedMatricesAreExactInEveryFormatAndOrientation) {
  for (const char* preset : {"gpt-oss-20b", "qwen3-30b-a3b"}) {
    const Layer layer = Small(preset);
    const ExpertMatrices expert = SeededExpert(layer, 1, 5, Values::kSaturated);
    for (const auto format :
         {WeightFormat::kMxfp8B8, WeightFormat::kMxfp8B32, WeightFormat::kMxfp4B32}) {
      for (const auto orientation : {Orientation::kOutputMajor, Orientation::kContractionMajor}) {
        EXPECT_TRUE(IsRepresentable(expert.gate, format, orientation, kOcp));
        EXPECT_TRUE(IsRepresentable(expert.up, format, orientation, kOcp));
        EXPECT_TRUE(IsRepresentable(expert.down, format, orientation, kOcp));
      }
    }
  }
}

TEST(WeightsTest, ShapesAreChecked) {
  const Layer layer = Small("gpt-oss-20b");
  const auto message = [&](void (*change)(LayerTensors&)) {
    LayerTensors tensors = SeededTensors(layer, 1);
    change(tensors);
    return std::string(Check(tensors, layer).message());
  };
  EXPECT_EQ(message([](LayerTensors& t) { t.router = F32Matrix(8, 47); }),
            "Wr: expected [8,48], got [8,47] [RC034]");
  EXPECT_EQ(message([](LayerTensors& t) { t.router_bias.clear(); }),
            "br: expected [1,8], got [1,0] [RC034]");
  EXPECT_EQ(message([](LayerTensors& t) { t.down_bias = {}; }),
            "b2: expected [8,48], got [0,0] [RC034]");
  EXPECT_EQ(message([](LayerTensors& t) { t.shared_gate_vector = {1}; }),
            "wg: expected [1,0], got [1,1] [RC034]");
  EXPECT_EQ(message([](LayerTensors& t) { t.shared_down = Bf16Matrix(1, 1); }),
            "shared down: expected [0,0], got [1,1] [RC034]");
}

TEST(WeightsTest, EncodedExpertsAreChecked) {
  Layer layer = Small("qwen3-30b-a3b");
  layer.weights = WeightFormat::kMxfp8B8;
  const auto message = [&](void (*change)(EncodedExperts&)) {
    EncodedExperts experts =
        SeededWeights(layer, 1, GateUpLayout::kHalves, Orientation::kOutputMajor, kOcp).experts;
    change(experts);
    return std::string(Check(experts, layer).message());
  };
  EXPECT_EQ(message([](EncodedExperts&) {}), "");
  EXPECT_EQ(message([](EncodedExperts& e) { e.down.pop_back(); }),
            "W2: expected 8 experts, got 7 [RC034]");
  EXPECT_EQ(message([](EncodedExperts& e) { e.gate_up[2].format = WeightFormat::kBf16; }),
            "W13: expected format mxfp8_b8, got bf16 [RC035]");
  EXPECT_EQ(message([](EncodedExperts& e) { e.down[0].contraction = 8; }),
            "W2: expected [32,16], got [32,8] [RC034]");
}

}  // namespace
}  // namespace moescope::moe
