#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "stages/annotate.h"
#include "stages/shipped.h"
#include "tests/stages/corpus.h"
#include "tests/stages/linted.h"
#include "tests/support/shared_folder.h"

// Lint of the compiled programs after annotate: no error and no implausible instruction. What is
// found, and why:
//   MS112 on activation, clamp, expert and gate_up: 19 words load the inputs, and these programs
//   hold little else (77 to 205 words).

namespace moescope::stages {
namespace {

const std::set<std::string> kSmallPrograms = {"activation", "clamp", "expert", "gate_up"};

TEST(LintCorpusTest, OnlyTheSmallProgramsAreMostlyUnattributed) {
  const auto shared = test::SharedFolder();
  if (!shared) GTEST_SKIP() << test::kNoSharedFolder;
  Vocabulary vocabulary;
  ASSERT_TRUE(vocabulary.Extend(*FindShippedVocabulary("plena_detail"), "plena_detail.toml").ok());
  for (const std::string& name : test::CorpusNames(*shared)) {
    const test::CorpusProgram program = test::ReadCorpusProgram(*shared, name);
    for (const bool detail : {false, true}) {
      SCOPED_TRACE(name + (detail ? " with detail" : ""));
      const auto annotated =
          Annotate(program.text, name, AnnotateRules::Shipped(), {.detail = detail});
      ASSERT_TRUE(annotated.ok());
      const test::Linted linted = test::LintText(annotated->text, {}, vocabulary);
      if (!kSmallPrograms.contains(name)) {
        EXPECT_EQ(linted.Text(), "");
        continue;
      }
      ASSERT_EQ(linted.findings.size(), 1u) << linted.Text();
      EXPECT_EQ(linted.findings[0].diagnostic.id, "MS112");
      EXPECT_EQ(linted.findings[0].diagnostic.message.substr(0, 6), "19 of ");
    }
  }
}

TEST(LintCorpusTest, WithoutMarkersAnnotateIsSuggested) {
  const auto shared = test::SharedFolder();
  if (!shared) GTEST_SKIP() << test::kNoSharedFolder;
  const test::CorpusProgram program =
      test::ReadCorpusProgram(*shared, "device_routing_full_h64_r2");
  const test::Linted linted = test::LintText(program.text);
  EXPECT_THAT(linted.Short(), ::testing::ElementsAre("1 MS115", "4 MS112"));
}

}  // namespace
}  // namespace moescope::stages
