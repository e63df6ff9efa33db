#include "cli/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "tests/cli/test_commands.h"
#include "tests/support/project_folders.h"

namespace moescope::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Run once with MOESCOPE_REGENERATE=1 to write the page; that run fails.
TEST(ReferenceTest, TheReferenceOfTheCommandIsCurrent) {
  const std::string path = moescope::test::SourceFolder() + "/docs/cli.md";
  const char* regenerate = std::getenv("MOESCOPE_REGENERATE");
  if (regenerate != nullptr && std::string_view(regenerate) == "1") {
    ASSERT_TRUE(WriteFile(path, ReferencePage(Commands())).ok());
    FAIL() << "regenerated " << path;
  }
  const auto page = ReadFile(path);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(*page, ReferencePage(Commands())) << "run MOESCOPE_REGENERATE=1 ctest -R cli/reference";
}

TEST(ReferenceTest, ASectionHoldsWhatTheTableSays) {
  const std::string page = ReferencePage(test::kTestCommands);
  EXPECT_THAT(page, HasSubstr("## moescope run\n\nRuns.\n\n```\nUsage: moescope run [OPTION]... "
                              "[FILE]...\n```\n\nFirst paragraph.\n\nSecond paragraph.\n\n"
                              "| argument | meaning |\n|---|---|\n| `FILE` | Files. |\n\n"
                              "| option | meaning | example |\n|---|---|---|\n"
                              "| `-o`, `--output=FILE` | Where to write. | `moescope run -o x` |\n"
                              "| `--limit=N` | A number. | `moescope run --limit=5` |\n"));
  EXPECT_THAT(page, HasSubstr("| `--timing=MODEL` | A model. MODEL: serial or rtl. | "
                              "`moescope run --timing=serial` |\n"));
  EXPECT_THAT(page, HasSubstr("| `--stages X Y` | Two stages. | `moescope run --stages a b` |\n"));
  EXPECT_THAT(page, HasSubstr("| [`profile show`](#moescope-profile-show) | Shows. |\n"));
  EXPECT_THAT(page, HasSubstr("\nExit code: 0 or 1.\n"));
  EXPECT_THAT(page, StartsWith("<!-- Generated from cli/ by "));
  EXPECT_THAT(page, EndsWith("Exit code: 0.\n"));
}

// Reading the page back gives the tables.
TEST(ReferenceTest, EveryCommandAndOptionIsThereOnce) {
  const std::string page = ReferencePage(Commands());
  const std::vector<std::string> sections = absl::StrSplit(page, "\n## moescope ");
  ASSERT_EQ(sections.size(), Commands().size() + 1);
  for (std::size_t i = 0; i < Commands().size(); ++i) {
    const Command& command = *Commands()[i];
    const std::string& section = sections[i + 1];
    EXPECT_THAT(section, StartsWith(absl::StrCat(std::string(command.name), "\n\n")));
    std::vector<std::string> rows;
    for (const std::string& line : std::vector<std::string>(absl::StrSplit(section, '\n'))) {
      if (line.find("`--") != std::string::npos && line.starts_with("| `")) rows.push_back(line);
    }
    ASSERT_EQ(rows.size(), command.options.size()) << command.name;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      EXPECT_THAT(rows[row],
                  HasSubstr(absl::StrCat("`--", std::string(command.options[row].name))));
    }
  }
}

// A bar inside a cell would end it.
TEST(ReferenceTest, EveryRowHasTheCellsOfItsTable) {
  const std::string page = ReferencePage(Commands());
  const std::vector<std::string> lines = absl::StrSplit(page, '\n');
  std::size_t cells = 0;
  for (const std::string& line : lines) {
    if (!line.starts_with("|")) {
      cells = 0;
      continue;
    }
    const std::string bare = absl::StrReplaceAll(line, {{"\\|", ""}});
    const auto bars = static_cast<std::size_t>(std::count(bare.begin(), bare.end(), '|'));
    if (cells == 0) cells = bars;
    EXPECT_EQ(bars, cells) << line;
  }
}

TEST(ReferenceTest, LinksLeadToHeadings) {
  const std::string page = ReferencePage(Commands());
  std::set<std::string> anchors;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(page, '\n'))) {
    if (!line.starts_with("## ")) continue;
    anchors.insert(absl::StrReplaceAll(line.substr(3), {{" ", "-"}}));
  }
  std::size_t links = 0;
  for (std::size_t at = 0; (at = page.find("](#", at)) != std::string::npos; ++links) {
    at += 3;
    const std::string anchor = page.substr(at, page.find(')', at) - at);
    EXPECT_TRUE(anchors.contains(anchor)) << anchor;
  }
  EXPECT_EQ(links, Commands().size());
}

}  // namespace
}  // namespace moescope::cli
