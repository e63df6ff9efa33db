#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/test_commands.h"

namespace moescope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Words = std::vector<std::string>;

Arguments Parsed(const Words& words, const Words& defaults = {}) {
  auto arguments = Arguments::Parse(test::kRun, defaults, words);
  EXPECT_TRUE(arguments.ok()) << arguments.status();
  return *arguments;
}

TEST(ArgumentsTest, ReadsEveryFormOfAnOption) {
  for (const Words& words : {Words{"--output", "x"}, Words{"--output=x"}, Words{"-o", "x"},
                             Words{"-ox"}, Words{"-o", "y", "--output=x"}}) {
    EXPECT_EQ(Parsed(words).Text("output"), "x");
  }
  EXPECT_EQ(Parsed({}).Text("output"), std::nullopt);
  EXPECT_EQ(Parsed({}).TextOr("output", "z"), "z");
  EXPECT_EQ(Parsed({"-o", "-"}).Text("output"), "-");
  EXPECT_EQ(Parsed({"--output=a=b"}).Text("output"), "a=b");
}

TEST(ArgumentsTest, CountsFlags) {
  EXPECT_EQ(Parsed({}).Count("quiet"), 0u);
  EXPECT_EQ(Parsed({"-q"}).Count("quiet"), 1u);
  EXPECT_EQ(Parsed({"-qq"}).Count("quiet"), 2u);
  EXPECT_EQ(Parsed({"-q", "--quiet"}).Count("quiet"), 2u);
  EXPECT_TRUE(Parsed({"--strict"}).Has("strict"));
  EXPECT_FALSE(Parsed({}).Has("strict"));
}

TEST(ArgumentsTest, SeparatesArgumentsFromOptions) {
  const Arguments arguments = Parsed({"a", "-o", "x", "-", "b", "--", "--strict", "-q"});
  EXPECT_THAT(arguments.positionals(), ElementsAre("a", "-", "b", "--strict", "-q"));
  EXPECT_FALSE(arguments.Has("strict"));
}

TEST(ArgumentsTest, AccumulatesRepeatedOptionsAndLists) {
  const Arguments arguments =
      Parsed({"--dump=vram,hbm", "--label", "b=2", "--dump", "mram", "--label=a=x=y"});
  EXPECT_THAT(arguments.List("dump"), ElementsAre("vram", "hbm", "mram"));
  EXPECT_THAT(*arguments.Pairs("label"), ElementsAre(Pair("b", "2"), Pair("a", "x=y")));
  EXPECT_THAT(Parsed({}).List("dump"), IsEmpty());
}

TEST(ArgumentsTest, DefaultsStandBeforeTheCommandLine) {
  const Arguments arguments =
      Parsed({"--limit=2", "--label=c=d"}, {"--limit=1", "--strict", "--label=a=b"});
  EXPECT_EQ(arguments.Text("limit"), "2");
  EXPECT_TRUE(arguments.Has("strict"));
  EXPECT_THAT(arguments.All("label"), ElementsAre("a=b", "c=d"));
}

TEST(ArgumentsTest, ReadsNumbers) {
  EXPECT_EQ(**Parsed({"--limit=16K"}).Number("limit"), 16384u);
  EXPECT_EQ(*Parsed({}).Number("limit"), std::nullopt);
  const auto bad = Parsed({"--limit=many"}).Number("limit");
  EXPECT_EQ(bad.status().message(), "--limit: 'many' is not a number: a digit is missing");
  EXPECT_TRUE(session::IsUsageError(bad.status()));
}

TEST(ArgumentsTest, APairTakesTheTwoWordsBehindIt) {
  for (const Words& words :
       {Words{"--stages", "a", "b", "x"}, Words{"--stages=a", "b", "x"},
        Words{"x", "--stages", "a", "b"}, Words{"--stages", "c", "d", "x", "--stages", "a", "b"}}) {
    const Arguments arguments = Parsed(words);
    EXPECT_THAT(arguments.All("stages"), ElementsAre("a", "b"));
    EXPECT_THAT(arguments.positionals(), ElementsAre("x"));
  }
  // The command line wins over a configuration file as a whole.
  EXPECT_THAT(Parsed({"--stages", "a", "b"}, {"--stages=c", "d"}).All("stages"),
              ElementsAre("a", "b"));
}

TEST(ArgumentsTest, KnowsWhatStandsOnTheCommandLine) {
  const Arguments arguments = Parsed({"--limit=2"}, {"--strict", "--limit=1"});
  EXPECT_TRUE(arguments.IsOnCommandLine("limit"));
  EXPECT_FALSE(arguments.IsOnCommandLine("strict"));
  EXPECT_FALSE(arguments.IsOnCommandLine("output"));
  EXPECT_TRUE(arguments.Needs("strict", "output").ok());
  EXPECT_TRUE(arguments.Needs("output", "strict").ok());
  EXPECT_EQ(arguments.Needs("limit", "output").message(), "--limit needs --output");
  EXPECT_TRUE(session::IsUsageError(arguments.Needs("limit", "output")));
}

struct Refused {
  Words words;
  const char* message;
};

TEST(ArgumentsTest, RefusesWithTheReason) {
  const Refused kRefused[] = {
      {{"--outptu=x"}, "unknown option '--outptu'; did you mean '--output'?"},
      {{"--out", "x"}, "unknown option '--out'"},
      {{"--zzzzzzzz"}, "unknown option '--zzzzzzzz'"},
      {{"-z"}, "unknown option '-z'"},
      {{"--output"}, "the required argument for option '--output' is missing"},
      {{"-o"}, "the required argument for option '--output' is missing"},
      {{"--stages", "a"}, "the required argument for option '--stages' is missing"},
      {{"--stages", "a", "--strict"}, "the required argument for option '--stages' is missing"},
      {{"--strict=1"}, "option '--strict' does not take any arguments"},
      {{"--timing=fast"}, "--timing=fast: unknown value; allowed: serial, rtl"},
      {{"--timing=serail"},
       "--timing=serail: unknown value; allowed: serial, rtl; did you mean 'serial'?"},
      {{"--dump=vram,hmb"},
       "--dump=hmb: unknown value; allowed: vram, hbm, mram; did you mean 'hbm'?"},
      {{"--dump=vram,"}, "--dump=: unknown value; allowed: vram, hbm, mram"},
  };
  for (const Refused& refused : kRefused) {
    const auto arguments = Arguments::Parse(test::kRun, {}, refused.words);
    ASSERT_FALSE(arguments.ok()) << refused.message;
    EXPECT_EQ(std::string(arguments.status().message()), refused.message);
    EXPECT_TRUE(session::IsUsageError(arguments.status()));
  }
}

TEST(ArgumentsTest, RefusesPairsWithoutKey) {
  for (const char* value : {"a", "=a"}) {
    const auto pairs = Parsed({"--label", value}).Pairs("label");
    EXPECT_EQ(pairs.status().message(),
              "--label " + std::string(value) + ": write it as KEY=VALUE");
  }
}

TEST(ArgumentsTest, CountsPositionals) {
  const auto message = [](const Words& words) {
    const auto arguments = Arguments::Parse(test::kShow, {}, words);
    return arguments.ok() ? "" : std::string(arguments.status().message());
  };
  EXPECT_EQ(message({}), "missing argument A");
  EXPECT_EQ(message({"x"}), "missing argument B");
  EXPECT_EQ(message({"x", "y"}), "");
  EXPECT_EQ(message({"x", "y", "z"}), "too many arguments: 3 given, at most 2 taken");
  EXPECT_EQ(message({"--help"}), "");
}

TEST(ArgumentsDeathTest, AskingForAnUnknownOptionIsADefect) {
  const Arguments arguments = Parsed({});
  EXPECT_EXIT(arguments.Text("nope"), ::testing::ExitedWithCode(70), "internal error.*nope");
}

}  // namespace
}  // namespace moescope::cli
