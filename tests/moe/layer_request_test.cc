#include "moe/layer_request.h"

#include <gtest/gtest.h>

#include <string>

#include "moe/presets.h"

namespace moescope::moe {
namespace {

LayerRequest Example() {
  LayerRequest request{.layer = DefaultLayer(), .tokens = 3, .seed = 18446744073709551615u};
  request.layer.clamp = 7.0f;
  request.layer.shared = SharedExpert{192, true};
  request.fixed = true;
  request.workload = *ParseWorkload("hot(p=0.25,n=3)+masked(0.125)");
  request.values = Values::kSaturated;
  request.lowering.k_tiles = 7;
  request.lowering.k_add = KAdd::kLive;
  return request;
}

TEST(LayerRequestTest, LabelsRoundTrip) {
  EXPECT_EQ(*ReadLabels(Labels(Example())), Example());
  for (const Preset& preset : Presets()) {
    LayerRequest request{.layer = preset.layer};
    request.lowering = TunedLowering(preset.layer, false);
    const absl::StatusOr<LayerRequest> back = ReadLabels(Labels(request));
    ASSERT_TRUE(back.ok()) << preset.name << back.status();
    EXPECT_EQ(*back, request) << preset.name;
  }
}

TEST(LayerRequestTest, OtherPeoplesLabelsAreSkipped) {
  std::map<std::string, std::string> labels = Labels(Example());
  labels["commit"] = "abc";
  EXPECT_TRUE(ReadLabels(labels).ok());
}

TEST(LayerRequestTest, ExactMessages) {
  const auto message = [](const std::string& key, const std::string& value) {
    std::map<std::string, std::string> labels = Labels(Example());
    labels[key] = value;
    return std::string(ReadLabels(labels).status().message());
  };
  EXPECT_EQ(message("moe.tokens", "x"), "label moe.tokens: expected an integer [RC090]");
  EXPECT_EQ(message("moe.norm", "yes"), "label moe.norm: expected true or false [RC090]");
  EXPECT_EQ(message("moe.clamp", "L"), "label moe.clamp: expected a number [RC090]");
  EXPECT_EQ(message("moe.values", "all"), "label moe.values: expected random or saturated [RC090]");
  EXPECT_EQ(message("moe.weight", "bf16"), "label moe.weight: is unknown [RC090]");
  EXPECT_EQ(message("moe.lowering.buffers", "3"),
            "label moe.lowering.buffers: lowering option buffers = '3' (--set); known: 1, 2 "
            "[RC071] [RC090]");
  EXPECT_EQ(message("moe.top_k", "33"),
            "top_k = 33 exceeds experts = 32 (--top-k, --experts) [RC002]");
  std::map<std::string, std::string> labels = Labels(Example());
  labels.erase("moe.seed");
  EXPECT_EQ(std::string(ReadLabels(labels).status().message()),
            "label moe.seed: is missing [RC090]");
  labels = Labels(Example());
  labels.erase("moe.lowering.reuse");
  EXPECT_EQ(std::string(ReadLabels(labels).status().message()),
            "label moe.lowering.reuse: is missing [RC090]");
}

TEST(LayerRequestTest, SharedText) {
  Layer layer = DefaultLayer();
  ASSERT_TRUE(ParseShared("64+gate", layer).ok());
  EXPECT_EQ(layer.shared, (SharedExpert{64, true}));
  ASSERT_TRUE(ParseShared("128", layer).ok());
  EXPECT_EQ(layer.shared, (SharedExpert{128, false}));
  ASSERT_TRUE(ParseShared("none", layer).ok());
  EXPECT_FALSE(layer.shared.has_value());
  EXPECT_EQ(std::string(ParseShared("x+gate", layer).message()),
            "shared 'x+gate': expected WIDTH, WIDTH+gate or none (--shared) [RC015]");
}

}  // namespace
}  // namespace moescope::moe
