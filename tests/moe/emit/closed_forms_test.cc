#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "moe/emit/compile.h"
#include "moe/emit/emission.h"
#include "moe/emit/projection.h"
#include "moe/emit/rows.h"
#include "moe/emit/weights_emit.h"
#include "moe/presets.h"
#include "moe/workload.h"
#include "tests/moe/emit/dynamic_counts.h"

// Dynamic instructions of single emitters (moe.md, 15.3; M = 64, B = 4, one slot of B rows, every
// address in one word), and which stages an option may move.

namespace moescope::moe {
namespace {

class EmitterTest : public testing::Test {
 protected:
  EmitterTest() {
    map_.m = 64;
    map_.b = 4;
    map_.zero_row = 0;
    map_.broadcast = 64;
    map_.weights = 128;
    slot_.pairs = {0};
    slot_.rows = 4;
    slot_.route = Place(0, 4, 45);
    table_ = {.name = "gate",
              .base = 4096,
              .stride = 9216,
              .contraction_tiles = 45,
              .output_tiles = 45,
              .row_bytes = 2880,
              .scale_offset = 4096,
              .tile_row_bytes = 64};
  }

  static VramMatrix Place(std::uint32_t base, std::uint32_t rows, std::uint32_t blocks) {
    return {base, rows, blocks, 64};
  }

  template <typename Emit>
  DynamicCounts Count(Emit emit, Lowering lowering = {}) {
    assembler::Builder builder;
    Emission emission{builder, map_, layer_, lowering};
    emit(emission);
    return CountsOf(builder.Finish().program);
  }

  ProgramMap map_;
  Layer layer_{.shape = {2880, 2880, 32, 4},
               .weighting = Weighting::kPost,
               .weights = WeightFormat::kMxfp8B8};
  Slot slot_;
  WeightTable table_;
  const stages::Attribution projection_{.stage = stages::kExpertProjection, .pair = 0};
};

TEST_F(EmitterTest, Projection) {
  for (const std::uint32_t k : {1u, 4u, 45u}) {
    const DynamicCounts counts = Count([&](Emission& e) {
      EmitProjection(e,
                     {.orientation = Orientation::kContractionMajor,
                      .input = Place(0, 4, 45),
                      .output = Place(65536, 64, 45),
                      .rows = 4,
                      .count = k},
                     projection_);
    });
    EXPECT_EQ(counts.total, 3 + 16 * (13 + 4 * k));
    EXPECT_EQ(counts.Mnemonic("M_MM"), 16 * k);
    EXPECT_EQ(counts.Mnemonic("M_MM_WO"), 16u);
  }
}

TEST_F(EmitterTest, KChunkAdd) {
  const auto add = [&](KAdd k_add, std::uint32_t rows) {
    Lowering lowering;
    lowering.k_add = k_add;
    return Count(
               [&](Emission& e) {
                 EmitKChunkAdd(e, {Place(0, 64, 2), Place(8192, 64, 1), 1, rows}, projection_);
               },
               lowering)
        .total;
  };
  EXPECT_EQ(add(KAdd::kTile, 4), 324u);
  EXPECT_EQ(add(KAdd::kLive, 4), 24u);
  EXPECT_EQ(add(KAdd::kLive, 12), 64u);
}

TEST_F(EmitterTest, ExpertAddress) {
  const auto words = [&] {
    return Count([&](Emission& e) { EmitExpertAddress(e, {table_, slot_, Ar(0)}); }).total;
  };
  EXPECT_EQ(words(), 11u);
  table_.stride = 9331200;  // two words
  EXPECT_EQ(words(), 12u);
}

TEST_F(EmitterTest, ZeroRowsFillMWordsPerUse) {
  const stages::Attribution at{.stage = stages::kAccumulatorInit};
  const auto twice = [&](ZeroRow zero_row) {
    Lowering lowering;
    lowering.zero_row = zero_row;
    return Count(
        [&](Emission& e) {
          EmitZeroRows(e, {Place(0, 4, 3), {0, 1}}, at);
          EmitZeroRows(e, {Place(0, 4, 3), {2}}, at);
        },
        lowering);
  };
  EXPECT_EQ(twice(ZeroRow::kEach).Mnemonic("S_ST_FP"), 128u);
  EXPECT_EQ(twice(ZeroRow::kOnce).Mnemonic("S_ST_FP"), 64u);
  EXPECT_EQ(twice(ZeroRow::kEach).total - twice(ZeroRow::kOnce).total, 3 * 64u + 2);
  EXPECT_EQ(twice(ZeroRow::kEach).Mnemonic("S_MAP_V_FP"), 9u);
}

TEST_F(EmitterTest, RouteWeight) {
  const auto weigh = [&](RouteWeight route_weight) {
    Lowering lowering;
    lowering.route_weight = route_weight;
    return Count([&](Emission& e) { EmitRouteWeights(e, {slot_, Place(65536, 4, 45)}); }, lowering);
  };
  EXPECT_EQ(weigh(RouteWeight::kScalar).total, 2 + 2 * 45u);
  // Zero tile, broadcast words, one mapped row and B multiplied rows per column block.
  const DynamicCounts tile = weigh(RouteWeight::kBroadcast);
  EXPECT_EQ(tile.total, (3 + 3 * 64 + 2 * 180) + (4 + 3 * 64 + 3 * 45) + 3 * 180u);
  EXPECT_EQ(tile.Mnemonic("V_MUL_VV"), 180u);
}

TEST_F(EmitterTest, PrefetchIsOneInstructionPerTile) {
  const DynamicCounts counts = Count([&](Emission& e) {
    EmitWeightPrefetch(e, {table_, Ar(0), 0, 4, 0, 0},
                       {.stage = stages::kExpertWeightPrefetch, .pair = 0});
  });
  EXPECT_EQ(counts.Mnemonic("H_PREFETCH_M"), 4u);
}

TEST(EmitterDeathTest, AStageThatIsNotServedIsADefect) {
  ProgramMap map;
  map.m = 64;
  map.b = 4;
  const Layer layer{.weighting = Weighting::kPost, .weights = WeightFormat::kBf16};
  const Lowering lowering;
  assembler::Builder builder;
  Emission emission{builder, map, layer, lowering};
  EXPECT_EXIT(EmitKChunkAdd(emission, {}, {.stage = stages::kGather, .pair = 0}),
              testing::ExitedWithCode(70), "stage it does not serve");
}

// "Each option alone moves only the stages named" (moe.md, 15.3 and 15.4).
struct OptionEffect {
  const char* option;
  const char* value;
  std::set<std::string> stages;
  bool fixed = false;
};

class OptionEffectTest : public testing::TestWithParam<OptionEffect> {};

DynamicCounts CompileCounts(const OptionEffect& effect, bool with_option) {
  Layer layer{.shape = {512, 576, 16, 4},
              .router = {.mode = RouterMode::kSoftmaxTopk, .norm = true},
              .weighting = Weighting::kPost,
              .weights = WeightFormat::kMxfp8B8};
  std::optional<Routing> fixed;
  if (effect.fixed) {
    fixed = *GenerateRouting({.kind = WorkloadKind::kHot, .probability = 1}, {8, 4, 16}, 1);
    layer.router.mode = RouterMode::kGiven;
  }
  if (std::string(effect.option) == "topk") layer.shape.experts = 32;
  Lowering lowering;
  if (with_option) {
    EXPECT_TRUE(SetOption(effect.option, effect.value, lowering).ok());
  }
  const absl::StatusOr<CompiledLayer> compiled = Compile(
      layer, {8, effect.fixed ? &*fixed : nullptr}, emulator::MachineDescription{}, lowering);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return CountsOf(compiled->built.program);
}

// Instructions whose number does not depend on how long an address is.
std::map<std::string, std::uint64_t> Essential(const DynamicCounts& counts,
                                               const std::string& stage) {
  std::map<std::string, std::uint64_t> essential;
  const auto place = counts.by_stage_and_mnemonic.find(stage);
  if (place == counts.by_stage_and_mnemonic.end()) return essential;
  for (const auto& [mnemonic, count] : place->second) {
    if (mnemonic != "S_LUI_INT" && mnemonic != "S_ADDI_INT") essential[mnemonic] = count;
  }
  return essential;
}

TEST_P(OptionEffectTest, MovesOnlyTheStagesNamed) {
  const DynamicCounts before = CompileCounts(GetParam(), false);
  const DynamicCounts after = CompileCounts(GetParam(), true);
  for (const stages::BuiltinName& stage : stages::kBuiltinStages) {
    const std::string name(stage.name);
    const bool moved = Essential(before, name) != Essential(after, name);
    EXPECT_EQ(moved, GetParam().stages.contains(name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, OptionEffectTest,
    testing::Values(OptionEffect{"topk", "register", {"router_topk"}},
                    OptionEffect{"k_tiles", "max", {"expert_projection", "expert_weight_address"}},
                    OptionEffect{"k_add", "live", {"expert_projection"}},
                    OptionEffect{"k_add", "accumulate", {"expert_projection"}},
                    OptionEffect{"buffers", "2", {}},
                    OptionEffect{
                        "reuse",
                        "group",
                        {"expert_weight_address", "expert_weight_prefetch", "expert_projection",
                         "expert_activation", "expert_route_weight", "gather"},
                        true},
                    OptionEffect{"address", "hoist", {"expert_weight_address"}},
                    OptionEffect{"zero_row", "once", {"gather", "expert_route_weight"}},
                    OptionEffect{"route_weight", "scalar", {"expert_route_weight"}},
                    OptionEffect{"gather_padding", "skip", {"gather"}},
                    OptionEffect{"router_matrix", "resident", {"router_topk"}},
                    OptionEffect{"weighting", "pre", {"expert_route_weight"}}),
    [](const testing::TestParamInfo<OptionEffect>& entry) {
      return std::string(entry.param.option) + "_" + entry.param.value;
    });

// Fetched once per expert instead of once per slot: prefetches / duplicate factor.
TEST(ReuseTest, PrefetchesDivideByTheDuplicateFactor) {
  const OptionEffect effect{"reuse", "group", {}, true};
  const DynamicCounts before = CompileCounts(effect, false);
  const DynamicCounts after = CompileCounts(effect, true);
  const Routing routing =
      *GenerateRouting({.kind = WorkloadKind::kHot, .probability = 1}, {8, 4, 16}, 1);
  const std::vector<std::int64_t> counts = CountPerExpert(routing);
  const auto active = static_cast<std::uint64_t>(
      std::count_if(counts.begin(), counts.end(), [](std::int64_t c) { return c > 0; }));
  EXPECT_EQ(before.Mnemonic("H_PREFETCH_M") * active, after.Mnemonic("H_PREFETCH_M") * 32);
}

TEST(RouterMatrixTest, StreamAndResidentPrefetches) {
  const auto prefetches = [](RouterMatrix router_matrix) {
    Layer layer = *FindPreset("qwen3-30b-a3b");
    layer.weights = WeightFormat::kMxfp8B8;
    Lowering lowering;
    lowering.router_matrix = router_matrix;
    const auto compiled = Compile(layer, {1, nullptr}, emulator::MachineDescription{}, lowering);
    const DynamicCounts counts = CountsOf(compiled->built.program);
    return counts.by_stage_and_mnemonic.at("router_topk").at("H_PREFETCH_M");
  };
  EXPECT_EQ(prefetches(RouterMatrix::kStream), 128u * 2048 / (4 * 64));
  EXPECT_EQ(prefetches(RouterMatrix::kResident), 128u * 2048 / (64 * 64));
}

TEST(TopKTest, ShapesBeyondTheImmediateNeedTwoWords) {
  const auto setup = [](int experts, int top_k) {
    Layer layer = *FindPreset("qwen3-30b-a3b");
    layer.shape = {64, 64, experts, top_k};
    layer.weights = WeightFormat::kMxfp8B8;
    emulator::MachineDescription machine;
    machine.memory.fp_words = 4096;
    const auto compiled = Compile(layer, {1, nullptr}, machine, PublicLowering());
    EXPECT_TRUE(compiled.ok()) << compiled.status();
    const std::string& text = compiled->built.text;
    const std::size_t at = text.find("C_SET_TOPK_REG");
    EXPECT_NE(at, std::string::npos);
    const std::size_t begin = text.rfind('\n', text.rfind('\n', text.rfind('\n', at) - 1) - 1) + 1;
    return text.substr(begin, at - begin);
  };
  EXPECT_NE(setup(60, 4).find("S_ADDI_INT gp1, gp0, 15364\n"), std::string::npos);
  EXPECT_NE(setup(1023, 8).find("S_ADDI_INT gp1, gp0, 261896\n"), std::string::npos);
  EXPECT_EQ(setup(1024, 8), "S_LUI_INT gp1, 64\nS_ADDI_INT gp1, gp1, 8\n");
}

}  // namespace
}  // namespace moescope::moe
