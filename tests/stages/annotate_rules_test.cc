#include "stages/annotate_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/diagnostic.h"
#include "stages/shipped.h"

namespace moescope::stages {
namespace {

// "R1 router_topk", "A1 defer", with " p3" and " e4" behind it; "" when no rule fits.
std::string Said(std::string_view comment, std::string_view in_force = "",
                 const AnnotateRules& rules = AnnotateRules::Shipped()) {
  const auto match = rules.Match(comment, in_force);
  if (!match) return "";
  static constexpr const char* kActions[] = {"", "end", "keep", "defer", "undecided"};
  const Verdict& verdict = match->verdict;
  std::string said = absl::StrCat(rules.ids()[match->rule], " ",
                                  verdict.action == ProseAction::kStage
                                      ? verdict.stage
                                      : kActions[static_cast<int>(verdict.action)]);
  if (!verdict.detail.empty()) absl::StrAppend(&said, "/", verdict.detail);
  if (match->pair) absl::StrAppend(&said, " p", *match->pair);
  if (match->expert) absl::StrAppend(&said, " e", *match->expert);
  return said;
}

TEST(AnnotateRulesTest, EveryShippedRuleDecidesItsComments) {
  const struct {
    std::string_view comment, said, in_force;
  } kCases[] = {
      {" Allocate VRAM Matrix lab_pair3_gate: logical=(4, 64)", "A1 defer p3"},
      {" === Reset MRAM ===", "A1 defer"},
      {" GPT-OSS router BF16 vector-dot logits: rows=2", "R1 router_topk"},
      {" Clear FPRAM logits scratch (once)", "R1 router_topk"},
      {" Router dot token 0, expert 31", "R1 router_topk"},
      {" Router token 1: map FPRAM logits", "R1 router_topk"},
      {" Qwen router matrix logits pack: rows=2", "R1 router_topk"},
      {" Routed-MoE V_TOPK token1: token=1, experts=128", "R1 router_topk"},
      {" Normalize 8 selected MoE route weights", "R1 router_topk"},
      {" Load SubMatrix Col W_router[:][1] -> MRAM[0]", "R3 router_topk"},
      {" Load SubMatrix Col W_e31_down[:][1] -> MRAM[0]", "R3 expert_weight_address"},
      {" VRAM Sub Projection microtile accumulate: x[0][:], W_Router[0]", "R4 router_topk"},
      {" VRAM Sub Projection microtile accumulate: x[0][:], W_gate[0]", "R4 expert_projection"},
      {" GPT-OSS true-zero VRAM rows [0, 1] in lab_acc", "Z1 accumulator_init"},
      {" GPT-OSS true-zero VRAM rows [0] in FooAccumulator", "Z1 accumulator_init"},
      {" GPT-OSS true-zero VRAM rows [1, 2, 3] in lab_pair7_gather_t1",
       "Z1 gather/gather_padding p7"},
      {" GPT-OSS true-zero VRAM rows [1] in full_gather_e31_x", "Z1 gather/gather_padding e31"},
      {" GPT-OSS true-zero VRAM rows [0] in lab_pair2_route", "Z1 expert_route_weight p2"},
      {" GPT-OSS true-zero VRAM rows [0] in gather_full_hbm_store_slot", "Z1 end"},
      {" GPT-OSS true-zero VRAM rows [0] in mystery", "Z1 undecided"},
      {" GPT-OSS gather token rows from HBM: pairs=1", "G1 gather"},
      {" Gather pair slot 0: dynamic token row offset", "G1 gather"},
      {" VRAM gather pair slot 2: token row 1", "G1 gather"},
      {" GPT-OSS dynamic HBM weight prefetch: template=W_up_true_e0, pair=3, col=44",
       "W1 expert_weight_address p3"},
      {" lab_pair15_out_pair15: expert_id_to_weight_base pair=15, table_base=0",
       "W1 expert_weight_address p15"},
      {" lab_pair15_out_pair15: expert_id_to_weight_base_table pair=15",
       "W1 expert_weight_address p15"},
      {" SubBlock [0][1]: HBM offset = 64", "W2 expert_weight_prefetch"},
      {" SubBlock [0][1]: HBM offset = 64", "W2 router_topk", "router_topk"},
      {" SubBlock [0][1]: HBM offset = 64", "W2 expert_weight_prefetch", "gather"},
      {" VRAM Sub Projection To: X[0][:] @ W_router[:][1] -> r[0][1]", "P1 router_topk"},
      {" VRAM Sub Projection To: x[0][:] @ W[:][0] -> lab_pair3_gate_temp[0][0]",
       "P1 expert_projection/gate_up_projection p3"},
      {" VRAM Sub Projection To: x[0][:] @ W[:][0] -> up_e0[0][0]",
       "P1 expert_projection/gate_up_projection"},
      {" VRAM Sub Projection To: x[0][:] @ W[:][0] -> lab_pair0_out[0][0]",
       "P1 expert_projection/down_projection p0"},
      {" VRAM Sub Projection To: x[0][:] @ W[:][0] -> full_vram_e3_out[0][0]",
       "P1 expert_projection/down_projection e3"},
      {" VRAM Sub Projection To: x[0][:] @ W[:][0] -> other[0][0]", "P1 expert_projection"},
      {" VRAM Block Add: lab_pair3_out[0][4] = lab_pair3_out[0][4] + lab_pair3_out_temp[0][0]",
       "P2 expert_projection/ksplit_add p3"},
      {" GPT-OSS dynamic expert bias add lab_pair3_up_bias: pair=3, rows=4", "B1 expert_bias p3"},
      {" === VRAM Matrix Add: router_logits[0:8] += RouterBias[0:8] ===", "M1 router_topk"},
      {" === VRAM Matrix Add: full_vram_e31_gate[0:4] += B_e31_gate[0:4] ===",
       "M1 expert_bias e31"},
      {" === VRAM Matrix Add: fixed_expert0_out[0:4] += fixed_expert1_out[0:4] ===",
       "M1 scatter_combine"},
      {" === VRAM Matrix Add: lab_pair1_sigmoid[0:4] += lab_pair1_gate[0:4] ===",
       "M1 expert_activation p1"},
      {" === VRAM Matrix Add: gate_e0[0:4] += up_e0[0:4] ===", "M1 expert_activation"},
      {" === VRAM Matrix Add: foo[0:4] += bar[0:4] ===", "M1 undecided"},
      {" === VRAM Matrix Mul: lab_pair1_out[0:4] *= lab_pair1_route[0:4] ===",
       "M2 expert_route_weight p1"},
      {" === VRAM Matrix Mul: fixed_expert1_out[0:4] *= route1[0:4] ===",
       "M2 expert_route_weight e1"},
      {" === VRAM Matrix Mul: gate_e0[0:4] *= gate_sigmoid[0:4] ===", "M2 expert_activation"},
      {" === VRAM Matrix Mul: up_e0[0:4] *= gate_e0[0:4] ===", "M2 expert_activation"},
      {" === VRAM Matrix Mul: foo[0:4] *= bar[0:4] ===", "M2 undecided"},
      {" Tile Row Min FP on VRAM[4]", "T1 expert_activation"},
      {" Tile Row Add FP on VRAM[4]", "T1 expert_activation"},
      {" Tile Row Exp on VRAM[4]", "T1 expert_activation"},
      {" Tile Row Reciprocal on VRAM[4]", "T1 expert_activation"},
      {" === VRAM Fill Zero: VRAM[4] rows [0] = 0 ===", "T1 expert_activation"},
      {" FPVar Fill: FPRAM[113:177] = FPRAM[112]", "E1 expert_route_weight"},
      {" GPT-OSS materialize route weight pair=15, col_block=1", "E1 expert_route_weight p15"},
      {" Map compact MoE route weights", "E1 expert_route_weight"},
      {" GPT-OSS VRAM scatter-add expert31: 1 active rows", "C1 scatter_combine e31"},
      {" GPT-OSS VRAM scatter-add lab_pair5_scatter: 1 active rows", "C1 scatter_combine p5"},
      {" GPT-OSS VRAM scatter-add hbm_store_t2_copy: 1 active rows", "C1 end"},
      {" Load_Batch route_e31 -> route_e31", "L1 expert_route_weight"},
      {" Load_Batch B_down -> B_down", "L1 expert_bias"},
      {" Load_Batch X -> X", "L1 end"},
      {" Store lab_slot from VRAM to HBM", "L2 end"},
      {" Target VRAM addr: 462848", "A2 keep"},
      {" VRAM Sub Projection: lab_pair7_gather_t1[0][:] @ W_router[:][0]", "A2 keep"},
      {" HBM[672768] \xE2\x86\x92 VRAM[98304]", "A2 keep"},
      {" Preload Addr Reg Generation", "A2 keep"},
      {" something else", ""},
      {" the Router token 1", ""},
      {"", ""},
  };
  std::set<std::string> used;
  for (const auto& test : kCases) {
    const std::string said = Said(test.comment, test.in_force);
    EXPECT_EQ(said, test.said) << test.comment;
    used.insert(said.substr(0, 2));
  }
  for (const std::string& id : AnnotateRules::Shipped().ids()) EXPECT_TRUE(used.contains(id)) << id;
}

TEST(AnnotateRulesTest, PairSlotAndTemplateNamesAreNoAttributes) {
  EXPECT_EQ(Said("Gather pair slot 5: x"), "G1 gather");
  EXPECT_EQ(Said("GPT-OSS dynamic HBM weight prefetch: template=W_expert9_up, pair=2"),
            "W1 expert_weight_address p2");
  EXPECT_EQ(Said("GPT-OSS dynamic HBM weight prefetch: template=W_pair9_up"),
            "W1 expert_weight_address");
  EXPECT_EQ(Said("GPT-OSS dynamic expert bias add x_pair3_b: pair=4"), "B1 expert_bias p3");
  EXPECT_EQ(Said("GPT-OSS dynamic expert bias add b: pair=2147483648"), "B1 expert_bias");
}

constexpr std::string_view kHead = "schema = \"moescope.annotate\"\nversion = 1\n";

TEST(AnnotateRulesTest, UserRulesMayNameExtensionStages) {
  Vocabulary vocabulary;
  ASSERT_TRUE(vocabulary.Extend(*FindShippedVocabulary("decoder"), "decoder.toml").ok());
  const auto rules =
      AnnotateRules::Parse(absl::StrCat(std::string(kHead),
                                        "[[rule]]\nid = \"X\"\nmatch = [\"softmax\"]\n"
                                        "stage = \"attention_softmax\"\n"),
                           "mine.toml", vocabulary);
  ASSERT_TRUE(rules.ok()) << rules.status();
  EXPECT_EQ(Said(" softmax of head 3", "", *rules), "X attention_softmax");
}

TEST(AnnotateRulesTest, ErrorsHaveTheirPlaceAndExactText) {
  const std::string head(kHead);
  const std::string rule = "[[rule]]\nid = \"X\"\nmatch = [\"a {m}\"]\n";
  const std::pair<std::string, std::string> kCases[] = {
      {"schema = \"moescope.stages\"\nversion = 1\n",
       "r.toml:1:10: error: schema = \"moescope.stages\": must be \"moescope.annotate\" [MS020]"},
      {head, "r.toml:1:1: error: rule: the file has no rule [MS022]"},
      {head + "attributes = 3\n" + rule + "stage = \"gather\"\n",
       "r.toml:3:14: error: attributes = 3: must be a table [MS022]"},
      {head + "[attributes]\nignore = [\"\"]\n" + rule + "stage = \"gather\"\n",
       "r.toml:4:10: error: attributes.ignore: an entry is empty [MS022]"},
      {head + rule + "stage = \"gahter\"\n",
       "r.toml:6:9: error: rule[0].stage = \"gahter\": unknown stage 'gahter'; did you mean "
       "'gather'? [MS031]"},
      {head + rule + "stage = \"gather\"\ndetail = \"foo\"\n",
       "r.toml:7:10: error: rule[0].detail = \"foo\": unknown stage 'foo'; run 'moescope stages "
       "list' [MS031]"},
      {head + rule + "action = \"stop\"\n",
       "r.toml:6:10: error: rule[0].action = \"stop\": must be \"end\", \"keep\" or \"defer\" "
       "[MS022]"},
      {head + rule, "r.toml:3:1: error: rule[0]: needs either 'stage' or 'action' [MS031]"},
      {head + rule + "stage = \"gather\"\naction = \"end\"\n",
       "r.toml:3:1: error: rule[0]: needs either 'stage' or 'action' [MS031]"},
      {head + rule + "stage = \"gather\"\ncase = []\n",
       "r.toml:6:9: error: rule[0].stage = \"gather\": cannot stand beside 'case' [MS031]"},
      {head + rule + "case = [{ m = \"nope\", stage = \"gather\" }]\n",
       "r.toml:6:15: error: rule[0].case[0].m = \"nope\": unknown name class 'nope' [MS031]"},
      {head + rule + "case = [{ d = \"nope\", stage = \"gather\" }]\n",
       "r.toml:6:15: error: rule[0].case[0].d = \"nope\": is neither a key nor a name that every "
       "pattern of the rule captures [MS031]"},
      {head + rule + "case = [{ m_like = \"{\", stage = \"gather\" }]\n",
       "r.toml:6:20: error: rule[0].case[0].m_like = \"{\": pattern \"{\": '{' is never closed "
       "[MS030]"},
      {head + "[[rule]]\nid = \"X\"\nstage = \"gather\"\n",
       "r.toml:3:1: error: rule[0].match: missing [MS022]"},
      {head + "[[rule]]\nid = \"X\"\nmatch = []\nstage = \"gather\"\n",
       "r.toml:5:9: error: rule[0].match: is empty [MS022]"},
      {head + rule + "stage = \"gather\"\n" + rule + "stage = \"gather\"\n",
       "r.toml:8:6: error: rule[1].id = \"X\": is defined already [MS031]"},
      {head +
           "[[class]]\nname = \"c\"\nmatch = [\"x\"]\n[[class]]\nname = \"c\"\nmatch = "
           "[\"y\"]\n" +
           rule + "stage = \"gather\"\n",
       "r.toml:7:8: error: class[1].name = \"c\": is defined already [MS031]"},
      {head + "[[class]]\nname = \"c\"\nmatch = [\"x\"]\nignore_case = 1\n" + rule +
           "stage = \"gather\"\n",
       "r.toml:6:15: error: class[0].ignore_case = 1: must be true or false [MS022]"},
      {head + rule + "stages = \"gather\"\nstage = \"gather\"\n",
       "r.toml:6:1: error: unknown key 'rule[0].stages'; did you mean 'stage'? [MS021]"},
  };
  const Vocabulary vocabulary;
  for (const auto& [toml, expected] : kCases) {
    const absl::Status status = AnnotateRules::Parse(toml, "r.toml", vocabulary).status();
    ASSERT_FALSE(status.ok()) << toml;
    EXPECT_EQ(std::string(status.message().substr(0, status.message().find('\n'))), expected);
  }
}

TEST(AnnotateRulesTest, AnyBytesGiveRulesOrALocatedError) {
  std::mt19937 random(17);
  const Vocabulary vocabulary;
  const std::string good(ShippedAnnotateRules());
  int errors = 0;
  for (int i = 0; i < 300; ++i) {
    std::string text = good;
    for (int n = 0; n < 3; ++n) text[random() % text.size()] = static_cast<char>(random() % 256);
    const absl::Status status = AnnotateRules::Parse(text, "r.toml", vocabulary).status();
    if (status.ok()) continue;
    ++errors;
    EXPECT_GT(DiagnosticsOf(status)[0].location.line, 0u);
  }
  EXPECT_GT(errors, 50);
}

}  // namespace
}  // namespace moescope::stages
