#include "profiler/pc_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "profiler/csv.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;

std::string TableText() {
  const test::RecordedRun run = test::RichRun();
  return PcTableText(MakePcTable(run.recorder->recording(), isa::InstructionSet::Builtin()));
}

TEST(PcTableTest, RowsSumToTheProfile) {
  const test::RecordedRun run = test::RichRun();
  const PcTable table = MakePcTable(run.recorder->recording(), isa::InstructionSet::Builtin());
  const Profile profile = run.profile();
  EXPECT_TRUE(CheckPcTable(table, profile).ok());
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  for (const PcRow& row : table.rows) {
    read += row.read_physical_bytes;
    written += row.write_physical_bytes;
    std::uint64_t reasons = 0;
    for (const std::uint64_t cycles : row.reasons) reasons += cycles;
    EXPECT_EQ(reasons, row.cycles);
  }
  EXPECT_EQ(read, profile.totals.counters.read.physical_bytes);
  EXPECT_EQ(written, profile.totals.counters.write.physical_bytes);
  EXPECT_EQ(table.rows[5].path, "expert_projection/ksplit_add");
  EXPECT_EQ(table.rows[5].pair, 0u);
  EXPECT_EQ(table.rows[3].expert, 3u);
  EXPECT_EQ(table.rows[4].top_reason, "hbm_bandwidth");
}

TEST(PcTableTest, ReadingIsTheInverseOfWriting) {
  const std::string text = TableText();
  const absl::StatusOr<PcTable> table = ReadPcTable(text);
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(PcTableText(*table), text);
  const std::string with_lf = absl::StrReplaceAll(text, {{"\r\n", "\n"}});
  ASSERT_TRUE(ReadPcTable(with_lf).ok());
}

TEST(PcTableTest, Errors) {
  const std::string text = TableText();
  const struct {
    const char* from;
    const char* to;
    const char* error;
  } rows[] = {
      {"pc,word", "pc,wort", "line 1: this is not the header of a per-pc table"},
      {"\r\n1,", "\r\n7,", "line 3: pc 1 was expected"},
      {",unattributed,", ",", "line 2: 45 fields instead of 46"},
      {"\r\n0,0x", "\r\n0,0q", "line 2: '0q00C8854F' is not a number"},
      {"\"", "", "line 2: 50 fields instead of 46"},
  };
  for (const auto& row : rows) {
    std::string changed = text;
    const std::size_t at = changed.find(row.from);
    ASSERT_NE(at, std::string::npos) << row.from;
    changed.replace(at, std::string_view(row.from).size(), row.to);
    const absl::StatusOr<PcTable> table = ReadPcTable(changed);
    ASSERT_FALSE(table.ok()) << row.from;
    EXPECT_THAT(std::string(table.status().message()), ::testing::HasSubstr("line "));
  }
  EXPECT_FALSE(ReadPcTable("").ok());
}

TEST(CsvTest, WritesAndReads) {
  CsvWriter csv;
  csv.Row({"plain", "with,comma", "with\"quote", "two\r\nlines", ""});
  csv.Field(7u).Optional(std::optional<std::uint64_t>()).Optional(std::optional<std::string>("x"));
  csv.EndRow();
  const std::string text = csv.Take();
  EXPECT_EQ(text,
            "plain,\"with,comma\",\"with\"\"quote\",\"two\r\nlines\",\r\n"
            "7,,x\r\n");
  const auto rows = ParseCsv(text);
  ASSERT_TRUE(rows.ok());
  EXPECT_THAT(*rows,
              ElementsAre(ElementsAre("plain", "with,comma", "with\"quote", "two\r\nlines", ""),
                          ElementsAre("7", "", "x")));
}

TEST(CsvTest, Errors) {
  EXPECT_EQ(ParseCsv("a,b\r\nc,\"d").status().message(),
            "line 2: a quoted field that is not closed");
  EXPECT_EQ(ParseCsv("a\"b").status().message(), "line 1: a quote inside a field");
  EXPECT_EQ(ParseCsv("\"a\"b").status().message(), "line 1: a quote inside a field");
  EXPECT_TRUE(ParseCsv("")->empty());
  EXPECT_THAT(*ParseCsv("a\nb"), ElementsAre(ElementsAre("a"), ElementsAre("b")));
}

}  // namespace
}  // namespace moescope::profiler
