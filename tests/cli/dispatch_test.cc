#include "cli/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/file.h"
#include "tests/cli/test_commands.h"
#include "tests/support/captured_console.h"

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome Call(const Words& words) {
  moescope::test::CapturedConsole captured;
  const ExitCode code = Dispatch(test::kTestCommands, words, captured.console);
  return {code, captured.out, captured.err};
}

TEST(DispatchTest, CallsCommandsOfOneAndTwoWords) {
  EXPECT_EQ(Call({"run"}).out, "run\n");
  EXPECT_EQ(Call({"run", "-o", "x", "a"}).out, "run output=x [a]\n");
  EXPECT_EQ(Call({"profile", "verify", "a", "b"}).out, "profile verify [a] [b]\n");
  EXPECT_EQ(Call({"profile", "show", "verify", "b"}).out, "profile show [verify] [b]\n");
}

struct Wrong {
  Words words;
  const char* err;
};

TEST(DispatchTest, RefusesUnknownCommandsWithTheNearestName) {
  const Wrong kWrong[] = {
      {{"rnu"}, "moescope: unknown command 'rnu'; did you mean 'run'?\nTry 'moescope --help'.\n"},
      {{"zzzzzz"}, "moescope: unknown command 'zzzzzz'\nTry 'moescope --help'.\n"},
      {{"--verison"},
       "moescope: unknown option '--verison'; did you mean '--version'?\nTry 'moescope --help'.\n"},
      {{"profile"}, "moescope: 'profile' needs a command\nTry 'moescope --help'.\n"},
      {{"profile", "verfy"},
       "moescope: unknown command 'profile verfy'; did you mean 'verify'?\nTry 'moescope "
       "--help'.\n"},
      {{"run", "--strcit"},
       "moescope: unknown option '--strcit'; did you mean '--strict'?\nTry 'moescope run "
       "--help'.\n"},
      {{"profile", "show", "a"},
       "moescope: missing argument B\nTry 'moescope profile show --help'.\n"},
      {{"help", "rnu"},
       "moescope: unknown command 'rnu'; did you mean 'run'?\nTry 'moescope --help'.\n"},
  };
  for (const Wrong& wrong : kWrong) {
    const Outcome outcome = Call(wrong.words);
    EXPECT_EQ(outcome.code, ExitCode::kUsage) << wrong.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, wrong.err);
  }
}

TEST(DispatchTest, WithoutWordsPrintsTheOverviewAsAnError) {
  const Outcome outcome = Call({});
  EXPECT_EQ(outcome.code, ExitCode::kUsage);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("Usage: moescope COMMAND"));
}

TEST(DispatchTest, HelpGoesToStandardOutput) {
  for (const Words& words : {Words{"--help"}, Words{"-h"}, Words{"help"}}) {
    const Outcome outcome = Call(words);
    EXPECT_EQ(outcome.code, ExitCode::kSuccess);
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, HasSubstr("  run               Runs.\n"));
    EXPECT_THAT(outcome.out, HasSubstr("  profile verify    Verifies.\n"));
  }
}

TEST(DispatchTest, HelpOfACommandDescribesItsOptions) {
  const Outcome outcome = Call({"run", "--help"});
  EXPECT_EQ(outcome.code, ExitCode::kSuccess);
  EXPECT_THAT(outcome.out, StartsWith("Usage: moescope run [OPTION]... [FILE]...\n\nRuns.\n\n"
                                      "First paragraph.\n\nSecond paragraph.\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("      --dump=LIST             Memories. LIST: a list of vram, hbm and "
                        "mram. May be repeated.\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  -o, --output=FILE           Where to write.\n"));
  EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr("$ moescope run -o x")));
  EXPECT_THAT(Call({"help", "run"}).out, HasSubstr("$ moescope run -o x\n"));
}

TEST(DispatchTest, HelpOfAGroupListsItsCommands) {
  for (const Words& words : {Words{"profile", "--help"}, Words{"help", "profile"}}) {
    const Outcome outcome = Call(words);
    EXPECT_EQ(outcome.code, ExitCode::kSuccess);
    EXPECT_THAT(outcome.out, HasSubstr("profile show"));
    EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr("Runs.")));
  }
}

TEST(DispatchTest, VersionNamesEverythingThatIdentifiesABinary) {
  const Outcome outcome = Call({"--version"});
  EXPECT_EQ(outcome.code, ExitCode::kSuccess);
  EXPECT_THAT(outcome.out, StartsWith("moescope 0."));
  EXPECT_THAT(outcome.out,
              ::testing::MatchesRegex("moescope [0-9.]+\ncommit: ([0-9a-f]+\\+?|unknown)\n"
                                      "ISA: 1\\.1 sha256:[0-9a-f]+\nprofile schema: 1\\.0\n"
                                      "CUDA: (yes|no)\n"));
}

TEST(DispatchTest, ConfigurationStandsUnderTheCommandLine) {
  const std::string path = ::testing::TempDir() + "/moescope_dispatch.toml";
  ASSERT_TRUE(
      WriteFile(path, "[run]\nlimit = 7\nstrict = true\nlabel = [\"a=b\", \"c=d\"]\n").ok());
  EXPECT_EQ(Call({"run", "--config", path}).out, "run limit=7 label=a=b label=c=d strict=\n");
  EXPECT_EQ(Call({"run", "--config", path, "--limit=8", "x"}).out,
            "run limit=7 limit=8 label=a=b label=c=d strict= [x]\n");
  EXPECT_EQ(Call({"profile", "verify", "--config", path}).out, "profile verify\n");
  ::setenv("MOESCOPE_CONFIG", path.c_str(), 1);
  EXPECT_EQ(Call({"run"}).out, "run limit=7 label=a=b label=c=d strict=\n");
  ::unsetenv("MOESCOPE_CONFIG");
}

TEST(DispatchTest, AnUnreadableConfigurationIsAnInputError) {
  const Outcome outcome = Call({"run", "--config", "/nonexistent/x.toml"});
  EXPECT_EQ(outcome.code, ExitCode::kInput);
  EXPECT_EQ(outcome.err,
            "moescope: cannot open '/nonexistent/x.toml': No such file or directory\n");
}

TEST(DispatchTest, DiagnosticsFormatHoldsForEveryCommand) {
  const std::string path = ::testing::TempDir() + "/moescope_bad.toml";
  ASSERT_TRUE(WriteFile(path, "[run]\nlimti = 7\n").ok());
  const Outcome text = Call({"run", "--config", path});
  EXPECT_EQ(text.code, ExitCode::kInput);
  EXPECT_EQ(text.err,
            path +
                ":2:1: error: 'run' has no option 'limti'; did you mean 'limit'? [CF503]\n"
                "    2 | limti = 7\n      | ^\n");
  const Outcome github = Call({"run", "--config", path, "--diagnostics-format=github"});
  EXPECT_THAT(github.err, StartsWith("::error file="));
}

}  // namespace
}  // namespace moescope::cli
