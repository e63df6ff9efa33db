// docs/profile.md names every member, reason, unit, invariant, format and table that there is, and
// nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "emulator/event.h"
#include "profiler/diff/tolerance.h"
#include "profiler/document_json.h"
#include "profiler/explanations.h"
#include "profiler/report/report.h"
#include "tests/support/project_folders.h"

namespace moescope::profiler {
namespace {

std::string Page() { return *ReadFile(moescope::test::SourceFolder() + "/docs/profile.md"); }

// Lines of the section under a heading.
std::vector<std::string> Section(const std::string& heading) {
  std::vector<std::string> lines;
  std::istringstream in(Page());
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (inside) lines.push_back(line);
  }
  EXPECT_FALSE(lines.empty()) << heading;
  return lines;
}

// What stands between back quotes in a text.
std::vector<std::string> Quoted(std::string_view text) {
  const std::vector<std::string> pieces = absl::StrSplit(std::string(text), '`');
  std::vector<std::string> quoted;
  for (std::size_t i = 1; i < pieces.size(); i += 2) quoted.push_back(pieces[i]);
  return quoted;
}

// Quoted words of the first column of a section's table.
std::vector<std::string> FirstColumn(const std::string& heading) {
  std::vector<std::string> words;
  for (const std::string& line : Section(heading)) {
    if (!line.starts_with("| `")) continue;
    for (std::string& word : Quoted(line.substr(0, line.find(" | ")))) words.push_back(word);
  }
  return words;
}

template <typename Names>
std::vector<std::string> Texts(const Names& names) {
  std::vector<std::string> texts;
  for (const std::string_view name : names) texts.emplace_back(name);
  return texts;
}

void CollectProperties(const Json& schema, std::set<std::string>& names) {
  if (schema.is_object() && schema.contains("properties")) {
    for (const auto& [name, value] : schema["properties"].items()) names.insert(name);
  }
  if (schema.is_structured()) {
    for (const Json& child : schema) CollectProperties(child, names);
  }
}

Json Schema() {
  return Json::parse(
      *ReadFile(moescope::test::SourceFolder() + "/profiler/schema/profile-v1.schema.json"));
}

TEST(ProfilePageTest, NamesEveryMember) {
  std::set<std::string> quoted;
  for (const std::string& text : Quoted(Page())) {
    for (const auto part : absl::StrSplit(text, '.')) quoted.emplace(part);
  }
  std::set<std::string> names;
  CollectProperties(Schema(), names);
  for (const std::string& name : names) EXPECT_TRUE(quoted.contains(name)) << name;
}

TEST(ProfilePageTest, TheTopLevelStandsInItsOrder) {
  std::vector<std::string> members;
  const Json schema = Schema();
  for (const auto& [name, value] : schema["properties"].items()) members.push_back(name);
  EXPECT_EQ(FirstColumn("Top level"), members);
}

TEST(ProfilePageTest, HasARowForEveryReason) {
  EXPECT_EQ(FirstColumn("Reasons"), Texts(emulator::kReasonNames));
}

TEST(ProfilePageTest, ListsTheUnits) {
  for (const std::string& line : Section("Reasons")) {
    if (!line.starts_with("Units are ")) continue;
    EXPECT_EQ(Quoted(line), Texts(emulator::kUnitNames));
    return;
  }
  FAIL() << "no line of units";
}

TEST(ProfilePageTest, InvariantsHaveTheTitlesOfTheirExplanations) {
  std::vector<std::string> rows;
  for (const std::string& line : Section("Checks")) {
    if (line.starts_with("| PV")) rows.push_back(line);
  }
  std::vector<std::string> expected;
  for (const Explanation& entry : Explanations()) {
    expected.push_back(
        absl::StrCat("| ", std::string(entry.id), " | ", std::string(entry.title), " |"));
  }
  EXPECT_EQ(rows, expected);
}

TEST(ProfilePageTest, ListsTheReportFormats) {
  EXPECT_THAT(FirstColumn("Reports").size(), 10u);  // with the heading of the column
  std::set<std::string> shown;
  for (const std::string& word : FirstColumn("Reports")) shown.insert(word);
  shown.erase("report --format");
  const std::vector<std::string> formats = Texts(kReportFormats);
  EXPECT_EQ(shown, std::set<std::string>(formats.begin(), formats.end()));
}

// Every family of metrics is a tolerance, and the page shows a metric of each.
TEST(ProfilePageTest, ShowsAMetricOfEveryFamily) {
  std::set<std::string> families = {"*"};
  for (const std::string& line : Section("Comparing")) {
    for (const std::string& word : Quoted(line)) {
      const std::string family = word.substr(0, word.find(':'));
      if (ParseTolerance(family + "=0").ok()) families.insert(family);
    }
  }
  // The error for an unknown metric lists them all.
  const std::string error(ParseTolerance("something_else_entirely=0").status().message());
  const std::size_t at = error.find("known: ") + 7;
  const std::vector<std::string> known = absl::StrSplit(error.substr(at), ", ");
  EXPECT_EQ(families, std::set<std::string>(known.begin(), known.end()));
}

}  // namespace
}  // namespace moescope::profiler
