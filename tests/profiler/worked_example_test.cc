// The worked example of profile.md 5.7.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile_json.h"
#include "profiler/verify.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/golden.h"

namespace moescope::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

TEST(WorkedExampleTest, StagesSumUpAsInTheDocument) {
  const Profile profile = test::SerialProfile();
  ASSERT_THAT(profile.stages, ElementsAre(Field(&StageEntry::name, "accumulator_init"),
                                          Field(&StageEntry::name, "scatter_combine"),
                                          Field(&StageEntry::name, "unattributed")));
  EXPECT_EQ(profile.totals.counters.cycles, 196u);
  EXPECT_EQ(profile.totals.counters.instructions, 196u);
  EXPECT_EQ(profile.stages[0].counters.instructions, 194u);
  EXPECT_EQ(profile.stages[0].counters.cycles, 194u);
  EXPECT_EQ(profile.stages[0].cycle_share_ppm, 989'795u);
  EXPECT_EQ(profile.stages[0].static_instructions, 5u);
  EXPECT_EQ(profile.stages[0].calls, 1u);
  EXPECT_EQ(profile.stages[0].first_cycle, 1u);
  EXPECT_EQ(profile.stages[0].last_cycle, 195u);
  EXPECT_EQ(profile.stages[1].counters.cycles, 1u);
  EXPECT_EQ(profile.stages[1].cycle_share_ppm, 5'102u);
  EXPECT_EQ(profile.stages[2].counters.cycles, 1u);
  EXPECT_EQ(profile.stages[2].cycle_share_ppm, 5'102u);
}

TEST(WorkedExampleTest, PairAndRestAreTheTotal) {
  const Profile profile = test::SerialProfile();
  ASSERT_TRUE(profile.pairs.has_value());
  EXPECT_EQ(profile.pairs->detail, "stages");
  ASSERT_EQ(profile.pairs->rows.size(), 1u);
  EXPECT_EQ(profile.pairs->rows[0].pair, 0u);
  EXPECT_EQ(profile.pairs->rows[0].expert_source, "unknown");
  EXPECT_EQ(profile.pairs->rows[0].counters.cycles, 1u);
  EXPECT_EQ(profile.pairs->none.cycles, 195u);
  EXPECT_FALSE(profile.experts.has_value());
  EXPECT_FALSE(profile.routing.has_value());
  EXPECT_FALSE(profile.paths.has_value());
}

TEST(WorkedExampleTest, IsWrittenByteForByte) {
  const absl::StatusOr<std::string> text = WriteProfile(test::SerialProfile());
  ASSERT_TRUE(text.ok()) << text.status().message();
  moescope::test::ExpectGolden("profile_serial.json", *text);
}

TEST(WorkedExampleTest, RichProfileIsWrittenByteForByte) {
  const absl::StatusOr<std::string> text = WriteProfile(test::RichProfile());
  ASSERT_TRUE(text.ok()) << text.status().message();
  moescope::test::ExpectGolden("profile_rich.json", *text);
}

TEST(WorkedExampleTest, WrittenProfilesVerify) {
  for (const Profile& profile : {test::SerialProfile(), test::RichProfile()}) {
    const auto verification = VerifyProfile(ProfileText(profile));
    ASSERT_TRUE(verification.ok());
    EXPECT_THAT(verification->failures, IsEmpty());
  }
}

}  // namespace
}  // namespace moescope::profiler
