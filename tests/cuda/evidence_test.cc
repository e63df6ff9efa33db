// The committed records of bench/cuda_layer and the page that quotes them: every record says what
// ran where, checks passed in the same run, skips are listed apart, and rows that were measured on
// other sources than the tree's are marked `stale` on the page.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/json.h"
#include "tests/support/child_process.h"
#include "tests/support/project_folders.h"

namespace moescope::cuda {
namespace {

constexpr char kPage[] = "/docs/cuda-results.md";

// The committed records, YYYY-MM-DD.json; those that a run just wrote have the time in their names.
std::vector<std::string> RecordPaths() {
  constexpr std::size_t kDateLength = 10;
  std::vector<std::string> paths;
  const std::string folder = moescope::test::SourceFolder() + "/bench/results";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".json" || path.stem().string().size() != kDateLength) continue;
    paths.push_back(path.string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Json Record(const std::string& path) {
  const auto json = ParseJson(*ReadFile(path), path, "T000");
  EXPECT_TRUE(json.ok()) << json.status();
  return json.ok() ? *json : Json();
}

std::string Page() { return *ReadFile(moescope::test::SourceFolder() + kPage); }

bool IsHex(const std::string& text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

class Evidence : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Records, Evidence, ::testing::ValuesIn(RecordPaths()),
                         [](const auto& record) { return absl::StrCat("record", record.index); });

TEST(EvidenceTest, ThereIsARecord) { EXPECT_FALSE(RecordPaths().empty()); }

TEST_P(Evidence, SaysWhatRanWhere) {
  const Json record = Record(GetParam());
  EXPECT_EQ(record["schema"], "moescope.cuda_layer");
  EXPECT_EQ(record["version"], 1);
  EXPECT_TRUE(IsHex(record["commit"].get<std::string>(), 40)) << record["commit"];
  EXPECT_TRUE(IsHex(record["sources"].get<std::string>(), 64)) << record["sources"];
  EXPECT_THAT(record["date"].get<std::string>(),
              ::testing::MatchesRegex("20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9:]+Z"));
  EXPECT_THAT(record["command"].get<std::string>(), ::testing::StartsWith("bench/cuda_layer"));
  for (const char* key : {"card", "state_before", "state_after"}) {
    EXPECT_FALSE(record["device"][key].get<std::string>().empty()) << key;
  }
}

TEST_P(Evidence, ChecksPassedInTheSameRun) {
  const Json record = Record(GetParam());
  std::set<std::string> tests;
  for (const Json& check : record["checks"]) {
    const auto name = check["test"].get<std::string>();
    tests.insert(name);
    EXPECT_EQ(check["failed"], 0) << name;
    EXPECT_GT(check["passed"].get<int>(), 0) << name;
    EXPECT_TRUE(check["skipped"].is_array()) << "skips are listed, not counted as passes";
  }
  for (const char* name : {"stepwise_device_test", "forward_device_test", "boundary_device_test",
                           "repeat_device_test"}) {
    EXPECT_TRUE(tests.contains(name)) << name;
  }
}

TEST_P(Evidence, RowsAreComplete) {
  const Json record = Record(GetParam());
  std::set<std::tuple<std::string, int, std::string, std::string>> seen;
  for (const Json& row : record["rows"]) {
    const auto key =
        std::make_tuple(row["shape"].get<std::string>(), row["tokens"].get<int>(),
                        row["format"].get<std::string>(), row["phase"].get<std::string>());
    EXPECT_TRUE(seen.insert(key).second) << row.dump();
    EXPECT_GT(row["ms"].get<double>(), 0) << row.dump();
    EXPECT_LE(row["min_ms"].get<double>(), row["ms"].get<double>()) << row.dump();
    EXPECT_GE(row["max_ms"].get<double>(), row["ms"].get<double>()) << row.dump();
    EXPECT_GE(row["samples"].get<int>(), 30) << row.dump();
    EXPECT_GE(row["noise"].get<double>(), 0) << row.dump();
    EXPECT_THAT(row["plan"].get<std::string>(), ::testing::StartsWith("sha256:")) << row.dump();
  }
  EXPECT_GE(seen.size(), 24u);
}

// A verdict is the comparison of two numbers of its row.
TEST_P(Evidence, VerdictsFollowFromTheNumbers) {
  int verdicts = 0;
  const Json record = Record(GetParam());
  for (const Json& row : record["rows"]) {
    if (!row.contains("target")) continue;
    ++verdicts;
    const bool met = row["ms"].get<double>() <= row["target"]["need_ms"].get<double>();
    EXPECT_EQ(row["target"]["met"].get<bool>(), met) << row.dump();
  }
  EXPECT_GT(verdicts, 0);
}

// Rates are work over time: 6RHI, and never beyond what the card can do.
TEST_P(Evidence, RatesFollowFromTheTimes) {
  const Json record = Record(GetParam());
  for (const Json& row : record["rows"]) {
    if (!row.contains("tflop_s")) continue;
    const auto shape = row["shape"].get<std::string>();
    const double width = shape == "qwen3-30b-a3b" ? 8.0 * 2048 * 768
                         : shape == "gpt-oss-20b" ? 4.0 * 2880 * 2880
                                                  : 6.0 * 4096 * 2048;
    const double flop = 6.0 * row["tokens"].get<double>() * width;
    EXPECT_NEAR(row["tflop_s"].get<double>(), flop / row["ms"].get<double>() / 1e9, 0.06)
        << row.dump();
    EXPECT_LT(row["tflop_s"].get<double>(), 989.5) << "above the data sheet: " << row.dump();
  }
}

// ---- the page ----

struct PageRow {
  std::string shape, format, ms;
  int tokens = 0;
};

// Rows "| shape | T | format | ms | min..max | ..." of the page.
std::vector<PageRow> PageRows() {
  std::vector<PageRow> rows;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(Page(), '\n'))) {
    std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (cells.size() < 7 || !absl::StrContains(cells[5], "..")) continue;
    for (std::string& cell : cells) cell = std::string(absl::StripAsciiWhitespace(cell));
    if (cells[1] == "shape") continue;
    rows.push_back({cells[1], cells[3], cells[4], std::atoi(cells[2].c_str())});
  }
  return rows;
}

TEST(EvidenceTest, ThePageQuotesTheNewestRecord) {
  ASSERT_FALSE(RecordPaths().empty());
  const std::string path = RecordPaths().back();
  EXPECT_THAT(Page(), ::testing::HasSubstr(std::filesystem::path(path).filename().string()));
  const Json record = Record(path);
  std::size_t quoted = 0;
  for (const Json& row : record["rows"]) {
    if (row["phase"] != "all" || !row.contains("tflop_s")) continue;
    const std::string ms = absl::StrFormat("%.4f", row["ms"].get<double>());
    bool found = false;
    for (const PageRow& r : PageRows()) {
      found |= r.shape == row["shape"] && r.tokens == row["tokens"].get<int>() &&
               r.format == row["format"] && r.ms == ms;
    }
    EXPECT_TRUE(found) << "not on the page: " << row.dump();
    ++quoted;
  }
  EXPECT_EQ(PageRows().size(), quoted) << "the page has rows of no record";
}

TEST(EvidenceTest, RowsOfOtherSourcesAreMarkedStale) {
  ASSERT_FALSE(RecordPaths().empty());
  const auto hash =
      moescope::test::RunProcess({moescope::test::SourceFolder() + "/scripts/cuda_hash"});
  ASSERT_EQ(hash.code, 0) << hash.err;
  const std::string tree(absl::StripAsciiWhitespace(hash.out));
  const std::string measured = Record(RecordPaths().back())["sources"].get<std::string>();
  EXPECT_THAT(Page(), ::testing::HasSubstr(measured));
  const std::string_view line =
      measured == tree ? "\nRows: measured on these sources." : "\nRows: stale.";
  EXPECT_THAT(Page(), ::testing::HasSubstr(line))
      << "the sources (cuda/ and moe/*.h) have the hash " << tree << ", the measured ones "
      << measured;
}

}  // namespace
}  // namespace moescope::cuda
