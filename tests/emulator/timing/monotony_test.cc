// Monotony (timing.md, 9: T18): on programs without H_* and without in-order retirement, raising
// one latency never lowers the total; with the DRAM, fewer channels, lines in flight or queue
// places change times but neither bytes nor ends.
//
// Two rules of the model are not monotonous by themselves and are kept out: an instruction that
// comes one cycle too early for its operand pays a cycle of recovery, and a read of several rows
// has to find its exact port cycles free, which a later start can do better. Each has its example
// below.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "absl/strings/str_cat.h"
#include "emulator/timing/pipelined/pipelined_model.h"
#include "tests/emulator/timing/bounds.h"
#include "tests/emulator/timing/random_machine.h"
#include "tests/emulator/timing/random_stream.h"

namespace moescope::test {
namespace {

using emulator::Cycle;
using emulator::MachineDescription;

Announced RunOf(const MachineDescription& machine, const Stream& stream) {
  emulator::PipelinedModel model(machine);
  return Feed(model, stream);
}

Cycle TotalOf(const MachineDescription& machine, const Stream& stream) {
  return RunOf(machine, stream).total;
}

// Whether an SRAM port held an instruction or made a result slip.
bool PortsMattered(const MachineDescription& machine, const Stream& stream, const Announced& run) {
  if (run.Of(emulator::Reason::kPortA) + run.Of(emulator::Reason::kPortB) > 0) return true;
  const emulator::CostTable costs(machine);
  std::array<Cycle, 4> computed{};
  bool tile_open = false;
  for (std::size_t i = 0; i < stream.steps().size(); ++i) {
    const StreamStep& step = stream.steps()[i];
    const TickOp op(step.instruction->mnemonic, step.operands);
    if (op.front_end) continue;
    Cycle begin = run.accepted[i];
    if (op.write_out) {
      begin = std::max(begin, computed[static_cast<std::size_t>(op.accumulator)]);
    }
    const Cycle end = begin + CostOfStep(costs, step, op.compute && !tile_open).result;
    if (run.completed[i].cycle != end) return true;
    if (op.compute) tile_open = true;
    if (op.write_out) tile_open = false;
    if (op.compute) {
      Cycle& done = computed[static_cast<std::size_t>(op.accumulator)];
      done = std::max(done, end);
    }
  }
  return false;
}

// The machine with one instruction's result and interval raised by `more`.
MachineDescription Raised(const MachineDescription& machine, std::size_t index, Cycle more) {
  const emulator::CostTable costs(machine);
  const emulator::OpCost& cost = costs.Of(index);
  MachineDescription raised = machine;
  const std::string extra = absl::StrCat("+", more);
  raised.costs.push_back(
      {std::string(isa::kInstructions[index].mnemonic),
       cost.per_expert ? cost.result_formula + extra : absl::StrCat(cost.result + more),
       cost.per_expert ? cost.interval_formula + extra : absl::StrCat(cost.interval + more),
       "assumed", "a test"});
  return raised;
}

TEST(Monotony, RaisingOneLatencyNeverLowersTheTotal) {
  std::mt19937_64 random(77);
  int raised_totals = 0;
  int compared = 0;
  for (int i = 0; i < 4000; ++i) {
    MachineDescription machine = RandomMachine(random);
    machine.profile = emulator::LatencyProfile::kDse;
    machine.pipelined.retire_in_order = false;
    machine.pipelined.recovery = 0;
    const Stream stream =
        RandomStream(random, machine, {.transfers = false}).Make(1 + random() % 24);
    const std::size_t step = random() % stream.steps().size();
    const isa::Instruction& row = *stream.steps()[step].instruction;
    const std::size_t index = *emulator::BuiltinIndexOf(row.mnemonic);
    const MachineDescription raised = Raised(machine, index, 1 + random() % 30);
    ASSERT_FALSE(emulator::CostTable::FindProblem(raised).has_value()) << row.mnemonic;
    const Announced before = RunOf(machine, stream);
    const Announced after = RunOf(raised, stream);
    if (PortsMattered(machine, stream, before) || PortsMattered(raised, stream, after)) continue;
    ++compared;
    EXPECT_GE(after.total, before.total) << "program " << i << ", " << row.mnemonic;
    raised_totals += after.total > before.total;
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 400);
  EXPECT_GT(raised_totals, 150) << "raises are felt";
}

TEST(Monotony, RaisingAFrontEndCostNeverLowersTheTotal) {
  std::mt19937_64 random(78);
  for (int i = 0; i < 1500; ++i) {
    MachineDescription machine = RandomMachine(random);
    machine.pipelined.retire_in_order = false;
    machine.pipelined.recovery = 0;
    const Stream stream =
        RandomStream(random, machine, {.transfers = false}).Make(1 + random() % 40);
    MachineDescription raised = machine;
    const auto more = static_cast<std::uint32_t>(1 + random() % 9);
    switch (random() % 3) {
      case 0:
        raised.pipelined.fill += more;
        break;
      case 1:
        raised.pipelined.loop_redirect += more;
        break;
      default:
        raised.pipelined.vv_slots += more;
    }
    const Announced before = RunOf(machine, stream);
    const Announced after = RunOf(raised, stream);
    if (PortsMattered(machine, stream, before) || PortsMattered(raised, stream, after)) continue;
    EXPECT_GE(after.total, before.total) << "program " << i;
    if (HasFailure()) return;
  }
}

// The exception, as a program: one slot more before the consumer saves its recovery.
TEST(Monotony, AnInstructionThatComesOnTimeSavesItsRecovery) {
  const auto accepted = [](std::uint32_t between) {
    Stream stream;
    stream.Add("V_MUL_VV", {}, ReadsWrites({0, 1}, {1, 1}, {2, 1}));  // row 2 at 17
    for (std::uint32_t i = 0; i < between; ++i) stream.Add("C_SET_SCALE_REG");
    stream.Add("V_RED_SUM", {.rd = 1}, Reads({2, 1}));
    emulator::PipelinedModel model(MachineDescription{});
    return Feed(model, stream).accepted.back();
  };
  EXPECT_EQ(accepted(8), 18u) << "at 16 one cycle early: wait and recovery";
  EXPECT_EQ(accepted(9), 17u) << "on time";
  EXPECT_EQ(accepted(10), 18u);
}

// Four rows of M_MM on port A, and a write of V_ADD_VV that is due in one of its cycles: starting
// later is accepted no later.
TEST(Monotony, ALaterStartCanFitThePortBetter) {
  const auto accepted = [](std::uint32_t between) {
    MachineDescription machine;
    machine.pipelined.recovery = 0;
    Stream stream;
    stream.Add("V_ADD_VV", {}, ReadsWrites({0, 1}, {1, 1}, {2, 1}));  // writes in 18
    stream.Add("V_ADD_VV", {}, ReadsWrites({0, 1}, {1, 1}, {3, 1}));  // writes in 19
    for (std::uint32_t i = 0; i < between; ++i) stream.Add("C_SET_SCALE_REG");
    stream.Add("M_MM", {}, Multiply(0, {8, 4, 1}));
    return RunOf(machine, stream).accepted.back();
  };
  EXPECT_EQ(accepted(5), 14u) << "cycles 14 to 17";
  for (std::uint32_t between = 6; between <= 11; ++between) EXPECT_EQ(accepted(between), 20u);
}

// A program is never faster than its own beginning: adding an instruction adds time or nothing.
TEST(Monotony, LongerProgramsTakeAtLeastAsLong) {
  std::mt19937_64 random(79);
  for (int i = 0; i < 400; ++i) {
    const MachineDescription machine = RandomMachine(random);
    const Stream stream =
        RandomStream(random, machine, {.transfers = random() % 2 == 0}).Make(1 + random() % 30);
    Cycle last = 0;
    Stream prefix;
    for (const StreamStep& step : stream.steps()) {
      prefix.Add(step.instruction->mnemonic, step.operands, step.access).At(step.pc);
      const Cycle total = TotalOf(machine, prefix);
      EXPECT_GE(total, last);
      last = total;
    }
    if (HasFailure()) return;
  }
}

struct Moved {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::size_t transfers = 0;
  friend bool operator==(const Moved&, const Moved&) = default;
};

Moved MovedBy(const Announced& run) {
  Moved moved;
  for (const emulator::Traffic& traffic : run.traffic) {
    moved.lines += traffic.lines;
    moved.bytes += traffic.logical_bytes;
    ++moved.transfers;
  }
  return moved;
}

TEST(Monotony, FewerMemoryResourcesMoveTheSameBytes) {
  std::mt19937_64 random(80);
  for (int i = 0; i < 600; ++i) {
    MachineDescription machine = RandomMachine(random);
    machine.hbm.model = emulator::HbmModelKind::kDram;
    machine.hbm.channels = 16;
    machine.pipelined.dma.max_lines = 64;
    machine.pipelined.dma.queue = 2;
    const Stream stream = RandomStream(random, machine, {}).Make(1 + random() % 40);
    emulator::PipelinedModel rich_model(machine);
    const Announced rich = Feed(rich_model, stream);
    for (const auto& change : {+[](MachineDescription& m) { m.hbm.channels = 1; },
                               +[](MachineDescription& m) { m.pipelined.dma.max_lines = 1; },
                               +[](MachineDescription& m) { m.pipelined.dma.queue = 0; }}) {
      MachineDescription poor = machine;
      change(poor);
      emulator::PipelinedModel model(poor);
      const Announced run = Feed(model, stream);
      EXPECT_EQ(MovedBy(run), MovedBy(rich)) << i;
      EXPECT_EQ(run.accepted.size(), rich.accepted.size());
      EXPECT_GT(run.total, 0u);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace moescope::test
