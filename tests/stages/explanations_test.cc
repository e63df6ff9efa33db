#include "stages/explanations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "asm/assembler.h"
#include "stages/annotate_rules.h"
#include "stages/shipped.h"
#include "stages/vocabulary.h"
#include "tests/stages/linted.h"

namespace moescope::stages {
namespace {

std::set<std::string> IdsOf(const absl::Status& status) {
  std::set<std::string> ids;
  for (const Diagnostic& d : moescope::DiagnosticsOf(status)) ids.insert(d.id);
  return ids;
}

// What the example of an MS entry gives, whatever reads it.
std::set<std::string> IdsFrom(const std::string& example) {
  if (example.find("schema = \"moescope.annotate\"") != std::string::npos) {
    return IdsOf(AnnotateRules::Parse(example, "r.toml", Vocabulary()).status());
  }
  if (example.find("schema = ") != std::string::npos) {
    return IdsOf(Vocabulary().Extend(example, "x.toml"));
  }
  Vocabulary vocabulary;
  EXPECT_TRUE(vocabulary.Extend(*FindShippedVocabulary("plena_detail"), "d.toml").ok());
  const auto assembly = assembler::Assemble(example, "a.asm", {.vocabulary = &vocabulary});
  if (!assembly.ok()) return IdsOf(assembly.status());
  std::set<std::string> ids;
  for (const LintFinding& f :
       test::LintAssembly(*assembly, vocabulary, {}, std::vector<ExecutedStage>{})) {
    ids.insert(f.diagnostic.id);
  }
  return ids;
}

TEST(ExplanationsTest, EveryExampleGivesItsFinding) {
  for (const Explanation& explanation : Explanations()) {
    const std::string example(explanation.example);
    if (example.starts_with('(') || explanation.id.starts_with("EM")) continue;
    EXPECT_THAT(IdsFrom(example), ::testing::Contains(std::string(explanation.id))) << example;
  }
}

TEST(ExplanationsTest, AreCompleteAndInOrder) {
  std::set<std::string_view> ids;
  std::string_view before;
  for (const Explanation& e : Explanations()) {
    const bool is_same_prefix = before.substr(0, 2) == e.id.substr(0, 2);
    EXPECT_TRUE(before.empty() || !is_same_prefix || before < e.id) << e.id;
    EXPECT_TRUE(ids.insert(e.id).second) << e.id;
    EXPECT_FALSE(e.title.empty()) << e.id;
    EXPECT_TRUE(e.cause.ends_with('.')) << e.id;
    EXPECT_TRUE(e.fix.ends_with('.')) << e.id;
    before = e.id;
  }
  for (const LintRule& rule : LintRules()) EXPECT_TRUE(ids.contains(rule.id)) << rule.id;
  for (int i = 1; i <= 12; ++i) {
    EXPECT_TRUE(ids.contains("MS0" + std::string(i < 10 ? "0" : "") + std::to_string(i))) << i;
  }
  for (const char* id : {"MS020", "MS021", "MS022", "MS023", "MS024", "MS025", "MS030", "MS031",
                         "EM001", "EM002", "EM003", "EM004", "EM005", "EM006"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
  }
  EXPECT_EQ(ids.size(), 12u + 8u + 17u + 6u);
}

}  // namespace
}  // namespace moescope::stages
