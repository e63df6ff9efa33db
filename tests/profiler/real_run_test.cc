// Assembler, emulator and profiler together, on a small program of our own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "asm/assembler.h"
#include "emulator/run.h"
#include "profiler/log/commit_log.h"
#include "profiler/log/log_diff.h"
#include "profiler/profile_json.h"
#include "profiler/report/report.h"
#include "profiler/trace/trace.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/golden.h"

namespace moescope::profiler {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two rows are fetched, added into a third in a loop, and stored; one integer and one FP memory
// word are written.
constexpr char kProgram[] = R"(; @stage=gather pair=0
S_ADDI_INT gp1, gp0, 0
S_ADDI_INT gp2, gp0, 64
H_PREFETCH_V gp1, gp0, a0, 0, 0
; @stage=scatter_combine pair=0
C_LOOP_START gp3, 3
V_ADD_VV gp2, gp2, gp1, 0
C_LOOP_END gp3
; @stage=accumulator_init
S_ST_INT gp2, gp0, 5
S_ST_FP f0, gp0, 6
; @stage_end
H_STORE_V gp2, gp0, a0, 0, 0
)";

struct Ran {
  emulator::RunEnd end;
  std::string log;
  std::string trace;
  Profile profile;
};

Ran Execute(const std::string& text, emulator::RunOptions options = {}) {
  const auto assembly = assembler::Assemble(text, "small.asm");
  EXPECT_TRUE(assembly.ok()) << assembly.status();
  emulator::MachineDescription machine;
  machine.memory.hbm_bytes = 1 << 20;
  machine.hbm.model = emulator::HbmModelKind::kFast;
  emulator::MachineState state(machine);
  Ran ran;
  Recorder recorder;
  CommitLog log(
      [&](std::string_view bytes) {
        ran.log += bytes;
        return absl::OkStatus();
      },
      {});
  Trace trace({});
  emulator::Listener* listeners[] = {&recorder, &log, &trace};
  ran.end = emulator::Run(assembly->program, machine, state, listeners, options);
  ran.profile = MakeProfile(recorder.recording(), test::FixedOptions());
  const absl::Status written = trace.Write([&](std::string_view bytes) {
    ran.trace += bytes;
    return absl::OkStatus();
  });
  EXPECT_TRUE(written.ok());
  return ran;
}

TEST(RealRunTest, ProfileVerifiesAndCountsTheProgram) {
  const Ran ran = Execute(kProgram);
  ASSERT_EQ(ran.end.reason, emulator::EndReason::kEnd);
  const absl::StatusOr<std::string> text = WriteProfile(ran.profile);
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_EQ(FindStage(ran.profile, "gather")->counters.instructions, 3u);
  EXPECT_EQ(FindStage(ran.profile, "scatter_combine")->counters.instructions, 7u);
  EXPECT_EQ(FindStage(ran.profile, "accumulator_init")->counters.instructions, 2u);
  EXPECT_EQ(FindStage(ran.profile, "unattributed")->counters.instructions, 1u);
  EXPECT_GT(FindStage(ran.profile, "gather")->counters.read.logical_bytes, 0u);
  EXPECT_GT(FindStage(ran.profile, "unattributed")->counters.write.logical_bytes, 0u);
}

TEST(RealRunTest, EveryReportCanBeMade) {
  const Ran ran = Execute(kProgram);
  for (const std::string_view format : kReportFormats) {
    if (format == "annotated") continue;
    ReportOptions options;
    options.format = format;
    EXPECT_TRUE(Report(ran.profile, options).ok()) << format;
  }
}

// Without the hashes of the header and the cycles, which are the machine's.
std::string WithoutMachine(const std::string& log) {
  std::string text;
  for (const auto line : absl::StrSplit(log, '\n', absl::SkipEmpty())) {
    if (absl::StartsWith(line, "#")) continue;
    std::vector<std::string> columns = absl::StrSplit(line, ' ');
    columns[1] = "-";
    absl::StrAppend(&text, absl::StrJoin(columns, " "), "\n");
  }
  return text;
}

TEST(RealRunTest, CommitLogGolden) {
  moescope::test::ExpectGolden("commit_log_real.txt", WithoutMachine(Execute(kProgram).log));
}

TEST(RealRunTest, LogsOfTwoRunsAreEqualAndASeededChangeIsFound) {
  const std::string a = Execute(kProgram).log;
  const std::string b = Execute(kProgram).log;
  EXPECT_EQ(a, b);
  std::string changed(kProgram);
  changed.replace(changed.find("gp2, gp0, 64"), 12, "gp2, gp0, 68");
  changed.replace(changed.find("S_ST_INT gp2"), 12, "S_ST_INT gp1");
  const auto source = [](const std::string& text) -> ByteSource {
    return [&text, at = std::size_t{0}](char* buffer,
                                        std::size_t size) mutable -> absl::StatusOr<std::size_t> {
      const std::size_t count = text.copy(buffer, size, at);
      at += count;
      return count;
    };
  };
  const std::string c = Execute(changed).log;
  LogDiffOptions options;
  options.ignore = {"word", "text"};
  const auto diff = DiffLogs(source(a), source(c), options);
  ASSERT_TRUE(diff.ok()) << diff.status();
  ASSERT_TRUE(diff->difference.has_value());
  EXPECT_EQ(diff->lines, 1u);
  EXPECT_THAT(diff->difference->only_in_a, ::testing::ElementsAre("gp2=0x40"));
  EXPECT_THAT(diff->difference->only_in_b, ::testing::ElementsAre("gp2=0x44"));
}

TEST(RealRunTest, FaultsAndLimitsGiveProfilesThatVerify) {
  std::string faulting(kProgram);
  faulting.replace(faulting.find("gp2, gp0, 64"), 12, "gp2, gp0, 63");
  const Ran faulted = Execute(faulting);
  ASSERT_EQ(faulted.end.reason, emulator::EndReason::kFault);
  absl::StatusOr<std::string> text = WriteProfile(faulted.profile);
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_THAT(*text, HasSubstr("\"reason\": \"fault\""));
  EXPECT_FALSE(faulted.profile.complete);

  for (std::uint64_t limit = 0; limit < 14; ++limit) {
    emulator::RunOptions options;
    options.limits.max_instructions = limit;
    text = WriteProfile(Execute(kProgram, options).profile);
    EXPECT_TRUE(text.ok()) << limit << ": " << text.status().message();
    options.limits.max_instructions.reset();
    options.limits.max_cycles = 10 * limit;
    text = WriteProfile(Execute(kProgram, options).profile);
    EXPECT_TRUE(text.ok()) << limit << ": " << text.status().message();
  }
}

TEST(RealRunTest, TheTraceShowsEveryStage) {
  const Ran ran = Execute(kProgram);
  for (const char* stage : {"gather", "scatter_combine", "accumulator_init", "unattributed"}) {
    EXPECT_THAT(ran.trace, HasSubstr("{\"name\":\"" + std::string(stage) + "\",\"cat\":\"stage\""));
  }
  EXPECT_THAT(ran.trace, HasSubstr("\"cat\":\"dma\""));
}

}  // namespace
}  // namespace moescope::profiler
