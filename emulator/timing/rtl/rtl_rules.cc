// Rules R2 to R8 and R12 of timing.md 5.2: what an instruction waits for.

#include <algorithm>

#include "emulator/timing/operand_value.h"
#include "emulator/timing/rtl/rtl_model.h"

namespace moescope::emulator {
namespace {

constexpr Cycle kHoldReach = 5;  // R8: held up to that many slots behind the write
constexpr Cycle kHoldExit = 6;   // and then executed that many behind it

}  // namespace

// In the order of the hazards of timing.md 4.3.
void RtlModel::CollectHolds(const Op& op, Cycle slot, Waits& waits) {
  holds_.Clear();
  if (op.info.is_add_immediate_int) {
    if (IsHeldInDecode(op, slot)) {
      waits.held = true;
      holds_.Add(Reason::kHoldInt, {vector_.write + kHoldExit, vector_.at.sequence, vector_.at.pc},
                 slot);
    }
    return;
  }
  if (op.info.uses_int_memory) holds_.Add(Reason::kRedPending, topk_done_, slot);
  if (!op.info.has_unit && !op.info.is_dma) return;
  HoldForMatrix(op, slot);
  HoldForVectors(op, slot, waits);
  HoldForScalars(op, slot);
  waits.any = !holds_.empty();
  HoldForTransfers(op, slot);
}

// R8. Before its write a V op keeps the decode stage, unless the instruction is already past it.
bool RtlModel::IsHeldInDecode(const Op&, Cycle slot) const {
  if (!vector_.any) return false;
  const Cycle from = vector_.at.cycle + (vector_.waited ? 1 : 2);
  return slot >= from && slot <= vector_.write + kHoldReach;
}

// R6.
void RtlModel::HoldForMatrix(const Op& op, Cycle slot) {
  if (op.info.is_compute) holds_.Add(array_.reason, array_.next, slot);
  if (op.info.is_write_out && array_.tile_open) {
    holds_.Add(Reason::kMxBusy, array_.write_out, slot);
  }
}

// R2, R3 and R7.
void RtlModel::HoldForVectors(const Op& op, Cycle slot, Waits& waits) {
  if (op.info.is_vector && element_free_.cycle > slot) {
    waits.vector = true;
    holds_.Add(Reason::kVxBusy, element_free_, slot);
  }
  if (op.info.is_scalar_fp || (op.info.is_vector && op.meets_scalars())) {
    waits.vector = waits.vector || (op.info.is_vector && reduced_.cycle > slot);
    holds_.Add(Reason::kRedPending, reduced_, slot);
  }
  if (!op.info.is_vector) return;
  // The array is asked about the cycle that the other rules leave.
  const Cycle cycle = holds_.empty() ? slot : std::max(slot, holds_.last());
  const Release settled = settle_.Free(cycle);
  waits.settle = settled.cycle > cycle;
  if (waits.settle) holds_.Add(Reason::kSettle, settled, slot);
}

// R4 and R5.
void RtlModel::HoldForScalars(const Op& op, Cycle slot) {
  if (op.info.is_scalar_arithmetic || (op.info.is_vector && op.meets_scalars())) {
    holds_.Add(Reason::kSxBusy, scalar_free_, slot);
  }
  const bool uses_fp_memory = op.info.is_scalar_fp && !op.info.is_scalar_arithmetic;
  if (uses_fp_memory && map_ && slot >= map_->cycle + 2) {
    holds_.Add(Reason::kSxBusy, {map_->cycle + depths_.MapEnd(), map_->sequence, map_->pc}, slot);
  }
}

// R12.
void RtlModel::HoldForTransfers(const Op& op, Cycle slot) {
  const Cycle cycle = holds_.empty() ? slot : std::max(slot, holds_.last());
  const auto hold = [this, slot](const DmaSystem::SlotWait& wait) {
    if (wait.holder == nullptr || wait.cycle <= slot) return;
    const DmaRequest& request = wait.holder->request;
    holds_.Append({Reason::kDmaSlot,
                   {wait.cycle, request.sequence, request.pc},
                   {wait.holder, /*slot=*/true, {}, slot}});
  };
  if (op.info.is_dma) hold(dma_.AwaitSlot(op.info.dma, cycle));
  if (op.info.is_vector || (op.info.is_dma && op.info.dma == DmaKind::kPrefetchMatrix)) {
    hold(dma_.AwaitIdle(DmaKind::kPrefetchVector, cycle));
  }
  if (op.info.is_vector && !holds_.empty()) {
    holds_.Add(Reason::kSettle, settle_.Free(holds_.last()), holds_.last());
  }
}

void RtlModel::GiveHolds(const Op& op, EventSink& sink) {
  for (const Hold& hold : holds_.holds()) {
    if (hold.until.cycle <= ledger_.End()) continue;
    if (hold.dma.transaction == nullptr) {
      ledger_.Give(op.pc(), hold.reason, hold.until.cycle, sink, hold.until.pc);
      continue;
    }
    phases_.clear();
    CutDmaWait(hold.dma, ledger_.End(), hold.until.cycle, machine_.hbm.model, dma_.ratio(),
               phases_);
    for (const DmaPhase& phase : phases_) {
      ledger_.Give(op.pc(), phase.reason, phase.end, sink, hold.until.pc, /*waits_for_slot=*/true);
    }
  }
}

void RtlModel::CountInterlocks(const Op& op, Cycle cycle, Cycle slot) {
  if (op.info.is_multiply_int) interlocks_.Count(Interlock::kMultiplyInteger);
  const bool uses_fp_memory = op.info.is_scalar_fp && !op.info.is_scalar_arithmetic;
  if (uses_fp_memory && map_ && slot == map_->cycle + 1) {
    interlocks_.Count(Interlock::kMapNextSlot);
  }
  if (op.info.is_vector && settle_.IsEarly(cycle)) {
    interlocks_.Count(Interlock::kVectorBeforeSettle);
  }
  if (op.info.is_compute && dma_.InFlight(/*matrix=*/true, op.access().mram_read, cycle)) {
    interlocks_.Count(Interlock::kMatrixBeforePrefetch);
  }
  if (!loaded_ || cycle != loaded_->cycle + 1) return;
  for (const char field : op.info.fp_sources) {
    if (field != '\0' && OperandOf(op.executed.operands, field) == loaded_register_) {
      interlocks_.Count(Interlock::kLoadNextSlot);
      return;
    }
  }
}

}  // namespace moescope::emulator
