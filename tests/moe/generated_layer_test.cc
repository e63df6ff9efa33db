#include "moe/generated_layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "isa/bfloat16.h"
#include "moe/compare.h"
#include "moe/layer_manifest_json.h"
#include "moe/presets.h"
#include "moe/reference/reference.h"

namespace moescope::moe {
namespace {

using testing::ElementsAre;

LayerRequest Request(bool fixed = false) {
  LayerRequest request{.layer = DefaultLayer(), .tokens = 3, .fixed = fixed};
  request.layer.shape = {64, 128, 8, 2};
  return request;
}

GeneratedLayer Make(const LayerRequest& request, std::optional<Routing> routing = std::nullopt) {
  absl::StatusOr<GeneratedLayer> layer =
      GeneratedLayer::Make(request, emulator::MachineDescription{}, "head", std::move(routing));
  EXPECT_TRUE(layer.ok()) << layer.status();
  return *std::move(layer);
}

std::vector<std::string> NamesOf(const LayerRequest& request) {
  const GeneratedLayer layer = Make(request);
  std::vector<std::string> names;
  for (const NamedOutput& output : NamedOutputs(layer.compiled(), *layer.Machine())) {
    names.push_back(output.name);
  }
  return names;
}

TEST(GeneratedLayerTest, OutputsFollowTheLayer) {
  EXPECT_THAT(NamesOf(Request()),
              ElementsAre("logits", "ids", "weights", "gate", "hidden", "slot", "y"));
  EXPECT_THAT(NamesOf(Request(true)), ElementsAre("gate", "hidden", "slot", "y"));
  LayerRequest shared = Request();
  shared.layer.shared = SharedExpert{64, false};
  EXPECT_THAT(NamesOf(shared),
              ElementsAre("logits", "ids", "weights", "gate", "hidden", "slot", "shared", "y"));
  shared.layer.shared->gate = true;
  EXPECT_THAT(NamesOf(shared), ElementsAre("logits", "ids", "weights", "gate", "hidden", "slot",
                                           "sigma", "shared", "y"));
}

TEST(GeneratedLayerTest, OutputsHaveTheShapesOfTheLayer) {
  const GeneratedLayer layer = Make(Request());
  const reference::StepwiseOutputs twin = *layer.Machine();
  for (const NamedOutput& output : NamedOutputs(layer.compiled(), twin)) {
    SCOPED_TRACE(output.name);
    if (output.space == NamedOutput::Space::kVram) {
      EXPECT_EQ(output.rows.size(), static_cast<std::size_t>(output.expected.rows));
    }
    if (output.name == "logits") {
      EXPECT_EQ(output.expected.columns, 8);
    }
    if (output.name == "ids") {
      EXPECT_EQ(output.words.size(), 6u);
    }
    if (output.name == "weights") {
      EXPECT_EQ(output.expected.columns, 6);
    }
    if (output.name == "gate" || output.name == "hidden") {
      EXPECT_EQ(output.expected.columns, 128);
    }
    if (output.name == "slot") {
      EXPECT_EQ(output.expected.rows, 6);
    }
    if (output.name == "y") {
      EXPECT_EQ(output.expected, twin.y);
    }
  }
}

TEST(GeneratedLayerTest, MaskedPairsHaveNoRow) {
  LayerRequest request = Request(true);
  request.workload = *ParseWorkload("uniform+masked(0.5)");
  const GeneratedLayer layer = Make(request);
  const auto live = 6 - std::count(layer.compiled().fixed->topk_idx.begin(),
                                   layer.compiled().fixed->topk_idx.end(), -1);
  ASSERT_LT(live, 6);
  for (const NamedOutput& output : NamedOutputs(layer.compiled(), *layer.Machine())) {
    if (output.name == "slot") {
      EXPECT_EQ(output.expected.rows, live);
    }
  }
}

TEST(GeneratedLayerTest, OnlyTheSeedDecidesTheValues) {
  const GeneratedLayer a = Make(Request());
  const GeneratedLayer b = Make(Request());
  EXPECT_EQ(a.tensors(), b.tensors());
  EXPECT_EQ(a.x(), b.x());
  EXPECT_EQ(*a.experts().Load(3), *b.experts().Load(3));
  LayerRequest other = Request();
  other.seed = 2;
  const GeneratedLayer c = Make(other);
  EXPECT_NE(c.x(), a.x());
  EXPECT_NE(*c.experts().Load(3), *a.experts().Load(3));
  // A lowering option changes the program, never the values.
  LayerRequest tuned = Request();
  tuned.lowering = TunedLowering(tuned.layer, false);
  EXPECT_EQ(Make(tuned).x(), a.x());
  EXPECT_EQ(*Make(tuned).experts().Load(3), *a.experts().Load(3));
}

TEST(GeneratedLayerTest, AGivenRoutingReplacesTheWorkload) {
  Routing routing{
      .tokens = 3, .top_k = 2, .experts = 8, .topk_idx = {7, 1, 0, 3, -1, 2}, .topk_w = {}};
  routing.topk_w = {0.5f, 0.5f, 0.75f, 0.25f, 0.0f, 1.0f};
  const GeneratedLayer layer = Make(Request(true), routing);
  EXPECT_EQ(layer.compiled().fixed, routing);
  EXPECT_EQ(layer.Machine()->routing.topk_idx, routing.topk_idx);
}

TEST(GeneratedLayerTest, SaturatedWeightsArePowersOfTwo) {
  LayerRequest request = Request(true);
  request.values = Values::kSaturated;
  request.workload = *ParseWorkload("uniform+masked(0.3)");
  const GeneratedLayer layer = Make(request);
  for (std::size_t pair = 0; pair < 6; ++pair) {
    const bool live = layer.compiled().fixed->topk_idx[pair] >= 0;
    EXPECT_EQ(layer.compiled().fixed->topk_w[pair], live ? 1.0f : 0.0f);
  }
}

TEST(GeneratedLayerTest, FusedOutputIsTheForwardWithTheGivenRouting) {
  const GeneratedLayer layer = Make(Request());
  const Routing routing = layer.Machine()->routing;
  const Bf16Matrix ideal = *layer.FusedOutput(routing, 0);
  EXPECT_EQ(ideal, reference::Forward({layer.compiled().layer, layer.tensors(), layer.experts(),
                                       layer.x(), routing},
                                      reference::kIdeal)
                       ->y);
  EXPECT_LT(Compare(layer.Machine()->y, ideal).relative_l2, 2e-2);
}

// Every preset has one result in every profile with the saturated fixtures, where the activation
// and its clamp allow it.
TEST(GeneratedLayerTest, SaturatedFixturesHaveOneResult) {
  int checked = 0;
  for (const Preset& preset : Presets()) {
    LayerRequest request{.layer = Scaled(preset.layer, 64, 64), .tokens = 4, .fixed = true};
    request.layer.weights = WeightFormat::kMxfp8B8;
    request.values = Values::kSaturated;
    const GeneratedLayer layer = Make(request);
    const reference::StepwiseOutputs twin = *layer.Machine();
    if (!layer.has_one_result()) continue;
    EXPECT_EQ(*layer.FusedOutput(twin.routing, 0), twin.y) << preset.name;
    EXPECT_EQ(*layer.FusedOutput(twin.routing, 64), twin.y) << preset.name;
    ++checked;
  }
  EXPECT_GE(checked, 9);
}

TEST(GeneratedLayerTest, WhatMakesTheResultUnique) {
  LayerRequest request = Request(true);
  request.values = Values::kSaturated;
  EXPECT_TRUE(Make(request).has_one_result());
  const auto unique = [&](void (*change)(LayerRequest&)) {
    LayerRequest changed = request;
    change(changed);
    return Make(changed).has_one_result();
  };
  EXPECT_FALSE(unique([](LayerRequest& r) { r.values = Values::kRandom; }));
  EXPECT_FALSE(unique([](LayerRequest& r) { r.fixed = false; }));
  EXPECT_FALSE(unique([](LayerRequest& r) { r.layer.activation = Activation::kGegluTanh; }));
  EXPECT_FALSE(unique([](LayerRequest& r) { r.layer.clamp = 10.0f; }));
  EXPECT_TRUE(unique([](LayerRequest& r) { r.layer.clamp = 24.0f; }));
  EXPECT_FALSE(unique([](LayerRequest& r) { r.layer.shared = SharedExpert{64, true}; }));
  EXPECT_TRUE(unique([](LayerRequest& r) { r.layer.shared = SharedExpert{64, false}; }));
  EXPECT_FALSE(unique([](LayerRequest& r) { r.lowering.residual = Residual::kAdd; }));
  EXPECT_TRUE(unique([](LayerRequest& r) {
    r.layer.activation = Activation::kGptOss;
    r.layer.clamp = 7.0f;
  }));
}

TEST(LayerManifestTest, NamesFilesLabelsAndExpectations) {
  const auto json = nlohmann::json::parse(FormatLayerManifest(Make(Request())));
  EXPECT_EQ(json.at("schema"), "moescope.run");
  EXPECT_EQ(json.at("program").at("file"), "layer.asm");
  EXPECT_EQ(json.at("images").at("hbm"), "hbm.bin");
  EXPECT_EQ(json.at("images").at("fpsram_format"), "bf16");
  EXPECT_EQ(json.at("expect").at("end"), "end");
  EXPECT_EQ(json.at("expect").at("memory").size(), 3u);
  EXPECT_EQ(json.at("expect").at("memory").at(2).at("matrix").at("columns"), 64);
  EXPECT_EQ(json.at("labels").at("moe.tokens"), "3");
  EXPECT_EQ(json.at("labels").at("moe.routing"), "device");
}

TEST(LayerManifestTest, FixedRoutingAndNoTokensExpectLess) {
  const auto fixed = nlohmann::json::parse(FormatLayerManifest(Make(Request(true))));
  EXPECT_EQ(fixed.at("expect").at("memory").size(), 1u);
  LayerRequest none = Request();
  none.tokens = 0;
  const auto empty = nlohmann::json::parse(FormatLayerManifest(Make(none)));
  EXPECT_EQ(empty.at("expect").at("memory").size(), 0u);
}

TEST(LayerManifestTest, TheLabelsMakeTheSameLayerAgain) {
  for (const Preset& preset : Presets()) {
    LayerRequest request{.layer = Scaled(preset.layer, 64, 64), .tokens = 2, .fixed = true};
    request.layer.weights = WeightFormat::kMxfp4B32;
    const auto json = nlohmann::json::parse(FormatLayerManifest(Make(request)));
    const absl::StatusOr<LayerRequest> back =
        ReadLabels(json.at("labels").get<std::map<std::string, std::string>>());
    ASSERT_TRUE(back.ok()) << preset.name << back.status();
    EXPECT_EQ(*back, request) << preset.name;
  }
}

}  // namespace
}  // namespace moescope::moe
