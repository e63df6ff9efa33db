#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "tests/cli/test_commands.h"

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;

std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, got);
  }
  ::pclose(pipe);
  return output;
}

// What bash offers for the last of `words` (blank-separated, the first is "moescope").
std::string BashOffers(const std::string& words) {
  const std::string script = ::testing::TempDir() + "/moescope_completion.bash";
  EXPECT_TRUE(WriteFile(script, BashCompletion(test::kTestCommands)).ok());
  const std::string driver = ::testing::TempDir() + "/moescope_completion_driver.bash";
  EXPECT_TRUE(WriteFile(driver, absl::StrCat("source ", script, "\nCOMP_WORDS=(", words,
                                             ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_moescope\n"
                                             "echo \"${COMPREPLY[*]}\"\n"))
                  .ok());
  return OutputOf("cd /nonexistent 2>/dev/null; bash --norc " + driver + " 2>&1");
}

TEST(BashCompletionTest, OffersCommandsOptionsAndValues) {
  EXPECT_EQ(BashOffers("moescope ''"), "run profile --help --version\n");
  EXPECT_EQ(BashOffers("moescope pro"), "profile\n");
  EXPECT_EQ(BashOffers("moescope profile ''"), "verify show\n");
  EXPECT_EQ(BashOffers("moescope profile ver"), "verify\n");
  EXPECT_EQ(BashOffers("moescope run --ti"), "--timing\n");
  EXPECT_EQ(BashOffers("moescope run --timing ''"), "serial rtl\n");
  EXPECT_EQ(BashOffers("moescope run --timing = r"), "rtl\n");
  EXPECT_EQ(BashOffers("moescope run --timing ="), "serial rtl\n");
  EXPECT_EQ(BashOffers("moescope profile verify --dump ''"), "vram hbm mram\n");
  EXPECT_EQ(BashOffers("moescope run --col"), "--color\n");
}

TEST(ZshCompletionTest, NamesCommandsOptionsAndValues) {
  const std::string script = ZshCompletion(test::kTestCommands);
  EXPECT_THAT(script, ::testing::StartsWith("#compdef moescope\n"));
  EXPECT_THAT(script, HasSubstr("'run:Runs.'"));
  EXPECT_THAT(script, HasSubstr("candidates=(verify show)"));
  EXPECT_THAT(script, HasSubstr("'--timing=[A model.]:MODEL:(serial rtl)'"));
  EXPECT_THAT(script, HasSubstr("'*--label=[A pair.]:K=V:_files'"));
  EXPECT_THAT(script, HasSubstr("'--strict[A flag.]'"));
}

TEST(FishCompletionTest, NamesCommandsOptionsAndValues) {
  const std::string script = FishCompletion(test::kTestCommands);
  EXPECT_THAT(script, HasSubstr("complete -c moescope -n '__fish_use_subcommand' -f -a run -d "
                                "'Runs.'\n"));
  EXPECT_THAT(script, HasSubstr("-n '__fish_seen_subcommand_from run' -l timing -r -f -a 'serial "
                                "rtl' -d 'A model.'\n"));
  EXPECT_THAT(script, HasSubstr("-l output -s o -r -d 'Where to write.'\n"));
}

TEST(CompletionTest, EveryCommandOfThisBinaryIsInEveryScript) {
  for (const Command* command : Commands()) {
    const std::string last(command->name.substr(command->name.rfind(' ') + 1));
    EXPECT_THAT(BashCompletion(Commands()), HasSubstr(last));
    EXPECT_THAT(ZshCompletion(Commands()), HasSubstr(last));
    EXPECT_THAT(FishCompletion(Commands()), HasSubstr(last));
  }
}

}  // namespace
}  // namespace moescope::cli
