// R08: counts that contradict each other in the configuration are refused before the run, never by
// a signal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "emulator/machine_keys.h"
#include "nlohmann/json.hpp"
#include "tests/cli/command_call.h"

namespace moescope::cli {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

// Something of everything: loops, scalar and vector arithmetic, memory, and both prefetches.
constexpr char kProgram[] =
    "; @stage=accumulator_init\n"
    "C_LOOP_START gp1, 4\nS_ADDI_INT gp2, gp2, 1\nS_ST_INT gp2, gp0, 3\nC_LOOP_END gp1\n"
    "V_ADD_VV gp0, gp0, gp0, 0\nV_RED_SUM f1, gp0, 0\nS_ST_FP f1, gp0, 0\nS_MAP_V_FP gp0, gp0, 0\n";

class R08_Contradictions : public ::testing::Test {
 protected:
  R08_Contradictions() : program_(folder_.Write("p.asm", kProgram)) {}

  test::Outcome Run(const Words& sets) const {
    Words words = {"run", "--opcode=" + program_, "-q", "--max-instructions=1000"};
    for (const std::string& set : sets) words.push_back("--set=" + set);
    return test::CallMoescope(words);
  }

  moescope::test::ScratchFolder folder_;
  std::string program_;
};

struct Contradiction {
  Words sets;
  const char* message;
};

TEST_F(R08_Contradictions, AreRefusedWithBothSidesNamed) {
  const Contradiction kContradictions[] = {
      {{"BLEN=3"}, "BLEN.value = 3: must divide MLEN, which is 64 [CF015]"},
      {{"BLEN=128"}, "BLEN.value = 128: must divide MLEN, which is 64 [CF015]"},
      {{"VLEN=32"}, "VLEN.value = 32: must equal MLEN, which is 64 [CF015]"},
      {{"MLEN=32"}, "VLEN.value = 64: must equal MLEN, which is 32 [CF015]"},
      {{"HLEN=24"}, "HLEN.value = 24: must divide VLEN, which is 64 [CF015]"},
      {{"MATRIX_SRAM_SIZE=63"}, "MATRIX_SRAM_SIZE.value = 63: must be at least 64 [CF012]"},
      {{"MATRIX_SRAM_SIZE=67108865"},
       "MATRIX_SRAM_SIZE.value = 67108865: must be at most 67108864 [CF013]"},
      {{"VECTOR_SRAM_SIZE=67108865"},
       "VECTOR_SRAM_SIZE.value = 67108865: must be at most 67108864 [CF013]"},
      {{"HBM_SIZE=100"}, "HBM_SIZE.value = 100: must be a multiple of 64 [CF014]"},
      {{"hbm.channels=3"},
       "MOESCOPE.hbm.channels = 3: must be a power of two from 1 to 64 [CF014]"},
      {{"hbm.channels=0"},
       "MOESCOPE.hbm.channels = 0: must be a power of two from 1 to 64 [CF014]"},
      {{"hbm.channels=128"},
       "MOESCOPE.hbm.channels = 128: must be a power of two from 1 to 64 [CF014]"},
      {{"BROADCAST_AMOUNT=0"}, "BROADCAST_AMOUNT.value = 0: must be at least 1 [CF012]"},
      {{"MLEN=8192", "VLEN=8192", "MATRIX_SRAM_SIZE=8192"},
       "BROADCAST_AMOUNT.value = 4: times MLEN * MLEN accumulator elements is 268435456"},
      {{"HBM_M_Prefetch_Amount=0"}, "HBM_M_Prefetch_Amount.value = 0: must be at least 1 [CF012]"},
      {{"timing.pipelined.max_lines=0"},
       "MOESCOPE.timing.pipelined.max_lines = 0: must be at least 1 [CF012]"},
      {{"convention=reference", "scale_rule=ceil"},
       "cannot be set under convention = \"reference\", which has its own rule [CF018]"},
      {{"MATRIX_SRAM_TYPE=Mx E4M3 block 7"}, "[CF016]"},
      {{"HBM_M_WEIGHT_TYPE=Mx E4M3 block 128"}, "[CF016]"},
  };
  for (const Contradiction& contradiction : kContradictions) {
    const test::Outcome outcome = Run(contradiction.sets);
    if (contradiction.sets.size() == 3) {
      // 4 * 8192^2 is exactly the most that is allowed.
      EXPECT_THAT(outcome.code, AnyOf(ExitCode::kSuccess, ExitCode::kInput));
      continue;
    }
    EXPECT_EQ(outcome.code, ExitCode::kInput) << contradiction.message;
    EXPECT_THAT(outcome.err, HasSubstr(contradiction.message));
    EXPECT_THAT(outcome.err, Not(HasSubstr("ran ")));
  }
}

// The boundary of each range: the last allowed value runs, the next is refused.
TEST_F(R08_Contradictions, BoundariesAreExact) {
  const std::pair<const char*, const char*> kBoundaries[] = {
      {"BLEN=1", "BLEN=0"},
      {"BLEN=64", "BLEN=65"},
      {"hbm.channels=64", "hbm.channels=65"},
      {"hbm.channels=1", "hbm.channels=0"},
      {"int_sram_words=16777216", "int_sram_words=16777217"},
      {"int_sram_words=4", "int_sram_words=0"},
      {"clock.core_ps=1", "clock.core_ps=0"},
      {"clock.core_ps=1000000000", "clock.core_ps=1000000001"},
      {"MATRIX_SRAM_SIZE=64", "MATRIX_SRAM_SIZE=63"},
      {"HBM_SIZE=64", "HBM_SIZE=63"},
      {"timing.serial.wo_cycles=1000000", "timing.serial.wo_cycles=1000001"},
  };
  for (const auto& [allowed, refused] : kBoundaries) {
    EXPECT_EQ(Run({allowed}).code, ExitCode::kSuccess) << allowed << Run({allowed}).err;
    EXPECT_EQ(Run({refused}).code, ExitCode::kInput) << refused;
  }
}

// Random values for random keys: the run works, faults, or is refused with the key named.
TEST_F(R08_Contradictions, RandomConfigurationsNeverCrash) {
  const std::vector<emulator::MachineKey>& keys = emulator::MachineKeys();
  constexpr const char* kValues[] = {
      "0",   "1",   "2",    "3",   "7",   "8",    "16",    "63",         "64",
      "65",  "128", "1000", "-1",  "1.5", "true", "false", "4294967296", "18446744073709551616",
      "x y", "",    "1K",   "0x40"};
  std::mt19937 random(17);
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    Words sets;
    std::string named;
    for (auto i = 1 + random() % 3; i > 0; --i) {
      const emulator::MachineKey& key = keys[random() % keys.size()];
      // Sizes of memories are left small, so that the test is fast.
      if (key.path.find("SRAM_SIZE") != std::string::npos) continue;
      sets.push_back(absl::StrCat(key.path, "=", kValues[random() % std::size(kValues)]));
    }
    const test::Outcome outcome = Run(sets);
    EXPECT_THAT(outcome.code,
                AnyOf(ExitCode::kSuccess, ExitCode::kInput, ExitCode::kFault, ExitCode::kLimit))
        << ::testing::PrintToString(sets) << outcome.err;
    if (outcome.code != ExitCode::kInput) continue;
    ++refused;
    EXPECT_THAT(outcome.err, ::testing::ContainsRegex("\\[CF[0-9]+\\]"))
        << ::testing::PrintToString(sets);
  }
  EXPECT_GT(refused, 50);
}

// A program that states its shape must agree with the machine.
TEST_F(R08_Contradictions, AProgramForAnotherShapeIsRefused) {
  const std::string layer = folder_.Path("layer");
  ASSERT_EQ(test::CallMoescope({"moe", "gen", "--tokens=1", "--hidden=64", "--inter=64",
                                "--experts=8", "--top-k=2", "-q", "-o", layer})
                .code,
            ExitCode::kSuccess);
  EXPECT_EQ(test::CallMoescope({"run", layer + "/run.json", "-q"}).code, ExitCode::kSuccess);
  const test::Outcome outcome =
      test::CallMoescope({"run", layer + "/run.json", "-q", "--set=MLEN=32"});
  EXPECT_EQ(outcome.code, ExitCode::kInput);
  EXPECT_THAT(outcome.err, HasSubstr("must equal MLEN, which is 32 [CF015]"));
}

}  // namespace
}  // namespace moescope::cli
