// The event-driven `pipelined` model against one that steps every cycle, on random programs: every
// accept cycle, every completion and every (pc, reason) cell; and the bounds of every total
// (timing.md, 9: T2, T3 and T11).

#include <gtest/gtest.h>

#include <cstdlib>

#include "emulator/timing/pipelined/pipelined_model.h"
#include "tests/emulator/timing/bounds.h"
#include "tests/emulator/timing/random_machine.h"
#include "tests/emulator/timing/random_stream.h"
#include "tests/emulator/timing/tick_pipelined.h"

namespace moescope::test {
namespace {

void ExpectEqualCells(const std::map<Cell, emulator::Cycle>& expected,
                      const std::map<Cell, emulator::Cycle>& actual, std::uint64_t seed) {
  std::map<Cell, std::pair<emulator::Cycle, emulator::Cycle>> all;
  for (const auto& [cell, cycles] : expected) all[cell].first = cycles;
  for (const auto& [cell, cycles] : actual) all[cell].second = cycles;
  for (const auto& [cell, cycles] : all) {
    EXPECT_EQ(cycles.first, cycles.second)
        << "seed " << seed << ", pc " << cell.first << ", " << emulator::Name(cell.second);
  }
}

// Returns the number of cycles compared.
emulator::Cycle CompareOne(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const emulator::MachineDescription machine = RandomMachine(random);
  RandomKnobs knobs{.transfers = random() % 3 != 0};
  const std::size_t length = 1 + random() % (random() % 4 == 0 ? 200 : 40);
  const Stream stream = RandomStream(random, machine, knobs).Make(length);

  emulator::PipelinedModel model(machine);
  const Announced run = Feed(model, stream);
  TickPipelined oracle(machine, stream);
  oracle.Run();

  EXPECT_EQ(oracle.accepted, run.accepted) << "seed " << seed;
  EXPECT_EQ(oracle.total, run.total) << "seed " << seed;
  ExpectEqualCells(oracle.cells, run.cells, seed);
  std::map<std::uint32_t, std::multiset<emulator::Cycle>> completed;
  std::map<std::uint32_t, std::multiset<emulator::Cycle>> expected;
  for (const emulator::Completed& e : run.completed) completed[e.pc].insert(e.cycle);
  for (std::size_t i = 0; i < oracle.ends.size(); ++i) {
    expected[stream.steps()[i].pc].insert(oracle.ends[i]);
  }
  for (const auto& [pc, cycles] : expected) {
    EXPECT_EQ(cycles, completed[pc]) << "seed " << seed << ", pc " << pc;
  }
  emulator::Cycle sum = 0;
  for (const auto& [cell, cycles] : run.cells) sum += cycles;
  EXPECT_EQ(sum, run.total) << "seed " << seed;
  EXPECT_LE(run.total, UpperBound(machine, stream)) << "seed " << seed;
  EXPECT_GE(run.total, LongestChain(machine, stream)) << "seed " << seed;
  for (const auto& [unit, cycles] : run.busy) {
    EXPECT_GE(run.total, cycles) << "seed " << seed << ", " << emulator::Name(unit);
  }
  return run.total;
}

TEST(PipelinedOracleTest, RandomPrograms) {
  const char* count = std::getenv("MOESCOPE_ORACLE_PROGRAMS");
  const std::uint64_t programs = count != nullptr ? std::stoull(count) : 1500;
  const char* first = std::getenv("MOESCOPE_ORACLE_FIRST");
  const std::uint64_t begin = first != nullptr ? std::stoull(first) : 1;
  emulator::Cycle cycles = 0;
  for (std::uint64_t seed = begin; seed < begin + programs; ++seed) {
    cycles += CompareOne(seed);
    if (HasFailure()) return;
  }
  std::cout << programs << " programs, " << cycles << " cycles\n";
}

}  // namespace
}  // namespace moescope::test
