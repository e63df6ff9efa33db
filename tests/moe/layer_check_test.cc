#include "moe/layer_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "moe/layer_names.h"
#include "moe/presets.h"

namespace moescope::moe {
namespace {

Layer Base() {
  return {.shape = {64, 64, 8, 2},
          .router = {.mode = RouterMode::kSoftmaxTopk},
          .weighting = Weighting::kPre,
          .weights = WeightFormat::kBf16};
}

struct Case {
  const char* name;
  std::function<void(Layer&)> change;
  const char* message;
};

class LayerCheckTest : public testing::TestWithParam<Case> {};

TEST_P(LayerCheckTest, RefusesNamingLimitAndOption) {
  Layer layer = Base();
  GetParam().change(layer);
  const absl::Status status = Check(layer);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Messages, LayerCheckTest,
    testing::Values(
        Case{"hidden", [](Layer& l) { l.shape.hidden = 0; },
             "hidden = 0: must be 1 to 1048576 (--hidden) [RC001]"},
        Case{"inter", [](Layer& l) { l.shape.intermediate = 1048577; },
             "intermediate = 1048577: must be 1 to 1048576 (--inter) [RC001]"},
        Case{"experts", [](Layer& l) { l.shape.experts = 65536; },
             "experts = 65536: must be 1 to 65535 (--experts) [RC001]"},
        Case{"topk", [](Layer& l) { l.shape.top_k = 256; },
             "top_k = 256: must be 1 to 255 (--top-k) [RC001]"},
        Case{"topk_above_experts", [](Layer& l) { l.shape.top_k = 9; },
             "top_k = 9 exceeds experts = 8 (--top-k, --experts) [RC002]"},
        Case{"groups_without_mode", [](Layer& l) { l.router.groups = 2; },
             "groups = 2: router mode softmax_topk has no groups (--router) [RC003]"},
        Case{"groups",
             [](Layer& l) { l.router = {.mode = RouterMode::kSigmoidGroup, .groups = 3}; },
             "groups = 3 does not divide experts = 8 (--experts) [RC004]"},
        Case{"kept",
             [](Layer& l) {
               l.router = {.mode = RouterMode::kSigmoidGroup, .groups = 4, .topk_group = 5};
             },
             "topk_group = 5: must be 1 to groups = 4 (--preset) [RC005]"},
        Case{"reachable",
             [](Layer& l) {
               l.router = {.mode = RouterMode::kSigmoidGroup, .groups = 8, .topk_group = 1};
             },
             "top_k = 2 exceeds the 1 experts of topk_group = 1 groups (--top-k) [RC006]"},
        Case{"scale",
             [](Layer& l) { l.router = {.mode = RouterMode::kSigmoidGroup, .routed_scale = 0}; },
             "routed_scale = 0: must be finite and above 0 (--preset) [RC007]"},
        Case{"scale_mode", [](Layer& l) { l.router.routed_scale = 2; },
             "routed_scale = 2: router mode softmax_topk has no routed scale (--router) [RC008]"},
        Case{"correction", [](Layer& l) { l.router.correction_bias = true; },
             "bias_corr: router mode softmax_topk selects on the logits (--router) [RC009]"},
        Case{"sigmoid_input",
             [](Layer& l) {
               l.router.mode = RouterMode::kSigmoidInput;
               l.shape.top_k = 1;
             },
             "weighting pre: router mode sigmoid_input needs weighting input (--router) [RC010]"},
        Case{"input", [](Layer& l) { l.weighting = Weighting::kInput; },
             "weighting input: needs router mode sigmoid_input or given, not softmax_topk "
             "(--router) [RC010]"},
        Case{"input_k",
             [](Layer& l) {
               l.weighting = Weighting::kInput;
               l.router.mode = RouterMode::kSigmoidInput;
             },
             "top_k = 2: weighting input needs top_k = 1 (--top-k) [RC011]"},
        Case{"clamp", [](Layer& l) { l.clamp = -1.0f; },
             "clamp = -1: must be finite and above 0 (--clamp) [RC012]"},
        Case{"clamp_bf16", [](Layer& l) { l.clamp = 0.1f; },
             "clamp = 0.100000001 is not a BF16 value (--clamp) [RC013]"},
        Case{"shared",
             [](Layer& l) {
               l.shared = SharedExpert{0, false};
             },
             "shared intermediate = 0: must be 1 to 1048576 (--shared) [RC001]"}),
    [](const testing::TestParamInfo<Case>& entry) { return std::string(entry.param.name); });

TEST(LayerCheck, AcceptsTheLimits) {
  Layer layer = Base();
  EXPECT_TRUE(Check(layer).ok());
  layer.shape = {kMaxWidth, kMaxWidth, kMaxExperts, kMaxTopK};
  EXPECT_TRUE(Check(layer).ok());
  layer.shape = {1, 1, 1, 1};
  EXPECT_TRUE(Check(layer).ok());
}

struct PresetRow {
  const char* name;
  LayerShape shape;
  std::uint32_t packed;
  int shared;
  bool gate;
  RouterMode router;
  double billions;
};

// The table of moe.md, 12.
const PresetRow kRows[] = {
    {"gpt-oss-20b", {2880, 2880, 32, 4}, 8196, 0, false, RouterMode::kSoftmaxTopk, 0.796},
    {"gpt-oss-120b", {2880, 2880, 128, 4}, 32772, 0, false, RouterMode::kSoftmaxTopk, 3.185},
    {"qwen3-30b-a3b", {2048, 768, 128, 8}, 32776, 0, false, RouterMode::kSoftmaxAll, 0.604},
    {"qwen1.5-moe-a2.7b", {2048, 1408, 60, 4}, 15364, 5632, true, RouterMode::kSoftmaxAll, 0.519},
    {"qwen2-57b-a14b", {3584, 2560, 64, 8}, 16392, 20480, true, RouterMode::kSoftmaxAll, 1.762},
    {"deepseek-v2-lite", {2048, 1408, 64, 6}, 16390, 2816, false, RouterMode::kSoftmaxAll, 0.554},
    {"deepseek-v3", {7168, 2048, 256, 8}, 65544, 2048, false, RouterMode::kSigmoidGroup, 11.27},
    {"kimi-k2", {7168, 2048, 384, 8}, 98312, 2048, false, RouterMode::kSigmoidGroup, 16.91},
    {"llama4-scout", {5120, 8192, 16, 1}, 4097, 8192, false, RouterMode::kSigmoidInput, 2.013},
    {"glm-4.5", {5120, 1536, 160, 8}, 40968, 1536, false, RouterMode::kSigmoidGroup, 3.775},
    {"glm-4.5-air", {4096, 1408, 128, 8}, 32776, 1408, false, RouterMode::kSigmoidGroup, 2.215},
    {"qwen3-next-80b-a3b", {2048, 512, 512, 10}, 131082, 512, true, RouterMode::kSoftmaxAll, 1.611},
    {"mixtral-8x7b", {4096, 14336, 8, 2}, 2050, 0, false, RouterMode::kSoftmaxAll, 1.409},
    {"dsv4-flash", {4096, 2048, 256, 6}, 65542, 2048, false, RouterMode::kSqrtSoftplus, 6.442},
};

TEST(PresetsTest, TableOfTheDesignDocument) {
  ASSERT_EQ(Presets().size(), std::size(kRows));
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    const PresetRow& row = kRows[i];
    const Preset& preset = Presets()[i];
    SCOPED_TRACE(row.name);
    EXPECT_EQ(preset.name, row.name);
    EXPECT_EQ(preset.layer.shape, row.shape);
    EXPECT_EQ(PackedTopK(preset.layer.shape), row.packed);
    EXPECT_EQ(preset.layer.shared.value_or(SharedExpert{}), (SharedExpert{row.shared, row.gate}));
    EXPECT_EQ(preset.layer.router.mode, row.router);
    const double billions = static_cast<double>(RoutedParameters(row.shape)) / 1e9;
    EXPECT_NEAR(billions, row.billions, row.billions > 10 ? 0.006 : 0.0006);
    EXPECT_TRUE(Check(preset.layer).ok()) << Check(preset.layer);
  }
}

TEST(PresetsTest, RouterOptions) {
  const Router v3 = FindPreset("deepseek-v3")->router;
  EXPECT_EQ(v3.groups, 8);
  EXPECT_EQ(v3.topk_group, 4);
  EXPECT_EQ(v3.routed_scale, 2.5f);
  EXPECT_TRUE(v3.norm);
  EXPECT_TRUE(v3.correction_bias);
  EXPECT_EQ(FindPreset("kimi-k2")->router.routed_scale, 2.827f);
  EXPECT_EQ(FindPreset("glm-4.5-air")->router.routed_scale, 1.0f);
  EXPECT_TRUE(FindPreset("qwen3-30b-a3b")->router.norm);
  EXPECT_FALSE(FindPreset("qwen2-57b-a14b")->router.norm);
  EXPECT_FALSE(FindPreset("deepseek-v2-lite")->router.norm);
  const Layer oss = *FindPreset("gpt-oss-120b");
  EXPECT_EQ(oss.activation, Activation::kGptOss);
  EXPECT_EQ(oss.clamp, 7.0f);
  EXPECT_TRUE(oss.expert_bias && oss.router.logit_bias);
  EXPECT_EQ(oss.weighting, Weighting::kPost);
  const Layer flash = *FindPreset("dsv4-flash");
  EXPECT_EQ(flash.clamp, 10.0f);
  EXPECT_EQ(flash.router.routed_scale, 1.5f);
  EXPECT_EQ(FindPreset("llama4-scout")->weighting, Weighting::kInput);
}

TEST(PresetsTest, UnknownNameSuggests) {
  EXPECT_EQ(std::string(FindPreset("gpt-oss-21b").status().message()),
            "unknown preset 'gpt-oss-21b' (--preset); did you mean 'gpt-oss-20b' or "
            "'gpt-oss-120b'? [RC014]");
}

TEST(PresetsTest, Variants) {
  const Layer oss = *FindPreset("gpt-oss-20b");
  EXPECT_EQ(Scaled(oss, 45, 64).shape, (LayerShape{64, 64, 32, 4}));
  EXPECT_EQ(Scaled(oss, 44, 64).shape, (LayerShape{128, 128, 32, 4}));
  EXPECT_EQ(Scaled(oss, 1, 64).shape, oss.shape);
  const Layer qwen = *FindPreset("qwen1.5-moe-a2.7b");
  EXPECT_EQ(Scaled(qwen, 16, 64).shared->intermediate, 384);
  EXPECT_FALSE(RoutedOnly(qwen).shared.has_value());
  const Layer plain = Plain(oss);
  EXPECT_FALSE(plain.expert_bias || plain.router.logit_bias || plain.clamp.has_value());
  EXPECT_EQ(plain.shape, oss.shape);
}

TEST(LayerNamesTest, RoundTrip) {
  for (int i = 0; i < 6; ++i) {
    const auto mode = static_cast<RouterMode>(i);
    EXPECT_EQ(*ParseRouterMode(Name(mode)), mode);
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(*ParseActivation(Name(static_cast<Activation>(i))), static_cast<Activation>(i));
    const WeightFormat format(static_cast<WeightFormat::Kind>(i));
    EXPECT_EQ(*ParseWeightFormat(Name(format)), format);
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(*ParseGateUpLayout(Name(static_cast<GateUpLayout>(i))), static_cast<GateUpLayout>(i));
    const Weighting weighting(static_cast<Weighting::Kind>(i));
    EXPECT_EQ(*ParseWeighting(Name(weighting)), weighting);
  }
}

TEST(LayerNamesTest, UnknownNamesListWhatIsKnown) {
  EXPECT_EQ(std::string(ParseWeightFormat("mxfp8_b23").status().message()),
            "unknown weight format 'mxfp8_b23'; known: bf16, mxfp8_b8, mxfp8_b32, mxfp4_b32; did "
            "you mean 'mxfp8_b32', 'mxfp8_b8' or 'mxfp4_b32'?");
  EXPECT_EQ(std::string(ParseWeighting("both").status().message()),
            "unknown weighting 'both'; known: pre, post, input");
}

}  // namespace
}  // namespace moescope::moe
