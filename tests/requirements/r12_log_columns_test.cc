// R12: every column of every log is documented with the format version; quiet mode prints nothing
// even with a log requested.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "profiler/log/commit_log.h"
#include "profiler/profile_json.h"
#include "tests/cli/command_call.h"
#include "tests/support/project_folders.h"

namespace moescope::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

// The section of docs/logs.md with this heading.
std::string Section(const std::string& heading) {
  const auto page = ReadFile(moescope::test::SourceFolder() + "/docs/logs.md");
  EXPECT_TRUE(page.ok()) << page.status();
  if (!page.ok()) return "";
  const std::size_t begin = page->find("\n## " + heading + "\n");
  EXPECT_NE(begin, std::string::npos) << heading;
  if (begin == std::string::npos) return "";
  return page->substr(begin, page->find("\n## ", begin + 1) - begin);
}

// Whether a row of a table in `section` is about `name`.
bool Documents(const std::string& section, const std::string& name) {
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(section, '\n'))) {
    if (!line.starts_with("|")) continue;
    const std::string cell = line.substr(0, line.find('|', 1));
    if (cell.find("`" + name + "`") != std::string::npos) return true;
  }
  return false;
}

class R12_LogColumns : public ::testing::Test {
 protected:
  R12_LogColumns() {
    test::WriteProfile(folder_, "p.json",
                       {"--timing=serial", "--commit-log=" + folder_.Path("c.log"),
                        "--pc-table=" + folder_.Path("pc.csv")});
  }
  std::vector<std::string> Lines(const std::string& file) const {
    return absl::StrSplit(folder_.Read(file), absl::ByAnyChar("\r\n"), absl::SkipEmpty());
  }

  moescope::test::ScratchFolder folder_;
};

TEST_F(R12_LogColumns, ThoseOfTheCommitLogAreDocumentedWithItsVersion) {
  const std::vector<std::string> lines = Lines("c.log");
  ASSERT_GE(lines.size(), 5u);
  EXPECT_EQ(lines[0], absl::StrCat("# moescope commit log ", profiler::kCommitLogVersion));
  const std::string section =
      Section(absl::StrCat("Commit log, version ", profiler::kCommitLogVersion));
  EXPECT_THAT(section, HasSubstr(lines[0] + "\n"));
  EXPECT_THAT(section, HasSubstr(lines[4] + "\n"));
  std::vector<std::string> columns = absl::StrSplit(lines[4], ' ');
  ASSERT_EQ(columns.size(), 9u);
  columns.erase(columns.begin(), columns.begin() + 2);
  for (const std::string& column : columns) {
    EXPECT_TRUE(Documents(section, column)) << column;
  }
  // Every line has the columns; the effects may be missing.
  for (std::size_t i = 5; i < lines.size(); ++i) {
    EXPECT_GE(std::vector<std::string>(absl::StrSplit(lines[i], ' ')).size(), 6u) << lines[i];
  }
}

TEST_F(R12_LogColumns, ThoseOfTheTablePerWordAreDocumented) {
  const std::vector<std::string> columns = absl::StrSplit(Lines("pc.csv")[0], ',');
  const auto profile = profiler::ReadProfile(folder_.Read("p.json"));
  ASSERT_TRUE(profile.ok());
  const std::string section = Section("Table per word, version 1");
  ASSERT_GT(columns.size(), 10u);
  for (const std::string& column : columns) {
    if (Documents(section, column)) continue;
    // The rest is one column per reason.
    EXPECT_THAT(profile->model.reasons, Contains(column));
  }
}

// Every kind of effect that the log can show has a row.
TEST_F(R12_LogColumns, EveryKindOfEffectIsDocumented) {
  const std::string section =
      Section(absl::StrCat("Commit log, version ", profiler::kCommitLogVersion));
  for (const char* beginning : {"`gp3=", "`f1=", "`a0=", "`int[", "`fp[", "`vram[", "`mram[",
                                "`hbm[", "`loop+`", "`loop-`"}) {
    EXPECT_THAT(section, HasSubstr(beginning));
  }
}

TEST_F(R12_LogColumns, QuietPrintsNothingWhateverIsLogged) {
  const std::string program = folder_.Path("p.json.asm");
  const Words kLogs[] = {
      {"--log-level=trace"},
      {"--log-level=trace", "--log-file=" + folder_.Path("run.log")},
      {"--commit-log=" + folder_.Path("q.log")},
      {"--trace=" + folder_.Path("q.json"), "--trace-max-events=1"},
      {"-vv"},
  };
  for (const Words& log : kLogs) {
    for (const char* quiet : {"-q", "-qq"}) {
      Words words = {"run", "--opcode=" + program, quiet};
      words.insert(words.end(), log.begin(), log.end());
      const test::Outcome outcome = test::CallMoescope(words);
      EXPECT_EQ(outcome.code, ExitCode::kSuccess);
      EXPECT_EQ(outcome.out, "") << ::testing::PrintToString(words);
      EXPECT_EQ(outcome.err, "") << ::testing::PrintToString(words);
    }
  }
  // The files are there all the same.
  EXPECT_THAT(folder_.Read("run.log"), HasSubstr("trace: "));
  EXPECT_EQ(Lines("q.log").size(), Lines("c.log").size());
}

}  // namespace
}  // namespace moescope::cli
