#include <gtest/gtest.h>

#include <string>

#include "tests/moe/emit/dynamic_counts.h"
#include "tests/moe/emit/run_layer.h"

// Every lowering option, format and workload: the program equals its twin, and options that promise
// equal bits keep them.

namespace moescope::moe {
namespace {

// One layer with everything an option can touch: biases, clamp, several chunks, a shared expert.
Layer FullLayer() {
  return {.shape = {320, 384, 32, 4},
          .router = {.mode = RouterMode::kSoftmaxTopk, .norm = true, .logit_bias = true},
          .activation = Activation::kGptOss,
          .clamp = 7.0f,
          .expert_bias = true,
          .weighting = Weighting::kPost,
          .weights = WeightFormat::kMxfp8B8,
          .shared = SharedExpert{384, true}};
}

Layer UnbiasedLayer() {
  Layer layer = FullLayer();
  layer.activation = Activation::kSwiglu;
  layer.expert_bias = false;
  return layer;
}

std::vector<OptionValue> Alternatives() {
  std::vector<OptionValue> alternatives;
  const std::vector<OptionValue> defaults = Options(PublicLowering());
  for (const OptionValue& option : defaults) {
    for (const std::string_view value : OptionValues(option.option)) {
      if (value == option.value) continue;
      alternatives.push_back({option.option, std::string(value)});
    }
  }
  alternatives.push_back({"k_tiles", "1"});
  alternatives.push_back({"k_tiles", "3"});
  return alternatives;
}

// The options that make an alternative legal.
LayerCase CaseOf(const OptionValue& option) {
  LayerCase c{.layer = option.option == "weighting" ? UnbiasedLayer() : FullLayer(), .tokens = 2};
  EXPECT_TRUE(SetOption(option.option, option.value, c.lowering).ok());
  if (option.option == "reuse") c.workload = "hot(p=1,n=2)+masked(0.2)";
  if (option.option == "residual" && option.value == "norm") {
    c.lowering.gather = GatherSource::kVram;
  }
  return c;
}

class LoweringTest : public testing::TestWithParam<OptionValue> {};

TEST_P(LoweringTest, ProgramEqualsTwin) {
  RunLayer run(CaseOf(GetParam()));
  ASSERT_TRUE(run.ok());
  run.ExpectEqualToTwin();
}

// "bits of y" of moe.md, 15.3.
TEST_P(LoweringTest, BitsAgainstPublicAreAsPromised) {
  const OptionValue& option = GetParam();
  const bool changes = option.option == "k_tiles" || option.option == "weighting" ||
                       option.option == "residual" || option.option == "orientation" ||
                       option.option == "router" || option.value == "accumulate";
  LayerCase c = CaseOf(option);
  LayerCase reference = c;
  reference.lowering = PublicLowering();
  const Bf16Matrix with = RunLayer(c).Twin().y;
  const Bf16Matrix without = RunLayer(reference).Twin().y;
  if (option.option == "router" && option.value == "dot") {
    EXPECT_EQ(with, without);  // a router with br uses the dot path anyway
  } else {
    EXPECT_EQ(with != without, changes);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LoweringTest, testing::ValuesIn(Alternatives()),
                         [](const testing::TestParamInfo<OptionValue>& entry) {
                           return entry.param.option + "_" + entry.param.value;
                         });

TEST(TunedLoweringTest, EqualsItsTwinForBothRoutings) {
  for (const bool fixed : {false, true}) {
    for (const Layer& layer : {FullLayer(), UnbiasedLayer()}) {
      LayerCase c{.layer = layer, .tokens = 5, .lowering = TunedLowering(layer, fixed)};
      if (fixed) c.workload = "ragged";
      RunLayer run(c);
      ASSERT_TRUE(run.ok());
      run.ExpectEqualToTwin();
    }
  }
}

TEST(FormatTest, EveryWeightFormatAndOrientation) {
  for (const auto format : {WeightFormat::kBf16, WeightFormat::kMxfp8B8, WeightFormat::kMxfp8B32,
                            WeightFormat::kMxfp4B32}) {
    for (const char* orientation : {"kn", "nk"}) {
      LayerCase c{.layer = UnbiasedLayer(), .tokens = 2};
      c.layer.weights = format;
      ASSERT_TRUE(SetOption("orientation", orientation, c.lowering).ok());
      SCOPED_TRACE(std::string(Name(format)) + " " + orientation);
      RunLayer run(c);
      ASSERT_TRUE(run.ok());
      run.ExpectEqualToTwin();
    }
  }
}

TEST(WorkloadProgramTest, EveryWorkload) {
  for (const char* workload :
       {"balanced", "uniform", "hot(p=0.8,n=2)", "ragged", "empty(first)", "empty(middle,last)",
        "single", "rotating(n=4,period=2)", "burst(length=3,gap=2)", "uniform+masked(0.2)",
        "uniform+masked(1)"}) {
    for (const Reuse reuse : {Reuse::kNone, Reuse::kGroup}) {
      LayerCase c{.layer = UnbiasedLayer(), .tokens = 6, .workload = workload};
      c.layer.shape = {128, 64, 12, 3};
      c.lowering.reuse = reuse;
      SCOPED_TRACE(workload);
      RunLayer run(c);
      ASSERT_TRUE(run.ok());
      run.ExpectEqualToTwin();
    }
  }
}

TEST(ActivationProgramTest, EveryActivationWithAndWithoutClamp) {
  for (const Activation activation :
       {Activation::kSwiglu, Activation::kGptOss, Activation::kGegluTanh}) {
    for (const std::optional<float> clamp : {std::optional<float>(), std::optional(0.5f)}) {
      LayerCase c{.layer = UnbiasedLayer(), .tokens = 2};
      c.layer.activation = activation;
      c.layer.clamp = clamp;
      RunLayer run(c);
      ASSERT_TRUE(run.ok());
      run.ExpectEqualToTwin();
    }
  }
}

TEST(SharedProgramTest, WithAndWithoutGateAndExpert) {
  for (const std::optional<SharedExpert> shared :
       {std::optional<SharedExpert>(), std::optional(SharedExpert{128, false}),
        std::optional(SharedExpert{128, true})}) {
    LayerCase c{.layer = UnbiasedLayer(), .tokens = 5};
    c.layer.shared = shared;
    RunLayer run(c);
    ASSERT_TRUE(run.ok());
    run.ExpectEqualToTwin();
  }
}

TEST(SmallMachineTest, SixteenLanes) {
  emulator::MachineDescription machine;
  machine.shape = {16, 4, 16, 4, 4};
  machine.memory.matrix_rows = 1024;
  for (const char* name : {"gpt-oss-20b", "qwen3-30b-a3b", "deepseek-v3", "llama4-scout"}) {
    LayerCase c{.layer = ReducedPreset(name, 16), .tokens = 3, .machine = machine};
    c.layer.shape.hidden = 96;
    c.layer.shape.intermediate = 80;
    RunLayer run(c);
    ASSERT_TRUE(run.ok());
    run.ExpectEqualToTwin();
  }
}

TEST(DegenerateProgramTest, NoTokens) {
  for (const bool fixed : {false, true}) {
    LayerCase c{.layer = UnbiasedLayer(), .tokens = 0};
    if (fixed) c.workload = "uniform";
    RunLayer run(c);
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run.compiled().built.program.words.size(), 1u);
    EXPECT_EQ(run.Execute().instructions, 1u);
  }
}

TEST(DegenerateProgramTest, OneExpertAndAllExperts) {
  for (const LayerShape shape : {LayerShape{64, 64, 1, 1}, LayerShape{64, 64, 5, 5}}) {
    LayerCase c{.layer = UnbiasedLayer(), .tokens = 4};
    c.layer.shape = shape;
    RunLayer run(c);
    ASSERT_TRUE(run.ok());
    run.ExpectEqualToTwin();
  }
}

// The saturated fixtures have one result in every profile.
TEST(SaturatedProgramTest, EqualsTheFusedReferenceBitForBit) {
  for (const Activation activation : {Activation::kSwiglu, Activation::kGptOss}) {
    for (const auto format : {WeightFormat::kMxfp8B8, WeightFormat::kMxfp4B32}) {
      LayerCase c{
          .layer = FullLayer(), .tokens = 4, .workload = "uniform", .values = Values::kSaturated};
      c.layer.activation = activation;
      c.layer.clamp = activation == Activation::kGptOss ? std::optional(7.0f) : std::nullopt;
      c.layer.weights = format;
      c.layer.shared = SharedExpert{128, false};
      RunLayer run(c);
      ASSERT_TRUE(run.ok());
      run.ExpectEqualToTwin();
      const absl::StatusOr<reference::ForwardOutputs> fused = reference::Forward(
          {run.compiled().layer, run.tensors(), run.experts(), run.x(), *run.fixed()},
          reference::kIdeal);
      ASSERT_TRUE(fused.ok()) << fused.status();
      EXPECT_EQ(run.Read(run.compiled().map.accumulator, 4), fused->y);
    }
  }
}

// T2p: a program against the fused profile on random data.
TEST(FusedAgreementTest, RandomDataStaysWithinTierT2p) {
  LayerCase c{.layer = UnbiasedLayer(), .tokens = 16, .workload = "uniform"};
  c.layer.shape = {320, 256, 16, 4};
  c.layer.shared.reset();
  RunLayer run(c);
  ASSERT_TRUE(run.ok());
  const auto fused = reference::Forward(
      {run.compiled().layer, run.tensors(), run.experts(), run.x(), *run.fixed()},
      reference::kIdeal);
  ASSERT_TRUE(fused.ok());
  const Metrics metrics = Compare(run.Twin().y, fused->y);
  EXPECT_TRUE(Passes(Tier::kProgram, metrics, true))
      << Summary(metrics) << " cosine " << metrics.cosine << " mean " << metrics.mean_error
      << " rms " << metrics.rms_error;
}

}  // namespace
}  // namespace moescope::moe
