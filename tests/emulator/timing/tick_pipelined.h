#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/timing/cost_table.h"
#include "tests/emulator/timing/stream.h"
#include "tests/emulator/timing/tick_dma.h"
#include "tests/emulator/timing/tick_op.h"
#include "tests/emulator/timing/tick_wait.h"

// Model `pipelined` of timing.md 4, stepped cycle by cycle: in every cycle each hazard of the table
// is asked, in order, whether it holds, by looking at all instructions before. Slow, and written
// apart from the event-driven model, which it checks.

namespace moescope::test {

class TickPipelined {
 public:
  using Cycle = emulator::Cycle;
  using Reason = emulator::Reason;

  TickPipelined(const emulator::MachineDescription& machine, const Stream& stream)
      : machine_(machine),
        options_(machine.pipelined),
        costs_(machine),
        steps_(stream.steps()),
        dma_(machine_, options_.dma, port_b_) {}

  void Run() {
    if (steps_.empty()) return;
    Give(0, Reason::kFill, 0, options_.fill);
    next_ = options_.fill;
    for (Cycle t = 0;; ++t) {
      dma_.Sram(t);
      dma_.Issue(t);
      FrontEnd(t);
      dma_.Dram(t);
      if (index_ == steps_.size() && dma_.Idle()) break;
      if (t > 50'000'000) std::abort();
    }
    Drain();
    for (const TickWait& wait : dma_waits_)
      cells[{steps_[wait.op].pc, ReasonOf(wait, awaited_[wait.op], machine_, dma_.transfers)}] += 1;
  }

  std::vector<Cycle> accepted;
  std::map<Cell, Cycle> cells;
  std::vector<Cycle> ends;  // by instruction
  Cycle total = 0;
  const emulator::TickDma& dma() const { return dma_; }

 private:
  using Op = TickOp;

  // ---- hazards, one function each: whether it holds in cycle t ----
  const emulator::Access& AccessOf(std::size_t i) const { return steps_[i].access; }

  bool RawFp(std::size_t i, Cycle t) const {
    for (const std::uint32_t reg : ops_[i].fp_sources) {
      if (reg == 0) continue;
      for (std::size_t j = i; j-- > 0;) {
        if (ops_[j].fp_destination != reg) continue;
        if (ops_[j].end > t) return true;
        break;
      }
    }
    return false;
  }
  bool RawVram(std::size_t i, Cycle t) const {
    for (std::size_t j = 0; j < i; ++j) {
      if (ops_[j].dma || ops_[j].end <= t) continue;
      for (const emulator::Rows& rows : AccessOf(i).vram_read) {
        if (Meet(rows, AccessOf(j).vram_write)) return true;
      }
    }
    return false;
  }
  RowsOfTransfers Unsettled(std::size_t i, bool source, Cycle t) const {
    return UnsettledRows(AccessOf(i), source, machine_.shape.mlen, dma_.transfers, t);
  }
  bool WarWaw(std::size_t i, Cycle t) const {
    const Op& op = ops_[i];
    const Cycle landing = std::max(t, op.write_out ? Computed(i) : 0) + (op.dma ? 1 : op.result);
    for (std::size_t j = 0; j < i; ++j) {
      if (ops_[j].dma) continue;
      for (const emulator::Rows& rows : AccessOf(j).vram_read) {
        if (ops_[j].reading_until > t && Meet(rows, AccessOf(i).vram_write)) return true;
      }
      if (ops_[j].end > t && Meet(AccessOf(j).mram_read, AccessOf(i).mram_write)) return true;
      // Ours must be the later one; what is over does not matter.
      const bool lands = ops_[j].end <= t || ops_[j].end < landing;
      if (!lands && Meet(AccessOf(j).vram_write, AccessOf(i).vram_write)) return true;
    }
    return !Unsettled(i, /*source=*/false, t).empty();
  }
  Cycle Computed(std::size_t i) const {
    Cycle end = 0;
    for (std::size_t j = 0; j < i; ++j) {
      if (ops_[j].compute && ops_[j].accumulator == ops_[i].accumulator) {
        end = std::max(end, ops_[j].end);
      }
    }
    return end;
  }
  bool UnitBusy(std::size_t i, Cycle t) const {
    const int unit = ops_[i].unit;
    for (std::size_t j = 0; j < i && unit != 0; ++j) {
      if (ops_[j].unit == unit && ops_[j].unit_free > t) return true;
    }
    return false;
  }
  bool WriteOutRuns(std::size_t i, Cycle t) const {
    for (std::size_t j = 0; j < i; ++j) {
      if (ops_[j].write_out && ops_[j].accumulator == ops_[i].accumulator && ops_[j].end > t) {
        return true;
      }
    }
    return false;
  }
  bool Any(std::size_t i, Cycle t, bool Op::*which) const {
    for (std::size_t j = 0; j < i; ++j) {
      if (ops_[j].*which && ops_[j].end > t) return true;
    }
    return false;
  }
  std::optional<std::size_t> Holder(std::size_t i, Cycle t) const {
    if (ops_[i].dma) {
      const auto waiting = dma_.Waiting(KindOf(ops_[i]), t);
      if (waiting.size() > options_.dma.queue)
        return waiting[waiting.size() - 1 - options_.dma.queue];
    }
    return std::nullopt;
  }
  std::optional<std::size_t> Newest(emulator::DmaKind kind, Cycle t) const {
    std::optional<std::size_t> newest;
    for (const std::size_t id : dma_.Waiting(kind, t)) {
      if (dma_.transfers[id].request.kind == kind) newest = id;
    }
    return newest;
  }
  bool MixedLatency(std::size_t i, Cycle t) const {
    if (!options_.retire_in_order || !ops_[i].element) return false;
    for (std::size_t j = i; j-- > 0;) {
      if (!ops_[j].element) continue;
      return ops_[j].result != ops_[i].result && ops_[j].end > t;
    }
    return false;
  }
  bool PortTaken(const std::map<Cycle, std::uint32_t>& port, Cycle at, std::uint32_t count) const {
    for (Cycle c = at; c < at + count; ++c) {
      if (port.count(c) != 0) return true;
    }
    return false;
  }

  static emulator::DmaKind KindOf(const Op& op) {
    if (op.name == "H_PREFETCH_M") return emulator::DmaKind::kPrefetchMatrix;
    return op.name == "H_PREFETCH_V" ? emulator::DmaKind::kPrefetchVector
                                     : emulator::DmaKind::kStoreVector;
  }

  // The first reason in the order of the table, or nothing; a DMA wait is noted instead.
  std::optional<Reason> Holding(std::size_t i, Cycle t) {
    const Op& op = ops_[i];
    if (op.front_end) {
      const bool memory = op.name == "S_LD_INT" || op.name == "S_ST_INT";
      if (memory && Any(i, t, &Op::topk)) return Reason::kRedPending;
      return std::nullopt;
    }
    if (RawFp(i, t)) return Reason::kRawFp;
    if (RawVram(i, t)) return Reason::kRawVram;
    if (!Unsettled(i, /*source=*/true, t).empty()) {
      dma_waits_.push_back({i, t, false});
      return Reason::kDmaIssue;
    }
    if (WarWaw(i, t)) return Reason::kWarWaw;
    constexpr Reason kBusy[] = {Reason::kOther,  Reason::kMxBusy, Reason::kWoBusy, Reason::kVxBusy,
                                Reason::kVxBusy, Reason::kSxBusy, Reason::kSxBusy, Reason::kSxBusy};
    if (UnitBusy(i, t)) return kBusy[op.unit];
    if (op.compute && WriteOutRuns(i, t)) return Reason::kWoBusy;
    if ((op.scalar_fp || op.touches_fp()) && Any(i, t, &Op::reduce)) return Reason::kRedPending;
    if (op.vector_scalar && Any(i, t, &Op::arithmetic)) return Reason::kSxBusy;
    if (Blocked(i, t)) {
      dma_waits_.push_back({i, t, true});
      return Reason::kDmaIssue;
    }
    const Cycle at = t + (t > from_ ? options_.recovery : 0);
    if (op.reads_ports()) {
      if (PortTaken(port_a_, at, AccessOf(i).vram_read[0].count)) return Reason::kPortA;
      if (PortTaken(port_b_, at, AccessOf(i).vram_read[1].count)) return Reason::kPortB;
    }
    if (MixedLatency(i, t)) return Reason::kMixedLat;
    return std::nullopt;
  }
  bool Blocked(std::size_t i, Cycle t) const {
    if (Holder(i, t)) return true;
    const bool vector = ops_[i].element || ops_[i].reduce;
    if (options_.prefetch_v_blocks_vector && vector &&
        Newest(emulator::DmaKind::kPrefetchVector, t)) {
      return true;
    }
    return options_.matrix_load_blocks_all && Newest(emulator::DmaKind::kPrefetchMatrix, t);
  }

  // ---- the front end in cycle t ----
  void FrontEnd(Cycle t) {
    if (decided_) {
      if (t == accept_) Perform(t);
      return;
    }
    if (index_ == steps_.size() || t < next_) return;
    if (t == next_) Prepare(t);
    const std::size_t i = index_;
    const std::size_t waits = dma_waits_.size();
    if (const auto reason = Holding(i, t)) {
      if (dma_waits_.size() == waits) Give(steps_[i].pc, *reason, t, t + 1);
      return;
    }
    decided_ = true;
    accept_ = t + (t > from_ ? options_.recovery : 0);
    Give(steps_[i].pc, Reason::kRecovery, t, accept_);
    const Op& op = ops_[i];
    if (op.reads_ports()) {
      for (Cycle c = 0; c < AccessOf(i).vram_read[0].count; ++c) port_a_[accept_ + c] = 0;
      for (Cycle c = 0; c < AccessOf(i).vram_read[1].count; ++c) port_b_[accept_ + c] = 0;
    }
    if (accept_ == t) Perform(t);
  }

  void Prepare(Cycle t) {
    const std::size_t i = index_;
    from_ = t;
    ops_.emplace_back(steps_[i].instruction->mnemonic, steps_[i].operands);
    ops_[i].result = Result(i);
    const Op& op = ops_[i];
    TickAwaited awaited;
    awaited.rows = Unsettled(i, /*source=*/true, t);
    const auto hold = [&awaited](std::optional<std::size_t> id) {
      if (id) awaited.holders.push_back(*id);
    };
    hold(Holder(i, t));
    if (options_.prefetch_v_blocks_vector && (op.element || op.reduce)) {
      hold(Newest(emulator::DmaKind::kPrefetchVector, t));
    }
    if (options_.matrix_load_blocks_all) hold(Newest(emulator::DmaKind::kPrefetchMatrix, t));
    awaited_.push_back(awaited);
  }

  std::size_t Row(std::size_t i) const {
    return *emulator::BuiltinIndexOf(steps_[i].instruction->mnemonic);
  }
  bool FirstOfTile(std::size_t i) const {
    for (std::size_t j = i; j-- > 0;) {
      if (ops_[j].write_out) return true;
      if (ops_[j].compute) return false;
    }
    return true;
  }
  Cycle Extra(std::size_t i) const {
    return ops_[i].compute && FirstOfTile(i) ? costs_.Of(Row(i)).first_of_tile : 0;
  }
  Cycle Result(std::size_t i) const {
    if (ops_[i].dma) return 1;
    if (ops_[i].topk && costs_.Of(Row(i)).per_expert) {
      return costs_.Result(Row(i), AccessOf(i).topk_experts);
    }
    return costs_.Of(Row(i)).result + Extra(i);
  }
  Cycle Interval(std::size_t i) const {
    if (ops_[i].topk && costs_.Of(Row(i)).per_expert) {
      return costs_.Interval(Row(i), AccessOf(i).topk_experts);
    }
    return costs_.Of(Row(i)).interval + Extra(i);
  }
  Cycle Slots(std::size_t i) const {
    if (ops_[i].dma) return 1;
    const Cycle own = costs_.Of(Row(i)).slots;
    return ops_[i].three_address ? std::max<Cycle>(own, options_.vv_slots) : own;
  }

  static Cycle Reserve(std::map<Cycle, std::uint32_t>& port, Cycle from) {
    while (port.count(from) != 0) ++from;
    port[from] = 0;
    return from;
  }

  void Perform(Cycle a) {
    const std::size_t i = index_++;
    decided_ = false;
    Op& op = ops_[i];
    op.begin = a;
    op.end = a + op.result;
    accepted.push_back(a);
    const bool loop_end = op.name == "C_LOOP_END";
    const Cycle slots = Slots(i);
    Give(steps_[i].pc, Reason::kIssue, a, a + (loop_end ? 1 : slots));
    if (loop_end) Give(steps_[i].pc, Reason::kCtrlLoop, a + 1, a + slots);
    last_slot_ = next_ = a + slots;
    if (AccessOf(i).jumped) {
      const Cycle bubble =
          options_.loop_redirect + 1 > slots ? options_.loop_redirect + 1 - slots : 0;
      if (index_ < steps_.size()) Give(steps_[i].pc, Reason::kCtrlLoop, next_, next_ + bubble);
      next_ += bubble;
    }
    if (op.front_end) {
      op.end = last_slot_;
    } else if (op.dma) {
      StartTransfer(i, a);
      op.end = 0;
    } else if (op.write_out) {
      op.begin = std::max(a, Computed(i));
      op.unit_free = op.begin + Interval(i);
      op.end = op.begin + op.result;
      const Cycle writes = std::min<Cycle>(AccessOf(i).vram_write.count, op.result);
      Cycle due = op.end - writes;
      for (Cycle k = 0; k < writes; ++k) due = Reserve(port_a_, due) + 1;
      op.end = std::max(op.end, due);
    } else {
      op.unit_free = a + Interval(i);
      op.reading_until = a + AccessOf(i).vram_read[0].count;
      if (op.element) op.end = Reserve(port_a_, op.end - 1) + 1;
      if (op.map) op.end = Reserve(port_b_, op.end - 1) + 1;
    }
    ends.push_back(op.end);
  }

  void StartTransfer(std::size_t i, Cycle a) {
    const emulator::Access& access = AccessOf(i);
    emulator::DmaRequest request;
    request.sequence = i;
    request.pc = steps_[i].pc;
    request.kind = KindOf(ops_[i]);
    request.accepted = a;
    request.transfer = access.transfer;
    if (request.kind == emulator::DmaKind::kPrefetchMatrix) {
      request.first_row = access.mram_write.first * machine_.shape.mlen;
    } else if (request.kind == emulator::DmaKind::kPrefetchVector) {
      request.first_row = access.vram_write.first;
    } else {
      request.first_row = access.vram_read[0].first;
    }
    transfer_of_[i] = dma_.transfers.size();
    dma_.Accept(request);
  }

  // ---- the end ----
  void Drain() {
    struct Last {
      Cycle end = 0;
      std::size_t op = 0;
      Reason reason = Reason::kOther;
    } last;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      Cycle end = ops_[i].end;
      constexpr Reason kDrain[] = {Reason::kOther,   Reason::kDrainMx, Reason::kDrainWo,
                                   Reason::kDrainVx, Reason::kDrainVx, Reason::kDrainSx,
                                   Reason::kDrainSx, Reason::kDrainSx};
      Reason reason = kDrain[ops_[i].unit];
      if (ops_[i].dma) {
        const emulator::TickTransfer& x = dma_.transfers[transfer_of_.at(i)];
        end = x.complete;
        if (x.is_store() && !options_.dma.store_done_issued) {
          end = std::max(end, dma_.LastWriteOf(transfer_of_.at(i)));
        }
        ends[i] = x.complete;
        reason = Reason::kDrainDma;
      }
      if (end > last.end) last = {end, i, reason};
    }
    total = std::max(last_slot_, last.end);
    Give(steps_[last.op].pc, last.reason, last_slot_, total);
  }

  void Give(std::uint32_t pc, Reason reason, Cycle from, Cycle to) {
    if (to > from) cells[{pc, reason}] += to - from;
  }

  const emulator::MachineDescription machine_;
  const emulator::PipelinedOptions& options_;
  const emulator::CostTable costs_;
  std::vector<StreamStep> steps_;
  std::map<Cycle, std::uint32_t> port_a_, port_b_;
  emulator::TickDma dma_;
  std::vector<Op> ops_;
  std::vector<TickAwaited> awaited_;
  std::vector<TickWait> dma_waits_;
  std::map<std::size_t, std::size_t> transfer_of_;
  std::size_t index_ = 0;
  bool decided_ = false;
  Cycle from_ = 0, accept_ = 0, next_ = 0, last_slot_ = 0;
};

}  // namespace moescope::test
