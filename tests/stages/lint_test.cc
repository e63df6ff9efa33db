#include "stages/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/stages/linted.h"
#include "tests/stages/marked_program.h"

namespace moescope::stages {
namespace {

using test::LintText;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "line: message [id]" and the related places as "  line: message".
std::vector<std::string> Full(const test::Linted& linted) {
  std::vector<std::string> texts;
  for (const LintFinding& f : linted.findings) {
    const Diagnostic& d = f.diagnostic;
    std::string text = absl::StrCat(d.location.line, ": ", d.message, " [", d.id, "]");
    for (const DiagnosticNote& note : d.notes) {
      absl::StrAppend(&text, " | ", note.location.line, ": ", note.message);
    }
    texts.push_back(text);
  }
  return texts;
}

const std::string kOp = "S_ADDI_INT gp1, gp0, 1\n";
const std::string kAdd = "V_ADD_VV gp1, gp2, gp3\n";
const std::string kMatrix = "M_MM 0, gp1, gp2\n";

struct RuleCase {
  std::string name, text;
  std::vector<std::string> findings;
};

TEST(LintTest, TheMarkedProgramIsClean) { EXPECT_EQ(LintText(test::MarkedProgram()).Text(), ""); }

TEST(LintTest, RulesAboutPlaces) {
  const RuleCase kCases[] = {
      {"MS101",
       kOp + kOp + "; @stage=expert_bias\n" + kAdd + kAdd,
       {"1: 2 instructions stand in front of the first stage marker [MS101] | 3: the first marker",
        "1: 2 of 4 instructions (50.0 %) belong to no stage; the limit is 5.0 % [MS112]"}},
      {"MS102 in the middle and at the end",
       "; @stage=gather\n; @stage=expert_bias\n" + kAdd + "; @stage=gather\n",
       {"1: marker 'gather' covers no instruction [MS102]",
        "4: marker 'gather' covers no instruction [MS102]"}},
      {"a closing @stage_end is fine", "; @stage=expert_bias\n" + kAdd + "; @stage_end\n", {}},
      {"a marker whose code is all in a region is fine",
       "; @stage=expert_bias\n; @stage_push=gather\n" + kAdd + "; @stage_pop\n; @stage_end\n",
       {}},
      {"MS103",
       "; @stage=expert_bias pair=0\n" + kAdd + "; @stage=expert_bias pair=0\n" + kAdd,
       {"3: marker 'expert_bias' repeats the one before it [MS103] | 1: the marker before it"}},
      {"another pair is no repetition",
       "; @stage=expert_bias pair=0\n" + kAdd + "; @stage=expert_bias pair=1\n" + kAdd,
       {}},
      {"MS108",
       "; @stage=gather\nC_LOOP_START gp1, 2\n" + kAdd + "; @stage=expert_bias\n" + kAdd +
           "C_LOOP_END gp1\n",
       {"4: the stage changes to 'expert_bias' inside a loop [MS108] | 2: the loop starts here"}},
      {"a region in a loop is fine",
       "; @stage=gather\nC_LOOP_START gp1, 2\n" + kAdd + "; @stage_push=expert_bias\n" + kAdd +
           "; @stage_pop\nC_LOOP_END gp1\n",
       {}},
  };
  for (const RuleCase& test : kCases) {
    SCOPED_TRACE(test.name);
    EXPECT_EQ(Full(LintText(test.text)), test.findings);
  }
}

TEST(LintTest, RulesAboutAttributes) {
  const std::string topk = "; @stage=router_topk\nV_TOPK gp1, gp2, gp3, 0\n";
  const auto bias = [](const std::string& attributes) {
    return "; @stage=expert_bias" + attributes + "\n" + kAdd;
  };
  const RuleCase kCases[] = {
      {"MS109 layer stage with a pair",
       "; @stage=accumulator_init pair=3\n" + kAdd,
       {"1: pair=3 on 'accumulator_init', a stage that works on the whole layer [MS109]"}},
      {"MS109 pair stage without",
       bias(" pair=0") + bias(""),
       {"3: 'expert_bias' without pair or expert, in a program that numbers its pairs [MS109]"}},
      {"an expert is enough", bias(" pair=0") + bias(" expert=4"), {}},
      {"no pair anywhere is fine", bias("") + "; @stage=gather\n" + kAdd, {}},
      {"MS109 numbers",
       topk + bias(" pair=0") + bias(" pair=2"),
       {"5: pair ids are not 0..n-1: 2 ids up to 2, 1 is missing [MS109]"}},
      {"fixed routing may leave out", bias(" pair=0") + bias(" pair=2"), {}},
      {"MS110",
       bias(" pair=0 expert=3") + bias(" pair=0 expert=4") + bias(" pair=1 expert=4"),
       {"3: pair 0 has expert=4 here and expert=3 before [MS110] | 1: expert=3"}},
      {"MS113 combine first",
       "; @stage=scatter_combine\n" + kAdd + "; @stage=accumulator_init\n" + kAdd,
       {"1: scatter_combine comes before the first accumulator_init [MS113] | 3: the first "
        "accumulator_init"}},
      {"MS113 router late",
       bias(" pair=0") + topk,
       {"1: 'expert_bias' works on a pair before the first router_topk [MS113] | 3: the first "
        "router_topk"}},
  };
  for (const RuleCase& test : kCases) {
    SCOPED_TRACE(test.name);
    EXPECT_EQ(Full(LintText(test.text)), test.findings);
  }
}

TEST(LintTest, RulesAboutInstructions) {
  const std::string projection =
      "C_LOOP_START gp1, 2\n" + kMatrix + "M_MM_WO gp3, gp0, 0\nC_LOOP_END gp1\n";
  const RuleCase kCases[] = {
      {"MS104 with a count",
       "; @stage=expert_bias\n" + kAdd + "V_EXP_V gp1, gp1\nV_RECI_V gp1, gp1\n",
       {"3: 2 instructions of group VEX (first V_EXP_V) in 'expert_bias', where none is plausible "
        "[MS104] | 1: the marker in force (expert_bias)"}},
      {"MS105 projection, with MS104 and MS116",
       "; @stage=accumulator_init\n" + projection,
       {"1: 'accumulator_init' is marked but holds no MAP or VAL instruction [MS116]",
        "2: this is a projection (M_* to M_MM_WO), but the stage in force is 'accumulator_init' "
        "[MS105] | 1: the marker in force (accumulator_init)",
        "3: 2 instructions of group MAT (first M_MM) in 'accumulator_init', where none is "
        "plausible "
        "[MS104] | 1: the marker in force (accumulator_init)"}},
      {"MS105 address",
       "; @stage=expert_bias\nS_LD_INT gp2, gp1, 0\nS_MUL_INT gp4, gp2, gp3\nS_ADD_INT gp5, gp6, "
       "gp4\n"
       "C_SET_ADDR_REG a0, gp0, gp5\n" +
           kAdd,
       {"5: this is the address of an expert's weights (S_LD_INT, S_MUL_INT, C_SET_ADDR_REG), but "
        "the stage in force is 'expert_bias' [MS105] | 1: the marker in force (expert_bias)"}},
      {"a product of something else is fine",
       "; @stage=expert_bias\nS_LD_INT gp2, gp1, 0\nS_ADDI_INT gp2, gp0, 5\nS_MUL_INT gp4, gp2, "
       "gp3\n"
       "C_SET_ADDR_REG a0, gp0, gp4\n" +
           kAdd,
       {}},
      {"MS105 zero rows",
       "; @stage=scatter_combine\nC_LOOP_START gp1, 2\nS_ST_FP f0, gp1, 0\nC_LOOP_END gp1\n"
       "S_MAP_V_FP gp1, gp2, 0\n" +
           kAdd,
       {"3: 1 instruction of group SLS (first S_ST_FP) in 'scatter_combine', where none is "
        "plausible [MS104] | 1: the marker in force (scatter_combine)",
        "5: 1 instruction of group MAP (first S_MAP_V_FP) in 'scatter_combine', where none is "
        "plausible [MS104] | 1: the marker in force (scatter_combine)",
        "5: this zeroes rows (a loop of S_ST_FP f0, then S_MAP_V_FP), but the stage in force is "
        "'scatter_combine' [MS105] | 1: the marker in force (scatter_combine)"}},
      {"MS114",
       "; @stage=expert_projection\n" + kMatrix + "V_EXP_V gp1, gp1\n",
       {"1: one range of 'expert_projection' holds MAT and VEX instructions; a marker seems to be "
        "missing [MS114]",
        "3: 1 instruction of group VEX (first V_EXP_V) in 'expert_projection', where none is "
        "plausible [MS104] | 1: the marker in force (expert_projection)"}},
      {"MS116 of two groups",
       "; @stage=router_topk\nV_RED_MAX f1, gp1\n",
       {"1: 'router_topk' is marked but holds no TOP or VRD+SFP instruction [MS116]"}},
      {"both groups of a pair are enough",
       "; @stage=router_topk\nV_RED_MAX f1, gp1\nS_EXP_FP f1, f1\n",
       {}},
      {"must counts regions",
       "; @stage=expert_projection\n; @stage_push=expert_bias\n" + kAdd + "; @stage_pop\n" +
           kMatrix,
       {}},
      {"a word that is no instruction is ignored", "; @stage=expert_bias\n.word 0x0\n" + kAdd, {}},
  };
  for (const RuleCase& test : kCases) {
    SCOPED_TRACE(test.name);
    EXPECT_EQ(Full(LintText(test.text)), test.findings);
  }
}

TEST(LintTest, RulesAboutMacrosAndIncludes) {
  const auto reader = [](const std::string& path) -> absl::StatusOr<std::string> {
    if (path.ends_with("plain.inc")) return kAdd;
    if (path.ends_with("own.inc")) return "; @stage=expert_bias\n" + kAdd;
    if (path.ends_with("region.inc")) return "; @stage_push=gather\n" + kAdd + "; @stage_pop\n";
    if (path.ends_with("outer.inc"))
      return "; @stage_push=gather\n.include \"plain.inc\"\n; @stage_pop\n";
    return absl::NotFoundError(path);
  };
  const auto lint = [&](const std::string& text) {
    return Full(LintText(text, {}, Vocabulary(), reader));
  };
  EXPECT_THAT(lint("; @stage=expert_bias\n.include \"plain.inc\"\n"),
              ElementsAre("1: the included file begins without a stage marker and inherits "
                          "'expert_bias' [MS106] | 1: the marker in force (expert_bias) | 2: used "
                          "here"));
  EXPECT_THAT(lint("; @stage=scatter_combine\n" + kAdd + ".include \"own.inc\"\n"),
              ElementsAre("1: the included file leaves 'expert_bias' in force; use '@stage_push=' "
                          "and '@stage_pop' [MS107] | 3: used here"));
  EXPECT_THAT(lint("; @stage=expert_bias\n" + kAdd + ".include \"region.inc\"\n"), IsEmpty());
  // A helper in a helper inherits what its caller marked.
  EXPECT_THAT(lint("; @stage=expert_bias\n" + kAdd + ".include \"outer.inc\"\n").size(), 1u);
  // Outside every stage there is nothing to inherit.
  EXPECT_THAT(
      lint("; @stage=expert_bias\n" + kAdd + kAdd + "; @stage_end\n.include \"region.inc\"\n"),
      IsEmpty());

  const std::string macro = ".macro M\n" + kAdd + "; @stage=gather\n" + kAdd + ".endm\n";
  EXPECT_THAT(lint(macro + "; @stage=expert_bias\nM\n; @stage=expert_bias\nM\n"),
              ElementsAre("2: the macro begins without a stage marker and inherits 'expert_bias' "
                          "[MS106] | 6: the marker in force (expert_bias) | 7: used here",
                          "3: the macro leaves 'gather' in force; use '@stage_push=' and "
                          "'@stage_pop' [MS107] | 7: used here"));
  EXPECT_THAT(lint("; @stage=expert_bias\n.rept 3\n" + kAdd + ".endr\n"), IsEmpty());
}

TEST(LintTest, RulesAboutCoverage) {
  std::string text = "; @stage=expert_bias\n";
  for (int i = 0; i < 19; ++i) text += kAdd;
  EXPECT_THAT(LintText(text + "; @stage_end\n" + kOp).Short(), IsEmpty());
  const test::Linted over = LintText(text + "; @stage_end\n" + kOp + kOp);
  EXPECT_THAT(Full(over),
              ElementsAre("22: 2 of 21 instructions (9.5 %) belong to no stage; the limit is 5.0 % "
                          "[MS112] | 21: the marker in force (unattributed)"));
  LintOptions options;
  options.max_unattributed_ppm = 95'239;
  EXPECT_THAT(LintText(text + "; @stage_end\n" + kOp + kOp, options).Short(), IsEmpty());
  options.max_unattributed_ppm = 95'238;
  EXPECT_THAT(LintText(text + "; @stage_end\n" + kOp + kOp, options).Short(),
              ElementsAre("22 MS112"));

  EXPECT_THAT(Full(LintText("; Router dot token 1\n" + kOp)),
              ElementsAre("1: no stage marker, but 1 comment that the rules of 'moescope annotate' "
                          "know; run it to make markers of them [MS115]",
                          "2: the program has no stage marker, so its 1 instructions belong to no "
                          "stage; write '; @stage=<name>' in front of each part [MS112]"));
}

TEST(LintTest, NeverExecutedNeedsAProfile) {
  const std::string text = "; @stage=expert_bias pair=0\n" + kAdd +
                           "; @stage=expert_bias pair=1\n" + kAdd + "; @stage=accumulator_init\n" +
                           kAdd + "; @stage=expert_bias pair=1\n" + kAdd;
  const Vocabulary vocabulary;
  const auto assembly = assembler::Assemble(text, "a.asm");
  ASSERT_TRUE(assembly.ok());
  EXPECT_THAT(test::LintAssembly(*assembly, vocabulary), IsEmpty());
  const test::Linted linted{
      test::LintAssembly(*assembly, vocabulary, {},
                         std::vector<ExecutedStage>{{"expert_bias", 0, 5}, {"expert_bias", 1, 0}})};
  EXPECT_THAT(
      Full(linted),
      ElementsAre("3: 'expert_bias' of pair 1 executed no instruction in the profile [MS111]",
                  "5: 'accumulator_init' executed no instruction in the profile [MS111]"));
}

TEST(LintTest, ExtensionStagesBringTheirOwnRow) {
  Vocabulary vocabulary;
  ASSERT_TRUE(vocabulary
                  .Extend("schema = \"moescope.stages\"\nversion = 1\n"
                          "[[stage]]\nname = \"free\"\nsummary = \"F.\"\nscope = \"layer\"\n"
                          "[[stage]]\nname = \"strict\"\nsummary = \"S.\"\nscope = \"layer\"\n"
                          "plausible = [\"VAL\"]\nmust = [\"VAL\", \"VRD+SFP\"]\n",
                          "x.toml")
                  .ok());
  const std::string body = kMatrix + "M_MM_WO gp3, gp0, 0\nV_EXP_V gp1, gp1\n";
  EXPECT_THAT(LintText("; @stage=free\n" + body, {}, vocabulary).Short(), IsEmpty());
  EXPECT_THAT(LintText("; @stage=strict\n" + body, {}, vocabulary).Short(),
              ElementsAre("1 MS114", "1 MS116", "2 MS104", "2 MS105", "4 MS104"));
}

TEST(LintTest, LevelsAndOrder) {
  const std::string text =
      "; @stage=gather\n; @stage=expert_bias\n" + kAdd + "; @stage=expert_bias\n" + kAdd;
  LintOptions options;
  ASSERT_TRUE(options.rules.Set("MS102=off", LintRuleIds()).ok());
  ASSERT_TRUE(options.rules.Set("MS103=error", LintRuleIds()).ok());
  const test::Linted linted = LintText(text, options);
  EXPECT_THAT(linted.Short(), ElementsAre("4 MS103"));
  EXPECT_EQ(CountFindings(linted.findings).errors, 1u);
  EXPECT_EQ(options.rules.Set("MS001=off", LintRuleIds()).message(),
            "unknown rule 'MS001'; did you mean 'MS101', 'MS102' or 'MS103'?");

  LintOptions strict;
  strict.rules.SetWarningsAreErrors(true);
  const LintCounts counts = CountFindings(LintText(text, strict).findings);
  EXPECT_EQ(counts.errors, 1u);  // MS102
  EXPECT_EQ(counts.warnings, 0u);
  EXPECT_EQ(counts.notes, 1u);  // MS103
}

TEST(LintTest, RulesAreListedById) {
  std::set<std::string_view> ids, names;
  for (const LintRule& rule : LintRules()) {
    EXPECT_TRUE(ids.empty() || *ids.rbegin() < rule.id) << rule.id;
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    ids.insert(rule.id);
  }
  EXPECT_EQ(ids.size(), 17u);
}

TEST(LintTest, ASuppressionHoldsForAMarkerWithMacroParameters) {
  const std::string text =
      ".macro M pair\n"
      "; @lint allow=MS104 reason=\"test\"\n; @stage=gather pair=\\pair\nV_TOPK gp1, gp2, gp3, 0\n"
      ".endm\nM 0\n";
  for (const LintFinding& finding : LintText(text).findings) {
    EXPECT_NE(finding.diagnostic.id, "MS104");
    EXPECT_NE(finding.diagnostic.id, "MS199");
  }
}

TEST(LintTest, AnEmptyProgramHasNoFinding) {
  isa::Program program = isa::ProgramFromWords({});
  const Vocabulary vocabulary;
  const std::vector<Expansion> expansions(1);
  const std::vector<std::uint32_t> range_origins(1);
  LintInput input;
  input.program = &program;
  input.expansions = expansions;
  input.range_origins = range_origins;
  input.vocabulary = &vocabulary;
  EXPECT_THAT(Lint(input), IsEmpty());
}

// Lint answers on whatever assembles: random instructions, markers and regions.
TEST(LintTest, RandomProgramsAreAnswered) {
  const std::vector<std::string> kLines = {kOp,
                                           kAdd,
                                           kMatrix,
                                           "M_MM_WO gp3, gp0, 0\n",
                                           "V_TOPK gp1, gp2, gp3, 0\n",
                                           "C_LOOP_END gp1\n",
                                           "C_LOOP_START gp1, 2\n",
                                           "; @stage=gather pair=1\n",
                                           "; @stage=expert_bias expert=2\n",
                                           "; @stage_end\n",
                                           "; @lint allow=MS104 reason=\"test\"\n",
                                           ".word 0xFFFFFFFF\n",
                                           "M\n",
                                           "S_ST_FP f0, gp1, 0\n",
                                           "S_MAP_V_FP gp1, gp2, 0\n",
                                           "; Router dot token 1\n"};
  std::mt19937 random(31);
  std::map<std::string, int> ids;
  for (int i = 0; i < 2000; ++i) {
    std::string text = ".macro M\n" + kLines[random() % 12] + kAdd + ".endm\n";
    for (auto n = random() % 25; n > 0; --n) text += kLines[random() % kLines.size()];
    const auto assembly = assembler::Assemble(text, "a.asm");
    if (!assembly.ok()) continue;
    for (const LintFinding& f : test::LintAssembly(*assembly, Vocabulary())) {
      ++ids[f.diagnostic.id];
      EXPECT_GT(f.diagnostic.location.line, 0u);
    }
  }
  EXPECT_GE(ids.size(), 12u);
}

}  // namespace
}  // namespace moescope::stages
