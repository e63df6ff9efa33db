// Invariants of a run as a whole at their edges: how it ended, its timeline, its pairs, and the
// roof that binds it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_join.h"
#include "profiler/profile_json.h"
#include "profiler/roofline.h"
#include "profiler/verify.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

std::string IdsOf(const Profile& profile) {
  const absl::StatusOr<Verification> result = VerifyProfile(ProfileText(profile));
  EXPECT_TRUE(result.ok()) << result.status();
  std::set<std::string> ids;
  if (result.ok()) {
    for (const Failure& failure : result->failures) ids.insert(failure.id);
  }
  return absl::StrJoin(ids, " ");
}

// ---- complete, end, fault, signal, limit --------------------------------------------------------

TEST(EndInvariantTest, EveryCombination) {
  const Profile base = test::RichProfile();
  int allowed = 0;
  for (const std::string_view reason : emulator::kEndReasonNames) {
    for (int bits = 0; bits < 16; ++bits) {
      Profile profile = base;
      profile.end.reason = std::string(reason);
      profile.complete = (bits & 1) != 0;
      if ((bits & 2) != 0) profile.end.fault = "FT101: word 0 is not an instruction";
      if ((bits & 4) != 0) profile.end.signal = 15;
      if ((bits & 8) != 0) profile.end.limit = 245;
      const bool is_end = reason == "end" || reason == "break";
      const bool has_limit =
          reason == "max_cycles" || reason == "max_instructions" || reason == "timeout";
      const bool is_right =
          profile.complete == is_end && profile.end.fault.has_value() == (reason == "fault") &&
          (!profile.end.signal || reason == "interrupt") && (!profile.end.limit || has_limit);
      EXPECT_EQ(IdsOf(profile), is_right ? "" : "PV17") << reason << " " << bits;
      allowed += is_right;
    }
  }
  // end, break, fault, deadlock once; the three limits and the signal with and without.
  EXPECT_EQ(allowed, 12);
}

// ---- Timeline -----------------------------------------------------------------------------------

Profile ProfileOfCycles(std::uint64_t cycles) {
  const isa::Program program = test::ProgramBuilder().Stage("gather").Emit("V_ADD_VV").Build();
  Recorder recorder;
  test::RunSerially(program, std::vector<std::uint32_t>(cycles, 0), recorder);
  return MakeProfile(recorder.recording(), test::FixedOptions());
}

// Writes the timeline of a run of the stage `gather` anew with bins of a width.
void Rebin(Profile& profile, std::uint64_t width) {
  const std::uint64_t cycles = profile.totals.counters.cycles;
  std::vector<std::uint64_t> bins;
  for (std::uint64_t begin = 0; begin < cycles; begin += width) {
    bins.push_back(std::min(width, cycles - begin));
  }
  profile.timeline->bin_cycles = width;
  profile.timeline->hbm_read_bytes.assign(bins.size(), 0);
  profile.timeline->hbm_write_bytes.assign(bins.size(), 0);
  profile.timeline->stage_cycles[0].cycles = bins;
}

TEST(TimelineInvariantTest, FiveHundredAndTwelveBinsAtMost) {
  for (const auto& [cycles, bins, width] :
       {std::tuple(511u, 511u, 1u), std::tuple(512u, 512u, 1u), std::tuple(513u, 257u, 2u),
        std::tuple(1024u, 512u, 2u), std::tuple(1025u, 257u, 4u)}) {
    Profile profile = ProfileOfCycles(cycles);
    EXPECT_EQ(profile.timeline->hbm_read_bytes.size(), bins);
    EXPECT_EQ(profile.timeline->bin_cycles, width);
    EXPECT_EQ(IdsOf(profile), "") << cycles;
    Rebin(profile, 1);
    EXPECT_EQ(IdsOf(profile), cycles <= 512 ? "" : "PV01") << cycles;
  }
}

TEST(TimelineInvariantTest, WidthsArePowersOfTwo) {
  for (std::uint64_t width = 1; width <= 65; ++width) {
    Profile profile = ProfileOfCycles(64);
    Rebin(profile, width);
    const bool is_power = width == 1 || width == 2 || width == 4 || width == 8 || width == 16 ||
                          width == 32 || width == 64;
    EXPECT_EQ(IdsOf(profile), is_power ? "" : "PV12") << width;
  }
}

// ---- The longest run ----------------------------------------------------------------------------

// One instruction that takes as many cycles as a profile can count, on a machine of many units.
TEST(LongestRunTest, AsManyCyclesAsAProfileCounts) {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 53) - 1;
  const isa::Program program = test::ProgramBuilder().Stage("gather", 0).Emit("M_MM").Build();
  emulator::RunDescription run = test::DescribeRich(program);
  run.clock_period_ps = 1;
  for (emulator::UnitInstances& unit : run.units) unit.instances = 0xFFFFFFFF;
  Recorder recorder;
  recorder.OnBegin(run);
  recorder.OnAccepted({0, 0, 0});
  recorder.OnAttributed({0, emulator::Reason::kIssue, 0, kMost});
  recorder.OnBusy({emulator::Unit::kMxCompute, 0, 0, kMost});
  recorder.OnCompleted({0, kMost});
  recorder.OnEnd({.cycles = kMost, .instructions = 1});
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  EXPECT_EQ(IdsOf(profile), "");
  EXPECT_EQ(profile.totals.counters.cycles, kMost);
  EXPECT_EQ(profile.totals.time_ps, kMost);
  EXPECT_EQ(profile.stages[0].cycle_share_ppm, 1'000'000u);
  EXPECT_EQ(profile.stages[0].utilisation_ppm[0], 0u);  // one of four thousand million
  EXPECT_EQ(profile.timeline->bin_cycles, std::uint64_t{1} << 44);
}

// ---- Pairs --------------------------------------------------------------------------------------

Profile ProfileOfPairs(std::uint32_t count) {
  test::ProgramBuilder builder;
  for (std::uint32_t pair = 0; pair < count; ++pair) builder.Stage("gather", pair).Emit("V_ADD_VV");
  const isa::Program program = builder.Build();
  Recorder recorder;
  test::RunSerially(program, {0}, recorder);
  return MakeProfile(recorder.recording(), test::FixedOptions());
}

TEST(PairInvariantTest, StageMapsAreThereUpTo4096Pairs) {
  for (const std::uint32_t count : {4096u, 4097u}) {
    Profile profile = ProfileOfPairs(count);
    EXPECT_EQ(IdsOf(profile), "") << count;
    EXPECT_EQ(profile.pairs->detail, count <= 4096 ? "stages" : "totals");
    profile.pairs->detail = count <= 4096 ? "totals" : "stages";
    EXPECT_EQ(IdsOf(profile), "PV07") << count;
  }
  Profile profile = ProfileOfPairs(4097);
  profile.pairs->rows[7].stages.push_back({"gather", 0, 0, 0, 0});
  const absl::StatusOr<Verification> result = VerifyProfile(ProfileText(profile));
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(result->failures, ::testing::ElementsAre(
                                    Failure{"PV07", "pair 7: stages although detail is 'totals'"}));
}

// ---- Bounds of the roofline ---------------------------------------------------------------------

TEST(RooflineBoundTest, ARoofIsABoundFromSixTenthsOn) {
  Roofline roofs;
  roofs.peak_matrix_flops_per_cycle = 1000;
  roofs.peak_vector_flops_per_cycle = 1000;
  roofs.hbm_peak_bytes_per_kcycle = 1'000'000;
  const struct {
    std::uint64_t bytes, matrix, vector;
    const char* bound;
  } rows[] = {
      {0, 0, 0, "latency"},
      {599'999, 0, 0, "latency"},
      {600'000, 0, 0, "memory"},
      {600'001, 0, 0, "memory"},
      {0, 599'999, 0, "latency"},
      {0, 600'000, 0, "matrix"},
      {0, 0, 599'999, "latency"},
      {0, 0, 600'000, "vector"},
      {700'000, 700'001, 700'000, "matrix"},  // the highest
      {700'000, 700'000, 700'000, "memory"},  // the first of equals
      {700'000, 600'000, 700'001, "vector"},
      {2'000'000, 0, 0, "memory"},  // beyond the roof
  };
  for (const auto& row : rows) {
    CounterBlock block;
    block.cycles = 1000;
    block.read.physical_bytes = row.bytes;
    block.flops.matrix = row.matrix;
    block.flops.vector = row.vector;
    EXPECT_EQ(PointOf(block, roofs).bound, row.bound)
        << row.bytes << " " << row.matrix << " " << row.vector;
  }
}

}  // namespace
}  // namespace moescope::profiler
