// R13: 400 and 10,000 distinct stage names in one program: none merged, none refused, profile and
// diff still correct.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "profiler/diff/diff.h"
#include "profiler/profile_json.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

std::string NameOf(int i) { return absl::StrCat("stage_", i); }

isa::Program ProgramWithStages(int count) {
  test::ProgramBuilder builder;
  for (int i = 0; i < count; ++i) builder.Extension(NameOf(i), isa::StageScope::kLayer);
  for (int i = 0; i < count; ++i) builder.Stage(NameOf(i)).Emit("S_ADDI_INT");
  return builder.Build();
}

// Stage i runs 1 + i % 3 times, `slow` one more time.
Profile ProfileOf(const isa::Program& program, int count, int slow) {
  std::vector<std::uint32_t> trace;
  for (int i = 0; i < count; ++i) {
    trace.insert(trace.end(), static_cast<std::size_t>(1 + i % 3 + (i == slow ? 1 : 0)),
                 static_cast<std::uint32_t>(i));
  }
  Recorder recorder;
  test::RunSerially(program, trace, recorder);
  return MakeProfile(recorder.recording(), test::FixedOptions());
}

class R13_StageProfiles : public ::testing::TestWithParam<int> {};

TEST_P(R13_StageProfiles, NoneIsMergedAndNoneIsLost) {
  const int count = GetParam();
  const isa::Program program = ProgramWithStages(count);
  const absl::StatusOr<std::string> text = WriteProfile(ProfileOf(program, count, -1));
  ASSERT_TRUE(text.ok()) << text.status().message();
  const absl::StatusOr<Profile> profile = ReadProfile(*text);
  ASSERT_TRUE(profile.ok());
  ASSERT_EQ(profile->stages.size(), static_cast<std::size_t>(count) + 1);
  std::set<std::string> names;
  for (int i = 0; i < count; ++i) {
    const StageEntry& stage = profile->stages[static_cast<std::size_t>(i)];
    EXPECT_EQ(stage.name, NameOf(i));
    EXPECT_EQ(stage.counters.cycles, static_cast<std::uint64_t>(1 + i % 3));
    names.insert(stage.name);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
}

TEST_P(R13_StageProfiles, DiffFindsTheOneStageThatMoved) {
  const int count = GetParam();
  const isa::Program program = ProgramWithStages(count);
  const std::string a = ProfileText(ProfileOf(program, count, -1));
  const std::string b = ProfileText(ProfileOf(program, count, count - 2));
  DiffOptions options;
  options.tolerances = {*ParseTolerance("cycles=0")};
  const absl::StatusOr<Diff> diff = DiffProfiles({"a", a}, {"b", b}, options);
  ASSERT_TRUE(diff.ok()) << diff.status().message();
  std::vector<std::string> moved;
  for (const DiffRow& row : diff->rows) {
    if (row.is_exceeded) moved.push_back(row.scope);
  }
  EXPECT_THAT(moved, ::testing::ElementsAre("total", NameOf(count - 2)));
}

INSTANTIATE_TEST_SUITE_P(Counts, R13_StageProfiles, ::testing::Values(400, 10'000));

}  // namespace
}  // namespace moescope::profiler
