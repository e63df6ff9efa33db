#include "stages/vocabulary.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/diagnostic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stages/builtin_stages.h"

namespace moescope::stages {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kHead = "schema = \"moescope.stages\"\nversion = 1\n";

std::string StageTable(std::string_view name, std::string_view more = "") {
  return absl::StrCat("[[stage]]\nname = \"", std::string(name),
                      "\"\nsummary = \"S.\"\nscope = \"layer\"\n", std::string(more));
}

std::vector<std::string> NamesOf(const Vocabulary& vocabulary) {
  std::vector<std::string> names;
  for (const isa::StageName& name : vocabulary.names()) names.push_back(name.name);
  return names;
}

TEST(Vocabulary, HoldsTheFourteenBuiltinStagesInOrder) {
  const Vocabulary vocabulary;
  ASSERT_EQ(vocabulary.names().size(), 14u);
  for (std::size_t i = 0; i < 14; ++i) {
    EXPECT_EQ(vocabulary.names()[i].name, kBuiltinStages[i].name);
    EXPECT_EQ(vocabulary.names()[i].scope, kBuiltinStages[i].scope);
    EXPECT_TRUE(vocabulary.rules(static_cast<std::uint32_t>(i)).summary.ends_with('.'));
    EXPECT_TRUE(
        vocabulary.rules(static_cast<std::uint32_t>(i)).plausible.Contains(isa::Group::kInt));
  }
}

TEST(Vocabulary, PlausibilityMatrixIsThatOfTheDesign) {
  const std::pair<std::string_view, std::string_view> kRows[] = {
      {"residual_setup", "INT SET MASK PFV STO VAL VRD SFP SLS MAP|"},
      {"router_topk", "INT SET MASK PFM PFV MAT VAL VEX VRD VMM TOP SFP SLS MAP|TOP,VRD+SFP"},
      {"accumulator_init", "INT VAL SLS MAP|MAP,VAL"},
      {"gather", "INT SET PFV VAL SLS MAP|PFV,VAL"},
      {"expert_weight_address", "INT SET|SET"},
      {"expert_weight_prefetch", "INT SET PFM|PFM"},
      {"expert_projection", "INT MAT VAL|MAT"},
      {"expert_activation", "INT MASK VAL VEX VMM SFP SLS MAP|VAL"},
      {"expert_bias", "INT SET PFV VAL SLS MAP|VAL"},
      {"expert_route_weight", "INT SET PFV VAL SFP SLS MAP|VAL"},
      {"scatter_combine", "INT SET PFV STO VAL|VAL"},
      {"shared_expert", "INT SET MASK PFM PFV MAT VAL VEX VMM SFP SLS MAP|MAT"},
      {"shared_gate", "INT SET PFM PFV MAT VAL VEX VRD SFP SLS MAP|SFP,VEX"},
      {"shared_combine", "INT SET PFV STO VAL|VAL"},
  };
  const Vocabulary vocabulary;
  for (const auto& [name, expected] : kRows) {
    const StageRules& rules = vocabulary.rules(*vocabulary.Index(name));
    std::vector<std::string> must;
    for (const GroupSet& set : rules.must) must.push_back(ToString(set, "+"));
    EXPECT_EQ(absl::StrCat(ToString(rules.plausible), "|", absl::StrJoin(must, ",")), expected)
        << name;
  }
}

TEST(Vocabulary, FindKnowsConstantsAndSuggests) {
  const Vocabulary vocabulary;
  EXPECT_EQ(*vocabulary.Find("gather"), kGather);
  EXPECT_EQ(vocabulary.Find("gather")->scope(), isa::StageScope::kPair);
  EXPECT_EQ(vocabulary.Find("expert_bais").status().message(),
            "unknown stage 'expert_bais'; did you mean 'expert_bias'?");
  EXPECT_EQ(vocabulary.Find("foo").status().message(),
            "unknown stage 'foo'; run 'moescope stages list'");
  EXPECT_FALSE(vocabulary.Find("unattributed").ok());
}

TEST(Vocabulary, ExtensionsFollowTheBuiltinsOrTheStageTheyName) {
  Vocabulary vocabulary;
  ASSERT_TRUE(vocabulary
                  .Extend(absl::StrCat(std::string(kHead), StageTable("x1"),
                                       StageTable("a1", "after = \"residual_setup\"\n"),
                                       StageTable("a2", "after = \"residual_setup\"\n"),
                                       StageTable("b1", "after = \"a1\"\n"), StageTable("x2")),
                          "one.toml")
                  .ok());
  ASSERT_TRUE(vocabulary
                  .Extend(absl::StrCat(std::string(kHead), StageTable("x3"),
                                       StageTable("y", "after = \"x1\"\n")),
                          "two.toml")
                  .ok());
  const std::vector<std::string> names = NamesOf(vocabulary);
  ASSERT_EQ(names.size(), 21u);
  EXPECT_THAT(std::vector(names.begin(), names.begin() + 5),
              ElementsAre("residual_setup", "a1", "b1", "a2", "router_topk"));
  EXPECT_THAT(std::vector(names.end() - 5, names.end()),
              ElementsAre("shared_combine", "x1", "y", "x2", "x3"));
  for (std::uint32_t i = 0; i < names.size(); ++i) EXPECT_EQ(vocabulary.Index(names[i]), i);
  EXPECT_EQ(vocabulary.Find("b1")->origin(), isa::StageOrigin::kExtension);
}

TEST(Vocabulary, EveryKeyOfAnExtensionIsKept) {
  Vocabulary vocabulary;
  ASSERT_TRUE(vocabulary
                  .Extend("schema = \"moescope.stages\"\r\nversion = 1\r\n[[stage]]\r\n"
                          "name = \"deep\"\r\nsummary = \"Deep work.\"\r\nscope = \"pair\"\r\n"
                          "parent = \"gather\"\r\nplausible = [\"MAT\", \"VAL\"]\r\n"
                          "must = [\"MAT\", \"VRD+SFP\"]",
                          "x.toml")
                  .ok());
  const std::uint32_t index = *vocabulary.Index("deep");
  EXPECT_EQ(vocabulary.names()[index], (isa::StageName{"deep", isa::StageOrigin::kExtension,
                                                       isa::StageScope::kPair, "gather"}));
  const StageRules& rules = vocabulary.rules(index);
  EXPECT_EQ(rules.summary, "Deep work.");
  EXPECT_EQ(ToString(rules.plausible), "INT MAT VAL");
  ASSERT_EQ(rules.must.size(), 2u);
  EXPECT_EQ(ToString(rules.must[1], "+"), "VRD+SFP");
}

TEST(Vocabulary, StagesSurviveAMoveAndAnExtension) {
  Vocabulary vocabulary;
  ASSERT_TRUE(
      vocabulary.Extend(absl::StrCat(std::string(kHead), StageTable("short")), "x.toml").ok());
  const Stage stage = *vocabulary.Find("short");
  Vocabulary moved = std::move(vocabulary);
  std::string many(kHead);
  for (int i = 0; i < 100; ++i) many += StageTable(absl::StrCat("n", i));
  ASSERT_TRUE(moved.Extend(many, "y.toml").ok());
  EXPECT_EQ(stage.name(), "short");
  EXPECT_EQ(*moved.Find("short"), stage);
}

TEST(Vocabulary, HashTellsVocabulariesApart) {
  const auto hash_with = [](const std::string& stages) {
    Vocabulary vocabulary;
    if (!stages.empty()) {
      EXPECT_TRUE(vocabulary.Extend(std::string(kHead) + stages, "x.toml").ok());
    }
    return vocabulary.Hash();
  };
  const std::string plain = hash_with("");
  EXPECT_EQ(plain, hash_with(""));
  EXPECT_TRUE(plain.starts_with("sha256:"));
  const std::string one = hash_with(StageTable("one"));
  EXPECT_NE(one, plain);
  EXPECT_NE(one, hash_with(StageTable("two")));
  EXPECT_NE(one, hash_with(StageTable("one", "after = \"gather\"\n")));
  EXPECT_NE(one, hash_with(StageTable("one", "parent = \"gather\"\n")));
  EXPECT_EQ(one, hash_with(StageTable("one", "plausible = [\"MAT\"]\n")));
}

TEST(Vocabulary, ErrorsHaveTheirPlaceAndExactText) {
  const std::string head(kHead);
  const std::pair<std::string, std::string> kCases[] = {
      {"= 1",
       "x.toml:1:1: error: Error while parsing root table: expected keys, tables, whitespace or "
       "comments, saw '=' [MS020]"},
      {"schema = \"other\"\nversion = 1\n",
       "x.toml:1:10: error: schema = \"other\": must be \"moescope.stages\" [MS020]"},
      {"schema = \"moescope.stages\"\nversion = 2\n",
       "x.toml:2:11: error: version = 2: must be 1 [MS020]"},
      {"schema = \"moescope.stages\"\n", "x.toml:1:1: error: version: must be 1 [MS020]"},
      {head, "x.toml:1:1: error: stage: defines no stage [MS022]"},
      {head + "stage = 3\n", "x.toml:3:9: error: stage = 3: must be an array of tables [MS022]"},
      {head + "stages = []\n" + StageTable("a"),
       "x.toml:3:1: error: unknown key 'stages'; did you mean 'stage'? [MS021]"},
      {head + StageTable("a", "sumary = \"x\"\n"),
       "x.toml:7:1: error: unknown key 'stage[0].sumary'; did you mean 'summary'? [MS021]"},
      {head + "[[stage]]\nsummary = \"S.\"\nscope = \"pair\"\n",
       "x.toml:3:1: error: stage[0].name: missing [MS022]"},
      {head + "[[stage]]\nname = 7\nsummary = \"S.\"\nscope = \"pair\"\n",
       "x.toml:4:8: error: stage[0].name = 7: must be a string [MS022]"},
      {head + "[[stage]]\nname = \"a\"\nsummary = \"S\"\nscope = \"pair\"\n",
       "x.toml:5:11: error: stage[0].summary = \"S\": must end with a full stop [MS022]"},
      {head + "[[stage]]\nname = \"a\"\nsummary = \"S.\"\nscope = \"lair\"\n",
       "x.toml:6:9: error: stage[0].scope = \"lair\": must be \"layer\" or \"pair\" [MS022]"},
      {head + StageTable("Upper"),
       "x.toml:4:8: error: stage[0].name = \"Upper\": must match [a-z][a-z0-9_]{0,63} [MS023]"},
      {head + StageTable("total"),
       "x.toml:4:8: error: stage[0].name = \"total\": is reserved [MS023]"},
      {head + StageTable("gather"),
       "x.toml:4:8: error: stage[0].name = \"gather\": is a built-in stage and cannot be redefined "
       "[MS023]"},
      {head + StageTable("a") + StageTable("a"),
       "x.toml:8:8: error: stage[1].name = \"a\": is defined already [MS023]"},
      {head + StageTable("a", "after = \"gahter\"\n"),
       "x.toml:7:9: error: stage[0].after = \"gahter\": unknown stage 'gahter'; did you mean "
       "'gather'? [MS024]"},
      {head + StageTable("a", "parent = \"a\"\n"),
       "x.toml:7:10: error: stage[0].parent = \"a\": unknown stage 'a'; run 'moescope stages list' "
       "[MS024]"},
      {head + StageTable("a", "plausible = [\"MAD\"]\n"),
       "x.toml:7:13: error: stage[0].plausible: unknown instruction group 'MAD'; known: INT, SET, "
       "MASK, PFM, PFV, STO, MAT, VAL, VEX, VRD, VMM, TOP, SFP, SLS, MAP [MS024]"},
      {head + StageTable("a", "must = \"MAT\"\n"),
       "x.toml:7:8: error: stage[0].must = \"MAT\": must be an array of strings [MS022]"},
  };
  for (const auto& [toml, expected] : kCases) {
    Vocabulary vocabulary;
    const absl::Status status = vocabulary.Extend(toml, "x.toml");
    ASSERT_FALSE(status.ok()) << toml;
    const std::string first = std::string(status.message().substr(0, status.message().find('\n')));
    EXPECT_EQ(first, expected);
    EXPECT_EQ(vocabulary.names().size(), 14u);
  }
}

TEST(Vocabulary, AllErrorsOfAFileAreReportedInOrder) {
  Vocabulary vocabulary;
  const absl::Status status = vocabulary.Extend(
      std::string(kHead) + StageTable("gather") + StageTable("b", "after = \"nowhere\"\n"),
      "x.toml");
  const std::vector<Diagnostic> diagnostics = DiagnosticsOf(status);
  ASSERT_EQ(diagnostics.size(), 2u);
  EXPECT_EQ(diagnostics[0].location.line, 4u);
  EXPECT_EQ(diagnostics[1].location.line, 11u);
}

TEST(Vocabulary, TakesTenThousandExtensionStagesAndNoMore) {
  std::string toml(kHead);
  for (int i = 0; i < 9'999; ++i) toml += StageTable(absl::StrCat("s", i), "after = \"gather\"\n");
  Vocabulary vocabulary;
  ASSERT_TRUE(vocabulary.Extend(toml, "x.toml").ok());
  ASSERT_TRUE(vocabulary.Extend(std::string(kHead) + StageTable("s9999"), "y.toml").ok());
  EXPECT_EQ(vocabulary.names().size(), 10'014u);
  EXPECT_EQ(vocabulary.Index("s9998"), 10'002u);
  const absl::Status status =
      vocabulary.Extend(std::string(kHead) + StageTable("one_more"), "z.toml");
  EXPECT_EQ(status.message().substr(0, status.message().find('\n')),
            "z.toml:3:1: error: stage[0]: more than 10000 extension stages [MS025]");
  EXPECT_EQ(vocabulary.names().size(), 10'014u);
}

TEST(Vocabulary, ManyErrorsStopAtAHundred) {
  std::string toml(kHead);
  for (int i = 0; i < 5'000; ++i) toml += StageTable(absl::StrCat("s", i), "after = \"nowhere\"\n");
  Vocabulary vocabulary;
  EXPECT_EQ(DiagnosticsOf(vocabulary.Extend(toml, "x.toml")).size(), 100u);
}

TEST(Vocabulary, AnyBytesGiveAResultOrALocatedError) {
  const std::string good =
      std::string(kHead) + StageTable("a", "after = \"gather\"\nmust = [\"MAT\"]\n");
  std::mt19937 random(11);
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (auto n = 1 + random() % 3; n > 0; --n) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
    }
    Vocabulary vocabulary;
    const absl::Status status = vocabulary.Extend(text, "x.toml");
    if (!status.ok()) {
      EXPECT_EQ(DiagnosticsOf(status)[0].location.file, "x.toml");
      EXPECT_GT(DiagnosticsOf(status)[0].location.line, 0u);
    }
  }
}

}  // namespace
}  // namespace moescope::stages
