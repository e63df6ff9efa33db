// R10: a stalled simulation ends with who waits for what, since when, not with a silent loop. Every
// shipped timing model computes when an instruction is done instead of polling for it, so none can
// wait for ever; what can stall is a program, which ends by a fault or a limit that names its loop,
// and waiting itself, which the profile attributes to the instruction that is waited for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/session/fault_text.h"
#include "profiler/profile_json.h"
#include "profiler/verify.h"
#include "tests/cli/command_call.h"

namespace moescope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

constexpr const char* kModels[] = {"serial", "pipelined", "rtl"};

// Two loops of which the inner one does not get anywhere for a very long time.
constexpr char kStalled[] =
    "; @stage=router_topk\nC_LOOP_START gp1, 4000000\nC_LOOP_START gp2, 4000000\n"
    "S_ADDI_INT gp3, gp3, 1\nC_LOOP_END gp2\nC_LOOP_END gp1\n";

TEST(R10_Stalls, ALoopWithoutEndIsNamedBySource) {
  const moescope::test::ScratchFolder folder;
  const std::string program = folder.Write("s.asm", kStalled);
  for (const char* model : kModels) {
    const test::Outcome outcome =
        test::CallMoescope({"run", "--opcode=" + program, std::string("--timing=") + model, "-q",
                            "--max-instructions=100000"});
    EXPECT_EQ(outcome.code, ExitCode::kLimit) << model;
    EXPECT_THAT(outcome.err, HasSubstr("s.asm:4:1: error: the limit of 100000 instructions was "
                                       "reached [LM002]"))
        << model;
    EXPECT_THAT(outcome.err, ::testing::ContainsRegex("note: after 100000 instructions and [0-9]+ "
                                                      "cycles, before pc 2 in router_topk"));
  }
}

// Instructions since the last jump back of an open loop: a straight line can be too long as well.
TEST(R10_Stalls, TheGuardOfTheMachineNamesTheLoop) {
  const moescope::test::ScratchFolder folder;
  std::string text = "; @stage=gather\nC_LOOP_START gp1, 2\n";
  for (int i = 0; i < 50; ++i) text += "S_ADDI_INT gp3, gp3, 1\n";
  const std::string program = folder.Write("g.asm", text + "C_LOOP_END gp1\n");
  for (const char* model : kModels) {
    const Words words = {"run", "--opcode=" + program, std::string("--timing=") + model, "-q"};
    Words guarded = words;
    guarded.push_back("--set=MAX_LOOP_INSTRUCTIONS=40");
    const test::Outcome outcome = test::CallMoescope(guarded);
    EXPECT_EQ(outcome.code, ExitCode::kFault) << model;
    EXPECT_THAT(outcome.err, HasSubstr("MAX_LOOP_INSTRUCTIONS is 40"));
    EXPECT_THAT(outcome.err, HasSubstr("in gather\n"));
    EXPECT_THAT(outcome.err, HasSubstr("note: inside the loop on gp1 that starts at pc 0\n"));
    EXPECT_EQ(test::CallMoescope(words).code, ExitCode::kSuccess);
  }
}

// Who waits for whom, and for how long, is in the profile: the waiting stage names the producer's.
TEST(R10_Stalls, WaitingIsAttributedToWhatIsWaitedFor) {
  const moescope::test::ScratchFolder folder;
  const std::string profile_path =
      test::WriteProfile(folder, "w.json", {"--timing=pipelined"},
                         "; @stage=expert_weight_prefetch\nV_ADD_VV gp0, gp0, gp0, 0\n"
                         "; @stage=expert_activation\nV_EXP_V gp0, gp0, 0\n"
                         "; @stage=scatter_combine\nV_ADD_VV gp0, gp0, gp0, 0\nV_RED_SUM f1, gp0, "
                         "0\nS_ADD_FP f2, f1, f1\n");
  const std::string text = folder.Read("w.json");
  const auto profile = profiler::ReadProfile(text);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_THAT(profiler::VerifyProfile(text)->failures, IsEmpty());
  const profiler::StageEntry* combine = profiler::FindStage(*profile, "scatter_combine");
  ASSERT_NE(combine, nullptr);
  std::uint64_t waited_for_activation = 0;
  ASSERT_TRUE(combine->waits_on.has_value());
  for (const profiler::NamedCount& wait : *combine->waits_on) {
    if (wait.name == "expert_activation") waited_for_activation = wait.count;
  }
  EXPECT_GT(waited_for_activation, 0u);
}

// The end that no shipped model produces is still an error with a name, a place and exit code 4.
TEST(R10_Stalls, ADeadlockIsAnErrorWithAPlace) {
  emulator::RunEnd end;
  end.reason = emulator::EndReason::kDeadlock;
  end.instructions = 7;
  end.cycles = 40;
  end.pc = 1;
  isa::Program program = isa::ProgramFromWords({0, 0});
  program.files = {"d.asm"};
  program.positions = {{.file = 0, .line = 3, .column = 1}, {.file = 0, .line = 4, .column = 1}};
  const std::optional<Diagnostic> diagnostic = session::EndDiagnostic(end, program);
  ASSERT_TRUE(diagnostic.has_value());
  EXPECT_EQ(RenderText(*diagnostic),
            "d.asm:4:1: error: the program is deadlocked: nothing is pending and it has not ended "
            "[FT901]\nnote: after 7 instructions and 40 cycles, before pc 1 in unattributed\n");
  EXPECT_EQ(test::CallMoescope({"explain", "FT901"}).code, ExitCode::kSuccess);
}

}  // namespace
}  // namespace moescope::cli
