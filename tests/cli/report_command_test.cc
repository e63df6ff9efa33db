// report: every format, every option honoured or refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tests/cli/command_call.h"

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Document = nlohmann::json;
using Words = std::vector<std::string>;

class ReportCommandTest : public ::testing::Test {
 protected:
  ReportCommandTest()
      : profile_(test::WriteProfile(folder_, "p.json",
                                    {"--timing=serial", "--pc-table=" + folder_.Path("pc.csv")})),
        table_(folder_.Path("pc.csv")) {}

  test::Outcome Report(Words options) const {
    options.insert(options.begin(), {"report", profile_});
    return test::CallMoescope(options);
  }
  std::string Text(const Words& options) const {
    const test::Outcome outcome = Report(options);
    EXPECT_EQ(outcome.code, ExitCode::kSuccess) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }

  moescope::test::ScratchFolder folder_;
  std::string profile_;
  std::string table_;
};

TEST_F(ReportCommandTest, EveryFormatHoldsTheCyclesOfTheStages) {
  EXPECT_THAT(Text({}), HasSubstr("accumulator_init"));
  EXPECT_EQ(Text({}), Text({"--format=text"}));
  EXPECT_THAT(Text({"--format=markdown"}), HasSubstr("| accumulator_init |"));
  EXPECT_THAT(Text({"--format=csv"}), HasSubstr("\r\naccumulator_init,"));
  EXPECT_THAT(Text({"--format=collapsed"}), HasSubstr("accumulator_init;S_ADDI_INT 4\n"));
  EXPECT_THAT(Text({"--format=annotated", "--pc-table=" + table_}), HasSubstr("S_ST_INT"));
  EXPECT_THAT(Text({"--format=html"}), StartsWith("<!DOCTYPE html>"));
  const Document speedscope = Document::parse(Text({"--format=speedscope"}));
  EXPECT_EQ(speedscope["profiles"][0]["endValue"], 13);
  for (const char* version : {"1", "2"}) {
    const Document stages =
        Document::parse(Text({absl::StrCat("--format=stage_profile_v", version)}));
    EXPECT_EQ(stages["stages"]["accumulator_init"]["instructions"], 11);
    EXPECT_EQ(stages["total_instructions_executed"], 13);
  }
}

TEST_F(ReportCommandTest, EveryTableHasItsHeader) {
  const std::pair<const char*, const char*> kTables[] = {
      {"stages", "name,"}, {"reasons", ""}, {"opcodes", "mnemonic,"},
      {"pairs", "pair,"},  {"hot", "pc,"},  {"timeline", ""}};
  for (const auto& [table, header] : kTables) {
    const std::string text = Text({"--format=csv", absl::StrCat("--table=", table)});
    EXPECT_THAT(text, StartsWith(header)) << table;
    // RFC 4180: every line ends with CR LF and has as many fields as the header.
    const std::vector<std::string> lines = absl::StrSplit(text, "\r\n");
    ASSERT_GE(lines.size(), 2u) << table;
    EXPECT_EQ(lines.back(), "") << table;
    for (const std::string& line : lines) EXPECT_EQ(line.find('\n'), std::string::npos) << table;
  }
  EXPECT_EQ(Text({"--format=csv"}), Text({"--format=csv", "--table=stages"}));
}

// The serial model has no busy units: an absent table is an error, not an empty file.
TEST_F(ReportCommandTest, ATableThatWasNotMeasuredIsAnError) {
  const test::Outcome outcome = Report({"--format=csv", "--table=units"});
  EXPECT_EQ(outcome.code, ExitCode::kInput);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            absl::StrCat("moescope: ", profile_,
                         ": the profile has no units: the timing model 'serial' does not measure "
                         "busy units\n"));
  const std::string other = test::WriteProfile(folder_, "units.json", {"--timing=pipelined"});
  EXPECT_THAT(test::CallMoescope({"report", other, "--format=csv", "--table=units"}).out,
              HasSubstr("vx_elem"));
}

TEST_F(ReportCommandTest, WeightsCountWhatTheyName) {
  for (const char* format : {"collapsed", "speedscope"}) {
    const std::string by = absl::StrCat("--format=", format);
    EXPECT_EQ(Text({by}), Text({by, "--weight=cycles"}));
  }
  EXPECT_THAT(Text({"--format=collapsed", "--weight=instructions"}),
              HasSubstr("accumulator_init;S_ADDI_INT 4\n"));
  // Nothing of this program touches HBM.
  EXPECT_EQ(Text({"--format=collapsed", "--weight=bytes"}), "");
  EXPECT_EQ(Document::parse(Text({"--format=speedscope", "--weight=bytes"}))["profiles"][0]["unit"],
            "bytes");
}

TEST_F(ReportCommandTest, StagesChoosesElevenOrFifteen) {
  for (const char* version : {"1", "2"}) {
    const std::string format = absl::StrCat("--format=stage_profile_v", version);
    EXPECT_EQ(Document::parse(Text({format}))["stages"].size(), 11u);
    EXPECT_EQ(Document::parse(Text({format, "--stages=11"}))["stages"].size(), 11u);
    EXPECT_EQ(Document::parse(Text({format, "--stages=15"}))["stages"].size(), 15u);
  }
}

TEST_F(ReportCommandTest, HtmlShowsSourceLinesAndASecondProfile) {
  const std::string source = folder_.Path("p.json.asm");
  EXPECT_THAT(Text({"--format=html", "--source=" + source}), HasSubstr("S_ST_INT gp2, gp2, 0"));
  const std::string other = test::WriteProfile(folder_, "other.json", {"--timing=pipelined"});
  const std::string both = Text({"--format=html", "--compare=" + other});
  EXPECT_THAT(both, HasSubstr("<h3>A</h3>"));
  EXPECT_THAT(both, HasSubstr("<h3>B</h3>"));
  EXPECT_THAT(both, HasSubstr("pipelined"));
  EXPECT_THAT(Text({"--format=html"}), Not(HasSubstr("<h3>B</h3>")));
}

TEST_F(ReportCommandTest, OutputGoesToAFile) {
  for (const char* format : {"text", "html", "csv"}) {
    const std::string by = absl::StrCat("--format=", format);
    const std::string path = folder_.Path(absl::StrCat("out.", format));
    EXPECT_EQ(Text({by, "-o", path}), "");
    EXPECT_EQ(folder_.Read(absl::StrCat("out.", format)), Text({by}));
    EXPECT_EQ(Text({by, "-o", "-"}), Text({by}));
  }
}

struct Wrong {
  Words options;
  ExitCode code;
  std::string message;
};

TEST_F(ReportCommandTest, OptionsOfAnotherFormatAreRefused) {
  const std::vector<Wrong> kWrong = {
      {{"--table=hot"}, ExitCode::kUsage, "--table is for --format=csv, not text"},
      {{"--format=html", "--table=hot"}, ExitCode::kUsage, "--table is for --format=csv, not html"},
      {{"--weight=bytes"},
       ExitCode::kUsage,
       "--weight is for --format=collapsed, speedscope, not text"},
      {{"--format=csv", "--stages=15"},
       ExitCode::kUsage,
       "--stages is for --format=stage_profile_v1, stage_profile_v2, not csv"},
      {{"--format=markdown", "--pc-table=pc.csv"},
       ExitCode::kUsage,
       "--pc-table is for --format=annotated, collapsed, speedscope, stage_profile_v1, "
       "stage_profile_v2, not markdown"},
      {{"--source=a.asm"}, ExitCode::kUsage, "--source is for --format=html, not text"},
      {{"--format=speedscope", "--compare=p.json"},
       ExitCode::kUsage,
       "--compare is for --format=html, not speedscope"},
      {{"--format=pdf"},
       ExitCode::kUsage,
       "--format=pdf: unknown value; allowed: text, markdown, csv, collapsed, speedscope, "
       "annotated, stage_profile_v1, stage_profile_v2, html"},
      {{"--format=csv", "--table=hott"},
       ExitCode::kUsage,
       "--table=hott: unknown value; allowed: stages, reasons, units, opcodes, pairs, experts, "
       "hot, timeline; did you mean 'hot'?"},
      {{"--format=collapsed", "--weight=time"},
       ExitCode::kUsage,
       "--weight=time: unknown value; allowed: cycles, instructions, bytes"},
      {{"--format=stage_profile_v1", "--stages=12"},
       ExitCode::kUsage,
       "--stages=12: unknown value; allowed: 11, 15; did you mean '11' or '15'?"},
      {{"--format=annotated"},
       ExitCode::kInput,
       absl::StrCat(profile_,
                    ": the annotated listing needs the per-pc table that 'run --pc-table "
                    "FILE' writes")},
      {{"--format=annotated", "--pc-table=" + profile_}, ExitCode::kInput, profile_ + ": "},
      {{"--format=html", "--compare=" + table_}, ExitCode::kInput, table_ + ": "},
      {{"--format=html", "--source=/nonexistent/a"},
       ExitCode::kInput,
       "cannot open '/nonexistent/a': No such file or directory"},
      {{"--format=html", "--source=-", "--compare=-"},
       ExitCode::kUsage,
       "at most one input may be '-'"},
      {{"-o", "/nonexistent/out"},
       ExitCode::kInput,
       "cannot create '/nonexistent/out': No such file or directory"},
  };
  for (const Wrong& wrong : kWrong) {
    const test::Outcome outcome = Report(wrong.options);
    EXPECT_EQ(outcome.code, wrong.code) << wrong.message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, StartsWith("moescope: " + wrong.message)) << outcome.err;
  }
}

// What a configuration file says for one format does not disturb the others.
TEST_F(ReportCommandTest, AConfigurationMayHoldOptionsOfAnyFormat) {
  const std::string config =
      folder_.Write("c.toml", "[report]\ntable = 'hot'\nweight = 'instructions'\nstages = 15\n");
  EXPECT_EQ(Text({"--config", config}), Text({}));
  EXPECT_EQ(Text({"--config", config, "--format=csv"}), Text({"--format=csv", "--table=hot"}));
  EXPECT_EQ(Text({"--config", config, "--format=csv", "--table=reasons"}),
            Text({"--format=csv", "--table=reasons"}));
}

TEST_F(ReportCommandTest, ATableOfAnotherRunIsRefused) {
  const std::string other = folder_.Path("other.csv");
  test::WriteProfile(folder_, "other.json", {"--pc-table=" + other}, "C_BREAK\n");
  const test::Outcome outcome = Report({"--format=annotated", "--pc-table=" + other});
  EXPECT_EQ(outcome.code, ExitCode::kInput);
  EXPECT_THAT(outcome.err, StartsWith(absl::StrCat("moescope: ", profile_, ": ")));
}

TEST_F(ReportCommandTest, WhatIsNoProfileIsRefused) {
  const std::pair<const char*, const char*> kFiles[] = {
      {"empty.json", ""},
      {"text.json", "hello\n"},
      {"array.json", "[]\n"},
      {"other.json", "{\"schema\": \"moescope.run\", \"schema_version\": 1}\n"}};
  for (const auto& [name, content] : kFiles) {
    const std::string path = folder_.Write(name, content);
    const test::Outcome outcome = test::CallMoescope({"report", path});
    EXPECT_EQ(outcome.code, ExitCode::kInput) << name;
    EXPECT_THAT(outcome.err, StartsWith(absl::StrCat("moescope: ", path, ": "))) << name;
  }
  const test::Outcome folder = test::CallMoescope({"report", folder_.path()});
  EXPECT_EQ(folder.code, ExitCode::kInput);
  EXPECT_EQ(folder.err,
            absl::StrCat("moescope: cannot read '", folder_.path(), "': Is a directory\n"));
}

}  // namespace
}  // namespace moescope::cli
