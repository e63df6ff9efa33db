#include "stages/stage_table.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace moescope::stages {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A tiny stand-in for the assembler: every line is "loop", "end" (one word each), "op" (a word) or
// a comment.
struct Assembled {
  isa::Program program;
  std::vector<Diagnostic> diagnostics;

  std::vector<std::string> Errors() const {
    std::vector<std::string> errors;
    for (const Diagnostic& d : diagnostics) {
      errors.push_back(absl::StrCat(d.location.line, ": ", d.message, " [", d.id, "]"));
    }
    return errors;
  }
  // "begin-end name(pair,expert)<parent" of every range.
  std::vector<std::string> Ranges() const {
    std::vector<std::string> texts;
    for (const isa::StageRange& r : program.ranges) {
      std::string text = absl::StrCat(r.begin_pc, "-", r.end_pc, " ", program.names[r.name].name);
      if (r.pair) absl::StrAppend(&text, " p", *r.pair);
      if (r.expert) absl::StrAppend(&text, " e", *r.expert);
      if (r.parent) absl::StrAppend(&text, " <", *r.parent);
      texts.push_back(text);
    }
    return texts;
  }
};

Assembled Assemble(const Vocabulary& vocabulary, const std::vector<std::string>& lines,
                   UnknownStage unknown = UnknownStage::kError) {
  StageTableBuilder builder(vocabulary, unknown);
  Assembled result;
  std::vector<std::uint32_t>& words = result.program.words;
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    const SourceLocation at{"a.asm", i + 1, 1, 0};
    const auto pc = static_cast<std::uint32_t>(words.size());
    if (lines[i].starts_with(';')) {
      builder.OnComment(
          {.text = std::string_view(lines[i]).substr(1), .location = at, .source_line = lines[i]},
          pc);
      continue;
    }
    if (lines[i] == "loop") builder.OnLoopStart(at, pc);
    if (lines[i] == "end") builder.OnLoopEnd(at, pc);
    words.push_back(0);
  }
  builder.Finish(result.program);
  result.diagnostics = builder.diagnostics();
  return result;
}

Assembled Assemble(const std::vector<std::string>& lines) { return Assemble(Vocabulary(), lines); }

Vocabulary WithDetail() {
  Vocabulary vocabulary;
  EXPECT_TRUE(vocabulary
                  .Extend("schema = \"moescope.stages\"\nversion = 1\n[[stage]]\n"
                          "name = \"ksplit_add\"\nsummary = \"Adds.\"\nscope = \"pair\"\n"
                          "parent = \"expert_projection\"\n",
                          "d.toml")
                  .ok());
  return vocabulary;
}

TEST(StageTable, WithoutMarkersEverythingIsInTheBucket) {
  const Assembled a = Assemble({"op", "; prose", "op"});
  EXPECT_THAT(a.Ranges(), ElementsAre("0-2 unattributed"));
  EXPECT_EQ(a.program.attribution, isa::AttributionSource::kNone);
  EXPECT_TRUE(isa::Validate(a.program).ok());
  EXPECT_TRUE(isa::Validate(Assemble(std::vector<std::string>{}).program).ok());
}

TEST(StageTable, MarkersAreStickyAndReplaceTheWholeTriple) {
  const Assembled a = Assemble({"op", "; @stage=gather pair=3 expert=9", "op", "op",
                                "; @stage=gather", "op", "; @stage_end", "op"});
  EXPECT_THAT(a.Errors(), IsEmpty());
  EXPECT_THAT(a.Ranges(), ElementsAre("0-1 unattributed", "1-3 gather p3 e9", "3-4 gather",
                                      "4-5 unattributed"));
  EXPECT_EQ(a.program.attribution, isa::AttributionSource::kMarkers);
  EXPECT_EQ(a.program.ranges[1].line, 2u);
  EXPECT_EQ(a.program.ranges[0].line, 0u);
  EXPECT_THAT(a.program.files, ElementsAre("a.asm"));
  EXPECT_TRUE(isa::Validate(a.program).ok());
}

TEST(StageTable, EmptyRangesAreKept) {
  const Assembled a = Assemble(
      {"; @stage=gather", "; @stage=expert_bias pair=0", "op", "; @stage=expert_bias pair=1"});
  EXPECT_THAT(a.Ranges(), ElementsAre("0-0 gather", "0-1 expert_bias p0", "1-1 expert_bias p1"));
  EXPECT_TRUE(isa::Validate(a.program).ok());
}

TEST(StageTable, NamesAreTheVocabularyBehindTheBucket) {
  const Assembled a = Assemble({"op"});
  ASSERT_EQ(a.program.names.size(), 15u);
  EXPECT_EQ(a.program.names[0].name, "unattributed");
  EXPECT_EQ(a.program.names[0].origin, isa::StageOrigin::kBucket);
  EXPECT_EQ(a.program.names[1].name, "residual_setup");
  EXPECT_EQ(a.program.names[14].name, "shared_combine");
}

TEST(StageTable, RegionsNestInheritAndRestore) {
  const Assembled a = Assemble({"; @stage=expert_projection pair=2 expert=5", "op",
                                "; @stage_push=gather", "op", "; @stage_push=expert_bias pair=4",
                                "op", "; @stage_pop", "op", "; @stage_pop", "op"});
  EXPECT_THAT(a.Errors(), IsEmpty());
  EXPECT_THAT(a.Ranges(), ElementsAre("0-1 expert_projection p2 e5", "1-2 gather p2 e5 <0",
                                      "2-3 expert_bias p4 <1", "3-4 gather p2 e5 <0",
                                      "4-5 expert_projection p2 e5"));
  EXPECT_TRUE(isa::Validate(a.program).ok());
}

TEST(StageTable, ARegionOutsideEveryStageHasNoParent) {
  const Assembled a = Assemble({"; @stage_push=gather pair=1", "op", "; @stage_pop", "op"});
  EXPECT_THAT(a.Errors(), IsEmpty());
  EXPECT_THAT(a.Ranges(), ElementsAre("0-1 gather p1", "1-2 unattributed"));
}

TEST(StageTable, MarkersInsideLoopsAreAllowed) {
  const Assembled a = Assemble({"loop", "; @stage=gather", "op", "; @stage_push=expert_bias",
                                "loop", "op", "end", "; @stage_pop", "end", "op"});
  EXPECT_THAT(a.Errors(), IsEmpty());
  EXPECT_THAT(a.Ranges(),
              ElementsAre("0-1 unattributed", "1-2 gather", "2-5 expert_bias <1", "5-7 gather"));
}

struct ErrorCase {
  std::vector<std::string> lines;
  std::vector<std::string> errors;
};

TEST(StageTable, ErrorsHaveTheirExactText) {
  const ErrorCase kCases[] = {
      {{"; @stage=expert_bais"},
       {"1: unknown stage 'expert_bais'; did you mean 'expert_bias'? [MS001]"}},
      {{"; @stage=foo"}, {"1: unknown stage 'foo'; run 'moescope stages list' [MS001]"}},
      {{"; @stage=gather pair"},
       {"1: malformed stage marker; expected '; @stage=<name> [pair=<n>] [expert=<n>]' [MS002]"}},
      {{"; @stage=unattributed"},
       {"1: 'unattributed' is a bucket, not a stage; write '; @stage_end' to stop attribution "
        "[MS003]"}},
      {{"; @stage=gather layer=1"}, {"1: unknown attribute 'layer'; known: pair, expert [MS005]"}},
      {{"op", "; @stage_pop"}, {"2: '@stage_pop' closes nothing [MS006]"}},
      {{"; @stage_push=gather", "; @stage_pop", "; @stage_pop"},
       {"3: '@stage_pop' closes nothing [MS006]"}},
      {{"op", "; @stage_push=gather", "op"},
       {"2: region 'gather' opened at line 2 is not closed before the end of the file [MS007]"}},
      {{"; @stage_push=gather", "; @stage=expert_bias", "; @stage_end", "; @stage_pop"},
       {"2: '@stage=' inside region 'gather' opened at line 1; close it or use '@stage_push=' "
        "[MS008]",
        "3: '@stage_end' inside region 'gather' opened at line 1; close it or use '@stage_push=' "
        "[MS008]"}},
      {{"; @stage_push=gather", "; @stage_push=gather", "; @stage_pop", "; @stage_pop"},
       {"2: stage 'gather' is already open (line 1) [MS009]"}},
      {{"; @stage=gather", "; @stage_push=expert_bias", "; @stage_push=gather", "; @stage_pop",
        "; @stage_pop"},
       {"3: stage 'gather' is already open (line 1) [MS009]"}},
      {{"loop", "; @stage_push=gather", "end", "; @stage_pop"},
       {"3: region 'gather' opened at line 2 crosses the loop boundary at line 3 [MS010]"}},
      {{"; @stage_push=gather", "loop", "; @stage_pop", "end"},
       {"3: region 'gather' opened at line 1 crosses the loop boundary at line 2 [MS010]"}},
      {{"loop", "; @stage_push=gather", "loop", "; @stage_pop", "end", "end"},
       {"4: region 'gather' opened at line 2 crosses the loop boundary at line 3 [MS010]"}},
      {{"; @Stage=gather"},
       {"1: this comment looks like a stage marker: write '; @stage=gather' [MS011]"}},
      {{"; @stage=ksplit_add"},
       {"1: stage 'ksplit_add' may only be used inside a region of 'expert_projection' [MS012]"}},
      {{"; @stage=gather", "; @stage_push=ksplit_add", "; @stage_pop"},
       {"2: stage 'ksplit_add' may only be used inside a region of 'expert_projection' [MS012]"}},
      {{"; @stage=expert_projection", "; @stage_push=ksplit_add", "; @stage_pop"}, {}},
      {{"; @stage=expert_projection", "; @stage_push=gather", "; @stage_push=ksplit_add",
        "; @stage_pop", "; @stage_pop"},
       {}},
  };
  const Vocabulary vocabulary = WithDetail();
  for (const ErrorCase& test : kCases) {
    const Assembled a = Assemble(vocabulary, test.lines);
    EXPECT_EQ(a.Errors(), test.errors);
    EXPECT_TRUE(isa::Validate(a.program).ok());
  }
}

TEST(StageTable, RegionsNestToSixteen) {
  Vocabulary vocabulary;
  std::string toml = "schema = \"moescope.stages\"\nversion = 1\n";
  for (int i = 0; i < 17; ++i) {
    absl::StrAppend(&toml, "[[stage]]\nname = \"s", i, "\"\nsummary = \"S.\"\nscope = \"layer\"\n");
  }
  ASSERT_TRUE(vocabulary.Extend(toml, "x.toml").ok());
  std::vector<std::string> lines;
  for (int i = 0; i < 16; ++i) lines.push_back(absl::StrCat("; @stage_push=s", i));
  std::vector<std::string> deeper = lines;
  for (int i = 0; i < 16; ++i) lines.push_back("; @stage_pop");
  EXPECT_THAT(Assemble(vocabulary, lines).Errors(), IsEmpty());
  deeper.push_back("; @stage_push=s16");
  for (int i = 0; i < 17; ++i) deeper.push_back("; @stage_pop");
  EXPECT_THAT(Assemble(vocabulary, deeper).Errors(),
              ElementsAre("17: regions nest deeper than 16 [MS009]"));
}

TEST(StageTable, DiagnosticsPointAtTheNameAndAtTheOpening) {
  const Assembled a = Assemble({"; @stage_push=gather", "; @stage_push=gaher pair=1"});
  ASSERT_EQ(a.diagnostics.size(), 3u);
  EXPECT_EQ(RenderText(a.diagnostics[0]),
            "a.asm:2:15: error: unknown stage 'gaher'; did you mean 'gather'? [MS001]\n"
            "    2 | ; @stage_push=gaher pair=1\n"
            "      |               ^~~~~\n");
  EXPECT_EQ(
      RenderText(a.diagnostics[2]),
      "a.asm:1:1: error: region 'gather' opened at line 1 is not closed before the end of the "
      "file [MS007]\n"
      "a.asm:1:1: note: opened here\n");
}

TEST(StageTable, UnknownStagesAsWarningsSendCodeToTheBucket) {
  const Vocabulary vocabulary;
  const Assembled a =
      Assemble(vocabulary,
               {"; @stage=gather pair=1", "op", "; @stage=mystery pair=2", "op",
                "; @stage_push=riddle", "op", "; @stage_pop", "op", "; @stage=mystery", "op"},
               UnknownStage::kWarning);
  EXPECT_THAT(a.Ranges(), ElementsAre("0-1 gather p1", "1-2 unattributed", "2-3 unattributed",
                                      "3-4 unattributed", "4-5 unattributed"));
  EXPECT_THAT(a.program.unresolved_markers, ElementsAre("mystery", "riddle"));
  for (const Diagnostic& d : a.diagnostics) EXPECT_EQ(d.severity, Severity::kWarning);
  EXPECT_EQ(a.diagnostics.size(), 3u);
}

TEST(StageTable, OtherErrorsStayErrorsUnderWarn) {
  const Vocabulary vocabulary;
  const Assembled a = Assemble(vocabulary, {"; @stage=unattributed", "; @stage_pop", "; @stage="},
                               UnknownStage::kWarning);
  ASSERT_EQ(a.diagnostics.size(), 3u);
  for (const Diagnostic& d : a.diagnostics) EXPECT_EQ(d.severity, Severity::kError);
}

TEST(StageTable, FilesAreAppendedOnce) {
  const Vocabulary vocabulary;
  StageTableBuilder builder(vocabulary);
  builder.OnComment({.text = " @stage=gather", .location = {"b.inc", 1, 1, 0}}, 0);
  builder.OnComment({.text = " @stage=gather", .location = {"a.asm", 2, 1, 0}}, 0);
  builder.OnComment({.text = " @stage=gather", .location = {"b.inc", 3, 1, 0}}, 0);
  isa::Program program;
  program.files = {"a.asm"};
  builder.Finish(program);
  EXPECT_THAT(program.files, ElementsAre("a.asm", "b.inc"));
  EXPECT_EQ(program.ranges[0].file, 1u);
  EXPECT_EQ(program.ranges[1].file, 0u);
  EXPECT_EQ(program.ranges[2].file, 1u);
}

TEST(StageTable, RangesRememberTheOriginOfTheirMarker) {
  const Vocabulary vocabulary;
  StageTableBuilder builder(vocabulary);
  builder.OnComment({.text = " @stage=gather", .location = {"a.asm", 1, 1, 0}, .origin = 4}, 1);
  builder.OnComment({.text = " @stage_end", .location = {"a.asm", 2, 1, 0}}, 2);
  isa::Program program;
  program.words.resize(3);
  builder.Finish(program);
  EXPECT_THAT(builder.range_origins(), ElementsAre(0u, 4u, 0u));
}

// Random marker sequences: the table is always consistent, and the marker lines of a table without
// errors give the same table again.
TEST(StageTable, MarkerLinesGiveTheTableBack) {
  const Vocabulary vocabulary = WithDetail();
  std::mt19937 random(7);
  const std::vector<std::string> kLines = {"op",
                                           "op",
                                           "; @stage=gather pair=1",
                                           "; @stage=expert_projection expert=3",
                                           "; @stage_end",
                                           "; @stage_push=ksplit_add",
                                           "; @stage_push=expert_bias pair=2",
                                           "; @stage_pop",
                                           "; @stage_pop"};
  int clean = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::string> lines;
    for (auto n = random() % 12; n > 0; --n) lines.push_back(kLines[random() % kLines.size()]);
    const Assembled a = Assemble(vocabulary, lines);
    ASSERT_TRUE(isa::Validate(a.program).ok());
    if (!a.diagnostics.empty()) continue;
    ++clean;
    const std::vector<std::string> markers = MarkerLines(a.program);
    std::vector<std::string> again;
    for (std::size_t r = 0; r < markers.size(); ++r) {
      if (!markers[r].empty()) again.push_back(markers[r]);
      again.insert(again.end(), a.program.ranges[r].end_pc - a.program.ranges[r].begin_pc, "op");
    }
    ASSERT_EQ(Assemble(vocabulary, again).Ranges(), a.Ranges());
  }
  EXPECT_GT(clean, 1000);
}

}  // namespace
}  // namespace moescope::stages
