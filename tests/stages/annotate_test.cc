#include "stages/annotate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "asm/assembler.h"
#include "stages/shipped.h"
#include "stages/strip.h"

namespace moescope::stages {
namespace {

const std::string kOp = "S_ADDI_INT gp1, gp0, 1\n";

Annotated AnnotateText(const std::string& text, const AnnotateOptions& options = {}) {
  auto annotated = Annotate(text, "a.asm", AnnotateRules::Shipped(), options);
  EXPECT_TRUE(annotated.ok()) << annotated.status();
  return annotated.ok() ? *std::move(annotated) : Annotated{};
}

struct Example {
  std::string name, text, annotated;
};

TEST(AnnotateTest, PutsMarkersWhereTheTripleChanges) {
  const Example kCases[] = {
      {"no instruction, no marker", "; Router dot token 0\n", "; Router dot token 0\n"},
      {"starting in the bucket", kOp, "; @stage_end\n" + kOp},
      {"a comment in front", "; Router dot token 0\n" + kOp,
       "; @stage=router_topk\n; Router dot token 0\n" + kOp},
      {"the same triple again", "; Router dot token 0\n" + kOp + "; Router dot token 1\n" + kOp,
       "; @stage=router_topk\n; Router dot token 0\n" + kOp + "; Router dot token 1\n" + kOp},
      {"a comment without instructions", "; Router dot token 0\n; FPVar Fill: x\n" + kOp,
       "; Router dot token 0\n; @stage=expert_route_weight\n; FPVar Fill: x\n" + kOp},
      {"end", "; FPVar Fill: x\n" + kOp + "; Load_Batch X -> X\n" + kOp,
       "; @stage=expert_route_weight\n; FPVar Fill: x\n" + kOp +
           "; @stage_end\n; Load_Batch X -> X\n" + kOp},
      {"keep", "; FPVar Fill: x\n" + kOp + "; Result: y\n" + kOp,
       "; @stage=expert_route_weight\n; FPVar Fill: x\n" + kOp + "; Result: y\n" + kOp},
      {"defer",
       "; FPVar Fill: x\n" + kOp + "; === Reset MRAM ===\n" + kOp + "; Router dot token 7\n" + kOp,
       "; @stage=expert_route_weight\n; FPVar Fill: x\n" + kOp +
           "; @stage=router_topk\n; === Reset MRAM ===\n" + kOp + "; Router dot token 7\n" + kOp},
      {"defer to the stage in force decides by it",
       "; Router dot token 7\n" + kOp + "; === Reset MRAM ===\n; SubBlock [0]\n" + kOp,
       "; @stage=router_topk\n; Router dot token 7\n" + kOp +
           "; === Reset MRAM ===\n; SubBlock [0]\n" + kOp},
      {"defer without a decision", "; Router dot token 7\n" + kOp + "; === Reset MRAM ===\n" + kOp,
       "; @stage=router_topk\n; Router dot token 7\n" + kOp +
           "; @stage_end\n; === Reset MRAM ===\n" + kOp},
      {"CR LF and a byte-order mark", "\xEF\xBB\xBF; Router dot token 7\r\nC_BREAK\r\n",
       "\xEF\xBB\xBF; @stage=router_topk\r\n; Router dot token 7\r\nC_BREAK\r\n"},
      {"no line end at the end", "; Router dot token 7\nC_BREAK",
       "; @stage=router_topk\n; Router dot token 7\nC_BREAK"},
      {"comments beside statements do not count",
       "; Router dot token 7\nC_BREAK ; FPVar Fill: x\n" + kOp,
       "; @stage=router_topk\n; Router dot token 7\nC_BREAK ; FPVar Fill: x\n" + kOp},
      {"comments of the other kind do not count",
       "; Router dot token 7\n" + kOp + "// FPVar Fill: x\n" + kOp,
       "; @stage=router_topk\n; Router dot token 7\n" + kOp + "// FPVar Fill: x\n" + kOp},
  };
  for (const Example& test : kCases) {
    SCOPED_TRACE(test.name);
    EXPECT_EQ(AnnotateText(test.text).text, test.annotated);
  }
}

TEST(AnnotateTest, PairsAndExpertsStickUntilAnotherIsNamed) {
  const Example kCases[] = {
      {"of the deferred comment",
       "; Allocate VRAM Matrix q_pair7_gather_t1: x\n; Gather pair slot 0\n" + kOp,
       "; @stage=gather pair=7\n; Allocate VRAM Matrix q_pair7_gather_t1: x\n; Gather pair slot "
       "0\n" +
           kOp},
      {"kept by a comment without one",
       "; GPT-OSS dynamic expert bias add b: pair=3\n" + kOp + "; Tile Row Exp\n" + kOp,
       "; @stage=expert_bias pair=3\n; GPT-OSS dynamic expert bias add b: pair=3\n" + kOp +
           "; @stage=expert_activation pair=3\n; Tile Row Exp\n" + kOp},
      {"ended by a stage of layer scope",
       "; GPT-OSS dynamic expert bias add b: pair=3\n" + kOp +
           "; GPT-OSS true-zero VRAM rows [0] in x_acc\n" + kOp + "; Tile Row Exp\n" + kOp,
       "; @stage=expert_bias pair=3\n; GPT-OSS dynamic expert bias add b: pair=3\n" + kOp +
           "; @stage=accumulator_init\n; GPT-OSS true-zero VRAM rows [0] in x_acc\n" + kOp +
           "; @stage=expert_activation\n; Tile Row Exp\n" + kOp},
      {"another expert ends the pair",
       "; GPT-OSS dynamic expert bias add b: pair=3\n" + kOp +
           "; GPT-OSS VRAM scatter-add expert9: 1\n" + kOp,
       "; @stage=expert_bias pair=3\n; GPT-OSS dynamic expert bias add b: pair=3\n" + kOp +
           "; @stage=scatter_combine expert=9\n; GPT-OSS VRAM scatter-add expert9: 1\n" + kOp},
  };
  for (const Example& test : kCases) {
    SCOPED_TRACE(test.name);
    EXPECT_EQ(AnnotateText(test.text).text, test.annotated);
  }
}

TEST(AnnotateTest, UndecidedAndUnknownCommentsCountAgainstCoverage) {
  const Annotated annotated = AnnotateText(
      "; Router dot token 0\n" + kOp + "; my note 12 of 40\n" + kOp + "; my note 13 of 40\n" +
      "; GPT-OSS true-zero VRAM rows [0] in mystery\n" + kOp + "; ------\n; FPVar Fill: x\n" + kOp);
  const AnnotateReport& report = annotated.report;
  EXPECT_EQ(report.words, 4u);
  EXPECT_EQ(report.decided_words, 2u);
  EXPECT_EQ(report.CoveragePpm(), 500'000u);
  ASSERT_EQ(report.unmatched.size(), 1u);
  EXPECT_EQ(report.unmatched[0].shape, "my note {n} of {n}");
  EXPECT_EQ(report.unmatched[0].count, 2u);
  EXPECT_EQ(report.unmatched[0].first_line, 3u);
  ASSERT_EQ(report.undecided.size(), 1u);
  EXPECT_EQ(report.undecided[0].line, 6u);
  EXPECT_EQ(report.undecided[0].rule, "Z1");
  EXPECT_EQ(report.undecided[0].comment, "GPT-OSS true-zero VRAM rows [0] in mystery");
  // The unknown comment keeps the stage; the undecided one ends it.
  ASSERT_EQ(report.stages.size(), 3u);
  EXPECT_EQ(report.stages[0].stage, "router_topk");
  EXPECT_EQ(report.stages[0].words, 2u);
  EXPECT_EQ(report.stages[2].stage, "unattributed");
  EXPECT_EQ(report.stages[2].words, 1u);
  for (const AnnotateReport::RuleHits& rule : report.rules) {
    const bool is_hit = rule.id == "R1" || rule.id == "E1";
    EXPECT_EQ(rule.words, is_hit ? 1u : 0u) << rule.id;
  }
}

TEST(AnnotateTest, AMarkedFileIsRefusedUnlessReplaced) {
  const std::string marked = "; Router dot token 7\n; @stage=gather\n" + kOp;
  const auto refused = Annotate(marked, "a.asm", AnnotateRules::Shipped());
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(refused.status().message(),
            "a.asm:2: error: the file has stage markers; use --replace to make them anew");
  const Annotated replaced = AnnotateText(marked, {.replace = true});
  EXPECT_EQ(replaced.text, "; @stage=router_topk\n; Router dot token 7\n" + kOp);
  EXPECT_EQ(replaced.report.removed_markers, 1u);
  EXPECT_EQ(replaced.report.markers, 1u);
  const auto malformed =
      Annotate("; @stage==x\n" + kOp, "a.asm", AnnotateRules::Shipped(), {.replace = true});
  EXPECT_EQ(malformed.status().message(),
            "a.asm:1: error: the file has stage markers that do not parse");
}

TEST(AnnotateTest, DetailOpensRegionsAroundWholeLoopsOnly) {
  const std::string add = "; VRAM Block Add: a_pair1_out = x\n";
  const std::string loop = "C_LOOP_START gp1, 2\n" + kOp;
  const std::string end = "C_LOOP_END gp1\n";
  const std::string bias = "; GPT-OSS dynamic expert bias add b: pair=1\n";
  EXPECT_EQ(AnnotateText(add + loop + end + bias + kOp, {.detail = true}).text,
            "; @stage=expert_projection pair=1\n; @stage_push=ksplit_add\n" + add + loop + end +
                "; @stage_pop\n; @stage=expert_bias pair=1\n" + bias + kOp);
  // Opened in a loop that ends inside; closed in a loop that began inside; at the end of the text.
  EXPECT_EQ(AnnotateText(loop + add + kOp + end + bias + kOp, {.detail = true}).text.find("push"),
            std::string::npos);
  EXPECT_EQ(AnnotateText(add + loop + bias + kOp + end, {.detail = true}).text.find("push"),
            std::string::npos);
  EXPECT_EQ(AnnotateText(add + kOp, {.detail = true}).text.find("push"), std::string::npos);
  EXPECT_EQ(AnnotateText(add + kOp + bias + kOp).text.find("push"), std::string::npos);
}

TEST(AnnotateTest, IncludesRepetitionsAndMacrosAreStatedAgain) {
  EXPECT_EQ(AnnotateText("; Router dot token 7\n" + kOp + ".include \"x.inc\"\n" + kOp).text,
            "; @stage=router_topk\n; Router dot token 7\n" + kOp +
                ".include \"x.inc\"\n; @stage=router_topk\n" + kOp);
  EXPECT_EQ(
      AnnotateText("; Router dot token 7\n.rept 2\n" + kOp + "; FPVar Fill: x\n" + kOp + ".endr\n")
          .text,
      "; Router dot token 7\n.rept 2\n; @stage=router_topk\n" + kOp +
          "; @stage=expert_route_weight\n; FPVar Fill: x\n" + kOp + ".endr\n");
  const std::string macro = ".macro M\n; FPVar Fill: x\n" + kOp + ".endm\n";
  EXPECT_EQ(AnnotateText(macro + "; Router dot token 7\nM\n").text,
            macro + "; @stage=router_topk\n; Router dot token 7\nM\n");
}

// Random programs of known comments: the words stay, stripping gives the input back, replacing is
// stable, and the assembler accepts the markers.
TEST(AnnotateTest, RandomProgramsKeepWordsAndRoundTrip) {
  const std::vector<std::string> kLines = {
      kOp,
      kOp,
      "C_LOOP_START gp2, 3\n",
      "C_LOOP_END gp2\n",
      "; Router dot token 0\n",
      "; === Reset MRAM ===\n",
      "; VRAM Block Add: a_pair1_out = x\n",
      "; note\n",
      "; GPT-OSS true-zero VRAM rows [0] in x_pair2_gather_t1\n",
      "; SubBlock [0]\n",
      "; VRAM Sub Projection To: x @ W[0] -> full_vram_e3_out[0]\n",
      "; Load_Batch X -> X\n",
      ".equ "};
  Vocabulary vocabulary;
  ASSERT_TRUE(vocabulary.Extend(*FindShippedVocabulary("plena_detail"), "d.toml").ok());
  std::mt19937 random(23);
  for (int i = 0; i < 1500; ++i) {
    std::string text = kOp;
    int depth = 0;
    for (auto n = random() % 30; n > 0; --n) {
      const std::string& line = kLines[random() % kLines.size()];
      if (line.starts_with("C_LOOP_START") && depth == 0) {
        ++depth;
      } else if (line.starts_with("C_LOOP_END") && depth == 1) {
        --depth;
      } else if (line.starts_with("C_LOOP")) {
        continue;
      }
      text += line == ".equ " ? ".equ n" + std::to_string(n) + ", 1\n" : line;
    }
    if (depth == 1) text += "C_LOOP_END gp2\n";
    const AnnotateOptions options{.detail = random() % 2 == 0};
    const std::string annotated = AnnotateText(text, options).text;
    ASSERT_EQ(StripMarkers(annotated).text, text);
    ASSERT_EQ(AnnotateText(annotated, {.detail = options.detail, .replace = true}).text, annotated);
    const auto before = assembler::Assemble(text, "a.asm");
    const auto after = assembler::Assemble(annotated, "a.asm", {.vocabulary = &vocabulary});
    ASSERT_TRUE(before.ok() && after.ok()) << after.status() << annotated;
    ASSERT_EQ(before->program.words, after->program.words);
  }
}

TEST(AnnotateTest, AnyBytesGiveTextOrAnError) {
  std::mt19937 random(29);
  const std::string kPieces[] = {";",
                                 " Router dot ",
                                 "\n",
                                 "\r\n",
                                 kOp,
                                 "\xFF",
                                 "C_LOOP_END gp1\n",
                                 ".rept",
                                 ".macro",
                                 ".endm\n",
                                 "; VRAM Block Add: \n",
                                 "@stage=gather"};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (auto n = random() % 15; n > 0; --n) text += kPieces[random() % std::size(kPieces)];
    const auto annotated =
        Annotate(text, "a.asm", AnnotateRules::Shipped(), {.detail = random() % 2 == 0});
    if (annotated.ok()) {
      EXPECT_EQ(StripMarkers(annotated->text).text, text);
    }
  }
}

}  // namespace
}  // namespace moescope::stages
