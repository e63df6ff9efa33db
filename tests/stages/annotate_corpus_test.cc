#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "asm/assembler.h"
#include "stages/annotate.h"
#include "stages/shipped.h"
#include "stages/strip.h"
#include "tests/stages/corpus.h"
#include "tests/support/shared_folder.h"

// `annotate` on the compiled programs: per-stage counts, words, idempotence and coverage.

namespace moescope::stages {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

class AnnotateCorpusTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto shared = test::SharedFolder();
    if (!shared) GTEST_SKIP() << test::kNoSharedFolder;
    if (programs_.empty()) {
      for (const std::string& name : test::CorpusNames(*shared)) {
        programs_.push_back(test::ReadCorpusProgram(*shared, name));
      }
    }
    ASSERT_EQ(programs_.size(), 13u);
  }

  static Annotated AnnotateOrDie(const std::string& text, const AnnotateOptions& options = {}) {
    auto annotated = Annotate(text, "program.asm", AnnotateRules::Shipped(), options);
    EXPECT_TRUE(annotated.ok()) << annotated.status();
    return annotated.ok() ? *std::move(annotated) : Annotated{};
  }

  static isa::Program AssembleOrDie(const std::string& text,
                                    const Vocabulary* vocabulary = nullptr) {
    auto assembly = assembler::Assemble(text, "program.asm", {.vocabulary = vocabulary});
    EXPECT_TRUE(assembly.ok()) << assembly.status();
    return assembly.ok() ? std::move(assembly->program) : isa::Program{};
  }

  static inline std::vector<test::CorpusProgram> programs_;
};

TEST_F(AnnotateCorpusTest, StageCountsAndCyclesAreTheExpectedOnes) {
  for (const test::CorpusProgram& program : programs_) {
    SCOPED_TRACE(program.name);
    const Annotated annotated = AnnotateOrDie(program.text);
    const isa::Program assembled = AssembleOrDie(annotated.text);
    const test::StageTotals totals =
        test::TotalsByStage(assembled, program.expected.at("serial_cost"));
    const nlohmann::json& expected = program.expected.at("stages_annotate");
    EXPECT_EQ(totals.static_words, expected.at("static").get<Counts>());
    EXPECT_EQ(totals.dynamic, expected.at("dynamic").get<Counts>());
    EXPECT_EQ(totals.serial_cycles, expected.at("serial_cycles_excluding_dma").get<Counts>());

    Counts reported;
    for (const auto& stage : annotated.report.stages) reported[stage.stage] = stage.words;
    EXPECT_EQ(reported, totals.static_words);
    EXPECT_EQ(annotated.report.words, program.words.size());
    EXPECT_EQ(annotated.report.CoveragePpm(), 1'000'000u);
  }
}

TEST_F(AnnotateCorpusTest, NoWordChanges) {
  for (const test::CorpusProgram& program : programs_) {
    SCOPED_TRACE(program.name);
    EXPECT_EQ(AssembleOrDie(AnnotateOrDie(program.text).text).words, program.words);
  }
}

TEST_F(AnnotateCorpusTest, DetailKeepsWordsAndInclusiveStages) {
  Vocabulary vocabulary;
  ASSERT_TRUE(vocabulary.Extend(*FindShippedVocabulary("plena_detail"), "plena_detail.toml").ok());
  for (const test::CorpusProgram& program : programs_) {
    SCOPED_TRACE(program.name);
    const Annotated annotated = AnnotateOrDie(program.text, {.detail = true});
    isa::Program assembled = AssembleOrDie(annotated.text, &vocabulary);
    EXPECT_EQ(assembled.words, program.words);
    // Folding every region into the stage around it gives the counts without detail.
    for (isa::StageRange& range : assembled.ranges) {
      if (range.parent) range.name = assembled.ranges[*range.parent].name;
    }
    EXPECT_EQ(test::TotalsByStage(assembled, program.expected.at("serial_cost")).dynamic,
              program.expected.at("stages_annotate").at("dynamic").get<Counts>());
    EXPECT_EQ(StripMarkers(annotated.text).text, program.text);
  }
}

TEST_F(AnnotateCorpusTest, KSplitAddsAreMoreThanAThirdOfTheLargeProgram) {
  Vocabulary vocabulary;
  ASSERT_TRUE(vocabulary.Extend(*FindShippedVocabulary("plena_detail"), "plena_detail.toml").ok());
  for (const test::CorpusProgram& program : programs_) {
    if (program.name != "fulldims_gptoss20b_tok1_asm_only") continue;
    const Annotated annotated = AnnotateOrDie(program.text, {.detail = true});
    const test::StageTotals totals = test::TotalsByStage(AssembleOrDie(annotated.text, &vocabulary),
                                                         program.expected.at("serial_cost"));
    EXPECT_EQ(totals.dynamic.at("ksplit_add"), 1'924'560u);
  }
}

TEST_F(AnnotateCorpusTest, ASecondRunIsRefusedAndReplacingGivesTheSameBytes) {
  for (const test::CorpusProgram& program : programs_) {
    SCOPED_TRACE(program.name);
    for (const bool detail : {false, true}) {
      const std::string once = AnnotateOrDie(program.text, {.detail = detail}).text;
      EXPECT_EQ(StripMarkers(once).text, program.text);
      const auto refused = Annotate(once, "program.asm", AnnotateRules::Shipped());
      EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
      EXPECT_EQ(AnnotateOrDie(once, {.detail = detail, .replace = true}).text, once);
    }
  }
}

TEST_F(AnnotateCorpusTest, EveryCommentIsKnownAndDecided) {
  for (const test::CorpusProgram& program : programs_) {
    SCOPED_TRACE(program.name);
    const AnnotateReport report = AnnotateOrDie(program.text).report;
    EXPECT_TRUE(report.unmatched.empty());
    EXPECT_TRUE(report.undecided.empty());
  }
}

TEST_F(AnnotateCorpusTest, EveryPairOfTheSmallRoutedLayerIsEquallyLarge) {
  for (const test::CorpusProgram& program : programs_) {
    if (program.name != "device_routing_full_h64_r2") continue;
    const isa::Program assembled = AssembleOrDie(AnnotateOrDie(program.text).text);
    const std::vector<std::uint64_t> counts = test::ExecutionCounts(assembled.words);
    std::map<std::int64_t, std::uint64_t> by_pair;
    for (const isa::StageRange& range : assembled.ranges) {
      for (std::uint32_t pc = range.begin_pc; pc < range.end_pc; ++pc) {
        by_pair[range.pair ? std::int64_t{*range.pair} : -1] += counts[pc];
      }
    }
    ASSERT_EQ(by_pair.size(), 9u);
    EXPECT_EQ(by_pair[-1], 919u + 199u);
    for (std::int64_t pair = 0; pair < 8; ++pair) EXPECT_EQ(by_pair[pair], 1774u) << pair;
  }
}

}  // namespace
}  // namespace moescope::stages
