#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/timing/cost_table.h"
#include "tests/emulator/timing/stream.h"
#include "tests/emulator/timing/tick_dma.h"

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
    for (const DmaWait& wait : dma_waits_) cells[{steps_[wait.op].pc, ReasonOf(wait)}] += 1;
  }

  std::vector<Cycle> accepted;
  std::map<Cell, Cycle> cells;
  std::vector<Cycle> ends;  // by instruction
  Cycle total = 0;
  const emulator::TickDma& dma() const { return dma_; }

 private:
  struct Op {
    std::string name;
    isa::TimingClass timing{};
    Cycle accept = 0, begin = 0, end = 0, result = 1;
    Cycle unit_free = 0;
    Cycle reading_until = 0;  // of VRAM rows
  };
  struct DmaWait {
    std::size_t op = 0;
    Cycle cycle = 0;
    bool slot = false;
  };
  struct Awaited {                                           // as the wait begins
    std::map<std::size_t, std::vector<std::uint32_t>> rows;  // transfer: rows
    std::vector<std::size_t> holders;                        // of the slot, in order of priority
  };

  // ---- what instructions are, by name ----
  static bool Is(const Op& op, std::string_view prefix) { return op.name.rfind(prefix, 0) == 0; }
  static bool Ends(const Op& op, std::string_view suffix) {
    return op.name.size() >= suffix.size() &&
           op.name.compare(op.name.size() - suffix.size(), suffix.size(), suffix) == 0;
  }
  static bool IsWriteOut(const Op& op) { return Is(op, "M_") && Ends(op, "_WO"); }
  static bool IsCompute(const Op& op) { return Is(op, "M_") && !Ends(op, "_WO"); }
  static bool IsTopK(const Op& op) { return op.name == "V_TOPK"; }
  static bool IsReduce(const Op& op) { return Is(op, "V_RED") || IsTopK(op); }
  static bool IsElement(const Op& op) { return Is(op, "V_") && !IsReduce(op); }
  static bool IsMap(const Op& op) { return op.name == "S_MAP_V_FP"; }
  static bool IsScalarFp(const Op& op) { return Is(op, "S_") && Ends(op, "_FP"); }
  static bool IsFpMemory(const Op& op) {
    return op.name == "S_LD_FP" || op.name == "S_ST_FP" || IsMap(op);
  }
  static bool IsArithmetic(const Op& op) { return IsScalarFp(op) && !IsFpMemory(op); }
  static bool IsDma(const Op& op) { return Is(op, "H_"); }
  static bool IsFrontEnd(const Op& op) { return Ends(op, "_INT") || Is(op, "C_"); }
  static int Unit(const Op& op) {
    if (IsCompute(op)) return 1;
    if (IsWriteOut(op)) return 2;
    if (IsElement(op)) return 3;
    if (IsReduce(op)) return 4;
    if (IsFpMemory(op)) return 7;
    const bool sfu = op.name == "S_EXP_FP" || op.name == "S_RECI_FP" || op.name == "S_SQRT_FP";
    return IsArithmetic(op) ? (sfu ? 6 : 5) : 0;
  }
  static std::string Accumulator(const Op& op) {
    const std::string base = IsWriteOut(op) ? op.name.substr(0, op.name.size() - 3) : op.name;
    if (base == "M_MM" || base == "M_TMM") return "macc";
    if (base == "M_BMM" || base == "M_BTMM") return "hmacc";
    return base == "M_MV" || base == "M_TMV" ? "vacc" : "hvacc";
  }
  std::vector<std::uint32_t> FpSources(std::size_t i) const {
    const isa::Operands& o = steps_[i].operands;
    const std::string& n = ops_[i].name;
    if (n == "S_ADD_FP" || n == "S_SUB_FP" || n == "S_MUL_FP" || n == "S_MAX_FP") {
      return {o.rs1, o.rs2};
    }
    if (n == "S_EXP_FP" || n == "S_RECI_FP" || n == "S_SQRT_FP") return {o.rs1};
    if (n == "S_ST_FP" || Is(ops_[i], "V_RED")) return {o.rd};
    if (Is(ops_[i], "V_") && Ends(ops_[i], "_VF")) return {o.rs2};
    return {};
  }
  std::optional<std::uint32_t> FpDestination(std::size_t i) const {
    const Op& op = ops_[i];
    if (IsArithmetic(op) || op.name == "S_LD_FP" || Is(op, "V_RED")) return steps_[i].operands.rd;
    return std::nullopt;
  }
  bool TouchesFp(std::size_t i) const {
    return !FpSources(i).empty() || FpDestination(i).has_value();
  }

  static std::vector<std::uint32_t> List(const emulator::Rows& rows) {
    std::vector<std::uint32_t> list;
    for (std::uint32_t k = 0; k < rows.count; ++k) list.push_back(rows.first + k * rows.stride);
    return list;
  }
  static bool Meet(const emulator::Rows& a, const emulator::Rows& b) {
    for (const std::uint32_t x : List(a)) {
      for (const std::uint32_t y : List(b)) {
        if (x == y) return true;
      }
    }
    return false;
  }

  // ---- hazards, one function each: whether it holds in cycle t ----
  const emulator::Access& AccessOf(std::size_t i) const { return steps_[i].access; }

  bool RawFp(std::size_t i, Cycle t) const {
    for (const std::uint32_t reg : FpSources(i)) {
      if (reg == 0) continue;
      for (std::size_t j = i; j-- > 0;) {
        if (FpDestination(j) != reg) continue;
        if (ops_[j].end > t) return true;
        break;
      }
    }
    return false;
  }
  bool RawVram(std::size_t i, Cycle t) const {
    for (std::size_t j = 0; j < i; ++j) {
      if (IsDma(ops_[j]) || ops_[j].end <= t) continue;
      for (const emulator::Rows& rows : AccessOf(i).vram_read) {
        if (Meet(rows, AccessOf(j).vram_write)) return true;
      }
    }
    return false;
  }
  // Rows of transfers that the source (or destination) rows of i meet and that are not settled.
  std::map<std::size_t, std::vector<std::uint32_t>> Unsettled(std::size_t i, bool source,
                                                              Cycle t) const {
    std::map<std::size_t, std::vector<std::uint32_t>> found;
    const emulator::Access& a = AccessOf(i);
    for (std::size_t id = 0; id < dma_.transfers.size(); ++id) {
      const emulator::TickTransfer& x = dma_.transfers[id];
      if (source && x.is_store()) continue;
      const bool matrix = x.request.kind == emulator::DmaKind::kPrefetchMatrix;
      std::vector<std::uint32_t> rows;
      if (matrix) {
        const emulator::Rows& tiles = source ? a.mram_read : a.mram_write;
        const std::uint32_t m = machine_.shape.mlen;
        rows = List({tiles.first * m, tiles.count * m, 1});
      } else if (source) {
        rows = List(a.vram_read[0]);
        for (const std::uint32_t row : List(a.vram_read[1])) rows.push_back(row);
      } else {
        rows = List(a.vram_write);
      }
      std::set<std::uint32_t> own;
      for (const std::uint32_t row : rows) {
        if (row < x.request.first_row || row >= x.request.first_row + x.request.transfer.rows) {
          continue;
        }
        if (x.settled[row - x.request.first_row] > t) own.insert(row - x.request.first_row);
      }
      if (!own.empty()) found[id].assign(own.begin(), own.end());
    }
    return found;
  }
  bool WarWaw(std::size_t i, Cycle t) const {
    const Op& op = ops_[i];
    const Cycle landing =
        std::max(t, IsWriteOut(op) ? Computed(i) : 0) + (IsDma(op) ? 1 : op.result);
    for (std::size_t j = 0; j < i; ++j) {
      if (IsDma(ops_[j])) continue;
      for (const emulator::Rows& rows : AccessOf(j).vram_read) {
        if (Meet(rows, AccessOf(i).vram_write) && ops_[j].reading_until > t) return true;
      }
      if (Meet(AccessOf(j).mram_read, AccessOf(i).mram_write) && ops_[j].end > t) return true;
      // Ours must be the later one; what is over does not matter.
      const bool lands = ops_[j].end <= t || ops_[j].end < landing;
      if (Meet(AccessOf(j).vram_write, AccessOf(i).vram_write) && !lands) return true;
    }
    return !Unsettled(i, /*source=*/false, t).empty();
  }
  Cycle Computed(std::size_t i) const {
    Cycle end = 0;
    for (std::size_t j = 0; j < i; ++j) {
      if (IsCompute(ops_[j]) && Accumulator(ops_[j]) == Accumulator(ops_[i])) {
        end = std::max(end, ops_[j].end);
      }
    }
    return end;
  }
  bool UnitBusy(std::size_t i, Cycle t) const {
    const int unit = Unit(ops_[i]);
    for (std::size_t j = 0; j < i && unit != 0; ++j) {
      if (Unit(ops_[j]) == unit && ops_[j].unit_free > t) return true;
    }
    return false;
  }
  bool WriteOutRuns(std::size_t i, Cycle t) const {
    for (std::size_t j = 0; j < i; ++j) {
      if (IsWriteOut(ops_[j]) && Accumulator(ops_[j]) == Accumulator(ops_[i]) && ops_[j].end > t) {
        return true;
      }
    }
    return false;
  }
  template <typename Which>
  bool Any(std::size_t i, Cycle t, Which which) const {
    for (std::size_t j = 0; j < i; ++j) {
      if (which(ops_[j]) && ops_[j].end > t) return true;
    }
    return false;
  }
  std::optional<std::size_t> Holder(std::size_t i, Cycle t) const {
    if (IsDma(ops_[i])) {
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
    if (!options_.retire_in_order || !IsElement(ops_[i])) return false;
    for (std::size_t j = i; j-- > 0;) {
      if (!IsElement(ops_[j])) continue;
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
    if (IsFrontEnd(op)) {
      const bool memory = op.name == "S_LD_INT" || op.name == "S_ST_INT";
      if (memory && Any(i, t, IsTopK)) return Reason::kRedPending;
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
    if (UnitBusy(i, t)) return kBusy[Unit(op)];
    if (IsCompute(op) && WriteOutRuns(i, t)) return Reason::kWoBusy;
    if ((IsScalarFp(op) || TouchesFp(i)) && Any(i, t, IsReduce)) return Reason::kRedPending;
    if (Ends(op, "_VF") && Any(i, t, IsArithmetic)) return Reason::kSxBusy;
    if (Blocked(i, t)) {
      dma_waits_.push_back({i, t, true});
      return Reason::kDmaIssue;
    }
    const Cycle at = t + (t > from_ ? options_.recovery : 0);
    if (IsCompute(op) || IsElement(op) || IsReduce(op)) {
      if (PortTaken(port_a_, at, AccessOf(i).vram_read[0].count)) return Reason::kPortA;
      if (PortTaken(port_b_, at, AccessOf(i).vram_read[1].count)) return Reason::kPortB;
    }
    if (MixedLatency(i, t)) return Reason::kMixedLat;
    return std::nullopt;
  }
  bool Blocked(std::size_t i, Cycle t) const {
    if (Holder(i, t)) return true;
    const bool vector = IsElement(ops_[i]) || IsReduce(ops_[i]);
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
    if (IsCompute(op) || IsElement(op) || IsReduce(op)) {
      for (Cycle c = 0; c < AccessOf(i).vram_read[0].count; ++c) port_a_[accept_ + c] = 0;
      for (Cycle c = 0; c < AccessOf(i).vram_read[1].count; ++c) port_b_[accept_ + c] = 0;
    }
    if (accept_ == t) Perform(t);
  }

  void Prepare(Cycle t) {
    const std::size_t i = index_;
    from_ = t;
    Op op;
    op.name = std::string(steps_[i].instruction->mnemonic);
    op.timing = steps_[i].instruction->timing;
    ops_.push_back(op);
    ops_[i].result = Result(i);
    Awaited awaited;
    awaited.rows = Unsettled(i, /*source=*/true, t);
    const auto hold = [&awaited](std::optional<std::size_t> id) {
      if (id) awaited.holders.push_back(*id);
    };
    hold(Holder(i, t));
    if (options_.prefetch_v_blocks_vector && (IsElement(op) || IsReduce(op))) {
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
      if (IsWriteOut(ops_[j])) return true;
      if (IsCompute(ops_[j])) return false;
    }
    return true;
  }
  Cycle Extra(std::size_t i) const {
    return IsCompute(ops_[i]) && FirstOfTile(i) ? costs_.Of(Row(i)).first_of_tile : 0;
  }
  Cycle Result(std::size_t i) const {
    if (IsDma(ops_[i])) return 1;
    if (IsTopK(ops_[i]) && costs_.Of(Row(i)).per_expert) {
      return costs_.Result(Row(i), AccessOf(i).topk_experts);
    }
    return costs_.Of(Row(i)).result + Extra(i);
  }
  Cycle Interval(std::size_t i) const {
    if (IsTopK(ops_[i]) && costs_.Of(Row(i)).per_expert) {
      return costs_.Interval(Row(i), AccessOf(i).topk_experts);
    }
    return costs_.Of(Row(i)).interval + Extra(i);
  }
  Cycle Slots(std::size_t i) const {
    if (IsDma(ops_[i])) return 1;
    const Cycle own = costs_.Of(Row(i)).slots;
    return Is(ops_[i], "V_") && Ends(ops_[i], "_VV") ? std::max<Cycle>(own, options_.vv_slots)
                                                     : own;
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
    op.accept = op.begin = a;
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
    if (IsFrontEnd(op)) {
      op.end = last_slot_;
    } else if (IsDma(op)) {
      StartTransfer(i, a);
      op.end = 0;
    } else if (IsWriteOut(op)) {
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
      if (IsElement(op)) op.end = Reserve(port_a_, op.end - 1) + 1;
      if (IsMap(op)) op.end = Reserve(port_b_, op.end - 1) + 1;
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
      Reason reason = kDrain[Unit(ops_[i])];
      if (IsDma(ops_[i])) {
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

  // What the wait of one cycle was, with the lives of all bursts known.
  Reason ReasonOf(const DmaWait& wait) const {
    const Awaited& awaited = awaited_[wait.op];
    std::size_t id = 0;
    std::vector<std::uint32_t> rows;
    if (wait.slot) {
      id = *std::find_if(awaited.holders.begin(), awaited.holders.end(), [&](std::size_t holder) {
        return dma_.transfers[holder].complete > wait.cycle;
      });
    } else {
      Cycle settled = 0;
      for (const auto& [transfer, its_rows] : awaited.rows) {
        Cycle latest = 0;
        for (const std::uint32_t row : its_rows) {
          latest = std::max(latest, dma_.transfers[transfer].settled[row]);
        }
        if (latest > settled) {
          settled = latest;
          id = transfer;
          rows = its_rows;
        }
      }
    }
    const emulator::TickTransfer& x = dma_.transfers[id];
    const emulator::ClockRatio ratio(machine_.core_ps, machine_.hbm.dram_ps);
    const Cycle t = wait.cycle;
    if (t < x.ordered_from) return Reason::kHbmOrder;
    if (x.is_store() && t < x.read_end) return Reason::kDmaSlot;
    const Reason rest = x.is_store() ? Reason::kDmaSlot : Reason::kSramFill;
    if (machine_.hbm.model == emulator::HbmModelKind::kFixed) {
      if (t < x.start) return Reason::kDmaIssue;
      if (x.is_store())
        return t < ratio.VisibleAt(ratio.ClockAt(x.start)) ? Reason::kHbmBandwidth : rest;
      emulator::DramClock arrival = 0;
      for (std::uint32_t row = 0; row < x.arrived.size(); ++row) {
        const bool asked = wait.slot || std::count(rows.begin(), rows.end(), row) > 0;
        if (asked) arrival = std::max(arrival, x.arrived[row]);
      }
      return t < ratio.VisibleAt(arrival) ? Reason::kHbmLatency : rest;
    }
    const emulator::TickLine* critical = nullptr;
    for (const emulator::TickLine& line : x.lines) {
      bool asked = wait.slot;
      for (const std::uint32_t row : rows) asked = asked || line.rows.count(row) != 0;
      if (!asked) continue;
      const bool later = critical == nullptr || line.last.done > critical->last.done;
      const bool lower = critical != nullptr && line.last.done == critical->last.done &&
                         line.last.burst.address < critical->last.burst.address;
      if (later || lower) critical = &line;
    }
    const emulator::BurstLife& life = critical->last;
    if (t < critical->issued) return Reason::kDmaIssue;
    if (t < ratio.VisibleAt(life.admitted)) return Reason::kHbmQueue;
    if (x.is_store()) return t < ratio.VisibleAt(life.done) ? Reason::kHbmBandwidth : rest;
    if (life.row_begin != emulator::kNever) {
      const bool row = t >= ratio.VisibleAt(life.row_begin) && t < ratio.VisibleAt(life.row_ready);
      if (row) return Reason::kHbmRow;
    }
    if (t < ratio.VisibleAt(life.command)) return Reason::kHbmBandwidth;
    return t < ratio.VisibleAt(life.done) ? Reason::kHbmLatency : rest;
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
  std::vector<Awaited> awaited_;
  std::vector<DmaWait> dma_waits_;
  std::map<std::size_t, std::size_t> transfer_of_;
  std::size_t index_ = 0;
  bool decided_ = false;
  Cycle from_ = 0, accept_ = 0, next_ = 0, last_slot_ = 0;
};

}  // namespace moescope::test
