// Runs of five million instructions: what listeners keep, and what they write, does not grow with
// the number of executed instructions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "profiler/log/commit_log.h"
#include "profiler/profile_json.h"
#include "profiler/report/report.h"
#include "profiler/trace/trace.h"
#include "profiler/verify.h"
#include "tests/profiler/synthetic_run.h"
#include "tests/support/allocation_count.h"

namespace moescope::profiler {
namespace {

using ::testing::IsEmpty;

constexpr std::uint64_t kInstructions = 5'000'000;

const isa::Program& LoopProgram() {
  static const auto& program = *new isa::Program(test::ProgramBuilder()
                                                     .Stage("expert_weight_prefetch", 0, 3)
                                                     .Emit("H_PREFETCH_M")
                                                     .Stage("expert_projection", 0, 3)
                                                     .Emit("M_MM")
                                                     .Emit("M_MM_WO")
                                                     .Stage("scatter_combine", 1)
                                                     .Emit("V_ADD_VV")
                                                     .Emit("C_LOOP_END")
                                                     .Build());
  return program;
}

// Executes the words of the loop one after the other, with a wait, a busy unit and, for the
// prefetch, a transfer.
void Play(std::uint64_t instructions, emulator::Listener& listener) {
  constexpr emulator::Unit kUnits[] = {emulator::Unit::kDmaM, emulator::Unit::kMxCompute,
                                       emulator::Unit::kMxWriteout, emulator::Unit::kVxElem,
                                       emulator::Unit::kSxAlu};
  listener.OnBegin(test::DescribeRich(LoopProgram()));
  for (std::uint64_t i = 0; i < instructions; ++i) {
    const auto pc = static_cast<std::uint32_t>(i % 5);
    const emulator::Cycle now = 4 * i;
    listener.OnAttributed(
        {pc, emulator::Reason::kRawVram, now, now + 3, static_cast<std::uint32_t>((i + 4) % 5)});
    listener.OnAccepted({i, pc, now + 3});
    listener.OnAttributed({pc, emulator::Reason::kIssue, now + 3, now + 4});
    listener.OnBusy({kUnits[pc], pc, now, now + 4});
    listener.OnCompleted({pc, now + 4});
    if (pc == 0) listener.OnTraffic({pc, false, now + 4, 64, 2, 128, i == 0 ? 0u : 64u, 0});
    if (i % 1000 == 0) listener.OnPassed({now});
  }
  emulator::RunEnd end;
  end.cycles = 4 * instructions;
  end.instructions = instructions;
  listener.OnEnd(end);
}

std::uint64_t ResidentKib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib;
  }
  return 0;
}

// Counts the allocations between two instructions of a run.
class AllocationWatch : public emulator::Listener {
 public:
  explicit AllocationWatch(emulator::Listener& listener) : listener_(listener) {}

  void OnBegin(const emulator::RunDescription& e) override { listener_.OnBegin(e); }
  void OnAccepted(const emulator::Accepted& e) override {
    listener_.OnAccepted(e);
    if (e.sequence == 100'000) first = moescope::test::AllocationCount();
    last = moescope::test::AllocationCount();
  }
  void OnAttributed(const emulator::Attributed& e) override { listener_.OnAttributed(e); }
  void OnCompleted(const emulator::Completed& e) override { listener_.OnCompleted(e); }
  void OnBusy(const emulator::Busy& e) override { listener_.OnBusy(e); }
  void OnTraffic(const emulator::Traffic& e) override { listener_.OnTraffic(e); }
  void OnPassed(const emulator::Passed& e) override { listener_.OnPassed(e); }
  void OnEnd(const emulator::RunEnd& e) override { listener_.OnEnd(e); }

  std::size_t first = 0;
  std::size_t last = 0;

 private:
  emulator::Listener& listener_;
};

TEST(LongRunTest, AProfileOfFiveMillionInstructions) {
  const std::uint64_t before = ResidentKib();
  Recorder recorder;
  AllocationWatch watch(recorder);
  Play(kInstructions, watch);
  EXPECT_EQ(watch.first, watch.last);
  EXPECT_LT(ResidentKib(), before + 16 * 1024);

  const absl::StatusOr<std::string> text =
      WriteProfile(MakeProfile(recorder.recording(), test::FixedOptions()));
  ASSERT_TRUE(text.ok()) << text.status();
  const Profile profile = *ReadProfile(*text);
  EXPECT_EQ(profile.totals.counters.instructions, kInstructions);
  EXPECT_EQ(profile.totals.counters.cycles, 4 * kInstructions);
  EXPECT_EQ(FindStage(profile, "expert_projection")->counters.instructions, kInstructions * 2 / 5);
  EXPECT_EQ(FindStage(profile, "expert_projection")->calls, kInstructions / 5);
  EXPECT_EQ(profile.totals.counters.read.physical_bytes, 128 * kInstructions / 5);
  ASSERT_TRUE(profile.overlap.has_value());
  EXPECT_EQ(profile.overlap->memory_busy, 4 * kInstructions / 5);
  EXPECT_EQ(profile.overlap->both, 0u);
  EXPECT_THAT(VerifyProfile(*text)->failures, IsEmpty());

  // A thousandth of the run: the same members, a few digits less.
  Recorder short_recorder;
  Play(kInstructions / 1000, short_recorder);
  const std::string short_text =
      *WriteProfile(MakeProfile(short_recorder.recording(), test::FixedOptions()));
  EXPECT_LT(text->size(), 2 * short_text.size());
  EXPECT_LT(text->size(), 200'000u);
  EXPECT_LT(ResidentKib(), before + 48 * 1024);
}

TEST(LongRunTest, ReportsOfALongRunAreSmall) {
  Recorder recorder;
  Play(kInstructions / 10, recorder);
  const Profile profile = MakeProfile(recorder.recording(), test::FixedOptions());
  const PcTable table = MakePcTable(recorder.recording(), isa::InstructionSet::Builtin());
  for (const std::string_view format : kReportFormats) {
    ReportOptions options;
    options.format = format;
    options.pc_table = &table;
    const absl::StatusOr<std::string> text = Report(profile, options);
    ASSERT_TRUE(text.ok()) << format;
    EXPECT_LT(text->size(), 200'000u) << format;
  }
}

TEST(LongRunTest, ACommitLogIsWrittenInPieces) {
  std::size_t largest = 0;
  std::uint64_t bytes = 0;
  CommitLog log(
      [&](std::string_view piece) {
        largest = std::max(largest, piece.size());
        bytes += piece.size();
        return absl::OkStatus();
      },
      {});
  Play(kInstructions / 5, log);
  EXPECT_GT(bytes, 40 * kInstructions / 5);
  EXPECT_LE(largest, (std::size_t{1} << 16) + 200);
}

TEST(LongRunTest, ATraceKeepsToItsCaps) {
  const std::uint64_t before = ResidentKib();
  Trace trace({.max_events = 10'000, .max_bytes = 1 << 20});
  Play(kInstructions / 5, trace);
  std::uint64_t bytes = 0;
  ASSERT_TRUE(trace
                  .Write([&](std::string_view piece) {
                    bytes += piece.size();
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_LE(bytes, 1u << 20);
  EXPECT_LT(ResidentKib(), before + 16 * 1024);
}

}  // namespace
}  // namespace moescope::profiler
