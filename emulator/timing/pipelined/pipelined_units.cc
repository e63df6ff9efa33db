// What an operation does from its accept cycle on: ports, results, scoreboard.

#include <algorithm>

#include "emulator/timing/operand_value.h"
#include "emulator/timing/pipelined/pipelined_model.h"
#include "emulator/timing/unit_of.h"

namespace moescope::emulator {
namespace {

// Busy events after which listeners are told what has passed.
constexpr std::uint64_t kPassEvery = 1024;

}  // namespace

void PipelinedModel::Perform(const Op& op, Cycle cycle, EventSink& sink) {
  unit_free_[static_cast<std::size_t>(op.info.unit)] = op.At(cycle + op.cost.interval);
  Cycle begin = cycle;
  Cycle end = 0;
  if (op.info.is_compute) {
    end = PerformCompute(op, cycle);
  } else if (op.info.is_write_out) {
    begin = std::max(cycle, computed_[op.info.accumulator].cycle);
    end = PerformWriteOut(op, begin);
  } else if (op.info.is_vector) {
    end = PerformVector(op, cycle);
  } else {
    end = PerformScalar(op, cycle);
  }
  const char destination = op.info.fp_destination;
  if (destination != '\0') {
    const std::uint32_t reg = OperandOf(op.executed.operands, destination);
    if (reg != 0) fp_ready_[reg] = op.At(end);
  }
  Finish(op, begin, end, sink);
}

Cycle PipelinedModel::PerformCompute(const Op& op, Cycle cycle) {
  const Rows& rows = op.access().vram_read[0];
  const Cycle end = cycle + op.cost.result;
  port_a_.Take(cycle, rows.count, op.pc());
  vram_readers_.Add(rows, op.At(cycle + rows.count));
  mram_readers_.Add(op.access().mram_read, op.At(end));
  computed_[op.info.accumulator].Raise(op.At(end));
  tile_open_ = true;
  return end;
}

// A write-out starts when its accumulator is computed. Its rows enter VRAM in its last cycles, one
// per cycle; a profile that is shorter than that writes several at once.
Cycle PipelinedModel::PerformWriteOut(const Op& op, Cycle begin) {
  const Rows& rows = op.access().vram_write;
  unit_free_[static_cast<std::size_t>(Unit::kMxWriteout)] = op.At(begin + op.cost.interval);
  Cycle end = begin + op.cost.result;
  const Cycle writes = std::min<Cycle>(rows.count, op.cost.result);
  Cycle due = end - writes;
  for (Cycle k = 0; k < writes; ++k) due = port_a_.TakeFirstFree(due, op.pc()) + 1;
  end = std::max(end, due);
  vram_writers_.Add(rows, op.At(end));
  written_out_[op.info.accumulator] = op.At(end);
  tile_open_ = false;
  return end;
}

Cycle PipelinedModel::PerformVector(const Op& op, Cycle cycle) {
  const Access& access = op.access();
  for (const auto& [port, rows] :
       {std::pair{&port_a_, &access.vram_read[0]}, std::pair{&port_b_, &access.vram_read[1]}}) {
    if (rows->count == 0) continue;
    port->Take(cycle, rows->count, op.pc());
    if (rows->count > 1) vram_readers_.Add(*rows, op.At(cycle + rows->count));
  }
  Cycle end = cycle + op.cost.result;
  if (!op.info.is_element) {
    reduced_.Raise(op.At(end));
    if (op.info.is_topk) topk_done_.Raise(op.At(end));
    return end;
  }
  end = port_a_.TakeFirstFree(end - 1, op.pc()) + 1;
  vram_writers_.Add(access.vram_write, op.At(end));
  element_done_ = op.At(end);
  element_result_ = op.cost.result;
  return end;
}

Cycle PipelinedModel::PerformScalar(const Op& op, Cycle cycle) {
  Cycle end = cycle + op.cost.result;
  if (op.info.is_map) {
    dma_.AdvanceTo(cycle);
    end = port_b_.TakeFirstFree(end - 1, op.pc()) + 1;
    vram_writers_.Add(op.access().vram_write, op.At(end));
  }
  if (op.info.is_scalar_arithmetic) scalar_done_.Raise(op.At(end));
  return end;
}

void PipelinedModel::Finish(const Op& op, Cycle begin, Cycle end, EventSink& sink) {
  sink.Complete({op.pc(), end});
  busy_.Add(op.info.unit, op.pc(), begin, end, sink);
  if (end > last_work_.cycle) {
    last_work_ = op.At(end);
    last_unit_ = op.info.unit;
  }
  in_flight_.push_back(end);
  if (in_flight_.size() > most_in_flight_) {
    most_in_flight_ = in_flight_.size();
    most_in_flight_cycle_ = begin;
  }
  if (++busy_events_ % kPassEvery != 0) return;
  const auto& transfers = dma_.in_flight();
  Cycle passed = busy_.OldestLate(free_);
  if (!transfers.empty()) passed = std::min(passed, transfers.front()->request.accepted);
  sink.Pass({std::min(passed, free_)});
}

void PipelinedModel::StartTransfer(const Op& op, Cycle cycle) {
  dma_.Accept(MakeRequest(op.executed, op.info, machine_.shape.mlen, cycle));
}

}  // namespace moescope::emulator
