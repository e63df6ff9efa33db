#include "emulator/timing/pipelined/pipelined_model.h"

#include <algorithm>

#include "emulator/timing/unit_of.h"

namespace moescope::emulator {

PipelinedModel::PipelinedModel(const MachineDescription& machine, const isa::InstructionSet& set)
    : machine_(machine),
      options_(machine_.pipelined),
      costs_(machine_, set),
      infos_(set),
      dma_(machine_, options_.dma, port_b_) {}

PipelinedModel::Cost PipelinedModel::CostOf(const OpInfo& info, const Executed& executed) const {
  if (info.is_dma) return {};
  const OpCost& entry = costs_.Of(info.index);
  Cost cost{entry.result, entry.interval, entry.slots};
  if (entry.per_expert) [[unlikely]] {
    cost.result = costs_.Result(info.index, executed.access->topk_experts);
    cost.interval = costs_.Interval(info.index, executed.access->topk_experts);
  }
  if (info.is_three_address) cost.slots = std::max<Cycle>(cost.slots, options_.vv_slots);
  if (info.is_compute && !tile_open_) {
    cost.result += entry.first_of_tile;
    cost.interval += entry.first_of_tile;
  }
  return cost;
}

Cycle PipelinedModel::Execute(const Executed& executed, EventSink& sink) {
  const OpInfo& info = infos_.Of(executed.instruction);
  const Op op{executed, info, CostOf(info, executed)};
  if (!started_) {
    started_ = true;
    free_ = options_.fill;
    ledger_.Give(op.pc(), Reason::kFill, free_, sink);
  }
  // The bubble belongs to the loop instruction that made it.
  const Cycle from = free_ + bubble_;
  ledger_.Give(last_pc_, Reason::kCtrlLoop, from, sink);
  const Cycle cleared = Wait(op, from, sink);
  if (cleared == kNever) [[unlikely]] {
    const Hold& hold = holds_.endless();
    return GetStuck({op.pc(), std::string(hold.What()), hold.until.pc}, hold.reason, sink);
  }
  const Cycle cycle = cleared == from ? from : cleared + options_.recovery;
  ledger_.Give(op.pc(), Reason::kRecovery, cycle, sink);
  Accept(op, cycle, sink);
  dma_events_.Announce(dma_, busy_, sink);
  return cycle;
}

Cycle PipelinedModel::Accept(const Op& op, Cycle cycle, EventSink& sink) {
  sink.Accept({op.executed.sequence, op.pc(), cycle});
  const Cycle issue = op.info.is_loop_end ? 1 : op.cost.slots;
  ledger_.Give(op.pc(), Reason::kIssue, cycle + issue, sink);
  ledger_.Give(op.pc(), Reason::kCtrlLoop, cycle + op.cost.slots, sink);
  slots_ += issue;
  free_ = cycle + op.cost.slots;
  last_pc_ = op.pc();
  bubble_ = 0;
  if (op.access().jumped && options_.loop_redirect >= op.cost.slots) {
    bubble_ = options_.loop_redirect + 1 - op.cost.slots;
  }
  if (op.info.is_dma) {
    StartTransfer(op, cycle);
  } else if (op.info.has_unit) {
    Perform(op, cycle, sink);
  } else {
    sink.Complete({op.pc(), free_});
  }
  return cycle;
}

Cycle PipelinedModel::GetStuck(const Deadlock::Wait& wait, Reason reason, EventSink& sink) {
  stuck_since_ = ledger_.End();
  if (wait.pc != kNoPc) stuck_ = wait;
  free_ = std::max({stuck_since_, last_work_.cycle, dma_.performed_to()});
  bubble_ = 0;
  ledger_.Give(wait.pc == kNoPc ? wait.holder_pc : wait.pc, reason, free_, sink, wait.holder_pc);
  return kNever;
}

Deadlock PipelinedModel::Explain() const {
  Deadlock deadlock{.since = stuck_since_};
  if (stuck_) deadlock.waits.push_back(*stuck_);
  for (std::size_t unit = 0; unit < static_cast<std::size_t>(Unit::kDmaM); ++unit) {
    deadlock.units.push_back(
        {static_cast<Unit>(unit), unit_free_[unit].pc, unit_free_[unit].cycle});
  }
  dma_.Explain(deadlock);
  return deadlock;
}

Cycle PipelinedModel::Drain(EventSink& sink) {
  if (!started_) return 0;
  const Cycle transfers = dma_.Drain();
  if (transfers == kNever) [[unlikely]] {
    return GetStuck({.holder_pc = dma_.in_flight().front()->request.pc}, Reason::kDrainDma, sink);
  }
  dma_events_.Announce(dma_, busy_, sink);
  const DmaSystem::LastDone& transfer = dma_.last_done();
  const Cycle total = std::max({free_, last_work_.cycle, transfers});
  const bool transfer_is_last =
      transfers > last_work_.cycle ||
      (transfers == last_work_.cycle && transfer.sequence < last_work_.sequence);
  if (transfer_is_last) {
    ledger_.Give(transfer.pc, Reason::kDrainDma, total, sink, transfer.pc);
  } else {
    ledger_.Give(last_work_.pc, DrainReason(last_unit_), total, sink, last_work_.pc);
  }
  Check(total);
  return total;
}

Cycle PipelinedModel::Cut(EventSink& sink) {
  dma_.AdvanceTo(free_);
  dma_events_.Announce(dma_, busy_, sink);
  dma_events_.AnnounceCut(dma_, free_, busy_, sink);
  Check(free_);
  return free_;
}

void PipelinedModel::Check(Cycle total) const {
  ledger_.Check(total);
  busy_.Check(total);
  dma_events_.Check(dma_);
  CHECK_BECAUSE(ledger_.SumOf(Reason::kIssue) == slots_, "issue slots are lost");
}

void PipelinedModel::Forget(Cycle cycle) {
  port_a_.Forget(cycle);
  port_b_.Forget(dma_.AccessesFrom(cycle));
  vram_writers_.Forget(cycle);
  vram_readers_.Forget(cycle);
  mram_readers_.Forget(cycle);
  std::erase_if(in_flight_, [cycle](Cycle end) { return end <= cycle; });
}

void PipelinedModel::Close(RunEnd& end) const {
  end.channels = dma_.Figures();
  AppendDmaStructures(dma_, options_.dma, end);
  end.structures.push_back(
      {"in_flight", "operations", std::nullopt, most_in_flight_, most_in_flight_cycle_});
}

}  // namespace moescope::emulator
