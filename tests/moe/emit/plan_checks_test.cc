#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "moe/emit/compile.h"
#include "moe/presets.h"
#include "moe/workload.h"

// What cannot be compiled is refused before anything is emitted, naming the limit and the option.

namespace moescope::moe {
namespace {

struct Attempt {
  Layer layer{.shape = {128, 128, 8, 2},
              .router = {.mode = RouterMode::kSoftmaxTopk},
              .weighting = Weighting::kPre,
              .weights = WeightFormat::kMxfp8B8};
  emulator::MachineDescription machine;
  Lowering lowering;
  std::int64_t tokens = 2;
  std::optional<Routing> fixed;

  absl::Status Try() const {
    return Compile(layer, {tokens, fixed.has_value() ? &*fixed : nullptr}, machine, lowering)
        .status();
  }
};

struct Case {
  const char* name;
  std::function<void(Attempt&)> change;
  absl::StatusCode code;
  const char* message;
};

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kTooSmall = absl::StatusCode::kFailedPrecondition;
constexpr auto kNoWay = absl::StatusCode::kUnimplemented;

class PlanCheckTest : public testing::TestWithParam<Case> {};

TEST_P(PlanCheckTest, RefusesNamingLimitAndOption) {
  Attempt setup;
  GetParam().change(setup);
  const absl::Status status = setup.Try();
  EXPECT_EQ(status.code(), GetParam().code);
  EXPECT_EQ(std::string(status.message()), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Messages, PlanCheckTest,
    testing::Values(
        Case{"layer", [](Attempt& s) { s.layer.shape.top_k = 9; }, kInvalid,
             "top_k = 9 exceeds experts = 8 (--top-k, --experts) [RC002]"},
        Case{"hidden", [](Attempt& s) { s.layer.shape.hidden = 100; }, kInvalid,
             "hidden = 100 is not a multiple of MLEN = 64 (--hidden, --machine) [RC072]"},
        Case{"inter", [](Attempt& s) { s.layer.shape.intermediate = 65; }, kInvalid,
             "intermediate = 65 is not a multiple of MLEN = 64 (--inter, --machine) [RC072]"},
        Case{"shared",
             [](Attempt& s) {
               s.layer.shared = SharedExpert{96, false};
             },
             kInvalid,
             "shared intermediate = 96 is not a multiple of MLEN = 64 (--shared, --machine) "
             "[RC072]"},
        Case{"tokens", [](Attempt& s) { s.tokens = -1; }, kInvalid,
             "tokens = -1: must be 0 to 1048576 (--tokens) [RC072]"},
        Case{"machine", [](Attempt& s) { s.machine.shape.blen = 0; }, kInvalid,
             "MLEN = 64, VLEN = 64, BLEN = 0: not a machine (--machine) [RC072]"},
        Case{"block",
             [](Attempt& s) {
               s.machine.shape = {16, 4, 16, 4, 4};
               s.layer.weights = WeightFormat::kMxfp4B32;
             },
             kInvalid,
             "weight format mxfp4_b32 has blocks of 32, MLEN is 16 (--weights, --machine) [RC073]"},
        Case{"erf", [](Attempt& s) { s.layer.activation = Activation::kGegluErf; }, kNoWay,
             "activation geglu_erf: the ISA has no erf instruction (--activation) [RC074]"},
        Case{"softplus", [](Attempt& s) { s.layer.router.mode = RouterMode::kSqrtSoftplus; },
             kNoWay,
             "router mode sqrtsoftplus: the ISA has no logarithm instruction; use --routing=fixed "
             "[RC074]"},
        Case{"given", [](Attempt& s) { s.layer.router.mode = RouterMode::kGiven; }, kInvalid,
             "router mode given needs --routing=fixed [RC075]"},
        Case{"group", [](Attempt& s) { s.lowering.reuse = Reuse::kGroup; }, kInvalid,
             "reuse=group needs --routing=fixed (--set reuse) [RC075]"},
        Case{"pre",
             [](Attempt& s) {
               s.layer.expert_bias = true;
               s.lowering.weighting = ProgramWeighting::kPre;
             },
             kInvalid, "weighting=pre needs a layer without b2 (--set weighting) [RC075]"},
        Case{"norm", [](Attempt& s) { s.lowering.residual = Residual::kNorm; }, kInvalid,
             "residual=norm needs gather=vram: HBM holds the rows before the norm (--set gather) "
             "[RC075]"},
        Case{"matrix",
             [](Attempt& s) {
               s.layer.router.mode = RouterMode::kSigmoidGroup;
               s.lowering.router = RouterChoice::kMatrix;
             },
             kInvalid,
             "router=matrix: router mode sigmoid_group needs its logits in FP_MEM (--set router) "
             "[RC076]"},
        Case{"fixed",
             [](Attempt& s) {
               s.fixed = *GenerateRouting({}, {3, 2, 8}, 1);
             },
             kInvalid,
             "fixed routing of 3 tokens to 2 of 8 experts, layer has 2 tokens to 2 of 8 "
             "(--workload) [RC077]"},
        Case{"mram",
             [](Attempt& s) {
               s.layer.shape.hidden = 256;
               s.machine.memory.matrix_rows = 255;
             },
             kTooSmall,
             "MRAM tiles: the program needs 4, MATRIX_SRAM_SIZE holds 3 (--set k_tiles, k_add, "
             "buffers) [RC080]"},
        Case{"mram_buffers",
             [](Attempt& s) {
               s.layer.shape.hidden = 256;
               s.lowering.buffers = 2;
               s.machine.memory.matrix_rows = 7 * 64;
             },
             kTooSmall,
             "MRAM tiles: the program needs 8, MATRIX_SRAM_SIZE holds 7 (--set k_tiles, k_add, "
             "buffers) [RC080]"},
        Case{"mram_accumulate",
             [](Attempt& s) {
               s.layer.shape.hidden = 640;
               s.lowering.k_add = KAdd::kAccumulate;
               s.machine.memory.matrix_rows = 9 * 64;
             },
             kTooSmall,
             "MRAM tiles: the program needs 10, MATRIX_SRAM_SIZE holds 9 (--set k_tiles, k_add, "
             "buffers) [RC080]"},
        Case{"vram", [](Attempt& s) { s.machine.memory.vector_rows = 100; }, kTooSmall,
             "VRAM rows: the program needs 1912, VECTOR_SRAM_SIZE is 100 (--tokens) "
             "[RC080]"},
        Case{"fp", [](Attempt& s) { s.machine.memory.fp_words = 133; }, kTooSmall,
             "FP_MEM words: the program needs 134, fp_sram_words is 133 (--tokens, --experts, "
             "--set route_weight) [RC080]"},
        Case{"int", [](Attempt& s) { s.machine.memory.int_words = 5; }, kTooSmall,
             "INT_MEM words: the program needs 6, int_sram_words is 5 (--tokens, --experts) "
             "[RC080]"},
        Case{"hbm", [](Attempt& s) { s.machine.memory.hbm_bytes = 460000; }, kTooSmall,
             "HBM bytes: the program needs 461312, HBM_SIZE is 460000 (--experts, --hidden, "
             "--inter, --weights) [RC080]"}),
    [](const testing::TestParamInfo<Case>& entry) { return std::string(entry.param.name); });

// With known ids there is no router whose path could matter.
TEST(PlanLimitsTest, FixedRoutingHasNoRouterPath) {
  Attempt setup;
  setup.layer.router.mode = RouterMode::kSigmoidGroup;
  setup.lowering.router = RouterChoice::kMatrix;
  setup.fixed = *GenerateRouting({}, {2, 2, 8}, 1);
  EXPECT_TRUE(setup.Try().ok()) << setup.Try();
}

// One word more and the same program fits.
TEST(PlanLimitsTest, LimitsAreExact) {
  Attempt setup;
  setup.machine.memory.fp_words = 134;
  setup.machine.memory.int_words = 6;
  setup.machine.memory.vector_rows = 1912;
  setup.machine.memory.hbm_bytes = 461312;
  setup.machine.memory.matrix_rows = 2 * 64;
  EXPECT_TRUE(setup.Try().ok()) << setup.Try();
}

// Kimi K2 at MXFP8 block 8 needs 1.48 windows of 4 GiB per matrix: a table of bases in INT_MEM.
TEST(WindowTest, TablesBeyondAWindowNeedWordsPerExpert) {
  Layer layer = *FindPreset("kimi-k2");
  layer.weights = WeightFormat::kMxfp8B8;
  const double window = 4294967296.0;
  const double bytes = 384.0 * 7168 * 2048 * 9 / 8;
  EXPECT_NEAR(bytes / window, 1.48, 0.005);
  emulator::MachineDescription machine;
  machine.memory.hbm_bytes = std::uint64_t{64} << 30;
  const absl::Status status = Compile(layer, {1, nullptr}, machine, PublicLowering()).status();
  EXPECT_EQ(std::string(status.message()),
            "INT_MEM words: the program needs 2313, int_sram_words is 1024 (--tokens, --experts) "
            "[RC080]");
  machine.memory.int_words = 4096;
  EXPECT_EQ(std::string(Compile(layer, {1, nullptr}, machine, PublicLowering()).status().message()),
            "");
}

TEST(WindowTest, TablesThatFitDoNotCrossAWindow) {
  Layer layer = *FindPreset("mixtral-8x7b");
  layer.shape.experts = 48;  // 2.8 GB a matrix
  layer.weights = WeightFormat::kMxfp8B8;
  emulator::MachineDescription machine;
  const absl::StatusOr<ProgramMap> map = MapProgram({layer, PublicLowering(), machine, 1, nullptr});
  ASSERT_TRUE(map.ok()) << map.status();
  for (const WeightTable* table : {&map->gate, &map->up, &map->down}) {
    EXPECT_EQ(table->base >> 32, (table->base + table->bytes() - 1) >> 32) << table->name;
    EXPECT_FALSE(table->window_table.has_value());
  }
  EXPECT_EQ(map->up.base, std::uint64_t{1} << 32);
}

}  // namespace
}  // namespace moescope::moe
