// R14: millions of events and a program without any marker: nothing dropped, everything in
// `unattributed`, and a note that says how to add markers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/profile_json.h"
#include "profiler/report/report.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

TEST(R14_UnmarkedProfile, NothingIsDropped) {
  isa::Program program = test::ProgramBuilder().Emit("S_ADDI_INT", 3).Build();
  program.attribution = isa::AttributionSource::kNone;
  constexpr std::uint64_t kInstructions = 2'000'000;
  Recorder recorder;
  recorder.OnBegin(test::Describe(program));
  for (std::uint64_t i = 0; i < kInstructions; ++i) {
    const auto pc = static_cast<std::uint32_t>(i % 3);
    recorder.OnAccepted({i, pc, i});
    recorder.OnAttributed({pc, emulator::Reason::kExecute, i, i + 1});
    recorder.OnCompleted({pc, i + 1});
  }
  recorder.OnEnd({.cycles = kInstructions, .instructions = kInstructions});

  const absl::StatusOr<std::string> text =
      WriteProfile(MakeProfile(recorder.recording(), test::FixedOptions()));
  ASSERT_TRUE(text.ok()) << text.status().message();
  const absl::StatusOr<Profile> profile = ReadProfile(*text);
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(profile->events_dropped, 0u);
  ASSERT_EQ(profile->stages.size(), 1u);
  EXPECT_EQ(profile->stages[0].name, "unattributed");
  EXPECT_EQ(profile->stages[0].counters.instructions, kInstructions);
  EXPECT_EQ(profile->stages[0].cycle_share_ppm, 1'000'000u);

  const absl::StatusOr<std::string> report = Report(*profile, ReportOptions());
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(*report, ::testing::HasSubstr("note: the program has no stage markers"));
  EXPECT_THAT(*report, ::testing::HasSubstr("moescope annotate"));
}

}  // namespace
}  // namespace moescope::profiler
