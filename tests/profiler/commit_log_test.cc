#include "profiler/log/commit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/sha256.h"
#include "profiler/log/log_diff.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/golden.h"

namespace moescope::profiler {
namespace {

using emulator::Effect;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Values = CommitLogOptions::Values;

isa::Program SmallProgram() {
  return test::ProgramBuilder()
      .Emit("S_ADDI_INT")
      .Stage("gather", 2)
      .Emit("H_PREFETCH_V")
      .Stage("expert_bias")
      .Emit("V_ADD_VV")
      .Build();
}

// A run with one effect of every kind.
void Play(const isa::Program& program, emulator::Listener& log) {
  log.OnBegin(test::Describe(program));
  const std::string bytes = "0123456789abcdef";
  log.OnAccepted({0, 0, 0});
  log.OnEffect({Effect::Kind::kIntegerRegister, 3, 3, 0x40, {}});
  log.OnEffect({Effect::Kind::kLoopOpened, 0, 0, 0, {}});
  log.OnAccepted({1, 1, 5});
  log.OnEffect({Effect::Kind::kVectorRows, 64, 67, 0, bytes});
  log.OnEffect({Effect::Kind::kMatrixTiles, 0, 0, 0, bytes});
  log.OnEffect({Effect::Kind::kHbmBytes, 0x1000, 0x123f, 0, bytes});
  log.OnAccepted({2, 2, 9});
  log.OnEffect({Effect::Kind::kFpRegister, 1, 1, 0x3f80, {}});
  log.OnEffect({Effect::Kind::kAddressRegister, 0, 0, 0x1000, {}});
  log.OnEffect({Effect::Kind::kIntegerMemory, 5, 5, 7, {}});
  log.OnEffect({Effect::Kind::kFpMemory, 6, 6, 0xbf80, {}});
  log.OnEffect({Effect::Kind::kLoopClosed, 0, 0, 0, {}});
  log.OnAccepted({3, 0, 10});
  log.OnEnd({});
}

std::string LogOf(const isa::Program& program, CommitLogOptions options = {}) {
  std::string text;
  options.isa_sha256 = "sha256:isa";
  CommitLog log(
      [&](std::string_view bytes) {
        text += bytes;
        return absl::OkStatus();
      },
      options);
  EXPECT_TRUE(log.WantsEffects());
  Play(program, log);
  EXPECT_TRUE(log.status().ok());
  return text;
}

std::vector<std::string> Lines(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

TEST(CommitLogTest, Golden) {
  const isa::Program program = SmallProgram();
  std::string all;
  for (const Values values : {Values::kNone, Values::kHash, Values::kFull}) {
    all += LogOf(program, {.values = values});
  }
  moescope::test::ExpectGolden("commit_log.txt", all);
}

TEST(CommitLogTest, HashIsTheBeginningOfSha256) {
  const std::string hash = Sha256Name("0123456789abcdef").substr(7, 16);
  EXPECT_THAT(LogOf(SmallProgram()), HasSubstr("vram[64..67]=" + hash + " "));
}

TEST(CommitLogTest, FiltersLeaveLinesOut) {
  const isa::Program program = SmallProgram();
  const struct {
    const char* filter;
    std::size_t lines;
  } rows[] = {{"", 4},        {"stage=gather", 1}, {"stage=*", 4},           {"pc=0", 2},
              {"pc=1..2", 2}, {"group=VAL", 1},    {"group=INT;pc=1..9", 0}, {"stage=un*", 2}};
  for (const auto& row : rows) {
    CommitLogOptions options;
    options.filter = *ParseLogFilter(row.filter);
    EXPECT_THAT(Lines(LogOf(program, options)), SizeIs(5 + row.lines)) << row.filter;
  }
}

TEST(CommitLogTest, FilterErrors) {
  for (const char* text :
       {"stage=", "pc=", "pc=9..1", "pc=x", "group=vector", "colour=red", "pc"}) {
    const auto filter = ParseLogFilter(text);
    ASSERT_FALSE(filter.ok()) << text;
    EXPECT_THAT(std::string(filter.status().message()),
                HasSubstr("': expected stage=PATTERN, pc=N, pc=N..N or group=GROUP"));
  }
}

TEST(CommitLogTest, TextHasNoBlanks) {
  EXPECT_EQ(TextWithoutBlanks("V_ADD_VV gp1, gp2, gp3, 0"), "V_ADD_VV:gp1,gp2,gp3,0");
  EXPECT_EQ(TextWithoutBlanks("C_BREAK"), "C_BREAK");
  EXPECT_EQ(TextWithoutBlanks(".word 0x12345678 ; undefined"), ".word:0x12345678");
}

TEST(CommitLogTest, AFailingSinkStopsTheLog) {
  int calls = 0;
  CommitLog log(
      [&](std::string_view) {
        ++calls;
        return absl::InvalidArgumentError("disk full");
      },
      {});
  const isa::Program program = SmallProgram();
  log.OnBegin(test::Describe(program));
  for (std::uint64_t i = 0; i < 20'000; ++i) log.OnAccepted({i, 0, i});
  log.OnEnd({});
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(log.status().message(), "disk full");
}

// ---- diff log -----------------------------------------------------------------------------------

// Hands out a text in pieces of `step` bytes.
ByteSource Source(const std::string& text, std::size_t step = 1 << 20) {
  return [&text, step, at = std::size_t{0}](
             char* buffer, std::size_t size) mutable -> absl::StatusOr<std::size_t> {
    const std::size_t count = std::min({size, step, text.size() - at});
    text.copy(buffer, count, at);
    at += count;
    return count;
  };
}

absl::StatusOr<LogDiff> Diff(const std::string& a, const std::string& b,
                             LogDiffOptions options = {}) {
  return DiffLogs(Source(a, 7), Source(b), options);
}

TEST(LogDiffTest, EqualLogs) {
  const std::string log = LogOf(SmallProgram());
  const auto diff = Diff(log, log);
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_FALSE(diff->difference.has_value());
  EXPECT_EQ(LogDiffText(*diff), "equal: 4 lines\n");
}

TEST(LogDiffTest, TheFirstDifferingLineIsShown) {
  const std::string a = LogOf(SmallProgram());
  std::string b = a;
  b.replace(b.find("f1=0x3f80"), 9, "f1=0x3f81");
  LogDiffOptions options;
  options.place = [](std::uint64_t pc) { return absl::StrCat("layer.asm:", pc + 1, ":1"); };
  const auto diff = Diff(a, b, options);
  ASSERT_TRUE(diff.ok()) << diff.status();
  ASSERT_TRUE(diff->difference.has_value());
  EXPECT_EQ(diff->difference->line, 8u);
  EXPECT_EQ(diff->lines, 2u);
  EXPECT_THAT(diff->difference->context, SizeIs(2));
  EXPECT_THAT(diff->difference->columns, ElementsAre("effects"));
  EXPECT_THAT(diff->difference->only_in_a, ElementsAre("f1=0x3f80"));
  EXPECT_THAT(diff->difference->only_in_b, ElementsAre("f1=0x3f81"));
  moescope::test::ExpectGolden("log_diff.txt", LogDiffText(*diff));
}

TEST(LogDiffTest, IgnoredColumnsDoNotCount) {
  const std::string a = LogOf(SmallProgram());
  std::string b = a;
  b.replace(b.find("1 5 1 "), 6, "1 7 1 ");
  b.replace(b.find("gather/2"), 8, "gather/3");
  LogDiffOptions options;
  options.ignore = {"cycle", "stage"};
  EXPECT_FALSE(Diff(a, b, options)->difference.has_value());
  options.ignore = {"cycle"};
  EXPECT_THAT(Diff(a, b, options)->difference->columns, ElementsAre("stage"));
  EXPECT_THAT(Diff(a, b)->difference->columns, ElementsAre("cycle", "stage"));
}

TEST(LogDiffTest, ALogThatEndsEarlyDiffers) {
  const std::string a = LogOf(SmallProgram());
  const std::string b = a.substr(0, a.rfind("3 10"));
  const auto diff = Diff(a, b);
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_THAT(LogDiffText(*diff), HasSubstr("B (the log ends)\n"));
  EXPECT_FALSE(diff->difference->b.has_value());
  EXPECT_EQ(diff->difference->line, 9u);
  EXPECT_THAT(LogDiffText(*Diff(b, a)), HasSubstr("A (the log ends)\n"));
}

TEST(LogDiffTest, HeaderFactsThatDifferAreNotes) {
  const std::string a = LogOf(SmallProgram());
  std::string b = a;
  b.replace(b.find("sha256:isa"), 10, "sha256:new");
  EXPECT_THAT(Diff(a, b)->notes, ElementsAre("isa sha256:isa / sha256:new"));
  EXPECT_THAT(Diff(a, a)->notes, IsEmpty());
}

TEST(LogDiffTest, Errors) {
  const std::string good = LogOf(SmallProgram());
  const auto error = [&](std::string bad, LogDiffOptions options = {}) {
    return std::string(Diff(good, bad, options).status().message());
  };
  EXPECT_EQ(error(""), "B:0: not a commit log of version 1");
  EXPECT_EQ(error("# moescope commit log 2\n"), "B:1: not a commit log of version 1");
  EXPECT_EQ(error("# moescope commit log 1\n# machine x\n"), "B:2: expected '# program ...'");
  std::string other = good;
  other.replace(other.find("text effects"), 12, "text blinks!");
  EXPECT_EQ(error(other), "B:5: other columns than those of this version");
  std::string cut = good;
  cut.resize(good.size() - 4);
  EXPECT_EQ(error(cut), "B:9: the last line is not complete");
  std::string malformed = good;
  malformed.replace(malformed.find("2 9 2 "), 6, "2 9  ");
  EXPECT_EQ(error(malformed), "B:8: a line without seven columns");
  EXPECT_EQ(error(good, {.ignore = {"cycles"}}),
            "unknown column 'cycles' to ignore; did you mean 'cycle'?");
  const ByteSource broken = [](char*, std::size_t) -> absl::StatusOr<std::size_t> {
    return absl::InvalidArgumentError("cannot read");
  };
  EXPECT_EQ(DiffLogs(broken, Source(good), {}).status().message(), "cannot read");
}

// A log of a million lines that is never held in memory.
ByteSource Endless(const std::string& header, std::uint64_t lines, std::uint64_t different) {
  return [=, line = std::uint64_t{0}, rest = header](
             char* buffer, std::size_t size) mutable -> absl::StatusOr<std::size_t> {
    while (rest.size() < size && line < lines) {
      absl::StrAppend(&rest, line, " ", line, " 0 00000862 unattributed S_ADDI_INT:gp1,gp2,0 gp1=",
                      line == different ? 1 : 0, "\n");
      ++line;
    }
    const std::size_t count = std::min(size, rest.size());
    rest.copy(buffer, count);
    rest.erase(0, count);
    return count;
  };
}

TEST(LogDiffTest, ASeededDivergenceOfALongLogIsFound) {
  const std::string log = LogOf(SmallProgram());
  const std::string header = log.substr(0, log.find("0 0 0 "));
  const auto diff = DiffLogs(Endless(header, 1'000'000, ~std::uint64_t{0}),
                             Endless(header, 1'000'000, 765'432), {});
  ASSERT_TRUE(diff.ok()) << diff.status();
  ASSERT_TRUE(diff->difference.has_value());
  EXPECT_EQ(diff->lines, 765'432u);
  EXPECT_EQ(diff->difference->line, 765'432u + 6);
  EXPECT_THAT(diff->difference->context, SizeIs(8));
  EXPECT_THAT(diff->difference->only_in_b, ElementsAre("gp1=1"));
}

}  // namespace
}  // namespace moescope::profiler
