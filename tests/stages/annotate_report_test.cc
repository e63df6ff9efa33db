// What annotate reports, counted again from the text it wrote.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "asm/assembler.h"
#include "stages/annotate.h"
#include "stages/strip.h"

namespace moescope::stages {
namespace {

// Comments that the shipped rules know, some that they do not, and instructions.
std::string RandomProse(std::uint32_t seed) {
  std::mt19937 random(seed);
  constexpr const char* kComments[] = {
      "; Router dot token 0\n",
      "; FPVar Fill: x\n",
      "; VRAM Block Add: a_pair1_out = x\n",
      "; VRAM Block Add: a_pair2_out = x\n",
      "; GPT-OSS true-zero VRAM rows [0] in x_pair2_gather_t1\n",
      "; SubBlock [0]\n",
      "; VRAM Sub Projection To: x @ W[0] -> full_vram_e3_out[0]\n",
      "; Load_Batch X -> X\n",
      "; === Reset MRAM ===\n",
      "; a comment that nobody knows 17\n"};
  std::string text;
  for (std::size_t left = 1 + random() % 40; left > 0; --left) {
    if (random() % 3 == 0) text += kComments[random() % std::size(kComments)];
    text += "S_ADDI_INT gp1, gp0, 1\n";
  }
  return text;
}

Annotated AnnotateText(const std::string& text, const AnnotateOptions& options = {}) {
  absl::StatusOr<Annotated> annotated = Annotate(text, "a.asm", AnnotateRules::Shipped(), options);
  EXPECT_TRUE(annotated.ok()) << annotated.status();
  return annotated.ok() ? *std::move(annotated) : Annotated{};
}

TEST(AnnotateReportTest, CountsAreThoseOfTheText) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const std::string text = RandomProse(seed);
    const Annotated annotated = AnnotateText(text);
    const AnnotateReport& report = annotated.report;
    const absl::StatusOr<assembler::Assembly> assembly =
        assembler::Assemble(annotated.text, "a.asm");
    ASSERT_TRUE(assembly.ok()) << assembly.status();
    const isa::Program& program = assembly->program;
    EXPECT_EQ(report.words, program.words.size());
    EXPECT_EQ(StripMarkers(annotated.text).markers, report.markers);
    EXPECT_EQ(report.removed_markers, 0u);
    std::map<std::string, std::uint64_t> words;
    for (const isa::StageRange& range : program.ranges) {
      words[program.names[range.name].name] += range.end_pc - range.begin_pc;
    }
    std::uint64_t total = 0;
    for (const AnnotateReport::StageWords& stage : report.stages) {
      EXPECT_EQ(stage.words, words[stage.stage]) << stage.stage << " seed " << seed;
      total += stage.words;
    }
    EXPECT_EQ(total, report.words);
    std::uint64_t decided = 0;
    std::uint64_t comments = 0;
    for (const AnnotateReport::RuleHits& rule : report.rules) {
      decided += rule.words;
      comments += rule.comments;
    }
    EXPECT_LE(decided, report.words);
    EXPECT_LE(report.decided_words, report.words);
    EXPECT_EQ(report.CoveragePpm(),
              report.words == 0 ? 1'000'000 : report.decided_words * 1'000'000 / report.words);
    std::uint64_t unmatched = 0;
    for (const AnnotateReport::UnmatchedShape& shape : report.unmatched) {
      EXPECT_EQ(shape.shape.find("17"), std::string::npos) << "numbers are written as {n}";
      unmatched += shape.count;
    }
    std::uint64_t written = 0;
    for (const auto line : absl::StrSplit(text, '\n')) {
      if (std::string(line).starts_with(";")) ++written;
    }
    EXPECT_EQ(comments + unmatched, written) << "every comment is known or not";
  }
}

// No marker says again what is in force already.
TEST(AnnotateReportTest, EveryMarkerChangesSomething) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const std::string text = AnnotateText(RandomProse(seed)).text;
    std::string in_force;
    for (const auto piece : absl::StrSplit(text, '\n')) {
      const std::string line(piece);
      if (!line.starts_with("; @stage")) continue;
      EXPECT_NE(line, in_force) << text;
      in_force = line;
    }
  }
}

// Prose on another kind of line end, behind a byte-order mark or indented decides the same.
TEST(AnnotateReportTest, TheDressOfTheTextDoesNotMatter) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const std::string text = RandomProse(seed);
    const AnnotateReport plain = AnnotateText(text).report;
    std::string crlf;
    std::string indented;
    for (const auto piece : absl::StrSplit(text, '\n')) {
      const std::string line(piece);
      if (line.empty()) continue;
      absl::StrAppend(&crlf, line, "\r\n");
      absl::StrAppend(&indented, "\t ", line, "\n");
    }
    for (const std::string& other : {crlf, indented, "\xEF\xBB\xBF" + text}) {
      const AnnotateReport report = AnnotateText(other).report;
      EXPECT_EQ(report.markers, plain.markers);
      EXPECT_EQ(report.decided_words, plain.decided_words);
      ASSERT_EQ(report.stages.size(), plain.stages.size());
      for (std::size_t i = 0; i < report.stages.size(); ++i) {
        EXPECT_EQ(report.stages[i].stage, plain.stages[i].stage);
        EXPECT_EQ(report.stages[i].words, plain.stages[i].words);
      }
    }
  }
}

// Replacing counts what it took out, and gives what annotating the bare text gives.
TEST(AnnotateReportTest, ReplacingIsStrippingAndAnnotating) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const std::string text = RandomProse(seed);
    const Annotated once = AnnotateText(text);
    const Annotated again = AnnotateText(once.text, {.replace = true});
    EXPECT_EQ(again.text, once.text);
    EXPECT_EQ(again.report.removed_markers, once.report.markers);
    EXPECT_EQ(again.report.markers, once.report.markers);
    const Annotated refused = AnnotateText("; @stage=gather pair=9\n" + text, {.replace = true});
    EXPECT_EQ(refused.text, once.text);
    EXPECT_EQ(refused.report.removed_markers, 1u);
  }
}

}  // namespace
}  // namespace moescope::stages
