// Any consistent stream of events gives a profile that verifies, wherever it is cut.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile_json.h"
#include "profiler/verify.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

std::string TextOf(test::RandomRun& run, std::uint32_t seed, std::optional<std::uint64_t> cut) {
  Recorder recorder;
  run.Play(seed, cut, recorder);
  const absl::StatusOr<std::string> text =
      WriteProfile(MakeProfile(recorder.recording(), test::FixedOptions()));
  EXPECT_TRUE(text.ok()) << "seed " << seed << ": " << text.status().message();
  return text.value_or("");
}

TEST(ProfilePropertyTest, RandomRunsVerify) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    test::RandomRun run(seed, seed % 3 != 0);
    TextOf(run, seed, std::nullopt);
    if (HasFailure()) return;
  }
}

TEST(ProfilePropertyTest, CutsAnywhereVerify) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    test::RandomRun run(seed, true);
    for (std::uint64_t cut = 0; cut < 25; ++cut) {
      TextOf(run, seed, cut);
      if (HasFailure()) return;
    }
  }
}

TEST(ProfilePropertyTest, EqualRunsGiveEqualBytes) {
  for (std::uint32_t seed = 100; seed < 110; ++seed) {
    test::RandomRun first(seed, true);
    test::RandomRun second(seed, true);
    EXPECT_EQ(TextOf(first, seed, std::nullopt), TextOf(second, seed, std::nullopt));
  }
}

TEST(ProfilePropertyTest, ReadingAndWritingAreInverse) {
  for (std::uint32_t seed = 200; seed < 230; ++seed) {
    test::RandomRun run(seed, seed % 2 == 0);
    const std::string text = TextOf(run, seed, std::nullopt);
    const absl::StatusOr<Profile> profile = ReadProfile(text);
    ASSERT_TRUE(profile.ok()) << profile.status().message();
    EXPECT_EQ(ProfileText(*profile), text);
  }
}

}  // namespace
}  // namespace moescope::profiler
