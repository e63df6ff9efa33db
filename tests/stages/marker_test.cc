#include "stages/marker.h"

#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace moescope::stages {
namespace {

MarkerProblem ProblemOf(std::string_view text, bool is_semicolon = true, bool stands_alone = true) {
  const ParsedComment parsed = ParseMarker(text, is_semicolon, stands_alone);
  if (const auto* problem = std::get_if<MarkerProblem>(&parsed)) return *problem;
  return {std::holds_alternative<Marker>(parsed) ? "marker" : "comment", "", 0, 0};
}

TEST(Marker, EveryDirectiveParsesAndPrints) {
  const struct {
    std::string_view text;
    Marker marker;
    std::string_view canonical;
  } kCases[] = {
      {" @stage=gather", {MarkerKind::kStage, "gather", {}, {}}, "; @stage=gather"},
      {"@stage=gather pair=3", {MarkerKind::kStage, "gather", 3, {}}, "; @stage=gather pair=3"},
      {"\t@stage=gather \t expert=7   pair=0  ",
       {MarkerKind::kStage, "gather", 0, 7},
       "; @stage=gather pair=0 expert=7"},
      {" @stage=gather pair=2147483647\r",
       {MarkerKind::kStage, "gather", 2147483647, {}},
       "; @stage=gather pair=2147483647"},
      {" @stage=gather pair=007", {MarkerKind::kStage, "gather", 7, {}}, "; @stage=gather pair=7"},
      {" @stage_end ", {MarkerKind::kEnd, "", {}, {}}, "; @stage_end"},
      {" @stage_push=ksplit_add expert=1",
       {MarkerKind::kPush, "ksplit_add", {}, 1},
       "; @stage_push=ksplit_add expert=1"},
      {" @stage_pop", {MarkerKind::kPop, "", {}, {}}, "; @stage_pop"},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.text);
    const ParsedComment parsed = ParseMarker(test.text);
    const Marker* marker = std::get_if<Marker>(&parsed);
    ASSERT_NE(marker, nullptr);
    EXPECT_EQ(marker->kind, test.marker.kind);
    EXPECT_EQ(marker->name, test.marker.name);
    EXPECT_EQ(marker->pair, test.marker.pair);
    EXPECT_EQ(marker->expert, test.marker.expert);
    EXPECT_EQ(MarkerText(*marker), test.canonical);
  }
}

TEST(Marker, OtherCommentsAreComments) {
  for (const std::string_view text :
       {"", " ", " Allocate VRAM Matrix", " see @stage=gather", " stage=gather",
        " @lint allow=MS108", " @ taste", "@", " @sta", " email@stage.example"}) {
    EXPECT_EQ(ProblemOf(text).id, "comment") << text;
  }
}

TEST(Marker, ErrorsHaveTheirExactText) {
  const std::string malformed =
      "malformed stage marker; expected '; @stage=<name> [pair=<n>] [expert=<n>]'";
  const std::string looks = "this comment looks like a stage marker: write '";
  const struct {
    std::string_view text;
    std::string_view id;
    std::string message;
  } kCases[] = {
      {" @stage=", "MS002", malformed},
      {" @stage", "MS002", malformed},
      {" @stages are nice", "MS002", malformed},
      {" @stage=9gather", "MS002", malformed},
      {" @stage=gather pair", "MS002", malformed},
      {" @stage=gather pair=", "MS002", malformed},
      {" @stage=gather pair=x", "MS002", malformed},
      {" @stage=gather pair=-", "MS002", malformed},
      {" @stage=gather; pair=1", "MS002", malformed},
      {" @stage=gather ; what follows", "MS002", malformed},
      {" @stage_end gather", "MS002", malformed},
      {" @stage_pop pair=1", "MS002", malformed},
      {" @stage_push=", "MS002", malformed},
      {" @stage=g\xC3\xA4ther", "MS002", malformed},
      {" @stage=gather layer=3", "MS005", "unknown attribute 'layer'; known: pair, expert"},
      {" @stage=gather Pair=3", "MS005", "unknown attribute 'Pair'; known: pair, expert"},
      {" @stage=gather pair=1 pair=1", "MS005", "attribute 'pair' given twice"},
      {" @stage=gather expert=1 expert=2", "MS005", "attribute 'expert' given twice"},
      {" @stage=gather pair=4294967296", "MS005", "pair=4294967296 is outside 0..2147483647"},
      {" @stage=gather pair=2147483648", "MS005", "pair=2147483648 is outside 0..2147483647"},
      {" @stage=gather expert=99999999999999999999999", "MS005",
       "expert=99999999999999999999999 is outside 0..2147483647"},
      {" @stage=gather pair=-1", "MS005", "pair=-1 is outside 0..2147483647"},
      {" @Stage=gather", "MS011", looks + "; @stage=gather'"},
      {" @stage = gather", "MS011", looks + "; @stage=gather'"},
      {" @ stage=gather", "MS011", looks + "; @stage=gather'"},
      {"; @stage=gather", "MS011", looks + "; @stage=gather'"},
      {" @STAGE=GATHER pair = 3", "MS011", looks + "; @stage=gather pair=3'"},
      {" @stage_END", "MS011", looks + "; @stage_end'"},
      {" @stage=gather pair= 3", "MS011", looks + "; @stage=gather pair=3'"},
  };
  for (const auto& test : kCases) {
    const MarkerProblem problem = ProblemOf(test.text);
    EXPECT_EQ(problem.id, test.id) << test.text;
    EXPECT_EQ(problem.message, test.message) << test.text;
  }
}

TEST(Marker, OnlyASemicolonStartsOne) {
  EXPECT_EQ(ProblemOf(" @stage=gather", /*is_semicolon=*/false).id, "MS011");
  EXPECT_EQ(ProblemOf(" @stage=gather layer=1", /*is_semicolon=*/false).id, "MS005");
  EXPECT_EQ(ProblemOf(" @stage=", /*is_semicolon=*/false).id, "MS002");
}

TEST(Marker, MustStandAlone) {
  for (const std::string_view text : {" @stage=gather", " @stage_pop", " @Stage = x", " @stage"}) {
    const MarkerProblem problem = ProblemOf(text, true, /*stands_alone=*/false);
    EXPECT_EQ(problem.id, "MS004") << text;
    EXPECT_EQ(problem.message, "stage marker must stand alone on its line") << text;
  }
  EXPECT_EQ(ProblemOf(" a comment", true, /*stands_alone=*/false).id, "comment");
}

TEST(Marker, NamesHaveAtMost64Characters) {
  const std::string longest = " @stage=" + std::string(64, 'a');
  EXPECT_EQ(ProblemOf(longest).id, "marker");
  EXPECT_EQ(ProblemOf(longest + "a").id, "MS002");
}

TEST(Marker, ProblemsMarkTheirToken) {
  const MarkerProblem problem = ProblemOf(" @stage=gather layer=3 pair=1");
  EXPECT_EQ(problem.offset, 15u);
  EXPECT_EQ(problem.length, 7u);
}

// Any bytes give one of the three outcomes, and what is a marker prints and parses again.
TEST(Marker, AnyBytesAreDecided) {
  std::mt19937 random(20260701);
  const std::string pieces[] = {"@stage", "=", "gather", " ",          "pair=",  "3",
                                "_end",   "@", "\t",     ";",          "_push=", "expert=1",
                                "\xFF",   "A", "_pop",   "99999999999"};
  int markers = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text = random() % 4 != 0 ? "@stage" : "";
    for (auto n = random() % 7; n > 0; --n) text += pieces[random() % std::size(pieces)];
    const ParsedComment parsed = ParseMarker(text, random() % 4 != 0, random() % 8 != 0);
    if (const auto* marker = std::get_if<Marker>(&parsed)) {
      ++markers;
      const std::string printed = MarkerText(*marker);
      const ParsedComment again = ParseMarker(std::string_view(printed).substr(1));
      ASSERT_TRUE(std::holds_alternative<Marker>(again)) << printed;
      EXPECT_EQ(MarkerText(std::get<Marker>(again)), printed);
    }
  }
  EXPECT_GT(markers, 100);
}

}  // namespace
}  // namespace moescope::stages
