#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "isa/bfloat16.h"
#include "moe/emit/activation_emit.h"
#include "moe/emit/combine_emit.h"
#include "moe/emit/emission.h"
#include "moe/emit/gather.h"
#include "moe/emit/rows.h"
#include "moe/emit/shared_emit.h"
#include "moe/emit/weights_emit.h"
#include "moe/layer_names.h"
#include "tests/moe/emit/dynamic_counts.h"

// Dynamic instructions of every single emitter as a closed form in rows, column blocks and tokens
// (moe.md, 15.2), for several shapes each; and that each emitter marks its own stage.

namespace moescope::moe {
namespace {

constexpr std::uint32_t kM = 64;
constexpr std::uint32_t kB = 4;

struct Shape {
  std::uint32_t blocks;
  std::uint32_t pairs;
};
constexpr Shape kShapes[] = {{1, 1}, {2, 1}, {3, 4}, {5, 6}};

class EmitterCountsTest : public testing::TestWithParam<Shape> {
 protected:
  EmitterCountsTest() {
    const std::uint32_t blocks = GetParam().blocks;
    layer_.shape = {static_cast<int>(blocks * kM), static_cast<int>(blocks * kM), 8, 2};
    map_.m = kM;
    map_.b = kB;
    map_.tokens = GetParam().pairs;
    map_.token_rows = (map_.tokens + kB - 1) / kB * kB;
    map_.zero_row = 0;
    map_.broadcast = kM;
    map_.weights = 2 * kM;
    for (std::uint32_t pair = 0; pair < GetParam().pairs; ++pair) slot_.pairs.push_back(2 * pair);
    slot_.rows = map_.token_rows;
    slot_.gather = Place(4096, slot_.rows);
    slot_.out = Place(65536, kM);
    slot_.route = Place(8192, slot_.rows);
    map_.x = Place(131072, map_.token_rows);
    map_.residual = Place(196608, map_.token_rows);
    map_.accumulator = Place(1 << 18, map_.token_rows);
    std::uint32_t word = 400;
    for (const float value : {-1.0f, 1.0f, -1.702f, 0.044715f, 0.79788456f, 2.0f, -2.0f, 0.5f, 7.0f,
                              -7.0f, 1e-6f, 1.0f / static_cast<float>(blocks * kM)}) {
      map_.constants[isa::FloatToBf16(value)] = word++;
    }
  }

  VramMatrix Place(std::uint32_t base, std::uint32_t rows) const {
    return {base, rows, GetParam().blocks, kM};
  }

  DynamicCounts Count(const std::function<void(Emission&)>& emit, const Lowering& lowering = {}) {
    assembler::Builder builder;
    Emission emission{builder, map_, layer_, lowering};
    emit(emission);
    return CountsOf(builder.Finish().program);
  }
  // All instructions are billed to one stage.
  static void ExpectOnly(const DynamicCounts& counts, const char* stage) {
    EXPECT_EQ(counts.Stage(stage), counts.total) << stage;
    EXPECT_GT(counts.total, 0u);
  }

  std::uint64_t blocks() const { return GetParam().blocks; }
  std::uint64_t pairs() const { return GetParam().pairs; }
  std::uint64_t rows() const { return slot_.rows; }

  ProgramMap map_;
  Layer layer_{.weighting = Weighting::kPost, .weights = WeightFormat::kMxfp8B8};
  Slot slot_;
};

TEST_P(EmitterCountsTest, ScatterAddIsOneAddPerBlock) {
  const DynamicCounts counts = Count([&](Emission& e) {
    for (std::size_t row = 0; row < slot_.pairs.size(); ++row) EmitScatterAdd(e, slot_, row);
  });
  ExpectOnly(counts, "scatter_combine");
  EXPECT_EQ(counts.Mnemonic("V_ADD_VV"), pairs() * blocks());
}

TEST_P(EmitterCountsTest, AccumulatorInitMapsEveryTokenRow) {
  const DynamicCounts counts = Count([](Emission& e) { EmitAccumulatorInit(e); });
  ExpectOnly(counts, "accumulator_init");
  EXPECT_EQ(counts.Mnemonic("S_MAP_V_FP"), pairs() * blocks());
  EXPECT_EQ(counts.Mnemonic("S_ST_FP"), kM);
  EXPECT_EQ(counts.Mnemonic("V_MUL_VF"), 0u);  // never by multiplying
}

TEST_P(EmitterCountsTest, GatherFromHbmPrefetchesOneRowGroupPerPairAndBlock) {
  for (const GatherPadding padding : {GatherPadding::kZero, GatherPadding::kSkip}) {
    Lowering lowering;
    lowering.gather_padding = padding;
    const DynamicCounts counts = Count([&](Emission& e) { EmitGatherHbm(e, slot_); }, lowering);
    ExpectOnly(counts, "gather");
    EXPECT_EQ(counts.Mnemonic("H_PREFETCH_V"), pairs() * blocks());
    EXPECT_EQ(counts.Mnemonic("S_LD_INT"), pairs() * blocks());
    const std::uint64_t dead = rows() - pairs();
    const bool zeros = padding == GatherPadding::kZero && dead > 0;
    EXPECT_EQ(counts.Mnemonic("S_MAP_V_FP"), zeros ? dead * blocks() : 0);
  }
}

TEST_P(EmitterCountsTest, GatherFromVramZerosAndAdds) {
  for (const GatherPadding padding : {GatherPadding::kZero, GatherPadding::kSkip}) {
    Lowering lowering;
    lowering.gather = GatherSource::kVram;
    lowering.gather_padding = padding;
    const DynamicCounts counts = Count([&](Emission& e) { EmitGatherVram(e, slot_); }, lowering);
    ExpectOnly(counts, "gather");
    EXPECT_EQ(counts.Mnemonic("V_ADD_VV"), pairs() * blocks());
    EXPECT_EQ(counts.Mnemonic("S_MAP_V_FP"),
              blocks() * (padding == GatherPadding::kZero ? rows() : pairs()));
    EXPECT_EQ(counts.Mnemonic("H_PREFETCH_V"), 0u);
  }
}

TEST_P(EmitterCountsTest, RowBiasAddsToEveryRowOfTheSlot) {
  const DynamicCounts counts = Count([&](Emission& e) {
    EmitRowBias(e, {slot_, slot_.out, 1 << 20}, {.stage = stages::kExpertBias, .pair = 0});
  });
  ExpectOnly(counts, "expert_bias");
  EXPECT_EQ(counts.Mnemonic("V_ADD_VV"), rows() * blocks());
  EXPECT_EQ(counts.Mnemonic("S_LD_INT"), 1u);
  EXPECT_EQ(counts.Mnemonic("S_ADD_INT"), blocks());
}

struct ActivationWork {
  Activation activation;
  std::uint64_t scalar_constants;  // S_LD_FP
  std::uint64_t multiply_vf, multiply_vv, add_vf, add_vv;
};

TEST_P(EmitterCountsTest, ActivationsAreTheirListOfPasses) {
  const ActivationWork works[] = {{Activation::kSwiglu, 2, 1, 2, 1, 0},
                                  {Activation::kGptOss, 3, 1, 2, 2, 0},
                                  {Activation::kGegluTanh, 8, 5, 4, 3, 1}};
  for (const ActivationWork& work : works) {
    for (const std::optional<float> clamp : {std::optional<float>(), std::optional(7.0f)}) {
      layer_.activation = work.activation;
      layer_.clamp = clamp;
      const DynamicCounts counts = Count([&](Emission& e) {
        EmitActivation(e, {slot_.gather, slot_.out, slot_.route, slot_.rows},
                       {.stage = stages::kExpertActivation, .pair = 0});
      });
      SCOPED_TRACE(std::string(Name(work.activation)));
      ExpectOnly(counts, "expert_activation");
      const std::uint64_t all = rows() * blocks();
      EXPECT_EQ(counts.Mnemonic("V_EXP_V"), all);
      EXPECT_EQ(counts.Mnemonic("V_RECI_V"), all);
      EXPECT_EQ(counts.Mnemonic("V_MUL_VF"), work.multiply_vf * all);
      EXPECT_EQ(counts.Mnemonic("V_MUL_VV"), work.multiply_vv * all);
      EXPECT_EQ(counts.Mnemonic("V_ADD_VF"), work.add_vf * all);
      EXPECT_EQ(counts.Mnemonic("V_ADD_VV"), work.add_vv * all);
      EXPECT_EQ(counts.Mnemonic("V_MIN_VF"), clamp.has_value() ? 2 * all : 0);
      EXPECT_EQ(counts.Mnemonic("V_MAX_VF"), clamp.has_value() ? all : 0);
      EXPECT_EQ(counts.Mnemonic("S_LD_FP"), work.scalar_constants + (clamp.has_value() ? 3 : 0));
    }
  }
}

TEST_P(EmitterCountsTest, ResidualSetupCopiesAndNormalises) {
  Lowering lowering;
  EXPECT_EQ(Count([](Emission& e) { EmitResidualSetup(e); }, lowering).total, 0u);
  lowering.residual = Residual::kAdd;
  const DynamicCounts add = Count([](Emission& e) { EmitResidualSetup(e); }, lowering);
  ExpectOnly(add, "residual_setup");
  EXPECT_EQ(add.Mnemonic("V_ADD_VV"), pairs() * blocks());
  EXPECT_EQ(add.Mnemonic("V_RED_SUM"), 0u);
  lowering.residual = Residual::kNorm;
  const DynamicCounts norm = Count([](Emission& e) { EmitResidualSetup(e); }, lowering);
  ExpectOnly(norm, "residual_setup");
  EXPECT_EQ(norm.Mnemonic("V_RED_SUM"), pairs() * blocks());
  EXPECT_EQ(norm.Mnemonic("V_MUL_VV"), 2 * pairs() * blocks());
  EXPECT_EQ(norm.Mnemonic("V_MUL_VF"), pairs() * blocks());
  EXPECT_EQ(norm.Mnemonic("S_SQRT_FP"), pairs());
  EXPECT_EQ(norm.Mnemonic("S_RECI_FP"), pairs());
}

TEST_P(EmitterCountsTest, ResidualAddIsOneAddPerTokenAndBlock) {
  Lowering lowering;
  EXPECT_EQ(Count([](Emission& e) { EmitResidualAdd(e); }, lowering).total, 0u);
  lowering.residual = Residual::kAdd;
  const DynamicCounts counts = Count([](Emission& e) { EmitResidualAdd(e); }, lowering);
  ExpectOnly(counts, "scatter_combine");
  EXPECT_EQ(counts.Mnemonic("V_ADD_VV"), pairs() * blocks());
}

TEST_P(EmitterCountsTest, SharedCombineAddsTokenRowsOnce) {
  map_.shared = SharedPlaces{};
  map_.shared->out = slot_.out;
  const DynamicCounts counts = Count([](Emission& e) { EmitSharedCombine(e); });
  ExpectOnly(counts, "shared_combine");
  EXPECT_EQ(counts.Mnemonic("V_ADD_VV"), pairs() * blocks());
}

TEST_P(EmitterCountsTest, SharedGateIsADotASigmoidAndAScaling) {
  map_.shared = SharedPlaces{};
  map_.shared->out = slot_.out;
  map_.shared->scratch = slot_.route;
  const DynamicCounts counts = Count([](Emission& e) { EmitSharedGate(e); });
  ExpectOnly(counts, "shared_gate");
  EXPECT_EQ(counts.Mnemonic("V_RED_SUM"), pairs() * blocks());
  EXPECT_EQ(counts.Mnemonic("V_MUL_VV"), pairs() * blocks());
  EXPECT_EQ(counts.Mnemonic("V_MUL_VF"), pairs() * blocks());
  EXPECT_EQ(counts.Mnemonic("S_EXP_FP"), pairs());
  EXPECT_EQ(counts.Mnemonic("S_RECI_FP"), pairs());
  EXPECT_EQ(counts.Mnemonic("S_ST_FP"), pairs());
}

TEST_P(EmitterCountsTest, TransfersMoveBRowsAtATimeOutsideAllStages) {
  const auto transfer = [&](bool store) {
    assembler::Builder builder;
    const Lowering lowering;
    Emission emission{builder, map_, layer_, lowering};
    const TransferRequest request{map_.accumulator, 0, map_.token_rows};
    store ? EmitStoreRows(emission, request) : EmitLoadRows(emission, request);
    const assembler::BuiltProgram built = builder.Finish();
    EXPECT_EQ(built.text.find("@stage="), std::string::npos);
    const std::vector<std::uint64_t> executions = Executions(built.program);
    std::uint64_t moves = 0;
    for (std::size_t pc = 0; pc < executions.size(); ++pc) {
      const std::string_view mnemonic =
          isa::InstructionSet::Builtin().Decode(built.program.words[pc]).instruction->mnemonic;
      if (mnemonic == (store ? "H_STORE_V" : "H_PREFETCH_V")) moves += executions[pc];
    }
    return moves;
  };
  EXPECT_EQ(transfer(true), rows() / kB * blocks());
  EXPECT_EQ(transfer(false), rows() / kB * blocks());
}

TEST_P(EmitterCountsTest, ScaleRowsIsOneMultiplyPerBlock) {
  const DynamicCounts counts = Count([&](Emission& e) {
    EmitScaleRows(e, {slot_.out, 0, 128}, {.stage = stages::kExpertRouteWeight, .pair = 0});
  });
  ExpectOnly(counts, "expert_route_weight");
  EXPECT_EQ(counts.total, 2 + 2 * blocks());
}

INSTANTIATE_TEST_SUITE_P(Shapes, EmitterCountsTest, testing::ValuesIn(kShapes),
                         [](const testing::TestParamInfo<Shape>& entry) {
                           return std::to_string(entry.param.blocks) + "_blocks_" +
                                  std::to_string(entry.param.pairs) + "_pairs";
                         });

// Each emitter with an attribution refuses a stage that it does not serve.
class EmitterStageTest : public testing::Test {
 protected:
  EmitterStageTest() {
    map_.m = kM;
    map_.b = kB;
    slot_.pairs = {0};
    slot_.rows = kB;
  }
  void ExpectRefused(const std::function<void(Emission&)>& emit) {
    assembler::Builder builder;
    const Lowering lowering;
    Emission emission{builder, map_, layer_, lowering};
    EXPECT_EXIT(emit(emission), testing::ExitedWithCode(70), "stage it does not serve");
  }
  ProgramMap map_;
  Layer layer_{.weighting = Weighting::kPost, .weights = WeightFormat::kBf16};
  Slot slot_;
  WeightTable table_;
};

using EmitterStageDeathTest = EmitterStageTest;

TEST_F(EmitterStageDeathTest, EveryEmitterThatTakesOne) {
  ExpectRefused([&](Emission& e) {
    EmitWeightPrefetch(e, {table_, Ar(0), 0, 1, 0, 0},
                       {.stage = stages::kExpertProjection, .pair = 0});
  });
  ExpectRefused([&](Emission& e) {
    EmitStaticAddress(e, {table_, Ar(0)}, {.stage = stages::kExpertWeightAddress, .pair = 0});
  });
  ExpectRefused([&](Emission& e) {
    EmitRowBias(e, {slot_, {}, 0}, {.stage = stages::kExpertActivation, .pair = 0});
  });
  ExpectRefused([&](Emission& e) {
    EmitActivation(e, {{}, {}, {}, 4}, {.stage = stages::kExpertBias, .pair = 0});
  });
  ExpectRefused([&](Emission& e) {
    EmitScaleRows(e, {{}, 0, 0}, {.stage = stages::kScatterCombine});
  });
  ExpectRefused([&](Emission& e) { EmitZeroRows(e, {{}, {0}}, {.stage = stages::kRouterTopk}); });
}

}  // namespace
}  // namespace moescope::moe
