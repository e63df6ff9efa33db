#include "profiler/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(SummaryTest, EndsInWords) {
  Profile profile = test::SerialProfile();
  const struct {
    bool complete;
    End end;
    const char* text;
  } rows[] = {
      {true, {.reason = "end", .cycle = 196}, "complete (end)"},
      {true, {.reason = "break", .cycle = 196}, "complete (break)"},
      {false,
       {.reason = "max_cycles", .cycle = 9, .limit = 9},
       "cut at cycle 9 (max_cycles, limit 9)"},
      {false,
       {.reason = "max_instructions", .cycle = 7, .limit = 5},
       "cut at cycle 7 (max_instructions, limit 5)"},
      {false, {.reason = "timeout", .cycle = 3}, "cut at cycle 3 (timeout)"},
      {false,
       {.reason = "interrupt", .cycle = 3, .signal = 2},
       "cut at cycle 3 (interrupt, signal 2)"},
      {false, {.reason = "deadlock", .cycle = 3}, "cut at cycle 3 (deadlock)"},
      {false,
       {.reason = "fault", .cycle = 3, .fault = "FT301: row 5 is not aligned"},
       "cut at cycle 3 (fault FT301: row 5 is not aligned)"},
  };
  for (const auto& row : rows) {
    profile.complete = row.complete;
    profile.end = row.end;
    EXPECT_EQ(EndText(profile), row.text);
  }
}

TEST(SummaryTest, TotalsCountInWords) {
  Profile profile = test::SerialProfile();
  EXPECT_EQ(TotalsText(profile),
            "196 instructions, 196 cycles (196 ns at 1.000 GHz), 1.000 cycles per instruction");
  profile.totals.counters.instructions = 1;
  profile.totals.counters.cycles = 1;
  profile.totals.time_ps = 667;
  profile.machine.clock_period_ps = 667;
  EXPECT_EQ(TotalsText(profile),
            "1 instruction, 1 cycle (667 ps at 1.499 GHz), 1.000 cycles per instruction");
  profile.totals.counters.instructions = 5'146'160;
  profile.totals.counters.cycles = 29'845'249;
  profile.totals.time_ps = 29'845'249'000;
  profile.machine.clock_period_ps = 1000;
  EXPECT_EQ(TotalsText(profile),
            "5,146,160 instructions, 29,845,249 cycles (29.845 ms at 1.000 GHz), 5.799 cycles per "
            "instruction");
  profile.totals.counters.instructions = 0;
  EXPECT_EQ(TotalsText(profile), "0 instructions, 29,845,249 cycles (29.845 ms at 1.000 GHz)");
}

TEST(SummaryTest, CoverageNamesTheClassesThatTookCycles) {
  Profile profile = test::SerialProfile();
  EXPECT_EQ(CoverageText(profile), "100.0 % of cycles derived");
  profile.totals.counters.cycles = 200;
  profile.model.coverage->classes = {{1, 84}, {1, 16}, {0, 0}, {1, 100}, {0, 0}};
  EXPECT_EQ(CoverageText(profile), "42.0 % of cycles measured, 8.0 % derived, 50.0 % assumed");
  profile.model.coverage->classes = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 200}};
  EXPECT_EQ(CoverageText(profile), "100.0 % of cycles unsupported");
  profile.model.coverage->classes = {{}, {}, {}, {}, {}};
  EXPECT_EQ(CoverageText(profile), "no cycles to cover");
  profile.model.coverage.reset();
  EXPECT_EQ(CoverageText(profile), "coverage of cycles: not stated by the timing model");
}

TEST(SummaryTest, NotesSayWhereStagesComeFrom) {
  Profile profile = test::SerialProfile();
  EXPECT_THAT(Notes(profile), IsEmpty());
  profile.program.attribution = "none";
  EXPECT_THAT(Notes(profile),
              ElementsAre("the program has no stage markers, so everything is in 'unattributed'; "
                          "write '; @stage=<name>' lines or run 'moescope annotate'"));
  profile.program.attribution = "annotated";
  EXPECT_THAT(Notes(profile), ElementsAre("stages come from prose comments, not from markers"));
  profile.program.attribution = "markers";
  profile.program.unresolved_markers = {"expert_bais", "foo"};
  EXPECT_THAT(Notes(profile),
              ElementsAre("unknown stages, counted in 'unattributed': expert_bais, foo"));
}

TEST(SummaryTest, FactsNameToolProgramMachineAndRun) {
  Profile profile = test::SerialProfile();
  profile.labels = {{"branch", "main"}};
  const std::string program = profile.program.sha256.substr(0, 19);
  const std::string machine = profile.machine.sha256.substr(0, 19);
  EXPECT_THAT(
      Facts(profile),
      ElementsAre(Pair("tool", "moescope 0.1.0 (0123456789ab)"),
                  Pair("program", "7 words, " + program + ", stages from markers"),
                  Pair("machine", "plena-64, " + machine),
                  Pair("timing", "serial, profile dse, HBM fast, 1.000 GHz: serial, blocking"),
                  Pair("run", "complete (end)"), Pair("label branch", "main")));
  profile.tool.git.clear();
  EXPECT_EQ(Facts(profile)[0].second, "moescope 0.1.0");
}

TEST(SummaryTest, TopReasonIsTheFirstOfTheLargest) {
  CounterBlock counters;
  EXPECT_EQ(TopReason(counters), "-");
  counters.reasons.assign(emulator::kReasonCount, 0);
  EXPECT_EQ(TopReason(counters), "-");
  counters.reasons[static_cast<int>(emulator::Reason::kRawVram)] = 5;
  counters.reasons[static_cast<int>(emulator::Reason::kIssue)] = 5;
  EXPECT_EQ(TopReason(counters), "issue");
  counters.reasons[static_cast<int>(emulator::Reason::kRawVram)] = 6;
  EXPECT_EQ(TopReason(counters), "raw_vram");
}

TEST(SummaryTest, BytesAreThoseThatMoved) {
  CounterBlock counters;
  counters.read = {.logical_bytes = 1, .physical_bytes = 64};
  counters.write = {.logical_bytes = 2, .physical_bytes = 128};
  EXPECT_EQ(PhysicalBytes(counters), 192u);
}

TEST(SummaryTest, StageTableHasInclusiveCyclesOnlyWithRegions) {
  const Table rich = StageTable(test::RichProfile());
  EXPECT_EQ(rich.columns()[2].title, "with regions");
  EXPECT_EQ(rich.columns().size(), 8u);
  EXPECT_EQ(rich.rows().back()[0], "total");
  const Table serial = StageTable(test::SerialProfile());
  EXPECT_EQ(serial.columns().size(), 7u);
  EXPECT_EQ(serial.rows().size(), 4u);
  EXPECT_EQ(serial.rows()[0], (std::vector<std::string>{"accumulator_init", "194", "98.9 %", "194",
                                                        "0", "latency", "execute"}));
}

TEST(SummaryTest, StagesThatNeverRanHaveDashes) {
  const Table table = StageTable(test::RichProfile());
  for (const auto& row : table.rows()) {
    if (row[0] != "shared_expert") continue;
    EXPECT_EQ(row,
              (std::vector<std::string>{"shared_expert", "0", "0", "0.0 %", "0", "0", "-", "-"}));
  }
}

TEST(SummaryTest, EverythingUnmeasuredIsSaid) {
  const Profile profile = test::SerialProfile();
  const std::vector<std::string> texts = NotMeasuredTexts(profile);
  EXPECT_EQ(texts.size(), profile.not_measured.size());
  EXPECT_EQ(texts[0], "units: the timing model 'serial' does not measure busy units");
}

}  // namespace
}  // namespace moescope::profiler
