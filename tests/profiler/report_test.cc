// Every report format, byte for byte, and what the formats promise.

#include "profiler/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "profiler/csv.h"
#include "profiler/report/stacks.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/golden.h"
#include "tests/support/outside_validator.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The rich run and its per-pc table.
class ReportTest : public ::testing::Test {
 protected:
  test::RecordedRun run_ = test::RichRun();
  Profile profile_ = run_.profile();
  PcTable table_ = MakePcTable(run_.recorder->recording(), isa::InstructionSet::Builtin());

  std::string Make(ReportOptions options) {
    const absl::StatusOr<std::string> text = Report(profile_, options);
    EXPECT_TRUE(text.ok()) << text.status().message();
    return text.value_or("");
  }
  std::string Error(ReportOptions options) {
    const absl::StatusOr<std::string> text = Report(profile_, options);
    EXPECT_FALSE(text.ok());
    return std::string(text.status().message());
  }
};

TEST_F(ReportTest, GoldenFormats) {
  moescope::test::ExpectGolden("report_rich.txt", Make({.format = "text"}));
  moescope::test::ExpectGolden("report_rich.md", Make({.format = "markdown"}));
  moescope::test::ExpectGolden("report_rich.collapsed", Make({.format = "collapsed"}));
  moescope::test::ExpectGolden("report_rich_table.collapsed",
                               Make({.format = "collapsed", .pc_table = &table_}));
  moescope::test::ExpectGolden("report_rich.speedscope.json", Make({.format = "speedscope"}));
  moescope::test::ExpectGolden("report_rich.annotated",
                               Make({.format = "annotated", .pc_table = &table_}));
  moescope::test::ExpectGolden("report_rich.stage_profile_v1.json",
                               Make({.format = "stage_profile_v1"}));
  moescope::test::ExpectGolden("report_rich.stage_profile_v2.json",
                               Make({.format = "stage_profile_v2"}));
  moescope::test::ExpectGolden(
      "report_rich_table.stage_profile_v2.json",
      Make({.format = "stage_profile_v2", .all_stages = true, .pc_table = &table_}));
  moescope::test::ExpectGolden("report_rich.pc_table.csv", PcTableText(table_));
}

TEST_F(ReportTest, GoldenTables) {
  std::string all;
  for (const char* table :
       {"stages", "reasons", "units", "opcodes", "pairs", "experts", "hot", "timeline"}) {
    all += "# " + std::string(table) + "\n" + Make({.format = "csv", .table = table});
  }
  moescope::test::ExpectGolden("report_rich.csv", all);
}

TEST(TextReportTest, SerialGolden) {
  const absl::StatusOr<std::string> text = Report(test::SerialProfile(), {});
  ASSERT_TRUE(text.ok());
  moescope::test::ExpectGolden("report_serial.txt", *text);
}

TEST_F(ReportTest, TextFitsItsWidth) {
  for (const std::size_t width : {100u, 90u}) {
    const std::string text = Make({.format = "text", .width = width});
    for (const auto line : absl::StrSplit(text, '\n')) EXPECT_LE(line.size(), width) << line;
  }
}

TEST_F(ReportTest, LongNamesGetTheirOwnLine) {
  const std::string longest(64, 'x');
  profile_.stages[0].name = longest;
  const std::string text = Make({.format = "text"});
  EXPECT_THAT(text, HasSubstr("\n" + longest + "\n  "));
  for (const auto line : absl::StrSplit(text, '\n')) EXPECT_LE(line.size(), 100u);
}

TEST_F(ReportTest, EveryTextReportHasTheCaveat) {
  for (const char* format : {"text", "markdown"}) {
    std::string text = Make({.format = format});
    std::replace(text.begin(), text.end(), '\n', ' ');
    EXPECT_THAT(text, HasSubstr(profile_.caveat)) << format;
  }
}

TEST_F(ReportTest, IncompleteRunsSaySo) {
  profile_.complete = false;
  profile_.end.reason = "max_cycles";
  profile_.end.limit = 200;
  EXPECT_THAT(Make({}), HasSubstr("run:     cut at cycle 245 (max_cycles, limit 200)\n"));
  profile_.end = {.reason = "fault", .cycle = 9, .fault = "FT402: row 9 is beyond 8"};
  EXPECT_THAT(Make({}), HasSubstr("cut at cycle 9 (fault FT402: row 9 is beyond 8)\n"));
  EXPECT_THAT(Make({.format = "stage_profile_v2"}), HasSubstr("\"total_simulation_cycles\": null"));
}

TEST_F(ReportTest, CsvIsWhatRfc4180Says) {
  profile_.hot[0].text = "quote \" comma , here";
  profile_.hot[0].file = "new\nline.asm";
  const std::string csv = Make({.format = "csv", .table = "hot"});
  EXPECT_THAT(csv, HasSubstr("\"quote \"\" comma , here\""));
  EXPECT_THAT(csv, HasSubstr("\"new\nline.asm\""));
  const auto rows = ParseCsv(csv);
  ASSERT_TRUE(rows.ok());
  for (const auto& row : *rows) EXPECT_EQ(row.size(), 9u);
  EXPECT_EQ((*rows)[1][2], "quote \" comma , here");
}

TEST_F(ReportTest, CsvColumnsSumUp) {
  const auto rows = ParseCsv(Make({.format = "csv", .table = "stages"}));
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ((*rows)[0][8], "cycles");
  std::uint64_t cycles = 0;
  for (std::size_t i = 1; i < rows->size(); ++i) cycles += std::stoull((*rows)[i][8]);
  EXPECT_EQ(cycles, profile_.totals.counters.cycles);
}

TEST_F(ReportTest, StacksSumToTheTotals) {
  const CounterBlock& totals = profile_.totals.counters;
  const struct {
    const char* weight;
    std::uint64_t total;
  } rows[] = {{"cycles", totals.cycles},
              {"instructions", totals.instructions},
              {"bytes", totals.read.physical_bytes + totals.write.physical_bytes}};
  for (const auto& row : rows) {
    for (const PcTable* table : {static_cast<const PcTable*>(nullptr), &std::as_const(table_)}) {
      const auto stacks = StacksOf(profile_, row.weight, table);
      ASSERT_TRUE(stacks.ok());
      std::uint64_t sum = 0;
      for (const Stack& stack : *stacks) sum += stack.weight;
      EXPECT_EQ(sum, row.total) << row.weight;
    }
  }
}

TEST_F(ReportTest, AStageOnSeveralPathsEndsItsStacks) {
  (*profile_.paths).push_back({"gather/ksplit_add", 0, 5});
  const auto stacks = StacksOf(profile_, "cycles", nullptr);
  ASSERT_TRUE(stacks.ok());
  EXPECT_THAT(stacks->back().frames, ElementsAre("gather", "ksplit_add"));
}

TEST_F(ReportTest, SpeedscopeHasWhatItsFormatDemands) {
  for (const char* weight : {"cycles", "instructions", "bytes"}) {
    const auto document = nlohmann::json::parse(
        Make({.format = "speedscope", .weight = weight, .pc_table = &table_}));
    EXPECT_EQ(document["$schema"], "https://www.speedscope.app/file-format-schema.json");
    const auto& sampled = document["profiles"][0];
    EXPECT_EQ(sampled["type"], "sampled");
    ASSERT_EQ(sampled["samples"].size(), sampled["weights"].size());
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < sampled["samples"].size(); ++i) {
      sum += sampled["weights"][i].get<std::uint64_t>();
      for (const auto& frame : sampled["samples"][i]) {
        EXPECT_LT(frame.get<std::size_t>(), document["shared"]["frames"].size());
      }
    }
    EXPECT_EQ(sampled["endValue"], sum);
  }
}

TEST_F(ReportTest, AnOutsideValidatorAcceptsSpeedscopeFiles) {
  using moescope::test::OutsideValidator;
  if (!OutsideValidator::IsInstalled()) GTEST_SKIP() << OutsideValidator::kNotInstalled;
  OutsideValidator validator("speedscope");
  for (const char* weight : {"cycles", "instructions", "bytes"}) {
    validator.AddGood(Make({.format = "speedscope", .weight = weight}));
    validator.AddGood(Make({.format = "speedscope", .weight = weight, .pc_table = &table_}));
  }
  validator.AddBad(Make({.format = "stage_profile_v1"}));
  EXPECT_TRUE(validator.Agrees("tests/data/speedscope.schema.json"));
}

TEST_F(ReportTest, StageProfilesFoldIntoElevenStages) {
  const auto v2 = nlohmann::ordered_json::parse(Make({.format = "stage_profile_v2"}));
  std::vector<std::string> names;
  std::uint64_t cycles = 0;
  for (const auto& [name, stage] : v2["stages"].items()) {
    names.push_back(name);
    cycles += stage["wall_cycles"].get<std::uint64_t>();
  }
  EXPECT_THAT(names,
              ElementsAre("router_topk", "accumulator_init", "gather", "expert_weight_address",
                          "expert_weight_prefetch", "expert_projection", "expert_activation",
                          "expert_bias", "expert_route_weight", "scatter_combine", "other"));
  EXPECT_EQ(cycles, 245u);
  EXPECT_EQ(v2["total_simulation_cycles"], 245);
  EXPECT_EQ(v2["label_count"], 10);
  // The nested extension counts in its parent, everything else without a routed name in `other`.
  EXPECT_EQ(v2["stages"]["expert_projection"]["instructions"], 4);
  EXPECT_EQ(v2["stages"]["other"]["instructions"], 2);
  EXPECT_THAT(v2["caveat"].get<std::string>(),
              HasSubstr("ksplit_add (into expert_projection), unattributed."));
}

TEST_F(ReportTest, StageProfilesOfFifteenStages) {
  const auto v1 =
      nlohmann::ordered_json::parse(Make({.format = "stage_profile_v1", .all_stages = true}));
  EXPECT_EQ(v1["stages"].size(), 15u);
  EXPECT_EQ(v1["stages"].begin().key(), "residual_setup");
  EXPECT_TRUE(v1["pairs"]["0"]["stages"].contains("shared_combine"));
}

TEST_F(ReportTest, WhatAProfileDoesNotHoldIsNullWithoutThePcTable) {
  const auto plain = nlohmann::json::parse(Make({.format = "stage_profile_v2"}));
  EXPECT_TRUE(plain["pairs"]["0"]["resource_proxy_cycles"]["matrix"].is_null());
  EXPECT_TRUE(plain["pairs"]["0"]["stages"]["gather"]["logical_bytes_read"].is_null());
  EXPECT_EQ(plain["pairs"]["0"]["logical_bytes_read"], 5120);
  const auto full =
      nlohmann::json::parse(Make({.format = "stage_profile_v2", .pc_table = &table_}));
  EXPECT_EQ(full["pairs"]["0"]["resource_proxy_cycles"]["matrix"], 187);
  EXPECT_EQ(full["pairs"]["0"]["stages"]["gather"]["logical_bytes_read"], 512);
  EXPECT_EQ(full["stages"], plain["stages"]);
  EXPECT_EQ(full["total_resource_proxy_cycles"], plain["total_resource_proxy_cycles"]);
}

TEST_F(ReportTest, AnAmbiguousFoldIsRefused) {
  profile_.paths->push_back({"gather/ksplit_add", 0, 0});
  EXPECT_EQ(Error({.format = "stage_profile_v1"}),
            "stage 'ksplit_add' is nested in 'expert_projection' and 'gather'; only the per-pc "
            "table tells them apart");
}

TEST_F(ReportTest, Errors) {
  EXPECT_EQ(Error({.format = "txt"}), "unknown report format 'txt'; did you mean 'text'?");
  EXPECT_EQ(Error({.format = "csv", .table = "stage"}),
            "unknown table 'stage'; known: stages, reasons, units, opcodes, pairs, experts, hot, "
            "timeline");
  EXPECT_EQ(Error({.format = "collapsed", .weight = "joules"}),
            "unknown weight 'joules'; known: cycles, instructions, bytes");
  EXPECT_EQ(Error({.format = "annotated"}),
            "the annotated listing needs the per-pc table that 'run --pc-table FILE' writes");
  table_.rows[0].cycles += 1;
  EXPECT_EQ(Error({.format = "annotated", .pc_table = &table_}),
            "the per-pc table is of another run than the profile: 10 instructions and 246 cycles "
            "instead of 10 and 245");
  table_.rows[0].word ^= 1;
  EXPECT_EQ(Error({.format = "collapsed", .pc_table = &table_}),
            "the per-pc table is of another program than the profile");
}

TEST(ReportOfSerialTest, AbsentTablesAreRefused) {
  const Profile profile = test::SerialProfile();
  EXPECT_EQ(Report(profile, {.format = "csv", .table = "units"}).status().message(),
            "the profile has no units: the timing model 'serial' does not measure busy units");
  EXPECT_EQ(Report(profile, {.format = "csv", .table = "experts"}).status().message(),
            "the profile has no experts: no expert of a pair is known");
}

}  // namespace
}  // namespace moescope::profiler
