// R06: two runs give the same JSON, byte for byte. Builds by two compilers are compared through the
// golden profiles: each build must reproduce the bytes that are checked in.

#include <gtest/gtest.h>

#include "profiler/profile_json.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/golden.h"

namespace moescope::profiler {
namespace {

TEST(R06_SameBytes, RunsRepeatByteForByte) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    std::string texts[2];
    for (std::string& text : texts) {
      test::RandomRun run(seed, true);
      Recorder recorder;
      run.Play(seed, std::nullopt, recorder);
      text = ProfileText(MakeProfile(recorder.recording(), test::FixedOptions()));
    }
    EXPECT_EQ(texts[0], texts[1]) << "seed " << seed;
  }
}

TEST(R06_SameBytes, ARecorderThatWasUsedBeforeGivesTheSame) {
  test::RandomRun run(1, true);
  test::RandomRun other(2, true);
  Recorder fresh;
  run.Play(1, std::nullopt, fresh);
  Recorder used;
  other.Play(2, std::nullopt, used);
  run.Play(1, std::nullopt, used);
  EXPECT_EQ(ProfileText(MakeProfile(fresh.recording(), test::FixedOptions())),
            ProfileText(MakeProfile(used.recording(), test::FixedOptions())));
}

TEST(R06_SameBytes, HostFiguresStayOutOfTheHash) {
  Profile profile = test::SerialProfile();
  const std::string without = *WriteProfile(profile);
  profile.host = Host{.wall_ms = 17, .instructions_per_s = 3, .cycles_per_s = 4, .threads = 1};
  const std::string with = *WriteProfile(profile);
  EXPECT_EQ(ReadProfile(with)->profile_sha256, ReadProfile(without)->profile_sha256);
}

TEST(R06_SameBytes, EveryBuildReproducesTheGoldenProfiles) {
  moescope::test::ExpectGolden("profile_serial.json", *WriteProfile(test::SerialProfile()));
  moescope::test::ExpectGolden("profile_rich.json", *WriteProfile(test::RichProfile()));
}

}  // namespace
}  // namespace moescope::profiler
