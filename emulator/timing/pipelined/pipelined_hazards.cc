// The hazards of timing.md 4.3, in order of priority.

#include <algorithm>

#include "emulator/timing/operand_value.h"
#include "emulator/timing/pipelined/pipelined_model.h"
#include "emulator/timing/unit_of.h"

namespace moescope::emulator {

void PipelinedModel::CollectHolds(const Op& op, Cycle from) {
  holds_.Clear();
  if (!op.info.has_unit && !op.info.is_dma) {
    // An id or weight that V_TOPK has not delivered yet.
    if (op.info.uses_int_memory) holds_.Add(Reason::kRedPending, topk_done_, from);
    return;
  }
  Forget(from);
  HoldForRegisters(op, from);
  HoldForSources(op, from);
  HoldForDestinations(op, from);
  HoldForUnit(op, from);
  HoldForScalars(op, from);
  if (op.info.is_dma) HoldForSlot(op, from);
  HoldForInterlocks(op, from);
  const bool mixed =
      options_.retire_in_order && op.info.is_element && op.cost.result != element_result_;
  if (mixed) holds_.Add(Reason::kMixedLat, element_done_, from);
}

// H1.
void PipelinedModel::HoldForRegisters(const Op& op, Cycle from) {
  Release ready;
  for (const char field : op.info.fp_sources) {
    if (field == '\0') break;
    ready.Raise(fp_ready_[OperandOf(op.executed.operands, field)]);
  }
  holds_.Add(Reason::kRawFp, ready, from);
}

// H2 and H3.
void PipelinedModel::HoldForSources(const Op& op, Cycle from) {
  const Access& access = op.access();
  Release written;
  DmaSystem::RowWait wait;
  for (const Rows& rows : access.vram_read) {
    if (rows.count == 0) continue;
    written.Raise(vram_writers_.LastOf(rows, from));
    const auto rows_wait = dma_.AwaitRows(/*matrix=*/false, rows, /*stores=*/false, from);
    if (IsLater(rows_wait, wait)) wait = rows_wait;
  }
  holds_.Add(Reason::kRawVram, written, from);
  if (access.mram_read.count > 0) {
    const auto tile_wait = dma_.AwaitRows(/*matrix=*/true, access.mram_read, false, from);
    if (IsLater(tile_wait, wait)) wait = tile_wait;
  }
  if (wait.transaction == nullptr || wait.cycle <= from) return;
  const DmaRequest& request = wait.transaction->request;
  holds_.Append({Reason::kDmaSlot,
                 {wait.cycle, request.sequence, request.pc},
                 {wait.transaction, /*slot=*/false, wait.rows, from}});
}

bool PipelinedModel::IsLater(const DmaSystem::RowWait& a, const DmaSystem::RowWait& b) {
  if (a.transaction == nullptr) return false;
  if (b.transaction == nullptr || a.cycle != b.cycle) return a.cycle > b.cycle;
  return a.transaction->request.sequence < b.transaction->request.sequence;
}

// H4. Our first row lands after the last row of an earlier write when we are accepted no more than
// our own latency before that.
void PipelinedModel::HoldForDestinations(const Op& op, Cycle from) {
  const Access& access = op.access();
  Release over;
  if (access.vram_write.count > 0) {
    over.Raise(vram_readers_.LastOf(access.vram_write, from));
    over.Raise(LandedBefore(op, vram_writers_.LastOf(access.vram_write, from)));
    RaiseToTransfer(dma_.AwaitRows(/*matrix=*/false, access.vram_write, /*stores=*/true, from),
                    over);
  }
  if (access.mram_write.count > 0) {
    over.Raise(mram_readers_.LastOf(access.mram_write, from));
    RaiseToTransfer(dma_.AwaitRows(/*matrix=*/true, access.mram_write, /*stores=*/true, from),
                    over);
  }
  holds_.Add(Reason::kWarWaw, over, from);
}

void PipelinedModel::RaiseToTransfer(const DmaSystem::RowWait& wait, Release& over) {
  if (wait.transaction == nullptr) return;
  over.Raise({wait.cycle, wait.transaction->request.sequence, wait.transaction->request.pc});
}

Release PipelinedModel::LandedBefore(const Op& op, const Release& earlier) const {
  const Cycle result = op.info.is_dma ? 1 : op.cost.result;
  if (op.info.is_write_out && computed_[op.info.accumulator].cycle + result > earlier.cycle) {
    return {};
  }
  if (earlier.cycle < result) return {};
  return {earlier.cycle - result + 1, earlier.sequence, earlier.pc};
}

// H5.
void PipelinedModel::HoldForUnit(const Op& op, Cycle from) {
  if (!op.info.has_unit) return;
  holds_.Add(BusyReason(op.info.unit), unit_free_[static_cast<std::size_t>(op.info.unit)], from);
  if (op.info.is_compute) holds_.Add(Reason::kWoBusy, written_out_[op.info.accumulator], from);
}

// H6 and H7.
void PipelinedModel::HoldForScalars(const Op& op, Cycle from) {
  if (op.info.is_scalar_fp || op.info.has_fp_operand) {
    holds_.Add(Reason::kRedPending, reduced_, from);
  }
  if (op.info.is_vector_scalar) holds_.Add(Reason::kSxBusy, scalar_done_, from);
}

// H8.
void PipelinedModel::HoldForSlot(const Op& op, Cycle from) {
  HoldForTransfer(dma_.AwaitSlot(op.info.dma, from), from);
}

void PipelinedModel::HoldForTransfer(const DmaSystem::SlotWait& wait, Cycle from) {
  if (wait.holder == nullptr || wait.cycle <= from) return;
  const DmaRequest& request = wait.holder->request;
  holds_.Append({Reason::kDmaSlot,
                 {wait.cycle, request.sequence, request.pc},
                 {wait.holder, /*slot=*/true, {}, from}});
}

// The blanket interlocks of the RTL text, off unless the machine asks for them.
void PipelinedModel::HoldForInterlocks(const Op& op, Cycle from) {
  if (options_.prefetch_v_blocks_vector && op.info.is_vector) {
    HoldForTransfer(dma_.AwaitIdle(DmaKind::kPrefetchVector, from), from);
  }
  if (options_.matrix_load_blocks_all) {
    HoldForTransfer(dma_.AwaitIdle(DmaKind::kPrefetchMatrix, from), from);
  }
}

}  // namespace moescope::emulator
