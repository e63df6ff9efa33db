#include "asm/builder.h"

#include <gtest/gtest.h>

#include "asm/assembler.h"

namespace moescope::assembler {
namespace {

using isa::Op;

// Building and assembling the built text must agree in every word, range and position.
void ExpectSameAsItsText(const BuiltProgram& built) {
  const absl::StatusOr<Assembly> assembly = Assemble(built.text, built.program.files[0]);
  ASSERT_TRUE(assembly.ok()) << assembly.status() << "\n" << built.text;
  isa::Program assembled = assembly->program;
  assembled.stated_shape = built.program.stated_shape;
  EXPECT_EQ(assembled, built.program) << built.text;
  EXPECT_TRUE(assembly->findings.empty())
      << (assembly->findings.empty() ? "" : RenderText(assembly->findings[0])) << built.text;
}

TEST(BuilderTest, TheExampleOfTheHeader) {
  Builder builder;
  Builder::Writer w = builder.In({.stage = stages::kGather, .pair = 3});
  w.Comment("Copy the token row.");
  w.LoadConstant(Gp(1), 4096);
  w.Repeat(Gp(2), 16, [&] { w.Emit<"V_ADD_VV">(Gp(3), Gp(4), Gp(5)); });
  const BuiltProgram built = builder.Finish();
  EXPECT_EQ(built.text,
            "; @stage=gather pair=3\n"
            "; Copy the token row.\n"
            "S_ADDI_INT gp1, gp0, 4096\n"
            "C_LOOP_START gp2, 16\n"
            "  V_ADD_VV gp3, gp4, gp5, 0\n"
            "C_LOOP_END gp2\n");
  EXPECT_EQ(built.program.words.size(), 4u);
  ExpectSameAsItsText(built);
}

TEST(BuilderTest, EndStageIsWrittenAlsoWhereNothingIsInForce) {
  Builder builder;
  builder.EndStage();
  builder.Unattributed().Emit<"S_ADDI_INT">(Gp(1), kGp0, 1);
  builder.In({.stage = stages::kGather, .pair = 0}).Emit<"S_ADDI_INT">(Gp(1), kGp0, 2);
  builder.EndStage();
  builder.Unattributed().Emit<"C_BREAK">();
  const BuiltProgram built = builder.Finish();
  EXPECT_EQ(built.text,
            "; @stage_end\n"
            "S_ADDI_INT gp1, gp0, 1\n"
            "; @stage=gather pair=0\n"
            "S_ADDI_INT gp1, gp0, 2\n"
            "; @stage_end\n"
            "C_BREAK\n");
  EXPECT_EQ(built.program.ranges.size(), 3u);
  ExpectSameAsItsText(built);
}

TEST(BuilderTest, WritersInTurnWriteMarkersOnlyWhereTheStageChanges) {
  Builder builder({.file = "two.asm", .header = "Two stages.\nIn turn."});
  Builder::Writer none = builder.Unattributed();
  Builder::Writer router = builder.In({.stage = stages::kRouterTopk});
  Builder::Writer combine = builder.In({.stage = stages::kScatterCombine, .pair = 1, .expert = 7});
  none.Emit<"S_ADDI_INT">(Gp(1), kGp0, 1);
  router.Emit<"V_TOPK">(Gp(1), Gp(2), Gp(3), 15);
  router.Emit<"C_SET_TOPK_REG">(Gp(1));
  combine.Emit<"V_ADD_VV">(Gp(1), Gp(1), Gp(2));
  router.Emit<"S_EXP_FP">(Fp(1), Fp(2));
  none.Emit<"C_BREAK">();
  const BuiltProgram built = builder.Finish();
  EXPECT_EQ(built.text,
            "; Two stages.\n"
            "; In turn.\n"
            "S_ADDI_INT gp1, gp0, 1\n"
            "; @stage=router_topk\n"
            "V_TOPK gp1, gp2, gp3, 15\n"
            "C_SET_TOPK_REG gp1\n"
            "; @stage=scatter_combine pair=1 expert=7\n"
            "V_ADD_VV gp1, gp1, gp2, 0\n"
            "; @stage=router_topk\n"
            "S_EXP_FP f1, f2\n"
            "; @stage_end\n"
            "C_BREAK\n");
  ASSERT_EQ(built.program.ranges.size(), 5u);
  EXPECT_EQ(built.program.ranges[2].pair, 1u);
  ExpectSameAsItsText(built);
}

TEST(BuilderTest, NestedRegionsAndLoops) {
  Builder builder;
  Builder::Writer w = builder.In({.stage = stages::kSharedExpert});
  {
    const Builder::Loop outer = w.OpenLoop(Gp(1), 2);
    w.Emit<"M_MM">(Gp(4), Gp(5));
    const Builder::Region region = w.Nested(stages::kExpertActivation);
    w.Repeat(Gp(2), 3, [&] { w.Emit<"V_EXP_V">(Gp(4), Gp(4), 1); });
  }
  w.Emit<"M_MM_WO">(Gp(4), kGp0, 64);
  const BuiltProgram built = builder.Finish();
  EXPECT_EQ(built.text,
            "; @stage=shared_expert\n"
            "C_LOOP_START gp1, 2\n"
            "  M_MM 0, gp4, gp5\n"
            "; @stage_push=expert_activation\n"
            "  C_LOOP_START gp2, 3\n"
            "    V_EXP_V gp4, gp4, 1\n"
            "  C_LOOP_END gp2\n"
            "; @stage_pop\n"
            "C_LOOP_END gp1\n"
            "M_MM_WO gp4, gp0, 64\n");
  ExpectSameAsItsText(built);
}

TEST(BuilderTest, ConstantsOfEverySize) {
  Builder builder;
  Builder::Writer w = builder.Unattributed();
  w.LoadConstant(Gp(1), 262143);
  w.LoadConstant(Gp(1), 262144);
  w.LoadConstant(Gp(1), 262152);
  w.LoadConstant(Gp(1), 0xFFFFFFFF);
  w.AddConstant(Gp(1), Gp(2), 262143);
  w.AddConstant(Gp(1), Gp(1), 262144, Gp(3));
  w.LoadAddress(Ar(2), 576, Gp(4), Gp(5));
  w.LoadAddress(Ar(2), 0x100000001, Gp(4), Gp(5));
  const BuiltProgram built = builder.Finish();
  EXPECT_EQ(built.text,
            "S_ADDI_INT gp1, gp0, 262143\n"
            "S_LUI_INT gp1, 64\n"
            "S_LUI_INT gp1, 64\nS_ADDI_INT gp1, gp1, 8\n"
            "S_LUI_INT gp1, 1048575\nS_ADDI_INT gp1, gp1, 4095\n"
            "S_ADDI_INT gp1, gp2, 262143\n"
            "S_LUI_INT gp3, 64\nS_ADD_INT gp1, gp1, gp3\n"
            "S_ADDI_INT gp5, gp0, 576\nC_SET_ADDR_REG a2, gp0, gp5\n"
            "S_ADDI_INT gp4, gp0, 1\nS_ADDI_INT gp5, gp0, 1\nC_SET_ADDR_REG a2, gp4, gp5\n");
  ExpectSameAsItsText(built);
}

TEST(BuilderTest, InstructionsChosenAtRunTime) {
  Builder builder;
  Builder::Writer w = builder.Unattributed();
  for (const bool add : {true, false}) {
    w.Emit(add ? Op("V_ADD_VF") : Op("V_SUB_VF"), {Gp(1), Gp(2), Fp(3), 1});
  }
  EXPECT_EQ(builder.Finish().text, "V_ADD_VF gp1, gp2, f3, 1\nV_SUB_VF gp1, gp2, f3, 1, 0\n");
}

TEST(BuilderTest, RegisterPoolsLendEachRegisterOnce) {
  Builder builder;
  EXPECT_EQ(builder.gp().available(), 15u);
  {
    const auto first = builder.gp().Take();
    const auto second = builder.gp().Take();
    const auto ninth = builder.gp().Take(Gp(9));
    EXPECT_EQ(first.get(), Gp(1));
    EXPECT_EQ(second.get(), Gp(2));
    EXPECT_EQ(builder.gp().available(), 12u);
    builder.Unattributed().Emit<"S_ADD_INT">(first, second, ninth);
  }
  EXPECT_EQ(builder.gp().available(), 15u);
  EXPECT_EQ(builder.ar().available(), 8u);
  EXPECT_EQ(builder.fp().Take().get(), Fp(1));
  EXPECT_EQ(builder.Finish().text, "S_ADD_INT gp1, gp2, gp9\n");
}

TEST(BuilderDeathTest, MisuseIsADefect) {
  Builder builder;
  Builder::Writer w = builder.In({.stage = stages::kGather});
  Builder::Writer other = builder.In({.stage = stages::kExpertBias});
  EXPECT_DEATH(w.Emit<"S_ADDI_INT">(Gp(1), kGp0, 262144),
               "S_ADDI_INT cannot take 262144 as its 18-bit immediate");
  EXPECT_DEATH(w.Emit<"C_LOOP_START">(Gp(1), 0), "C_LOOP_START cannot take 0 as its loop count");
  EXPECT_DEATH(w.Emit<"V_TOPK">(Gp(1), Gp(1), Gp(1), 2), "cannot take 2 as its policy");
  EXPECT_DEATH(w.Emit(Op("S_ADD_INT"), {Gp(1), Fp(1), Gp(1)}), "cannot take 1 as its gp register");
  EXPECT_DEATH(w.Emit(Op("S_ADD_INT"), {Gp(1)}), "S_ADD_INT");
  EXPECT_DEATH(w.Emit<"S_LUI_INT">(Gp(1), -1), "number >= 0");
  EXPECT_DEATH(w.Comment("@stage=gather"), "ParseMarker");
  EXPECT_DEATH(Gp(static_cast<unsigned>(std::stoul("16"))), "index < kNumber");
  EXPECT_DEATH(
      {
        const Builder::Loop loop = w.OpenLoop(Gp(1), 2);
        w.Repeat(Gp(1), 2, [] {});
      },
      "already counts an open loop");
  EXPECT_DEATH(
      {
        const Builder::Region region = w.Nested(stages::kExpertBias);
        other.Emit<"C_BREAK">();
      },
      "another stage inside a nested region");
  EXPECT_DEATH(w.AddConstant(Gp(1), Gp(2), 262144), "needs a scratch register");
}

// What must not compile.
template <MnemonicText kMnemonic, typename... Types>
constexpr bool kAccepts = OperandCountFits(IndexOfMnemonic(kMnemonic.view()), sizeof...(Types)) &&
                          OperandKindsFit<Types...>(IndexOfMnemonic(kMnemonic.view()));
static_assert(IndexOfMnemonic("V_PS_V") == isa::kInstructionCount);
static_assert(kAccepts<"V_ADD_VV", Gp, Gp, Gp>);
static_assert(kAccepts<"V_ADD_VV", Gp, Gp, Gp, int>);
static_assert(kAccepts<"H_PREFETCH_M", Gp, Gp, Ar, int, unsigned>);
static_assert(kAccepts<"M_BMM_WO", Gp, std::uint32_t>);
static_assert(kAccepts<"C_BREAK">);
static_assert(!kAccepts<"V_ADD_VV", Gp, Gp>);
static_assert(!kAccepts<"V_ADD_VV", Gp, Gp, Fp>);
static_assert(!kAccepts<"V_ADD_VV", Gp, Gp, Gp, int, int>);
static_assert(!kAccepts<"S_ADDI_INT", Gp, Gp, Gp>);
static_assert(!kAccepts<"M_MM", int, Gp, Gp>);

}  // namespace
}  // namespace moescope::assembler
