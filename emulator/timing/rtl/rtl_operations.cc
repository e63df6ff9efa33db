// What an operation does from its execute cycle on (timing.md, 5.2).

#include <algorithm>

#include "emulator/timing/rtl/rtl_model.h"

namespace moescope::emulator {
namespace {

constexpr Cycle kAfterWrite = 2;      // R2 to R4: the next one executes that long behind a write
constexpr Cycle kSettleBegin = 10;    // R7
constexpr Cycle kSettleCycles = 65;   // R7: behind the last active cycle of the array
constexpr Cycle kDrainLast = 3;       // R6: the last drained row, counted from the row number
constexpr Cycle kFirstVramWrite = 7;  // R6: behind the accumulation
constexpr Cycle kNextTile = 10;       // R6: behind the accumulation and the drained rows
constexpr std::uint64_t kPassEvery = 1024;

}  // namespace

void RtlModel::Perform(const Op& op, Cycle cycle, const Waits& waits, EventSink& sink) {
  Cycle begin = cycle;
  Cycle end = 0;
  if (op.info.is_compute) {
    end = PerformCompute(op, cycle);
  } else if (op.info.is_write_out) {
    end = PerformWriteOut(op, cycle, begin);
  } else if (op.info.is_vector) {
    end = PerformVector(op, cycle, waits);
  } else {
    end = PerformScalar(op, cycle);
  }
  Finish(op, begin, end, sink);
}

Cycle RtlModel::PerformCompute(const Op& op, Cycle cycle) {
  const bool is_array = RtlDepths::IsArray(op.info.timing);
  const Cycle extra = array_.tile_open ? 0 : depths_.FirstOfTile(op.info.timing);
  const Cycle accumulated = cycle + depths_.Accumulate(op.info.timing) + extra;
  array_.tile_open = true;
  array_.accumulated = accumulated;
  array_.reason = Reason::kMxBusy;
  array_.next = op.At(accumulated + (is_array ? kAfterWrite : 0));
  array_.write_out = op.At(is_array ? cycle + depths_.WriteOutAfter() + extra : accumulated);
  settle_.Open(cycle, cycle + kSettleBegin + extra, op.At(accumulated + kSettleCycles));
  return accumulated + 1;
}

// Rows drain when the tile is accumulated; a write-out that comes later drains them from then on.
Cycle RtlModel::PerformWriteOut(const Op& op, Cycle cycle, Cycle& begin) {
  const Cycle rows = depths_.DrainedRows(op.info.timing);
  const Cycle accumulated = std::max(array_.accumulated, cycle);
  begin = accumulated;
  array_.tile_open = false;
  array_.reason = Reason::kWoBusy;
  if (!RtlDepths::IsArrayWriteOut(op.info.timing)) {
    // Structural numbers (A04, A05): four cycles, or three and a row each.
    const Cycle end = accumulated + rows + 3;
    array_.next = op.At(end);
    return end;
  }
  array_.next = op.At(accumulated + rows + kNextTile);
  settle_.Extend(op.At(accumulated + rows + kDrainLast + kSettleCycles));
  return accumulated + kFirstVramWrite + rows;
}

Cycle RtlModel::PerformVector(const Op& op, Cycle cycle, const Waits& waits) {
  settle_.ForgetBefore(cycle);
  vector_ = {.any = true, .at = op.At(cycle), .write = cycle, .waited = waits.vector};
  if (op.info.is_element) {
    vector_.write = cycle + depths_.ElementWrite(op.info.timing);
    element_free_ = op.At(vector_.write + kAfterWrite);
    return vector_.write + 1;
  }
  const Cycle write = cycle + (op.info.is_topk ? depths_.TopKWrite(op.access().topk_experts)
                                               : depths_.ReductionWrite());
  reduced_.Raise(op.At(write + kAfterWrite));
  if (op.info.is_topk) topk_done_.Raise(op.At(write + kAfterWrite));
  return write + 1;
}

Cycle RtlModel::PerformScalar(const Op& op, Cycle cycle) {
  if (op.info.is_map) {
    map_ = op.At(cycle);
    return cycle + depths_.MapEnd();
  }
  if (!op.info.is_scalar_arithmetic) {
    if (op.info.fp_destination != '\0') {
      loaded_ = op.At(cycle);
      loaded_register_ = op.executed.operands.rd;
      return cycle + kAfterWrite + 1;
    }
    return cycle + 1;
  }
  const Cycle write = cycle + depths_.ScalarWrite(op.info.timing);
  scalar_free_.Raise(op.At(write + kAfterWrite));
  return write + 1;
}

void RtlModel::Finish(const Op& op, Cycle begin, Cycle end, EventSink& sink) {
  sink.Complete({op.pc(), end});
  busy_.Add(op.info.unit, op.pc(), begin, end, sink);
  if (end > last_work_.cycle) {
    last_work_ = op.At(end);
    last_unit_ = op.info.unit;
  }
  std::erase_if(in_flight_, [begin](Cycle over) { return over <= begin; });
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

void RtlModel::StartTransfer(const Op& op, Cycle cycle) {
  port_b_.Forget(dma_.AccessesFrom(cycle));
  dma_.Accept(MakeRequest(op.executed, op.info, machine_.shape.mlen, cycle));
  if (dma_.TakeUnordered()) interlocks_.Count(Interlock::kReadAfterStore);
}

}  // namespace moescope::emulator
