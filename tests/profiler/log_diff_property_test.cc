// The first divergence of two logs, in every column, at every place, and at the edges of what the
// reader holds in memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "profiler/log/commit_log.h"
#include "profiler/log/log_diff.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::array<const char*, 7> kColumns = {"seq",   "cycle", "pc",     "word",
                                                 "stage", "text",  "effects"};

constexpr char kHeader[] =
    "# moescope commit log 1\n# program sha256:p\n# machine sha256:m\n# isa sha256:i\n"
    "# columns seq cycle pc word stage text effects\n";

ByteSource Source(std::string text, std::size_t step = 1 << 20) {
  return [text = std::move(text), step, at = std::size_t{0}](
             char* buffer, std::size_t size) mutable -> absl::StatusOr<std::size_t> {
    const std::size_t count = std::min({size, step, text.size() - at});
    text.copy(buffer, count, at);
    at += count;
    return count;
  };
}

absl::StatusOr<LogDiff> Diff(const std::string& a, const std::string& b,
                             LogDiffOptions options = {}) {
  return DiffLogs(Source(a), Source(b), options);
}

using Line = std::array<std::string, 7>;

std::vector<Line> SomeLines(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string pc = std::to_string(random() % 9);
    lines.push_back({std::to_string(i), std::to_string(3 * i + random() % 3), pc, "0000C801",
                     random() % 2 == 0 ? "gather" : "expert_bias/4", "M_MM:0,gp2,gp3",
                     absl::StrCat("gp1=", random() % 5, " vram[0..3]=00ff")});
  }
  return lines;
}

std::string TextOf(const std::vector<Line>& lines) {
  std::string text = kHeader;
  for (const Line& line : lines) absl::StrAppend(&text, absl::StrJoin(line, " "), "\n");
  return text;
}

TEST(LogDiffPropertyTest, TheChangedLineAndColumnsAreFound) {
  std::mt19937 random(7);
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::vector<Line> lines = SomeLines(1 + random() % 40, seed);
    std::vector<Line> other = lines;
    const std::size_t at = random() % lines.size();
    std::vector<std::string> changed;
    for (std::size_t column = 0; column < 7; ++column) {
      if (random() % 3 != 0) continue;
      other[at][column] += column == 6 ? " f2=0x1" : "7";
      changed.push_back(kColumns[column]);
    }
    // A later difference does not matter.
    if (at + 1 < other.size()) other.back()[1] = "12345678";
    const auto diff = Diff(TextOf(lines), TextOf(other));
    ASSERT_TRUE(diff.ok()) << diff.status();
    if (changed.empty()) {
      EXPECT_EQ(diff->difference.has_value(), at + 1 < other.size());
      continue;
    }
    ASSERT_TRUE(diff->difference.has_value());
    EXPECT_EQ(diff->lines, at);
    EXPECT_EQ(diff->difference->line, at + 6);
    if (at + 1 < other.size()) {
      EXPECT_EQ(diff->difference->columns, changed) << seed;
    }
    EXPECT_EQ(diff->difference->context.size(), std::min<std::size_t>(at, 8));
    for (std::size_t i = 0; i < diff->difference->context.size(); ++i) {
      const std::size_t from = at - diff->difference->context.size() + i;
      EXPECT_EQ(diff->difference->context[i], absl::StrJoin(lines[from], " "));
    }
  }
}

TEST(LogDiffPropertyTest, IgnoringAColumnHidesItAndNothingElse) {
  const std::vector<Line> lines = SomeLines(3, 1);
  for (std::size_t changed = 0; changed < 7; ++changed) {
    std::vector<Line> other = lines;
    other[1][changed] += changed == 6 ? " f2=0x1" : "7";
    for (std::size_t ignored = 0; ignored < 7; ++ignored) {
      LogDiffOptions options;
      options.ignore = {kColumns[ignored]};
      const auto diff = Diff(TextOf(lines), TextOf(other), options);
      ASSERT_TRUE(diff.ok()) << diff.status();
      EXPECT_EQ(diff->difference.has_value(), changed != ignored)
          << kColumns[changed] << " ignoring " << kColumns[ignored];
      if (diff->difference) {
        EXPECT_THAT(diff->difference->columns, ElementsAre(kColumns[changed]));
      }
    }
    LogDiffOptions all;
    all.ignore.insert(kColumns.begin(), kColumns.end());
    EXPECT_FALSE(Diff(TextOf(lines), TextOf(other), all)->difference.has_value());
  }
}

TEST(LogDiffPropertyTest, ContextAtItsEdges) {
  const std::vector<Line> lines = SomeLines(20, 2);
  for (const std::size_t context : {0u, 1u, 7u, 8u, 9u, 100u}) {
    for (const std::size_t at : {0u, 1u, 7u, 8u, 9u, 19u}) {
      std::vector<Line> other = lines;
      other[at][6] = "f2=0x1";
      LogDiffOptions options;
      options.context = context;
      const auto diff = Diff(TextOf(lines), TextOf(other), options);
      ASSERT_TRUE(diff->difference.has_value());
      EXPECT_EQ(diff->difference->context.size(), std::min(context, at));
    }
  }
}

TEST(LogDiffPropertyTest, EffectsOfOneSideAreNamed) {
  std::vector<Line> a = SomeLines(1, 3);
  std::vector<Line> b = a;
  a[0][6] = "gp1=0x1 gp2=0x2 loop+ f1=0x3";
  b[0][6] = "gp2=0x2 gp1=0x9 f1=0x3 int[5]=7";
  const auto diff = Diff(TextOf(a), TextOf(b));
  ASSERT_TRUE(diff->difference.has_value());
  EXPECT_THAT(diff->difference->only_in_a, ElementsAre("gp1=0x1", "loop+"));
  EXPECT_THAT(diff->difference->only_in_b, ElementsAre("gp1=0x9", "int[5]=7"));
  // The same effects in another order differ, but none is missing.
  b[0][6] = "gp2=0x2 gp1=0x1 loop+ f1=0x3";
  const auto order = Diff(TextOf(a), TextOf(b));
  EXPECT_THAT(order->difference->only_in_a, IsEmpty());
  EXPECT_THAT(order->difference->columns, ElementsAre("effects"));
}

TEST(LogDiffPropertyTest, HeaderFacts) {
  const std::string log = TextOf(SomeLines(2, 4));
  for (const auto& [from, to, note] :
       {std::tuple("sha256:p", "sha256:q", "program sha256:p / sha256:q"),
        std::tuple("sha256:m", "sha256:n", "machine sha256:m / sha256:n"),
        std::tuple("sha256:i", "sha256:j", "isa sha256:i / sha256:j")}) {
    std::string other = log;
    other.replace(other.find(from), std::string_view(from).size(), to);
    const auto diff = Diff(log, other);
    ASSERT_TRUE(diff.ok());
    EXPECT_THAT(diff->notes, ElementsAre(note));
    EXPECT_FALSE(diff->difference.has_value());
    EXPECT_THAT(LogDiffText(*diff), HasSubstr(absl::StrCat("note: differ in ", note, "\n")));
  }
}

TEST(LogDiffPropertyTest, EveryLineOfTheHeaderIsDemanded) {
  const std::string good = TextOf(SomeLines(1, 5));
  const std::vector<std::string> lines = absl::StrSplit(good, '\n');
  const char* errors[] = {"B:1: not a commit log of version 1", "B:2: expected '# program ...'",
                          "B:3: expected '# machine ...'", "B:4: expected '# isa ...'",
                          "B:5: other columns than those of this version"};
  for (std::size_t dropped = 0; dropped < 5; ++dropped) {
    std::vector<std::string> rest = lines;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(dropped));
    EXPECT_EQ(Diff(good, absl::StrJoin(rest, "\n")).status().message(), errors[dropped]);
  }
  EXPECT_EQ(Diff(good, kHeader)->difference->line, 6u);
  EXPECT_FALSE(Diff(kHeader, kHeader)->difference.has_value());
}

TEST(LogDiffPropertyTest, LinesOfSixColumnsAtLeast) {
  const std::string good = absl::StrCat(kHeader, "0 1 2 w s t e\n");
  for (const char* line : {"", " ", "0", "0 1 2 w s", "0  2 w s t e", "0 1 2 w s  e"}) {
    const auto diff = Diff(good, absl::StrCat(kHeader, line, "\n"));
    EXPECT_EQ(diff.status().message(), "B:6: a line without seven columns") << line;
  }
  // No effects at all is a line, with and without the blank behind the text.
  for (const char* line : {"0 1 2 w s t", "0 1 2 w s t "}) {
    const auto diff = Diff(good, absl::StrCat(kHeader, line, "\n"));
    ASSERT_TRUE(diff.ok()) << diff.status();
    EXPECT_THAT(diff->difference->only_in_a, ElementsAre("e"));
  }
}

TEST(LogDiffEdgeTest, PiecesOfAnySizeReadTheSame) {
  std::vector<Line> lines = SomeLines(30, 6);
  std::vector<Line> other = lines;
  other[17][6] = "f2=0x1";
  for (const std::size_t step : {1u, 2u, 3u, 7u, 64u, 1000u}) {
    const auto diff = DiffLogs(Source(TextOf(lines), step), Source(TextOf(other), 5), {});
    ASSERT_TRUE(diff.ok());
    EXPECT_EQ(diff->lines, 17u) << step;
  }
}

// The reader fetches 256 KiB at a time: lines that end at such an edge, before and behind it.
TEST(LogDiffEdgeTest, LinesAcrossTheEdgeOfAPiece) {
  constexpr std::size_t kChunk = 1 << 18;
  for (int shift = -2; shift <= 2; ++shift) {
    const std::size_t used = std::size(kHeader) - 1 + std::size("0 1 2 w s t ") - 1 + 1;
    const std::string effects(kChunk - used + static_cast<std::size_t>(shift + 2) - 2, 'e');
    const std::string a = absl::StrCat(kHeader, "0 1 2 w s t ", effects, "\n1 2 2 w s t e\n");
    const std::string b = absl::StrCat(kHeader, "0 1 2 w s t ", effects, "\n1 2 2 w s t f\n");
    EXPECT_FALSE(Diff(a, a)->difference.has_value());
    const auto diff = Diff(a, b);
    ASSERT_TRUE(diff.ok()) << diff.status();
    EXPECT_EQ(diff->difference->line, 7u);
  }
}

TEST(LogDiffEdgeTest, LinesOfSixteenMebibytesAtMost) {
  constexpr std::size_t kMost = 16u << 20;
  const std::string start = "0 1 2 w s t ";
  // The limit is noticed when more than a piece is missing, so it has that much play.
  const std::string fits =
      absl::StrCat(kHeader, start, std::string(kMost - start.size(), 'e'), "\n");
  EXPECT_FALSE(Diff(fits, fits)->difference.has_value());
  const std::string endless =
      absl::StrCat(kHeader, start, std::string(kMost + (1 << 18) + 1, 'e'), "\n");
  EXPECT_EQ(Diff(fits, endless).status().message(), "B:6: a line of more than 16 MiB");
}

// ---- Logs of runs -------------------------------------------------------------------------------

std::string LogOf(std::uint32_t seed, CommitLogOptions options = {}) {
  std::string text;
  CommitLog log(
      [&](std::string_view bytes) {
        text += bytes;
        return absl::OkStatus();
      },
      std::move(options));
  test::RandomRun run(seed, true);
  run.Play(seed, std::nullopt, log);
  return text;
}

TEST(CommitLogPropertyTest, LogsOfEqualRunsAreEqual) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto diff = Diff(LogOf(seed), LogOf(seed));
    ASSERT_TRUE(diff.ok());
    EXPECT_FALSE(diff->difference.has_value());
    EXPECT_THAT(diff->notes, IsEmpty());
  }
}

// pc ranges cut the log into parts that make up the whole.
TEST(CommitLogPropertyTest, RangesOfWordsSplitTheLog) {
  const auto lines_of = [](const char* filter) {
    CommitLogOptions options;
    options.filter = *ParseLogFilter(filter);
    const std::vector<std::string> lines =
        absl::StrSplit(LogOf(4, options), '\n', absl::SkipEmpty());
    return lines.size() - 5;
  };
  const std::size_t all = lines_of("");
  EXPECT_GT(all, 20u);
  EXPECT_EQ(lines_of("pc=0..3") + lines_of("pc=4..999"), all);
  EXPECT_EQ(lines_of("pc=0") + lines_of("pc=1..18446744073709551615"), all);
  EXPECT_EQ(lines_of("pc=100000"), 0u);
}

}  // namespace
}  // namespace moescope::profiler
