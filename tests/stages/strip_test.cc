#include "stages/strip.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "stages/source_text.h"

namespace moescope::stages {
namespace {

TEST(StripTest, RemovesMarkerLinesAndNothingElse) {
  const struct {
    std::string text, stripped;
    std::size_t markers;
  } kCases[] = {
      {"", "", 0},
      {"; @stage=gather\n", "", 1},
      {"a\n; @stage=gather pair=1\nb\n", "a\nb\n", 1},
      {"a\r\n\t ;  @stage_end \r\nb\r\n", "a\r\nb\r\n", 1},
      {"; @stage_push=x\na ; keep\n; @stage_pop", "a ; keep\n", 2},
      {"a\n\n; @stage=nobody_knows_it\n\n", "a\n\n\n", 1},
      {"\xEF\xBB\xBF; @stage=gather\na\n",
       "\xEF\xBB\xBF"
       "a\n",
       1},
      // Not markers: beside a statement, behind "//", misspelt, inside a path.
      {"a ; @stage=gather\n", "a ; @stage=gather\n", 0},
      {"// @stage=gather\n", "// @stage=gather\n", 0},
      {"; @Stage=gather\n", "; @Stage=gather\n", 0},
      {".include \"a; @stage=gather\"\n", ".include \"a; @stage=gather\"\n", 0},
  };
  for (const auto& test : kCases) {
    const Stripped stripped = StripMarkers(test.text);
    EXPECT_EQ(stripped.text, test.stripped) << test.text;
    EXPECT_EQ(stripped.markers, test.markers) << test.text;
  }
}

TEST(StripTest, FindsTheFirstLineThatLooksLikeAMarker) {
  EXPECT_EQ(FirstMarkerLine("a\nb ; prose\n"), 0u);
  EXPECT_EQ(FirstMarkerLine("a\n; @stage=gather\n"), 2u);
  EXPECT_EQ(FirstMarkerLine("a\n\n; @STAGE = x\n; @stage=gather"), 3u);
}

TEST(SourceReaderTest, CutsStatementAndComment) {
  SourceReader reader(
      "\xEF\xBB\xBF  S_ADDI_INT gp1, gp0, 1 ; one; two\r\n.include \"a//b;c\" // x\n\nC");
  SourceLine line;
  ASSERT_TRUE(reader.Next(line));
  EXPECT_EQ(line.statement, "S_ADDI_INT gp1, gp0, 1");
  EXPECT_EQ(line.FirstWord(), "S_ADDI_INT");
  EXPECT_EQ(line.comment, " one; two");
  EXPECT_TRUE(line.is_semicolon);
  EXPECT_EQ(line.offset, 3u);
  ASSERT_TRUE(reader.Next(line));
  EXPECT_EQ(line.statement, ".include \"a//b;c\"");
  EXPECT_EQ(line.comment, " x");
  EXPECT_FALSE(line.is_semicolon);
  EXPECT_TRUE(line.IsDirective());
  ASSERT_TRUE(reader.Next(line));
  EXPECT_EQ(line.whole, "\n");
  EXPECT_FALSE(line.has_comment);
  ASSERT_TRUE(reader.Next(line));
  EXPECT_EQ(line.number, 4u);
  EXPECT_EQ(line.whole, "C");
  EXPECT_FALSE(reader.Next(line));
}

TEST(SourceReaderTest, LinesOfAnyBytesAddUpToTheText) {
  std::mt19937 random(3);
  const std::string alphabet = "a;/\n\r\"\t .@include\xEF\xBB\xBF";
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (auto n = random() % 40; n > 0; --n) text += alphabet[random() % alphabet.size()];
    SourceReader reader(text);
    std::string joined = text.starts_with("\xEF\xBB\xBF") ? text.substr(0, 3) : "";
    for (SourceLine line; reader.Next(line);) joined += line.whole;
    ASSERT_EQ(joined, text);
  }
}

}  // namespace
}  // namespace moescope::stages
