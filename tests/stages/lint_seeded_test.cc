#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "tests/stages/linted.h"
#include "tests/stages/marked_program.h"

// Errors that people make with markers, seeded into a clean program: each is reported by the rule
// that is there for it.

namespace moescope::stages {
namespace {

// Replaces the first `from` behind the first `after`.
std::string Changed(std::string text, const std::string& after, const std::string& from,
                    const std::string& to) {
  const std::size_t begin = text.find(after);
  EXPECT_NE(begin, std::string::npos) << after;
  const std::size_t at = text.find(from, begin);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string Removed(const std::string& text, const std::string& line) {
  return Changed(text, line, line + "\n", "");
}

struct Seed {
  std::string name;
  std::string text;
  std::vector<std::string> rules;  // that must report it
};

TEST(LintSeededTest, EverySeedIsReportedByItsRule) {
  const std::string clean = test::MarkedProgram();
  ASSERT_EQ(test::LintText(clean).Text(), "");
  const std::string kVTopk = "V_TOPK gp1, gp2, gp3, 0\n";
  const Seed kSeeds[] = {
      {"delete a marker: projection runs on in the prefetch",
       Removed(clean, "; @stage=expert_projection pair=1"),
       {"MS104", "MS105"}},
      {"delete a marker: activation runs on in the bias",
       Removed(clean, "; @stage=expert_activation pair=0"),
       {"MS104"}},
      {"delete a marker: code joins a range with another unit",
       Removed(Removed(clean, "; @stage=expert_bias pair=0"), "; @stage=expert_activation pair=0"),
       {"MS114"}},
      {"swap two names",
       Changed(Changed(clean, "; @stage=expert_bias pair=0", "expert_bias", "expert_projection"),
               "; @stage=expert_projection pair=0", "expert_projection", "expert_bias"),
       {"MS104", "MS105"}},
      {"move a marker into a loop",
       Changed(Removed(clean, "; @stage=expert_projection pair=0"), "pair=0",
               "M_MM 0, gp6, gp7\nC_LOOP_END gp5",
               "; @stage=expert_projection pair=0\nM_MM 0, gp6, gp7\nC_LOOP_END gp5"),
       {"MS108"}},
      {"drop pair=", Changed(clean, "; @stage=gather pair=1", " pair=1", ""), {"MS109"}},
      {"add a marker at the end", clean + "; @stage=scatter_combine pair=1\n", {"MS102"}},
      {"bill a projection to accumulator_init",
       Changed(clean, "; @stage=expert_projection pair=0", "expert_projection pair=0",
               "accumulator_init"),
       {"MS104", "MS105"}},
      {"move V_TOPK into expert_bias",
       Changed(Changed(clean, kVTopk, kVTopk, ""), "; @stage=expert_bias pair=0\n",
               "; @stage=expert_bias pair=0\n", "; @stage=expert_bias pair=0\n" + kVTopk),
       {"MS104", "MS116"}},
      {"the shared gate's row scaling marked expert_route_weight",
       Changed(clean, "; @stage=shared_gate", "V_MUL_VF gp1, gp1, f1",
               "; @stage=expert_route_weight\nV_MUL_VF gp1, gp1, f1"),
       {"MS109"}},
      {"the router GEMM left to residual_setup",
       Changed(Removed(clean, "; @stage=router_topk"), kVTopk, kVTopk,
               "; @stage=router_topk\n" + kVTopk),
       {"MS104", "MS105"}},
      {"RMSNorm marked accumulator_init",
       Changed(
           clean, "; @stage=residual_setup\n", "; @stage=residual_setup\n",
           "; @stage=accumulator_init\nV_RED_SUM f1, gp1\nS_SQRT_FP f1, f1\nS_RECI_FP f1, f1\n"),
       {"MS104"}},
      {"an expert changes within a pair",
       absl::StrReplaceAll(clean, {{"gather pair=1", "gather pair=1 expert=5"},
                                   {"expert_bias pair=1", "expert_bias pair=1 expert=6"}}),
       {"MS110"}},
      {"a pair number left out", absl::StrReplaceAll(clean, {{" pair=1", " pair=2"}}), {"MS109"}},
      {"accumulator zeroed too late",
       absl::StrReplaceAll(clean, {{"; @stage=accumulator_init", "; @stage=scatter_combine pair=0"},
                                   {"; @stage=shared_combine", "; @stage=accumulator_init"}}),
       {"MS113"}},
      {"code in front of the first marker", "S_ADDI_INT gp1, gp0, 1\n" + clean, {"MS101"}},
      {"a marker written twice",
       Changed(clean, "; @stage=gather pair=0\n", "; @stage=gather pair=0\n",
               "; @stage=gather pair=0\n; @stage=gather pair=0\n"),
       {"MS102", "MS103"}},
  };
  for (const Seed& seed : kSeeds) {
    SCOPED_TRACE(seed.name);
    const test::Linted linted = test::LintText(seed.text);
    std::vector<std::string> ids;
    for (const LintFinding& f : linted.findings) ids.push_back(f.diagnostic.id);
    for (const std::string& rule : seed.rules) {
      EXPECT_THAT(ids, ::testing::Contains(rule)) << linted.Text();
    }
  }
}

TEST(LintSeededTest, ASuppressionCoversTheNextRangeOnly) {
  const std::string clean = test::MarkedProgram();
  const std::string bad = "V_TOPK gp1, gp2, gp3, 0\n";
  const auto with = [&](const std::string& lint_line) {
    return Changed(clean, "; @stage=expert_bias pair=0\n", "; @stage=expert_bias pair=0\n",
                   lint_line + "; @stage=expert_bias pair=0\n" + bad);
  };
  const std::string text = with("");
  EXPECT_THAT(test::LintText(text).Short(), ::testing::ElementsAre("33 MS104"));
  EXPECT_EQ(test::LintText(with("; @lint allow=MS104 reason=\"measured\"\n")).Text(), "");
  EXPECT_EQ(test::LintText(with("; @lint allow=MS105,MS104 reason=\"a b\"\n")).Text(), "");
  // In front of another range, or for another rule, it covers nothing and says so.
  EXPECT_THAT(test::LintText(with("; @lint allow=MS108 reason=\"x\"\n")).Short(),
              ::testing::ElementsAre("32 MS199", "34 MS104"));
  EXPECT_THAT(test::LintText("; @lint allow=MS104 reason=\"x\"\n" + text).Short(),
              ::testing::ElementsAre("1 MS199", "34 MS104"));
}

// The marker that a suppression waits for may have parameters, which are no numbers yet.
TEST(LintSuppressionTest, WorksInAMacroBodyWithParameters) {
  const std::string macro =
      ".macro WORK p\n%s; @stage=expert_bias pair=\\p\nV_TOPK gp1, gp2, gp3, 0\nV_ADD_VV gp1, gp2, "
      "gp3\n"
      "; @stage_end\n.endm\n; @stage_end\nWORK 0\n";
  const auto with = [&macro](const std::string& line) {
    std::string text = macro;
    return text.replace(text.find("%s"), 2, line);
  };
  EXPECT_NE(test::LintText(with("")).Text().find("[MS104]"), std::string::npos);
  const std::string allowed =
      test::LintText(with("; @lint allow=MS104 reason=\"measured\"\n")).Text();
  EXPECT_EQ(allowed.find("[MS104]"), std::string::npos) << allowed;
  EXPECT_EQ(allowed.find("[MS199]"), std::string::npos) << allowed;
}

TEST(LintSeededTest, SuppressionsAreReportedInWords) {
  const std::string tail = "\n; @stage=expert_bias\nV_ADD_VV gp1, gp2, gp3\n";
  const std::string malformed =
      "malformed suppression; expected '; @lint allow=<id>[,<id>] reason=\"<text>\"'";
  const std::pair<std::string, std::string> kCases[] = {
      {"; @lint", malformed},
      {"; @lint allow=MS104", malformed},
      {"; @lint allow=MS104 reason=\"\"", malformed},
      {"; @lint allow=MS104 reason=\"  \"", malformed},
      {"; @lint allow=MS104 reason=why", malformed},
      {"; @lint allow=MS104 reason=\"a\" b", malformed},
      {"; @lint deny=MS104 reason=\"a\"", malformed},
      {"; @lint allow=MS904 reason=\"a\"",
       "unknown rule 'MS904'; did you mean 'MS104', 'MS101' or 'MS102'?"},
      {"; @lint allow=MS104 reason=\"a\"", "'allow=MS104' suppresses nothing in the next range"},
  };
  for (const auto& [line, message] : kCases) {
    const test::Linted linted = test::LintText(line + tail);
    ASSERT_EQ(linted.findings.size(), 1u) << line;
    EXPECT_EQ(linted.findings[0].diagnostic.id, "MS199");
    EXPECT_EQ(linted.findings[0].diagnostic.message, message);
  }
  EXPECT_EQ(test::LintText("S_ADDI_INT gp1, gp0, 1 ; @lint allow=MS104" + tail).Short().size(), 2u);
}

}  // namespace
}  // namespace moescope::stages
