// docs/differences.md says of every disagreement of the public sources which setting reproduces it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "tests/support/project_folders.h"
#include "tests/support/shared_folder.h"

namespace moescope::isa {
namespace {

// The cells of the first column of the table that follows `heading`, without its two header lines.
std::vector<std::string> Topics(const std::string& text, const std::string& heading) {
  std::istringstream lines(text.substr(text.find(heading)));
  std::vector<std::string> topics;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) {
      if (!topics.empty() && !line.starts_with("|")) break;
      continue;
    }
    topics.push_back(line.substr(2, line.find(" |", 2) - 2));
  }
  return topics;
}

TEST(DifferencesTest, EveryRowOfTheManualHasAnAnswer) {
  const absl::StatusOr<std::string> page =
      ReadFile(moescope::test::SourceFolder() + "/docs/differences.md");
  ASSERT_TRUE(page.ok()) << page.status();
  std::istringstream lines(*page);
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    const std::size_t last = line.rfind(" | ");
    ASSERT_NE(last, std::string::npos) << line;
    if (rows++ == 0) continue;  // the header
    const std::string answer = line.substr(last + 3, line.size() - last - 5);
    EXPECT_THAT(answer, testing::ContainsRegex("^same as|not reproduced|`[^`]+`")) << line;
  }
  EXPECT_EQ(rows, 29);

  const std::optional<std::string> shared = moescope::test::SharedFolder();
  if (!shared) GTEST_SKIP() << moescope::test::kNoSharedFolder;
  const std::string manual = ReadFile(*shared + "/design/isa.md").value();
  EXPECT_EQ(Topics(*page, "| topic |"), Topics(manual, "## 8."));
}

}  // namespace
}  // namespace moescope::isa
