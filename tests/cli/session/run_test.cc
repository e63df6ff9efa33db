#include "cli/session/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <string>

#include "cli/session/machine.h"
#include "cli/session/plena_compat.h"
#include "profiler/profile_json.h"
#include "profiler/verify.h"
#include "tests/support/captured_console.h"
#include "tests/support/scratch_folder.h"

namespace moescope::session {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

// The worked example of profile.md 5.7.
constexpr char kWorked[] =
    "S_ADDI_INT gp1, gp0, 0\n"
    "; @stage=accumulator_init\n"
    "S_ADDI_INT gp2, gp0, 0\n"
    "C_LOOP_START gp3, 64\n"
    "S_ST_FP f0, gp2, 0\n"
    "S_ADDI_INT gp2, gp2, 1\n"
    "C_LOOP_END gp3\n"
    "; @stage=scatter_combine pair=0\n"
    "V_ADD_VV gp1, gp1, gp1, 0\n";

// Long enough that a clock that is looked at every few thousand instructions is looked at.
constexpr char kLong[] =
    "C_LOOP_START gp1, 4000\nC_LOOP_START gp2, 4000\nS_ADDI_INT gp3, gp3, 1\n"
    "C_LOOP_END gp2\nC_LOOP_END gp1\n";

class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    request_.program.file = folder_.Write("p.asm", kWorked);
    request_.outputs.dump_dir = folder_.path();
    request_.machine.timing = "serial";
    context_.console = &captured_.console;
    context_.log = &log_;
    context_.tool = {"moescope", "1.2.3", "abc"};
  }

  RunOutcome Run() {
    auto outcome = ExecuteRun(request_, context_);
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    return outcome.ok() ? *std::move(outcome) : RunOutcome{};
  }
  std::string Error() {
    const auto outcome = ExecuteRun(request_, context_);
    return outcome.ok() ? "" : std::string(outcome.status().message());
  }

  test::ScratchFolder folder_;
  test::CapturedConsole captured_;
  Log log_ = Log::None();
  RunRequest request_;
  RunContext context_;
};

TEST_F(RunTest, PrintsTheStageTableAndTheSummary) {
  const RunOutcome outcome = Run();
  EXPECT_EQ(outcome.code, ExitCode::kSuccess);
  EXPECT_EQ(outcome.end.cycles, 196u);
  EXPECT_EQ(outcome.profile.totals.counters.cycles, 196u);
  EXPECT_THAT(captured_.out, HasSubstr("accumulator_init"));
  EXPECT_THAT(
      captured_.err,
      MatchesRegex("ran 196 instructions, 196 cycles \\(0.000196 ms at 1 GHz\\), serial, in "
                   "[0-9.]+ s: [0-9.]+ M instr/s\n"));
}

TEST_F(RunTest, AProfileReplacesTheTableAndIsValid) {
  request_.outputs.profile = folder_.Path("p.json");
  request_.labels = {{"build", "42"}};
  Run();
  EXPECT_EQ(captured_.out, "");
  const std::string text = folder_.Read("p.json");
  EXPECT_THAT(profiler::VerifyProfile(text)->failures, IsEmpty());
  const auto profile = profiler::ReadProfile(text);
  EXPECT_EQ(profile->tool.version, "1.2.3");
  EXPECT_EQ(profile->tool.git, "abc");
  EXPECT_EQ(profile->labels.front().second, "42");
  EXPECT_FALSE(profile->host.has_value());
  EXPECT_EQ(profiler::FindStage(*profile, "accumulator_init")->counters.cycles, 194u);
}

TEST_F(RunTest, TwoRunsGiveTheSameBytes) {
  request_.outputs.profile = folder_.Path("a.json");
  Run();
  request_.outputs.profile = folder_.Path("b.json");
  request_.outputs.dumps = {{Memory::kRegisters, std::nullopt}};
  Run();
  EXPECT_EQ(folder_.Read("a.json"), folder_.Read("b.json"));
}

TEST_F(RunTest, TheLogChangesNoOutput) {
  request_.outputs.profile = folder_.Path("a.json");
  Run();
  const Log trace = Log::ToConsole("trace", false, captured_.console);
  context_.log = &trace;
  request_.outputs.profile = folder_.Path("b.json");
  captured_.err.clear();
  Run();
  EXPECT_EQ(folder_.Read("a.json"), folder_.Read("b.json"));
  EXPECT_THAT(captured_.err, HasSubstr("info: program "));
  EXPECT_THAT(captured_.err, HasSubstr("  TRANSACTIONAL.CONFIG.MLEN = 64\n"));
  EXPECT_THAT(captured_.err, HasSubstr("trace: 0 cycle 0 pc 0 S_ADDI_INT gp1, gp0, 0\n"));
  EXPECT_THAT(captured_.err, HasSubstr("info: end: end, 196 instructions, 196 cycles\n"));
}

TEST_F(RunTest, HostStatsAreOnlyThereOnRequest) {
  request_.outputs.host_stats = true;
  EXPECT_TRUE(Run().profile.host.has_value());
}

TEST_F(RunTest, AFaultIsReportedAndThePartialOutputsAreWritten) {
  request_.program.file =
      folder_.Write("f.asm",
                    "; @stage=gather pair=3\nS_ADDI_INT gp1, gp0, 7\nC_LOOP_START gp2, 2\n"
                    "V_ADD_VV gp1, gp1, gp1, 0\nC_LOOP_END gp2\n");
  request_.outputs.profile = folder_.Path("f.json");
  request_.outputs.dumps = {{Memory::kRegisters, std::nullopt}};
  const RunOutcome outcome = Run();
  EXPECT_EQ(outcome.code, ExitCode::kFault);
  EXPECT_THAT(captured_.err,
              StartsWith(folder_.Path("f.asm") + ":4:1: error: the program faulted: "));
  EXPECT_THAT(captured_.err, HasSubstr("[FT3"));
  EXPECT_THAT(
      captured_.err,
      HasSubstr("note: alignment at pc 2 (0x0000444D, V_ADD_VV gp1, gp1, gp1, 0), cycle 2, in "
                "gather pair 3\n"));
  EXPECT_THAT(captured_.err, HasSubstr("note: operands: gp1 = "));
  EXPECT_THAT(captured_.err, HasSubstr("note: inside the loop on gp2 that starts at pc 1\n"));
  const auto profile = profiler::ReadProfile(folder_.Read("f.json"));
  EXPECT_FALSE(profile->complete);
  EXPECT_EQ(profile->end.reason, "fault");
  EXPECT_THAT(profiler::VerifyProfile(folder_.Read("f.json"))->failures, IsEmpty());
  EXPECT_THAT(folder_.Read("registers.json"), HasSubstr("\"pc\": 2"));
}

struct Limit {
  const char* id;
  const char* reason;
  ExitCode code;
  void (*set)(RunRequest&);
};

TEST_F(RunTest, LimitsEndTheRun) {
  const Limit kLimits[] = {
      {"LM001", "max_cycles", ExitCode::kLimit, [](RunRequest& r) { r.limits.max_cycles = 10; }},
      {"LM002", "max_instructions", ExitCode::kLimit,
       [](RunRequest& r) { r.limits.max_instructions = 10; }},
      {"LM003", "timeout", ExitCode::kLimit, [](RunRequest& r) { r.limits.timeout_ms = 1; }},
  };
  // Long enough that a clock that is looked at every few thousand instructions is looked at.
  request_.program.file =
      folder_.Write("l.asm",
                    "C_LOOP_START gp1, 4000\nC_LOOP_START gp2, 4000\nS_ADDI_INT gp3, gp3, 1\n"
                    "C_LOOP_END gp2\nC_LOOP_END gp1\n");
  for (const Limit& limit : kLimits) {
    request_.limits = {};
    limit.set(request_);
    captured_.err.clear();
    const RunOutcome outcome = Run();
    EXPECT_EQ(outcome.code, limit.code) << limit.id;
    EXPECT_EQ(outcome.profile.end.reason, limit.reason);
    EXPECT_FALSE(outcome.profile.complete);
    EXPECT_THAT(captured_.err, HasSubstr(limit.id));
  }
}

TEST_F(RunTest, AnInterruptEndsTheRun) {
  request_.program.file = folder_.Write("l.asm", kLong);
  std::atomic<int> signal{SIGINT};
  context_.interrupt = &signal;
  EXPECT_EQ(Run().code, ExitCode::kInterrupted);
  EXPECT_THAT(captured_.err, HasSubstr("interrupted by signal 2 [LM004]"));
  signal = SIGTERM;
  EXPECT_EQ(Run().code, ExitCode::kTerminated);
}

TEST_F(RunTest, ExpectationsDecideTheExitCode) {
  request_.expect.end = "end";
  request_.expect.totals = {{"cycles", 196}, {"static_instructions", 7}};
  request_.expect.stages = {{"accumulator_init", {{"cycles", 194}, {"calls", 1}}}};
  request_.outputs.expect_report = folder_.Path("r.json");
  EXPECT_EQ(Run().code, ExitCode::kSuccess);
  EXPECT_THAT(captured_.err, HasSubstr("passed: stages.accumulator_init.cycles = 194\n"));
  EXPECT_THAT(folder_.Read("r.json"), HasSubstr("\"passed\": true"));

  request_.expect.totals.push_back({"instructions", 195});
  request_.expect.stages.push_back({"gather", {{"cycles", 1}}});
  request_.outputs.expect_report = folder_.Path("r.xml");
  captured_.console.set_quiet(1);
  captured_.err.clear();
  EXPECT_EQ(Run().code, ExitCode::kCheckFailed);
  EXPECT_EQ(captured_.err,
            "FAILED: instructions: expected 195, got 196\n"
            "FAILED: stages.gather.cycles: expected 1, but the program does not mark this stage\n");
  EXPECT_THAT(folder_.Read("r.xml"), HasSubstr("tests=\"7\" failures=\"2\""));
}

TEST_F(RunTest, AFaultComesBeforeAFailedExpectation) {
  request_.program.file = folder_.Write("f.asm", "C_LOOP_END gp1\n");
  request_.expect.end = "end";
  EXPECT_EQ(Run().code, ExitCode::kFault);
  EXPECT_THAT(captured_.err, HasSubstr("FAILED: end: expected end, got fault\n"));
}

TEST_F(RunTest, GatesFailTheRun) {
  request_.gates.max_unattributed_ppm = 5103;
  request_.gates.coverage = "derived";
  EXPECT_EQ(Run().code, ExitCode::kSuccess);
  request_.gates.max_unattributed_ppm = 5101;
  EXPECT_EQ(Run().code, ExitCode::kCheckFailed);
  EXPECT_THAT(captured_.err, HasSubstr("FAILED: 0.5102% of the instructions belong to no stage, at "
                                       "most 0.5101% are allowed\n"));
  request_.gates.max_unattributed_ppm = std::nullopt;
  request_.gates.coverage = "measured";
  captured_.err.clear();
  EXPECT_EQ(Run().code, ExitCode::kCheckFailed);
  EXPECT_THAT(captured_.err, HasSubstr("worse than measured\n"));
}

TEST_F(RunTest, AnOutputThatCannotBeWrittenDoesNotLoseTheOthers) {
  request_.outputs.profile = folder_.Path("missing/p.json");
  request_.outputs.pc_table = folder_.Path("pc.csv");
  EXPECT_EQ(Run().code, ExitCode::kInput);
  EXPECT_THAT(captured_.err, HasSubstr("missing/p.json"));
  EXPECT_TRUE(folder_.Has("pc.csv"));
}

TEST_F(RunTest, DumpFoldersAreMade) {
  request_.outputs.dump_dir = folder_.Path("new/folder");
  request_.outputs.dumps = {{Memory::kIntSram, std::nullopt}};
  EXPECT_EQ(Run().code, ExitCode::kSuccess);
  EXPECT_EQ(folder_.Read("new/folder/intsram_dump.bin").size(), 4096u);
}

TEST_F(RunTest, WhatCannotBeginIsAnError) {
  request_.program.file = "";
  EXPECT_EQ(Error(), "no program: name a manifest, or give one with --opcode");
  request_.program.file = folder_.Path("none.asm");
  EXPECT_THAT(Error(), StartsWith("cannot open "));
  request_.program.file = folder_.Write("bad.asm", "FOO\n");
  EXPECT_THAT(Error(), HasSubstr("[AS001]"));
  request_.program.file = folder_.Path("p.asm");
  request_.machine.set = {{"MLEM", "64"}};
  EXPECT_THAT(Error(), HasSubstr("MLEM"));
  request_.machine.set = {};
  request_.machine.timing = "fastest";
  EXPECT_THAT(Error(), HasSubstr("fastest"));
  request_.machine.timing = "serial";
  request_.images.intsram = {folder_.Write("i.bin", "123"), 0};
  EXPECT_THAT(Error(), HasSubstr("[IM003]"));
  request_.images.intsram = std::nullopt;
  request_.expect.memory = {{.file = folder_.Path("golden.f32")}};
  EXPECT_THAT(Error(), StartsWith("cannot open "));
  request_.expect.memory = {{.file = folder_.Write("g.f32", "123")}};
  EXPECT_THAT(Error(), HasSubstr("3 bytes are no whole number of elements of 4 bytes"));
}

TEST_F(RunTest, AProgramForAnotherShapeIsRefused) {
  isa::Program program;
  program.stated_shape.blen = 8;
  emulator::MachineDescription machine;
  EXPECT_EQ(CheckStatedShape(program, "p.moe", machine, "m.toml").message(),
            "p.moe: error: the program is compiled for BLEN = 8, the machine m.toml has 4 [CF510]");
  program.stated_shape.blen = 4;
  EXPECT_TRUE(CheckStatedShape(program, "p.moe", machine, "m.toml").ok());
}

TEST_F(RunTest, PlenaCompatibilityPrintsTheLinesOfHarnesses) {
  request_ = RunRequest{};
  request_.program.file = folder_.Write("w.mem", "0x00000062\n0x000000A2\n");
  request_.outputs.dump_dir = folder_.path();
  request_.stage_profile = {folder_.Path("p.asm"), folder_.Path("s.json"), 1};
  ApplyPlenaDefaults(request_);
  EXPECT_EQ(request_.machine.timing, "serial");
  EXPECT_TRUE(request_.machine.reference_dialect);
  EXPECT_EQ(request_.outputs.dumps.size(), 4u);
  EXPECT_THAT(Error(), HasSubstr("has 7 instructions, the program has 2 words"));

  request_.program.file = folder_.Path("p.asm");
  request_.outputs.dumps = {{Memory::kRegisters, std::nullopt}};
  EXPECT_EQ(Run().code, ExitCode::kSuccess);
  EXPECT_THAT(captured_.err, HasSubstr("topology mlen=64 vlen=64 hlen=16 blen=4"));
  EXPECT_THAT(captured_.err,
              HasSubstr("HBM Statistics - Bytes read: 0 | Bytes written: 0 | Utilization: 0.00e+00 "
                        "bytes/sec\nSimulation completed. Latency 196.000ns cycles 196\n"));
  EXPECT_THAT(folder_.Read("s.json"), HasSubstr("\"scatter_combine\""));
  EXPECT_THAT(captured_.err, Not(HasSubstr("annotate rules")));
}

TEST_F(RunTest, StagesOfAFileWithoutMarkersComeFromItsComments) {
  request_.stage_profile.assembly =
      folder_.Write("prose.asm", "; GPT-OSS gather token rows\nS_ADDI_INT gp1, gp0, 5\n");
  request_.program.file = folder_.Write("one.mem", "0x00018062\n");
  const RunOutcome outcome = Run();
  EXPECT_EQ(outcome.profile.program.attribution, "annotated");
  EXPECT_EQ(profiler::FindStage(outcome.profile, "gather")->counters.instructions, 1u);
  EXPECT_THAT(captured_.err,
              HasSubstr("has no stage markers; its comments were read by the annotate "
                        "rules\n"));
  EXPECT_THAT(captured_.err, HasSubstr("prose.asm: 1 of 1 words differ from the program's\n"));
}

TEST_F(RunTest, AnotherDialectIsSaid) {
  request_.machine.reference_dialect = true;
  Run();
  EXPECT_THAT(captured_.err, StartsWith("dialect: convention = reference, masked_reduction = "
                                        "reference, scale_read = single_block\n"));
}

}  // namespace
}  // namespace moescope::session
