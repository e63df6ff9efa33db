#include "profiler/report/stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_join.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "stage;region;MNEMONIC 12".
std::vector<std::string> Lines(const absl::StatusOr<std::vector<Stack>>& stacks) {
  EXPECT_TRUE(stacks.ok()) << stacks.status();
  std::vector<std::string> lines;
  for (const Stack& stack : *stacks) {
    lines.push_back(absl::StrCat(absl::StrJoin(stack.frames, ";"), " ", stack.weight));
  }
  return lines;
}

TEST(StacksTest, CyclesPerStageAndMnemonic) {
  EXPECT_THAT(Lines(StacksOf(test::SerialProfile(), "cycles", nullptr)),
              ElementsAre("accumulator_init;S_ST_FP 64", "accumulator_init;S_ADDI_INT 65",
                          "accumulator_init;C_LOOP_START 1", "accumulator_init;C_LOOP_END 64",
                          "scatter_combine;V_ADD_VV 1", "unattributed;S_ADDI_INT 1"));
}

TEST(StacksTest, InstructionsAreCountedLikewise) {
  const auto stacks = StacksOf(test::RichProfile(), "instructions", nullptr);
  const std::vector<std::string> lines = Lines(stacks);
  EXPECT_THAT(lines, ::testing::Contains("expert_projection;ksplit_add;V_ADD_VV 1"));
  EXPECT_THAT(lines, ::testing::Contains("expert_projection;M_MM 2"));
}

TEST(StacksTest, BytesArePerPair) {
  EXPECT_THAT(
      Lines(StacksOf(test::RichProfile(), "bytes", nullptr)),
      ElementsAre("gather;pair 0 640", "expert_weight_prefetch;pair 0 8192", "unattributed 512"));
}

TEST(StacksTest, BytesWithoutPairsStayWithTheStage) {
  Profile profile = test::RichProfile();
  profile.pairs.reset();
  EXPECT_THAT(Lines(StacksOf(profile, "bytes", nullptr)),
              ElementsAre("gather 640", "expert_weight_prefetch 8192", "unattributed 512"));
}

TEST(StacksTest, TheTableGivesEveryLevel) {
  const test::RecordedRun run = test::RichRun();
  const PcTable table = MakePcTable(run.recorder->recording(), isa::InstructionSet::Builtin());
  EXPECT_THAT(
      Lines(StacksOf(run.profile(), "bytes", &table)),
      ElementsAre("gather;pair 0;H_PREFETCH_V 640",
                  "expert_weight_prefetch;pair 0;H_PREFETCH_M 8192", "unattributed;H_STORE_V 512"));
}

TEST(StacksTest, NothingWithoutWeightIsShown) {
  const isa::Program program = test::ProgramBuilder().Stage("gather").Emit("V_ADD_VV").Build();
  Recorder recorder;
  test::RunSerially(program, {}, recorder);
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  for (const char* weight : {"cycles", "instructions", "bytes"}) {
    EXPECT_THAT(*StacksOf(profile, weight, nullptr), IsEmpty()) << weight;
  }
}

TEST(StacksTest, RandomRunsSumUp) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    test::RandomRun run(seed, seed % 2 == 0);
    Recorder recorder;
    run.Play(seed, std::nullopt, recorder);
    const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
    const PcTable table = MakePcTable(recorder.recording(), isa::InstructionSet::Builtin());
    for (const PcTable* source : {static_cast<const PcTable*>(nullptr), &table}) {
      std::uint64_t cycles = 0;
      const auto stacks = StacksOf(profile, "cycles", source);
      ASSERT_TRUE(stacks.ok()) << stacks.status();
      for (const Stack& stack : *stacks) cycles += stack.weight;
      EXPECT_EQ(cycles, profile.totals.counters.cycles) << seed;
      std::uint64_t bytes = 0;
      const auto byte_stacks = StacksOf(profile, "bytes", source);
      ASSERT_TRUE(byte_stacks.ok());
      for (const Stack& stack : *byte_stacks) bytes += stack.weight;
      EXPECT_EQ(bytes, profile.totals.counters.read.physical_bytes +
                           profile.totals.counters.write.physical_bytes)
          << seed;
    }
  }
}

}  // namespace
}  // namespace moescope::profiler
