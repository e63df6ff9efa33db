// The whole profile of a run against the naive second implementation: every number of the file, for
// random programs and event streams, and for streams that tell the same in other pieces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "profiler/profile_json.h"
#include "profiler/verify.h"
#include "tests/profiler/naive_profile.h"
#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler {
namespace {

using ::testing::IsEmpty;

// The first line in which two texts differ, for a readable failure.
std::string FirstDifference(const std::string& a, const std::string& b) {
  const std::vector<std::string> left = absl::StrSplit(a, '\n');
  const std::vector<std::string> right = absl::StrSplit(b, '\n');
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i] != right[i]) {
      return absl::StrCat("line ", i + 1, ": ", left[i], " against ", right[i]);
    }
  }
  return left.size() == right.size() ? "" : "one text is longer";
}

// Both implementations on the same events.
struct Both {
  Profile fast;
  Profile naive;
};

Both RunBoth(std::uint32_t program_seed, std::uint32_t run_seed, bool rich,
             std::optional<std::uint64_t> cut, std::size_t hot_rows = 20) {
  ProfileOptions options = test::FixedOptions();
  options.hot_rows = hot_rows;
  test::RandomRun run(program_seed, rich);
  Recorder recorder;
  run.Play(run_seed, cut, recorder);
  Both both;
  both.fast = MakeProfile(recorder.recording(), options);
  test::NaiveProfile naive;
  run.Play(run_seed, cut, naive);
  both.naive = naive.Make(both.fast, hot_rows);
  return both;
}

void ExpectEqual(const Both& both) {
  const std::string fast = ProfileText(both.fast);
  const std::string naive = ProfileText(both.naive);
  EXPECT_EQ(FirstDifference(fast, naive), "");
}

TEST(AttributionTest, RichRunsAreCountedLikeTheNaiveWay) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    ExpectEqual(RunBoth(seed, seed + 1000, true, std::nullopt));
    if (HasFailure()) return;
  }
}

TEST(AttributionTest, SerialRunsAreCountedLikeTheNaiveWay) {
  for (std::uint32_t seed = 300; seed < 340; ++seed) {
    SCOPED_TRACE(seed);
    ExpectEqual(RunBoth(seed, seed, false, std::nullopt));
    if (HasFailure()) return;
  }
}

TEST(AttributionTest, CutRunsAreCountedLikeTheNaiveWay) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    ExpectEqual(RunBoth(seed, seed, seed % 2 == 0, seed));
    if (HasFailure()) return;
  }
}

// One pair with two experts, experts without pairs, nested regions that inherit, and a V_TOPK.
TEST(AttributionTest, ContradictingMarkersAreCountedLikeTheNaiveWay) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    test::RandomRun run(seed, true);
    run.program = test::ProgramBuilder()
                      .Stage("router_topk")
                      .Emit("V_TOPK")
                      .Stage("gather", 0, 1)
                      .Emit("H_PREFETCH_V", 2)
                      .Stage("expert_bias", 0, 2)
                      .Emit("V_ADD_VV")
                      .Push("expert_activation")
                      .Emit("V_EXP_V")
                      .Pop()
                      .Stage("gather", 1)
                      .Emit("H_PREFETCH_V")
                      .Stage("expert_projection", std::nullopt, 2)
                      .Emit("M_MM", 2)
                      .Stage("expert_bias", 9, 0)
                      .Emit("V_ADD_VV")
                      .Build();
    run.description = test::DescribeRich(run.program);
    Recorder recorder;
    run.Play(seed, std::nullopt, recorder);
    test::NaiveProfile naive;
    run.Play(seed, std::nullopt, naive);
    Both both;
    both.fast = MakeProfile(recorder.recording(), test::FixedOptions());
    both.naive = naive.Make(both.fast, 20);
    ExpectEqual(both);
    ASSERT_TRUE(both.fast.experts.has_value());
    EXPECT_GE(both.fast.experts->rows.size(), 3u);
    if (HasFailure()) return;
  }
}

TEST(AttributionTest, AnyNumberOfHotRows) {
  for (const std::size_t rows : {0u, 1u, 2u, 7u, 100u}) {
    SCOPED_TRACE(rows);
    ExpectEqual(RunBoth(17, 5, true, std::nullopt, rows));
  }
}

TEST(AttributionTest, TheNaiveProfileIsOneThatMayBeWritten) {
  for (std::uint32_t seed = 50; seed < 60; ++seed) {
    const absl::StatusOr<Verification> result =
        VerifyProfile(ProfileText(RunBoth(seed, seed, true, std::nullopt).naive));
    ASSERT_TRUE(result.ok());
    EXPECT_THAT(result->failures, IsEmpty()) << seed;
  }
}

// The oracle is no mirror: a wrong count in either profile is seen.
TEST(AttributionTest, ADifferenceIsSeen) {
  Both both = RunBoth(3, 3, true, std::nullopt);
  ASSERT_FALSE(both.naive.stages.empty());
  ++both.naive.stages.back().counters.read.lines;
  EXPECT_NE(FirstDifference(ProfileText(both.fast), ProfileText(both.naive)), "");
}

// ---- The same run told in other pieces ----------------------------------------------------------

// Passes events on, but splits intervals in two and tells transfers of the same cycle and direction
// in pieces.
class Splitter : public emulator::Listener {
 public:
  Splitter(emulator::Listener& listener, std::uint32_t seed) : listener_(listener), random_(seed) {}

  void OnBegin(const emulator::RunDescription& d) override { listener_.OnBegin(d); }
  void OnAccepted(const emulator::Accepted& e) override { listener_.OnAccepted(e); }
  void OnCompleted(const emulator::Completed& e) override {
    // An earlier completion of the same word changes nothing.
    listener_.OnCompleted({e.pc, e.cycle / 2});
    listener_.OnCompleted(e);
  }
  void OnRouted(const emulator::Routed& e) override { listener_.OnRouted(e); }
  void OnPassed(const emulator::Passed& e) override { listener_.OnPassed(e); }
  void OnEnd(const emulator::RunEnd& e) override { listener_.OnEnd(e); }

  void OnAttributed(const emulator::Attributed& event) override {
    Split(event, [this](const emulator::Attributed& e) { listener_.OnAttributed(e); });
  }
  void OnBusy(const emulator::Busy& event) override {
    Split(event, [this](const emulator::Busy& e) { listener_.OnBusy(e); });
  }
  void OnTraffic(const emulator::Traffic& event) override {
    emulator::Traffic first = event;
    emulator::Traffic second = event;
    first.lines = event.lines == 0 ? 0 : random_() % (event.lines + 1);
    second.lines -= first.lines;
    first.burst_bytes = 64 * first.lines;
    second.burst_bytes -= first.burst_bytes;
    first.logical_bytes /= 2;
    second.logical_bytes -= first.logical_bytes;
    first.repeat_bytes = 0;
    first.rmw_read_bytes = 0;
    listener_.OnTraffic(first);
    listener_.OnTraffic(second);
  }

 private:
  template <typename Event, typename Send>
  void Split(const Event& event, Send send) {
    Event first = event;
    Event second = event;
    if (event.begin < event.end) {
      first.end = second.begin = event.begin + random_() % (event.end - event.begin + 1);
    }
    send(first);
    send(second);
  }

  emulator::Listener& listener_;
  std::mt19937 random_;
};

TEST(PiecesTest, SplitEventsGiveTheSameBytes) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    test::RandomRun run(seed, true);
    Recorder whole;
    run.Play(seed, std::nullopt, whole);
    Recorder pieces;
    Splitter splitter(pieces, seed);
    run.Play(seed, std::nullopt, splitter);
    EXPECT_EQ(ProfileText(MakeProfile(whole.recording(), test::FixedOptions())),
              ProfileText(MakeProfile(pieces.recording(), test::FixedOptions())))
        << seed;
  }
}

// ---- Two runs one after the other ---------------------------------------------------------------

// Tells a run as if it came `cycles` later and behind `instructions` others, without begin and end.
class Shifter : public emulator::Listener {
 public:
  Shifter(emulator::Listener& listener, emulator::Cycle cycles, std::uint64_t instructions)
      : listener_(listener), cycles_(cycles), instructions_(instructions) {}

  void OnAccepted(const emulator::Accepted& e) override {
    listener_.OnAccepted({e.sequence + instructions_, e.pc, e.cycle + cycles_});
  }
  void OnAttributed(const emulator::Attributed& event) override {
    emulator::Attributed e = event;
    e.begin += cycles_;
    e.end += cycles_;
    listener_.OnAttributed(e);
  }
  void OnCompleted(const emulator::Completed& e) override {
    listener_.OnCompleted({e.pc, e.cycle + cycles_});
  }
  void OnBusy(const emulator::Busy& e) override {
    listener_.OnBusy({e.unit, e.pc, e.begin + cycles_, e.end + cycles_});
  }
  void OnTraffic(const emulator::Traffic& event) override {
    emulator::Traffic e = event;
    e.cycle += cycles_;
    listener_.OnTraffic(e);
  }
  void OnRouted(const emulator::Routed& e) override { listener_.OnRouted(e); }
  void OnEnd(const emulator::RunEnd& e) override { end = e; }

  emulator::RunEnd end;

 private:
  emulator::Listener& listener_;
  emulator::Cycle cycles_;
  std::uint64_t instructions_;
};

struct Sums {
  std::uint64_t instructions, cycles, read, written, flops;
  friend bool operator==(const Sums&, const Sums&) = default;
};

Sums SumsOf(const CounterBlock& block) {
  return {block.instructions, block.cycles, block.read.physical_bytes, block.write.physical_bytes,
          block.flops.matrix + block.flops.vector + block.flops.scalar};
}

Sums operator+(const Sums& a, const Sums& b) {
  return {a.instructions + b.instructions, a.cycles + b.cycles, a.read + b.read,
          a.written + b.written, a.flops + b.flops};
}

TEST(PiecesTest, TwoRunsInOneRecordingAddUp) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    test::RandomRun run(seed, true);
    Recorder first;
    run.Play(seed, std::nullopt, first);
    Recorder second;
    run.Play(seed + 1, std::nullopt, second);

    Recorder both;
    both.OnBegin(run.description);
    Shifter early(both, 0, 0);
    run.Play(seed, std::nullopt, early);
    Shifter late(both, early.end.cycles, early.end.instructions);
    run.Play(seed + 1, std::nullopt, late);
    emulator::RunEnd end;
    end.cycles = early.end.cycles + late.end.cycles;
    end.instructions = early.end.instructions + late.end.instructions;
    both.OnEnd(end);

    const Profile a = MakeProfile(first.recording(), test::FixedOptions());
    const Profile b = MakeProfile(second.recording(), test::FixedOptions());
    const absl::StatusOr<std::string> text =
        WriteProfile(MakeProfile(both.recording(), test::FixedOptions()));
    ASSERT_TRUE(text.ok()) << seed << ": " << text.status();
    const Profile sum = *ReadProfile(*text);
    EXPECT_EQ(SumsOf(sum.totals.counters), SumsOf(a.totals.counters) + SumsOf(b.totals.counters));
    ASSERT_EQ(sum.stages.size(), a.stages.size());
    for (std::size_t i = 0; i < sum.stages.size(); ++i) {
      EXPECT_EQ(SumsOf(sum.stages[i].counters),
                SumsOf(a.stages[i].counters) + SumsOf(b.stages[i].counters))
          << seed << " " << sum.stages[i].name;
      EXPECT_EQ(sum.stages[i].static_instructions, a.stages[i].static_instructions);
    }
    for (std::size_t i = 0; sum.pairs && i < sum.pairs->rows.size(); ++i) {
      EXPECT_EQ(SumsOf(sum.pairs->rows[i].counters),
                SumsOf(a.pairs->rows[i].counters) + SumsOf(b.pairs->rows[i].counters))
          << seed << " pair " << sum.pairs->rows[i].pair;
    }
  }
}

}  // namespace
}  // namespace moescope::profiler
