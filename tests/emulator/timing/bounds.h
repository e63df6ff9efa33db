#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "emulator/timing/pipelined/pipelined_model.h"
#include "tests/emulator/timing/stream.h"
#include "tests/emulator/timing/tick_op.h"

// Bounds of a total under `pipelined` that do not depend on any overlap (timing.md, 9: T3).

namespace moescope::test {

// What one instruction costs in the profile of a machine.
struct StepCost {
  emulator::Cycle result = 1;
  emulator::Cycle interval = 1;
  emulator::Cycle slots = 1;
};

inline StepCost CostOfStep(const emulator::CostTable& costs, const StreamStep& step,
                           bool first_of_tile) {
  const TickOp op(step.instruction->mnemonic, step.operands);
  if (op.dma) return {};
  const std::size_t index = *emulator::BuiltinIndexOf(step.instruction->mnemonic);
  StepCost cost{costs.Of(index).result, costs.Of(index).interval, costs.Of(index).slots};
  if (costs.Of(index).per_expert) {
    cost.result = costs.Result(index, step.access.topk_experts);
    cost.interval = costs.Interval(index, step.access.topk_experts);
  }
  if (first_of_tile) {
    cost.result += costs.Of(index).first_of_tile;
    cost.interval += costs.Of(index).first_of_tile;
  }
  return cost;
}

// Cycles from the acceptance of a transfer to the end of its work when nothing else runs.
inline emulator::Cycle AloneTime(const emulator::MachineDescription& machine,
                                 const StreamStep& step) {
  Stream stream;
  stream.Add(step.instruction->mnemonic, step.operands, step.access);
  emulator::PipelinedModel model(machine);
  return Feed(model, stream).total - machine.pipelined.fill;
}

// What earlier transfers leave behind in a DRAM that AloneTime finds empty, in clocks: the write
// recovery and the precharge of an open row, the turnaround from writing to reading, and a command
// more for each burst.
inline emulator::DramClock LeftBehind(const emulator::HbmTransfer& transfer) {
  const emulator::DramClock bytes =
      std::uint64_t{transfer.rows} * (transfer.element_bytes + transfer.scale_bytes);
  const emulator::DramClock bursts = bytes / emulator::kBurstBytes + 16 * transfer.rows;
  return 14 + 7 + 10 + bursts;
}

// fill + sum of slots, redirect, recovery, result or interval (whichever is longer: the next one of
// the unit waits for the interval), and of transfers run alone.
inline emulator::Cycle UpperBound(const emulator::MachineDescription& machine,
                                  const Stream& stream) {
  const emulator::CostTable costs(machine);
  const emulator::PipelinedOptions& options = machine.pipelined;
  emulator::Cycle sum = options.fill;
  bool tile_open = false;
  for (const StreamStep& step : stream.steps()) {
    const TickOp op(step.instruction->mnemonic, step.operands);
    const StepCost cost = CostOfStep(costs, step, op.compute && !tile_open);
    if (op.compute) tile_open = true;
    if (op.write_out) tile_open = false;
    const emulator::Cycle slots =
        op.three_address ? std::max<emulator::Cycle>(cost.slots, options.vv_slots) : cost.slots;
    sum += slots + options.recovery + (step.access.jumped ? options.loop_redirect : 0);
    if (op.dma) {
      sum += AloneTime(machine, step);
      if (machine.hbm.model == emulator::HbmModelKind::kDram) {
        const emulator::ClockRatio ratio(machine.core_ps, machine.hbm.dram_ps);
        sum += ratio.VisibleAt(LeftBehind(step.access.transfer));
      }
    } else if (!op.front_end) {
      // A port can make the result of an operation slip by as many cycles as are claimed on it.
      sum += std::max(cost.result, cost.interval) + step.access.vram_read[0].count +
             step.access.vram_read[1].count + step.access.vram_write.count;
    }
  }
  return sum;
}

// fill + the longest chain of true dependences: fp registers, VRAM rows, tiles and accumulators.
inline emulator::Cycle LongestChain(const emulator::MachineDescription& machine,
                                    const Stream& stream) {
  const emulator::CostTable costs(machine);
  std::array<emulator::Cycle, 8> fp{};
  std::array<emulator::Cycle, 4> accumulator{};
  std::map<std::uint32_t, emulator::Cycle> rows;
  std::map<std::uint32_t, emulator::Cycle> tiles;
  emulator::Cycle longest = 0;
  bool tile_open = false;
  for (const StreamStep& step : stream.steps()) {
    const TickOp op(step.instruction->mnemonic, step.operands);
    emulator::Cycle start = 0;
    for (const std::uint32_t reg : op.fp_sources) {
      if (reg != 0) start = std::max(start, fp[reg]);
    }
    for (const emulator::Rows& read : step.access.vram_read) {
      for (const std::uint32_t row : List(read)) start = std::max(start, rows[row]);
    }
    for (const std::uint32_t tile : List(step.access.mram_read)) {
      start = std::max(start, tiles[tile]);
    }
    if (op.write_out) {
      start = std::max(start, accumulator[static_cast<std::size_t>(op.accumulator)]);
    }
    const emulator::Cycle end = start + CostOfStep(costs, step, op.compute && !tile_open).result;
    if (op.compute) tile_open = true;
    if (op.write_out) tile_open = false;
    if (op.compute) {
      emulator::Cycle& done = accumulator[static_cast<std::size_t>(op.accumulator)];
      done = std::max(done, end);
    }
    if (op.fp_destination && *op.fp_destination != 0) fp[*op.fp_destination] = end;
    for (const std::uint32_t row : List(step.access.vram_write)) rows[row] = end;
    for (const std::uint32_t tile : List(step.access.mram_write)) tiles[tile] = end;
    longest = std::max(longest, end);
  }
  return machine.pipelined.fill + longest;
}

}  // namespace moescope::test
