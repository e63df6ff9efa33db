// Plans: limits with their texts, the tile table, the fingerprint.

#include "cuda/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "moe/presets.h"

namespace moescope::cuda {
namespace {

constexpr moe::LayerShape kShape{2048, 768, 128, 8};

Options Base() { return {.weighting = moe::Weighting::kPre, .weights = moe::WeightFormat::kBf16}; }

struct Refusal {
  const char* name;
  moe::LayerShape shape;
  std::int64_t tokens;
  void (*change)(Options&);
  absl::StatusCode code;
  const char* text;
};

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
void Nothing(Options&) {}

const Refusal kRefusals[] = {
    {"Hidden",
     {2056, 768, 128, 8},
     1,
     &Nothing,
     kInvalid,
     "hidden = 2056: must be a multiple of 16"},
    {"HiddenZero", {0, 768, 128, 8}, 1, &Nothing, kInvalid, "hidden = 0: must be 16 to 32768"},
    {"HiddenLarge",
     {32784, 768, 128, 8},
     1,
     &Nothing,
     kInvalid,
     "hidden = 32784: must be 16 to 32768"},
    {"Intermediate",
     {2048, 760, 128, 8},
     1,
     &Nothing,
     kInvalid,
     "intermediate = 760: must be a multiple of 16"},
    {"Experts", {2048, 768, 1025, 8}, 1, &Nothing, kInvalid, "experts = 1025: must be 1 to 1024"},
    {"TopK", {2048, 768, 128, 33}, 1, &Nothing, kInvalid, "top_k = 33: must be 1 to 32"},
    {"TopKOfFewExperts", {2048, 768, 4, 5}, 1, &Nothing, kInvalid, "top_k = 5: must be 1 to 4"},
    {"Tokens", kShape, -1, &Nothing, kInvalid, "tokens = -1: must be 0 to 268433407"},
    {"TokensLarge", kShape, 268433408, &Nothing, kInvalid,
     "tokens = 268433408: must be 0 to 268433407"},
    {"Clamp", kShape, 1, [](Options& o) { o.clamp = 0.1f; }, kInvalid,
     "clamp = 0.100000001 is not a BF16 value (--clamp) [RC013]"},
    {"Shared", kShape, 1,
     [](Options& o) {
       o.shared = moe::SharedExpert{40, false};
     },
     kInvalid, "shared intermediate = 40: must be a multiple of 16"},
    {"Tile", kShape, 1, [](Options& o) { o.token_tile = 48; }, kInvalid,
     "token_tile = 48: must be 0, 16, 32, 64 or 128"},
    {"SmLimit", kShape, 1, [](Options& o) { o.sm_limit = 133; }, kInvalid,
     "sm_limit = 133: must be 0 to 132"},
    {"SmLimitNegative", kShape, 1, [](Options& o) { o.sm_limit = -1; }, kInvalid,
     "sm_limit = -1: must be 0 to 132"},
    {"Logits", kShape, 1, [](Options& o) { o.bf16_logits = true; }, kInvalid,
     "bf16_logits: router mode given computes no logits"},
    {"RouteWeights", kShape, 1, [](Options& o) { o.bf16_weights = true; }, kInvalid,
     "bf16_weights: router mode given computes no weights"},
    {"OrderAlone", kShape, 1, [](Options& o) { o.stepwise = StepwiseOrder{}; }, kInvalid,
     "stepwise order without Kernels::kStepwise"},
    {"StepwiseWithoutOrder", kShape, 1, [](Options& o) { o.kernels = Kernels::kStepwise; },
     kInvalid, "Kernels::kStepwise needs a stepwise order"},
    {"StepwiseTile", kShape, 1,
     [](Options& o) {
       o.kernels = Kernels::kStepwise;
       o.stepwise = StepwiseOrder{.tile = 0};
     },
     kInvalid, "stepwise tile = 0: must be 1 to 32768"},
    {"StepwiseActivation", kShape, 1,
     [](Options& o) {
       o.kernels = Kernels::kStepwise;
       o.stepwise = StepwiseOrder{};
       o.activation = moe::Activation::kGegluErf;
     },
     kUnimplemented, "stepwise kernels with activation geglu_erf"},
    {"StepwiseShared", kShape, 1,
     [](Options& o) {
       o.kernels = Kernels::kStepwise;
       o.stepwise = StepwiseOrder{};
       o.shared = moe::SharedExpert{64, false};
     },
     kUnimplemented, "stepwise kernels with a shared expert"},
    {"StepwiseFast", kShape, 1,
     [](Options& o) {
       o.kernels = Kernels::kStepwise;
       o.stepwise = StepwiseOrder{};
       o.fast_math_forward = true;
     },
     kUnimplemented, "fast_math_forward with stepwise kernels"},
    {"StepwiseSave", kShape, 1,
     [](Options& o) {
       o.kernels = Kernels::kStepwise;
       o.stepwise = StepwiseOrder{};
       o.save_gate_up = true;
     },
     kUnimplemented, "save_gate_up with stepwise kernels"},
    {"StepwiseInput",
     {2048, 768, 128, 1},
     1,
     [](Options& o) {
       o.kernels = Kernels::kStepwise;
       o.stepwise = StepwiseOrder{};
       o.weighting = moe::Weighting::kInput;
     },
     kUnimplemented,
     "stepwise kernels with weighting input"},
    {"PlainSms", kShape, 1,
     [](Options& o) {
       o.kernels = Kernels::kPlain;
       o.sm_limit = 4;
     },
     kUnimplemented, "sm_limit without tensor-core kernels"},
    {"PlainTile", kShape, 1,
     [](Options& o) {
       o.kernels = Kernels::kPlain;
       o.token_tile = 16;
     },
     kUnimplemented, "token_tile without tensor-core kernels"},
    {"FastGeglu", kShape, 1,
     [](Options& o) {
       o.fast_math_forward = true;
       o.activation = moe::Activation::kGegluTanh;
     },
     kUnimplemented, "fast_math_forward with activation geglu_tanh"},
};

class PlanRefusals : public ::testing::TestWithParam<Refusal> {};
INSTANTIATE_TEST_SUITE_P(All, PlanRefusals, ::testing::ValuesIn(kRefusals),
                         [](const auto& refusal) { return refusal.param.name; });

TEST_P(PlanRefusals, NamesValueAndLimit) {
  const Refusal& refusal = GetParam();
  Options options = Base();
  refusal.change(options);
  const auto plan = MakePlan(refusal.shape, refusal.tokens, options, DesignTraits());
  EXPECT_EQ(plan.status(), absl::Status(refusal.code, refusal.text));
}

TEST(PlanTest, AcceptsTheLimits) {
  EXPECT_TRUE(MakePlan({16, 16, 1, 1}, 0, Base(), DesignTraits()).ok());
  EXPECT_TRUE(MakePlan({32768, 32768, 1024, 32}, 1, Base(), DesignTraits()).ok());
  EXPECT_TRUE(MakePlan(kShape, 268433407, Base(), DesignTraits()).ok());
}

TEST(PlanTest, ADeviceWithLessSharedMemoryIsRefused) {
  DeviceTraits device = DesignTraits();
  device.shared_bytes_per_block = 101376;
  EXPECT_EQ(MakePlan(kShape, 1, Base(), device).status(),
            absl::FailedPreconditionError(
                "the kernels need 232448 bytes of shared memory per block, the device has 101376"));
}

TEST(PlanTest, AnotherCapabilityIsRefused) {
  Device device{0, DesignTraits()};
  EXPECT_TRUE(CheckCapability(device).ok());
  device.traits.name = "NVIDIA L4";
  device.traits.major = 8;
  device.traits.minor = 9;
  EXPECT_EQ(CheckCapability(device),
            absl::FailedPreconditionError(
                "device 0 (NVIDIA L4) has compute capability 8.9; this build needs 9.0"));
}

// Both sides of every threshold, generated from the table in force.
TEST(PlanTest, TileSwitchesAtTheThresholds) {
  for (const moe::LayerShape& shape :
       {kShape, moe::LayerShape{2880, 2880, 32, 4}, moe::LayerShape{4096, 2048, 256, 6}}) {
    for (const auto format : {moe::WeightFormat::kBf16, moe::WeightFormat::kMxfp8B8,
                              moe::WeightFormat::kMxfp8B32, moe::WeightFormat::kMxfp4B32}) {
      Options options = Base();
      options.weights = format;
      const auto tile = [&](std::int64_t tokens) {
        return MakePlan(shape, tokens, options, DesignTraits())->token_tile;
      };
      int previous = 0;
      for (const TileRule& rule : TileTable(format)) {
        EXPECT_GT(rule.token_tile, previous);
        previous = rule.token_tile;
        if (rule.rows_per_expert == std::numeric_limits<std::int64_t>::max()) continue;
        const std::int64_t last = rule.rows_per_expert * shape.experts / shape.top_k;
        EXPECT_EQ(tile(last), rule.token_tile);
        EXPECT_GT(tile(last + 1), rule.token_tile);
      }
    }
  }
}

TEST(PlanTest, WideBf16TilesShareWeightsOnAnEvenNumberOfMultiprocessors) {
  struct Case {
    moe::WeightFormat weights;
    int tile, sm_limit, cluster;
  };
  const Case cases[] = {
      {moe::WeightFormat::kBf16, 128, 0, 2},   {moe::WeightFormat::kBf16, 128, 2, 2},
      {moe::WeightFormat::kBf16, 128, 131, 1}, {moe::WeightFormat::kBf16, 128, 1, 1},
      {moe::WeightFormat::kBf16, 64, 0, 1},    {moe::WeightFormat::kMxfp4B32, 128, 0, 1},
      {moe::WeightFormat::kMxfp8B8, 128, 0, 1}};
  for (const Case& c : cases) {
    Options options = Base();
    options.token_tile = c.tile;
    options.sm_limit = c.sm_limit;
    const auto plan = MakePlan(kShape, 100, options, DesignTraits());
    EXPECT_EQ(ClusterBlocks(*plan, c.weights), c.cluster) << c.tile << " " << c.sm_limit;
  }
}

TEST(PlanTest, RowsMaxOfTheDocument) {
  EXPECT_EQ(MakePlan(kShape, 16384, Base(), DesignTraits())->rows_max, 132992);
}

TEST(PlanTest, EqualInputsGiveEqualFingerprints) {
  const auto a = MakePlan(kShape, 100, Base(), DesignTraits());
  const auto b = MakePlan(kShape, 100, Base(), DesignTraits());
  EXPECT_EQ(a->fingerprint, b->fingerprint);
  EXPECT_EQ(a->fingerprint.size(), std::string("sha256:").size() + 64);
}

// Every option reaches the fingerprint.
TEST(PlanTest, EveryOptionChangesTheFingerprint) {
  const std::vector<void (*)(Options&)> changes = {
      [](Options&) {},
      [](Options& o) { o.weighting = moe::Weighting::kPost; },
      [](Options& o) { o.weights = moe::WeightFormat::kMxfp4B32; },
      [](Options& o) { o.activation = moe::Activation::kGptOss; },
      [](Options& o) { o.clamp = 7.0f; },
      [](Options& o) { o.clamp = 10.0f; },
      [](Options& o) { o.expert_bias = true; },
      [](Options& o) {
        o.shared = moe::SharedExpert{64, false};
      },
      [](Options& o) {
        o.shared = moe::SharedExpert{64, true};
      },
      [](Options& o) { o.router.mode = moe::RouterMode::kSoftmaxTopk; },
      [](Options& o) {
        o.router.mode = moe::RouterMode::kSoftmaxAll;
        o.router.norm = true;
      },
      [](Options& o) {
        o.router.mode = moe::RouterMode::kSoftmaxAll;
        o.router.logit_bias = true;
      },
      [](Options& o) {
        o.router.mode = moe::RouterMode::kSigmoidGroup;
        o.router.groups = 8;
        o.router.topk_group = 4;
      },
      [](Options& o) {
        o.router.mode = moe::RouterMode::kSigmoidGroup;
        o.router.routed_scale = 2.5f;
      },
      [](Options& o) {
        o.router.mode = moe::RouterMode::kSigmoidGroup;
        o.router.correction_bias = true;
      },
      [](Options& o) {
        o.router.mode = moe::RouterMode::kSoftmaxTopk;
        o.bf16_logits = true;
      },
      [](Options& o) {
        o.router.mode = moe::RouterMode::kSoftmaxTopk;
        o.bf16_weights = true;
      },
      [](Options& o) { o.fast_math_forward = true; },
      [](Options& o) { o.save_gate_up = true; },
      [](Options& o) { o.sm_limit = 64; },
      [](Options& o) { o.token_tile = 128; },
      [](Options& o) { o.kernels = Kernels::kPlain; },
      [](Options& o) {
        o.kernels = Kernels::kStepwise;
        o.stepwise = StepwiseOrder{};
      },
      [](Options& o) {
        o.kernels = Kernels::kStepwise;
        o.stepwise = StepwiseOrder{.tile = 16};
      },
      [](Options& o) {
        o.kernels = Kernels::kStepwise;
        o.stepwise = StepwiseOrder{.tile = 64, .tiles_per_chunk = 4};
      },
  };
  std::set<std::string> fingerprints;
  for (const auto change : changes) {
    Options options = Base();
    change(options);
    const auto plan = MakePlan(kShape, 100, options, DesignTraits());
    ASSERT_TRUE(plan.ok()) << plan.status();
    fingerprints.insert(plan->fingerprint);
  }
  EXPECT_EQ(fingerprints.size(), changes.size());
}

TEST(PlanTest, OptionsForKeepsTheWholeLayer) {
  for (const moe::Preset& preset : moe::Presets()) {
    const auto plan = MakePlan(preset.layer.shape, 4, OptionsFor(preset.layer), DesignTraits());
    ASSERT_TRUE(plan.ok()) << preset.name << ": " << plan.status();
    EXPECT_EQ(plan->layer(), preset.layer) << preset.name;
  }
}

}  // namespace
}  // namespace moescope::cuda
