#include "cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "tests/cli/test_commands.h"

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

TEST(WrapTest, BreaksBetweenWordsOnly) {
  EXPECT_EQ(Wrap("", 10, 2), "");
  EXPECT_EQ(Wrap("one", 10, 2), "one");
  EXPECT_EQ(Wrap("one two", 7, 2), "one two");
  EXPECT_EQ(Wrap("one two", 6, 2), "one\n  two");
  EXPECT_EQ(Wrap("one  two   three", 20, 0), "one two three");
  EXPECT_EQ(Wrap("incomprehensibilities are long", 8, 1), "incomprehensibilities\n are long");
}

// Whatever the words: nothing is lost, lines fit, and no line could take the next word.
TEST(WrapTest, IsGreedyForRandomTexts) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> words(1 + random() % 40);
    for (std::string& word : words) word.assign(1 + random() % 12, 'x');
    const int width = 4 + static_cast<int>(random() % 40);
    const std::vector<std::string> lines =
        absl::StrSplit(Wrap(absl::StrJoin(words, " "), width, 0), '\n');
    EXPECT_EQ(absl::StrJoin(lines, " "), absl::StrJoin(words, " "));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool one_word = lines[i].find(' ') == std::string::npos;
      EXPECT_TRUE(lines[i].size() <= static_cast<std::size_t>(width) || one_word) << lines[i];
      if (i == 0) continue;
      const std::size_t first = lines[i].find(' ');
      const std::size_t joined =
          lines[i - 1].size() + 1 + (first == std::string::npos ? lines[i].size() : first);
      EXPECT_GT(joined, static_cast<std::size_t>(width));
    }
  }
}

TEST(HelpTest, ACommandIsDescribedInFull) {
  EXPECT_THAT(
      CommandHelp(test::kShow, 100, /*examples=*/false),
      StartsWith("Usage: moescope profile show [OPTION]... A B\n"
                 "\n"
                 "Shows.\n"
                 "\n"
                 "Arguments:\n"
                 "  A                           First.\n"
                 "  B                           Second.\n"
                 "\n"
                 "Options:\n"
                 "  -o, --output=FILE           Where to write.\n"
                 "      --limit=N               A number.\n"
                 "      --label=K=V             A pair. May be repeated.\n"
                 "      --dump=LIST             Memories. LIST: a list of vram, hbm and mram. "
                 "May be repeated.\n"
                 "      --timing=MODEL          A model. MODEL: serial or rtl.\n"
                 "      --strict                A flag.\n"
                 "      --stages X Y            Two stages.\n"
                 "\n"
                 "Common options:\n"
                 "  -h, --help                  Prints this help and exits.\n"
                 "  -q, --quiet                 Prints only errors on standard error; given "
                 "twice, not even those.\n"
                 "  -v, --verbose               Raises the log level: info, and given twice "
                 "debug.\n"
                 "      --color=WHEN            Uses colour on terminals, always or never. "
                 "WHEN: auto, always or\n"
                 "                              never.\n"));
  EXPECT_THAT(CommandHelp(test::kShow, 100, false), ::testing::EndsWith("\nExit code: 0.\n"));
}

TEST(HelpTest, ExamplesAreShownOnRequest) {
  EXPECT_THAT(CommandHelp(test::kRun, 100, true),
              HasSubstr("      --limit=N               A number.\n"
                        "                              $ moescope run --limit=5\n"));
  EXPECT_THAT(CommandHelp(test::kRun, 100, false), Not(HasSubstr("$ ")));
}

TEST(HelpTest, UsageSaysWhatMayBeLeftOutOrRepeated) {
  EXPECT_EQ(UsageLine(test::kRun), "Usage: moescope run [OPTION]... [FILE]...\n");
  EXPECT_EQ(UsageLine(test::kShow), "Usage: moescope profile show [OPTION]... A B\n");
}

TEST(HelpTest, AllowedValuesReadAsASentence) {
  Option option = {"x", '\0', "X", "Text.", "", "a|b|c"};
  EXPECT_EQ(OptionText(option), "Text. X: a, b or c.");
  option.choices = "a|b";
  EXPECT_EQ(OptionText(option), "Text. X: a or b.");
  option.choices = "a";
  EXPECT_EQ(OptionText(option), "Text. X: a.");
  option.list = true;
  option.choices = "a|b|c";
  EXPECT_EQ(OptionText(option), "Text. X: a list of a, b and c.");
  option.repeatable = true;
  EXPECT_EQ(OptionText(option), "Text. X: a list of a, b and c. May be repeated.");
  const Option flag = {"q", 'q', "", "Text.", "", "", false, true};
  EXPECT_EQ(OptionText(flag), "Text.");
}

// Every page fits the terminal, unless a single word or an option's name does not.
TEST(HelpTest, PagesFitEveryWidth) {
  for (const int width : {60, 80, 100}) {
    const auto fits = [width](const std::string& page, std::string_view name) {
      for (const std::string& line : Lines(page)) {
        EXPECT_LE(line.size(), static_cast<std::size_t>(width)) << name << ": " << line;
        EXPECT_FALSE(line.ends_with(' ')) << name << ": " << line;
      }
    };
    fits(OverviewHelp(Commands(), width), "overview");
    for (const Command* command : Commands()) {
      fits(CommandHelp(*command, width, false), command->name);
    }
  }
}

TEST(HelpTest, EveryOptionOfEveryCommandIsOnItsPage) {
  for (const Command* command : Commands()) {
    const std::string page = CommandHelp(*command, 100, true);
    for (const Option& option : command->options) {
      EXPECT_THAT(page, HasSubstr(absl::StrCat("--", std::string(option.name)))) << command->name;
      EXPECT_THAT(page, HasSubstr(absl::StrCat("$ ", std::string(option.example), "\n")));
    }
    EXPECT_THAT(page, HasSubstr("--diagnostics-format=FORMAT"));
  }
}

TEST(HelpTest, AGroupListsItsCommandsAndNoOthers) {
  const std::string page = GroupHelp(test::kTestCommands, "profile", 100);
  EXPECT_EQ(page,
            "Usage: moescope profile COMMAND [OPTION]...\n\nCommands:\n"
            "  profile verify    Verifies.\n"
            "  profile show      Shows.\n");
  EXPECT_THAT(GroupHelp(Commands(), "diff", 100), HasSubstr("  diff log"));
  EXPECT_THAT(GroupHelp(Commands(), "diff", 100), Not(HasSubstr("isa diff")));
}

// The debugger, checkpoints and manual pages are not there yet, so nothing may name them.
TEST(HelpTest, NothingIsOfferedThatIsNotThere) {
  std::string pages = OverviewHelp(Commands(), 100);
  for (const Command* command : Commands()) pages += CommandHelp(*command, 100, true);
  for (const char* word : {"--debug", "--checkpoint", "--restore", "man page", "--data-dir"}) {
    EXPECT_THAT(pages, Not(HasSubstr(word)));
  }
}

}  // namespace
}  // namespace moescope::cli
