// Cases solved by hand (timing.md, 7.6 and 9: T6, T13, T15).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/timing/pipelined/pipelined_model.h"
#include "tests/emulator/timing/stream.h"

namespace moescope::test {
namespace {

using emulator::MachineDescription;
using emulator::PipelinedModel;
using emulator::Reason;
using emulator::Unit;
using testing::ElementsAre;

MachineDescription Machine() {
  MachineDescription machine;
  machine.timing = emulator::TimingModelKind::kPipelined;
  machine.hbm.model = emulator::HbmModelKind::kDram;
  return machine;
}

Announced TimeOf(const Stream& stream, const MachineDescription& machine = Machine()) {
  PipelinedModel model(machine);
  return Feed(model, stream);
}

TEST(PipelinedExampleTest, MultiplyThenAddOfItsRow) {
  Stream stream;
  stream.Add("V_MUL_VV", {.rd = 3}, ReadsWrites({1, 1}, {2, 1}, {3, 1}));
  stream.Add("V_ADD_VV", {.rd = 4}, ReadsWrites({3, 1}, {2, 1}, {4, 1}));
  const Announced run = TimeOf(stream);
  EXPECT_THAT(run.accepted, ElementsAre(7, 18));
  EXPECT_EQ(run.total, 30u);
  const std::map<Cell, emulator::Cycle> expected = {
      {{0, Reason::kFill}, 7},     {{0, Reason::kIssue}, 1}, {{1, Reason::kRawVram}, 9},
      {{1, Reason::kRecovery}, 1}, {{1, Reason::kIssue}, 1}, {{1, Reason::kDrainVx}, 11}};
  EXPECT_EQ(run.cells, expected);
  EXPECT_EQ(run.blame.at({1, 0}), 9u);
}

TEST(PipelinedExampleTest, EmptyProgramAndOneInstruction) {
  EXPECT_EQ(TimeOf(Stream()).total, 0u);
  EXPECT_EQ(TimeOf(Stream().Add("S_ADD_INT")).total, 8u);
}

}  // namespace
}  // namespace moescope::test
