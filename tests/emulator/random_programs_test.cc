// Random whole programs (timing.md, 9: T2, T3, T4): memories, registers and faults are identical
// under every timing model, latency profile and HBM model; every cycle has one owner, also when the
// run is cut anywhere; and under `pipelined` the tick-by-tick model agrees.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "emulator/machine_check.h"
#include "emulator/run.h"
#include "emulator/timing/pipelined/pipelined_model.h"
#include "tests/emulator/counting_listener.h"
#include "tests/emulator/random_program.h"
#include "tests/emulator/timing/bounds.h"
#include "tests/emulator/timing/random_machine.h"
#include "tests/emulator/timing/tick_pipelined.h"

namespace moescope::test {
namespace {

using emulator::MachineDescription;
using emulator::MachineState;
using emulator::RunEnd;

// Keeps what was executed; takes no time.
class StreamRecorder : public emulator::TimingModel {
 public:
  void Describe(const isa::Program&, emulator::RunDescription&) const override {}
  emulator::Cycle Execute(const emulator::Executed& e, emulator::EventSink&) override {
    stream.Add(e.instruction->mnemonic, e.operands, *e.access).At(e.pc);
    return 0;
  }
  emulator::Cycle Now() const override { return 0; }
  emulator::Cycle Drain(emulator::EventSink&) override { return 0; }
  emulator::Cycle Cut(emulator::EventSink&) override { return 0; }
  void Close(emulator::RunEnd&) const override {}
  Stream stream;
};

MachineDescription SmallRandomMachine(std::mt19937_64& random) {
  MachineDescription machine = RandomMachine(random);
  machine.memory = {
      .hbm_bytes = 1 << 16, .matrix_rows = 32, .vector_rows = 64, .int_words = 64, .fp_words = 64};
  machine.rtl.ibuf = random() % 2 == 0;
  return machine;
}

struct Result {
  RunEnd end;
  MachineState state;
};

std::string FaultIdOf(const RunEnd& end) { return end.fault ? end.fault->id : ""; }

class Programs {
 public:
  // Returns the number of instructions that the program executed.
  std::uint64_t CheckOne(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    MachineDescription machine = SmallRandomMachine(random);
    const std::size_t length = 1 + random() % (random() % 4 == 0 ? 200 : 40);
    const isa::Program program = RandomProgram(random, machine).Make(length);

    StreamRecorder recorder;
    MachineState plain(machine);
    const RunEnd reference = emulator::Run(program, machine, plain, &recorder, {}, {});
    complete_ += reference.complete();

    for (const auto timing :
         {emulator::TimingModelKind::kSerial, emulator::TimingModelKind::kPipelined,
          emulator::TimingModelKind::kRtl}) {
      machine.timing = timing;
      const emulator::HbmModelKind models[] = {emulator::HbmModelKind::kDram,
                                               emulator::HbmModelKind::kFast,
                                               emulator::HbmModelKind::kFixed};
      machine.hbm.model = models[random() % 3];
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", model " << static_cast<int>(timing)
                                      << ", hbm " << static_cast<int>(machine.hbm.model));
      CheckModel(program, machine, reference, plain, random);
    }
    machine.timing = emulator::TimingModelKind::kPipelined;
    if (machine.hbm.model == emulator::HbmModelKind::kFast) {
      machine.hbm.model = emulator::HbmModelKind::kDram;
    }
    if (reference.complete()) CompareWithTicks(machine, recorder.stream, seed);
    return reference.instructions;
  }

  std::uint64_t complete() const { return complete_; }

 private:
  void CheckModel(const isa::Program& program, const MachineDescription& machine,
                  const RunEnd& reference, const MachineState& plain, std::mt19937_64& random) {
    CountingListener counts;
    MachineState state(machine);
    const RunEnd end = Run(program, machine, state, counts, {});
    EXPECT_TRUE(state == plain) << "dumps";
    EXPECT_EQ(end.reason, reference.reason);
    EXPECT_EQ(end.instructions, reference.instructions);
    EXPECT_EQ(end.pc, reference.pc);
    EXPECT_EQ(FaultIdOf(end), FaultIdOf(reference));
    CheckCounts(counts, end);

    // The same cut at some cycle: the beginning of the same run.
    emulator::RunOptions options;
    options.limits.max_cycles = random() % (end.cycles + 2);
    CountingListener cut_counts;
    MachineState cut_state(machine);
    const RunEnd cut = Run(program, machine, cut_state, cut_counts, options);
    CheckCounts(cut_counts, cut);
    EXPECT_LE(cut.instructions, end.instructions);
    if (cut.reason == emulator::EndReason::kMaxCycles) {
      EXPECT_GE(cut.cycles, *options.limits.max_cycles);
    } else {
      EXPECT_EQ(cut.cycles, end.cycles) << "the limit was not met";
    }
  }

  static RunEnd Run(const isa::Program& program, const MachineDescription& machine,
                    MachineState& state, CountingListener& counts,
                    const emulator::RunOptions& options) {
    emulator::Listener* listeners[] = {&counts};
    return emulator::Run(program, machine, state, listeners, options);
  }

  static void CheckCounts(const CountingListener& counts, const RunEnd& end) {
    EXPECT_TRUE(counts.contiguous);
    EXPECT_TRUE(counts.in_order);
    EXPECT_EQ(counts.attributed, end.cycles) << "every cycle has an owner";
    EXPECT_EQ(counts.accepted, end.instructions);
    std::set<std::string> announced;
    for (const emulator::Reason reason : counts.description.reasons) {
      announced.insert(std::string(emulator::Name(reason)));
    }
    for (const auto& [reason, cycles] : counts.reasons) {
      EXPECT_TRUE(announced.contains(reason)) << reason << " was not announced";
    }
  }

  static void CompareWithTicks(const MachineDescription& machine, const Stream& stream,
                               std::uint64_t seed) {
    emulator::PipelinedModel model(machine);
    const Announced run = Feed(model, stream);
    TickPipelined oracle(machine, stream);
    oracle.Run();
    EXPECT_EQ(oracle.accepted, run.accepted) << "seed " << seed;
    EXPECT_EQ(oracle.total, run.total) << "seed " << seed;
    EXPECT_EQ(oracle.cells, run.cells) << "seed " << seed;
    EXPECT_LE(run.total, UpperBound(machine, stream)) << "seed " << seed;
    EXPECT_GE(run.total, LongestChain(machine, stream)) << "seed " << seed;
  }

  std::uint64_t complete_ = 0;
};

// MOESCOPE_PROGRAMS and MOESCOPE_FIRST_PROGRAM choose another range of seeds.
TEST(RandomProgramsTest, AreEqualUnderEveryModel) {
  const char* count = std::getenv("MOESCOPE_PROGRAMS");
  const std::uint64_t programs = count != nullptr ? std::stoull(count) : 800;
  const char* first = std::getenv("MOESCOPE_FIRST_PROGRAM");
  const std::uint64_t begin = first != nullptr ? std::stoull(first) : 1;
  Programs check;
  std::uint64_t instructions = 0;
  for (std::uint64_t seed = begin; seed < begin + programs; ++seed) {
    instructions += check.CheckOne(seed);
    if (HasFailure()) return;
  }
  EXPECT_GE(check.complete() * 10, programs * 8) << "most programs run to their end";
  std::cout << programs << " programs, " << check.complete() << " complete, " << instructions
            << " instructions\n";
}

}  // namespace
}  // namespace moescope::test
