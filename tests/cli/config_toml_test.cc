#include "cli/config_toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "tests/cli/test_commands.h"

namespace moescope::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

absl::StatusOr<std::vector<std::string>> Parse(const std::string& text,
                                               const Command& command = test::kRun) {
  return ParseConfiguration(command, test::kTestCommands, text, "c.toml");
}

TEST(ConfigurationTest, TurnsATableIntoWords) {
  EXPECT_THAT(*Parse(""), IsEmpty());
  EXPECT_THAT(*Parse("[run]\noutput = 'x y'\nlimit = 0x10\nstrict = false\n"),
              ElementsAre("--limit=16", "--output=x y"));
  EXPECT_THAT(*Parse("[run]\ndump = ['vram', 'hbm']\nquiet = true\n"),
              ElementsAre("--dump=vram", "--dump=hbm", "--quiet"));
  EXPECT_THAT(*Parse("[profile.verify]\nlimit = 3\n[profile.show]\nlimit = 4\n", test::kVerify),
              ElementsAre("--limit=3"));
  EXPECT_THAT(*Parse("\xEF\xBB\xBF[run]\r\nlimit = 3 # \xC3\xA9\r\n"), ElementsAre("--limit=3"));
}

TEST(ConfigurationTest, APairIsAnArrayOfTwoTexts) {
  EXPECT_THAT(*Parse("[run]\nstages = ['a', 'b']\n"), ElementsAre("--stages=a", "b"));
}

TEST(ConfigurationTest, ACommandMayHaveTheTablesOfLongerOnesInside) {
  constexpr char kText[] = "[diff]\nlimit = 1\n[diff.log]\nlimit = 2\n";
  const auto parse = [&](const Command& command, const char* text) {
    return ParseConfiguration(command, test::kNestedCommands, text, "c.toml");
  };
  EXPECT_THAT(*parse(test::kDiff, kText), ElementsAre("--limit=1"));
  EXPECT_THAT(*parse(test::kDiffLog, kText), ElementsAre("--limit=2"));
  EXPECT_THAT(*parse(test::kRun, kText), IsEmpty());
  // What is no command is taken for an option.
  const auto wrong = parse(test::kDiff, "[diff.lgo]\nlimit = 2\n");
  EXPECT_EQ(wrong.status().message(),
            "c.toml:1:7: error: 'diff' has no option 'lgo' [CF503]\n"
            "    1 | [diff.lgo]\n      |       ^");
}

struct Refused {
  const char* text;
  const char* message;
};

TEST(ConfigurationTest, RefusesWithPlaceAndReason) {
  constexpr Refused kRefused[] = {
      {"[rnu]\n",
       "c.toml:1:2: error: unknown command 'rnu'; did you mean 'run'? [CF502]\n"
       "    1 | [rnu]\n      |  ^"},
      {"limit = 1\n",
       "c.toml:1:1: error: 'limit' is outside a command's table [CF502]\n"
       "    1 | limit = 1\n      | ^"},
      {"[profile.verfy]\n",
       "c.toml:1:10: error: unknown command 'profile verfy'; did you mean 'profile verify'? "
       "[CF502]\n    1 | [profile.verfy]\n      |          ^"},
      {"[run]\nhelp = true\n",
       "c.toml:2:1: error: 'run' has no option 'help' [CF503]\n    2 | help = true\n      | ^"},
      {"[run]\nstrict = 1\n",
       "c.toml:2:10: error: strict: must be true or false [CF504]\n"
       "    2 | strict = 1\n      |          ^"},
      {"[run]\nlimit = 1.5\n",
       "c.toml:2:9: error: limit: must be a text that is not empty, or an integer [CF504]\n"
       "    2 | limit = 1.5\n      |         ^"},
      {"[run]\nstages = 'a'\n",
       "c.toml:2:10: error: stages: must be an array of two texts [CF504]\n"
       "    2 | stages = 'a'\n      |          ^"},
      {"[run]\nstages = ['a', 'b', 'c']\n",
       "c.toml:2:10: error: stages: must be an array of two texts [CF504]\n"
       "    2 | stages = ['a', 'b', 'c']\n      |          ^"},
      {"[run]\nstages = ['a', 1]\n",
       "c.toml:2:10: error: stages: must be an array of two texts [CF504]\n"
       "    2 | stages = ['a', 1]\n      |          ^"},
      {"[run]\nlimit = [1, 2.5]\n",
       "c.toml:2:13: error: limit: must be a text that is not empty, or an integer [CF504]\n"
       "    2 | limit = [1, 2.5]\n      |             ^"},
      {"[run]\noutput = ''\n",
       "c.toml:2:10: error: output: must be a text that is not empty, or an integer [CF504]\n"
       "    2 | output = ''\n      |          ^"},
  };
  for (const Refused& refused : kRefused) {
    const auto words = Parse(refused.text);
    ASSERT_FALSE(words.ok()) << refused.text;
    EXPECT_EQ(std::string(words.status().message()), refused.message);
  }
}

TEST(ConfigurationTest, RefusesWhatIsNotToml) {
  for (const char* text :
       {"[run\n", "[run]\nlimit = \n", "[run]\nlimit = 1\nlimit = 2\n", "\xff"}) {
    const auto words = Parse(text);
    ASSERT_FALSE(words.ok()) << text;
    const std::vector<Diagnostic> diagnostics = DiagnosticsOf(words.status());
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics[0].id, "CF501");
    EXPECT_EQ(diagnostics[0].location.file, "c.toml");
    EXPECT_GT(diagnostics[0].location.line, 0u);
  }
}

TEST(ConfigurationTest, RefusesAHugeFile) {
  const auto words = Parse(std::string((std::size_t{1} << 20) + 1, '#'));
  EXPECT_EQ(words.status().message(),
            "configuration 'c.toml' has 1048577 bytes; at most 1048576 are read");
}

TEST(ConfigurationTest, CollectsAllErrors) {
  const auto words = Parse("[run]\nlimti = 1\nstrict = 3\n[x]\n");
  EXPECT_EQ(DiagnosticsOf(words.status()).size(), 3u);
}

}  // namespace
}  // namespace moescope::cli
