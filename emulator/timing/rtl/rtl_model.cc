#include "emulator/timing/rtl/rtl_model.h"

#include <algorithm>

#include "emulator/timing/unit_of.h"

namespace moescope::emulator {
namespace {

// Execute stage of the first instruction after reset, and of the second behind it (timing.md, 5.1).
constexpr Cycle kFirstExecute = 7;
// Slots of a refill beside its words and the memory latency; one more after reset (R11).
constexpr Cycle kRefillOverhead = 4;
// Decode is that many cycles before execution.
constexpr Cycle kDecodeLead = 5;

MachineDescription Released(MachineDescription machine) {
  machine.profile = LatencyProfile::kReleased;
  machine.costs.clear();
  return machine;
}

// R12: one transfer of a kind at a time; the memory of the released RTL answers without a line
// engine.
DmaOptions TransferOptions(const MachineDescription& machine) {
  DmaOptions options = machine.pipelined.dma;
  options.queue = 0;
  if (machine.hbm.model == HbmModelKind::kFixed) {
    options.issue_overhead = 0;
    options.convert_v = 0;
  }
  return options;
}

}  // namespace

RtlModel::RtlModel(const MachineDescription& machine, const isa::InstructionSet& set)
    : machine_(Released(machine)),
      dma_options_(TransferOptions(machine)),
      costs_(machine_, set),
      depths_(machine_.shape),
      infos_(set),
      dma_(machine_, dma_options_, port_b_, MemoryOrder::kNone) {}

Cycle RtlModel::Execute(const Executed& executed, EventSink& sink) {
  const Op op{executed, infos_.Of(executed.instruction)};
  const Cycle slot = NaturalSlot(op, sink);
  Waits waits;
  CollectHolds(op, slot, waits);
  if (!holds_.empty() && holds_.last() == kNever) [[unlikely]] {
    const Hold& hold = holds_.endless();
    return GetStuck({op.pc(), std::string(hold.What()), hold.until.pc}, hold.reason, sink);
  }
  GiveHolds(op, sink);
  const Cycle cycle = ledger_.End();
  CountInterlocks(op, cycle, slot);
  MarkSlots(op, cycle, waits);
  Accept(op, cycle, sink);
  if (op.info.is_dma) {
    StartTransfer(op, cycle);
  } else if (op.info.has_unit) {
    Perform(op, cycle, waits, sink);
  } else {
    sink.Complete({op.pc(), free_});
  }
  dma_events_.Announce(dma_, busy_, sink);
  return cycle;
}

Cycle RtlModel::NaturalSlot(const Op& op, EventSink& sink) {
  if (!started_) {
    started_ = true;
    ledger_.Give(op.pc(), Reason::kFill, kFirstExecute, sink);
    Refill(op, sink);
    marks_.Add({ledger_.End() + 1, Reason::kFill, kNoPc});
    return ledger_.End();
  }
  marks_.ForgetBefore(free_);
  while (const SlotMarks::Mark* mark = marks_.At(ledger_.End())) {
    const std::uint32_t pc = mark->pc == kNoPc ? op.pc() : mark->pc;
    ledger_.Give(pc, mark->reason, ledger_.End() + 1, sink);
  }
  Refill(op, sink);
  return ledger_.End();
}

// R11.
void RtlModel::Refill(const Op& op, EventSink& sink) {
  if (!machine_.rtl.ibuf) return;
  const std::uint64_t pc = op.pc();
  const std::uint64_t words = machine_.rtl.ibuf_words;
  if (buffer_filled_ && pc >= buffer_base_ && pc < buffer_base_ + words) return;
  const Cycle stall =
      words + kRefillOverhead + machine_.rtl.ibuf_latency + (buffer_filled_ ? 0 : 1);
  ledger_.Give(op.pc(), Reason::kRefill, ledger_.End() + stall, sink);
  buffer_filled_ = true;
  buffer_base_ = pc;
}

void RtlModel::Accept(const Op& op, Cycle cycle, EventSink& sink) {
  sink.Accept({op.executed.sequence, op.pc(), cycle});
  const std::uint32_t slots = RtlDepths::Slots(op.info);
  free_ = cycle + slots;
  slots_ += slots;
  ledger_.Give(op.pc(), Reason::kIssue, free_, sink);
  if (op.info.is_break) break_decode_ = cycle - kDecodeLead;
}

// R8 to R10: slots that the instruction leaves empty behind it.
void RtlModel::MarkSlots(const Op& op, Cycle cycle, const Waits& waits) {
  // A held instruction directly behind a 2-slot op that the fetch stage is ahead of needs no
  // refetch.
  const bool fetched =
      last_.slots == 2 && ((!last_.follows_refetch && !last_.predecessor_waited) || last_.settled);
  const bool refetch = waits.held && !fetched;
  if (op.info.is_loop_end || refetch) {
    const Reason reason = op.info.is_loop_end ? Reason::kCtrlLoop : Reason::kRecovery;
    for (const Cycle distance : {1, 2, 4}) marks_.Add({cycle + distance, reason, op.pc()});
  } else if (waits.any) {
    marks_.Add({cycle + 2, Reason::kRecovery, op.pc()});
  }
  last_ = {.slots = RtlDepths::Slots(op.info),
           .follows_refetch = last_.refetches,
           .predecessor_waited = last_.waited,
           .waited = waits.any || waits.held,
           .settled = waits.settle,
           .refetches = op.info.is_loop_end || refetch};
}

Cycle RtlModel::GetStuck(const Deadlock::Wait& wait, Reason reason, EventSink& sink) {
  stuck_since_ = ledger_.End();
  if (wait.pc != kNoPc) stuck_ = wait;
  free_ = std::max({stuck_since_, last_work_.cycle, dma_.performed_to()});
  ledger_.Give(wait.pc == kNoPc ? wait.holder_pc : wait.pc, reason, free_, sink, wait.holder_pc);
  return kNever;
}

Deadlock RtlModel::Explain() const {
  Deadlock deadlock{.since = stuck_since_};
  if (stuck_) deadlock.waits.push_back(*stuck_);
  const auto add = [&deadlock](Unit unit, const Release& over) {
    deadlock.units.push_back({unit, over.pc, over.cycle});
  };
  add(Unit::kMxCompute, array_.next);
  add(Unit::kVxElem, element_free_);
  add(Unit::kVxRed, reduced_);
  add(Unit::kSxAlu, scalar_free_);
  dma_.Explain(deadlock);
  return deadlock;
}

Cycle RtlModel::Drain(EventSink& sink) {
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
  const std::uint32_t pc = transfer_is_last ? transfer.pc : last_work_.pc;
  const Reason reason = transfer_is_last ? Reason::kDrainDma : DrainReason(last_unit_);
  ledger_.Give(pc, reason, total, sink, pc);
  Check(total);
  return total;
}

Cycle RtlModel::Cut(EventSink& sink) {
  dma_.AdvanceTo(free_);
  dma_events_.Announce(dma_, busy_, sink);
  dma_events_.AnnounceCut(dma_, free_, busy_, sink);
  Check(free_);
  return free_;
}

void RtlModel::Check(Cycle total) const {
  ledger_.Check(total);
  busy_.Check(total);
  dma_events_.Check(dma_);
  CHECK_BECAUSE(ledger_.SumOf(Reason::kIssue) == slots_, "issue slots are lost");
}

void RtlModel::Close(RunEnd& end) const {
  end.channels = dma_.Figures();
  AppendDmaStructures(dma_, dma_options_, end);
  end.structures.push_back(
      {"in_flight", "operations", std::nullopt, most_in_flight_, most_in_flight_cycle_});
  if (break_decode_) {
    end.structures.push_back(
        {"c_break_decode", "cycles", std::nullopt, *break_decode_, *break_decode_});
  }
  end.missing_interlocks = interlocks_.List();
}

}  // namespace moescope::emulator
