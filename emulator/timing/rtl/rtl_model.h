#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/timing/attribution_ledger.h"
#include "emulator/timing/busy_union.h"
#include "emulator/timing/cost_table.h"
#include "emulator/timing/dma/dma_events.h"
#include "emulator/timing/dma/dma_system.h"
#include "emulator/timing/op_info.h"
#include "emulator/timing/pipelined/hold.h"
#include "emulator/timing/pipelined/row_uses.h"
#include "emulator/timing/rtl/missing_interlocks.h"
#include "emulator/timing/rtl/rtl_units.h"
#include "emulator/timing/rtl/slot_marks.h"
#include "emulator/timing_model.h"

namespace moescope::emulator {

// Model `rtl` (timing.md, 5): the control path of the released RTL as rules R1 to R13. The cycle of
// an instruction is that of its execute stage.
class RtlModel final : public TimingModel {
 public:
  explicit RtlModel(const MachineDescription& machine,
                    const isa::InstructionSet& set = isa::InstructionSet::Builtin());

  void Describe(const isa::Program& program, RunDescription& description) const override;
  Cycle Execute(const Executed& executed, EventSink& sink) override;
  Cycle Now() const override { return free_; }
  Cycle Drain(EventSink& sink) override;
  Cycle Cut(EventSink& sink) override;
  Deadlock Explain() const override;
  void Close(RunEnd& end) const override;

 private:
  struct Op {
    const Executed& executed;
    const OpInfo& info;
    Release At(Cycle cycle) const { return {cycle, executed.sequence, executed.pc}; }
    std::uint32_t pc() const { return executed.pc; }
    const Access& access() const { return *executed.access; }
    bool meets_scalars() const {
      return info.is_vector_scalar || info.is_reduction || info.is_topk;
    }
  };
  // Which rules an instruction waited under.
  struct Waits {
    bool any = false;     // R2 to R7
    bool vector = false;  // for another V op
    bool settle = false;  // R7
    bool held = false;    // R8
  };

  // The natural slot (R1, R8 to R11); gives the cycles before it.
  Cycle NaturalSlot(const Op& op, EventSink& sink);
  void Refill(const Op& op, EventSink& sink);

  // R2 to R8 and R12 for an instruction whose natural slot is `slot` (rtl_rules.cc).
  void CollectHolds(const Op& op, Cycle slot, Waits& waits);
  void HoldForMatrix(const Op& op, Cycle slot);
  void HoldForVectors(const Op& op, Cycle slot, Waits& waits);
  void HoldForScalars(const Op& op, Cycle slot);
  void HoldForTransfers(const Op& op, Cycle slot);
  bool IsHeldInDecode(const Op& op, Cycle slot) const;
  void GiveHolds(const Op& op, EventSink& sink);

  void Accept(const Op& op, Cycle cycle, EventSink& sink);
  void MarkSlots(const Op& op, Cycle cycle, const Waits& waits);
  void CountInterlocks(const Op& op, Cycle cycle, Cycle slot);

  // What an operation does from its execute cycle on; these return its end (rtl_operations.cc).
  void Perform(const Op& op, Cycle cycle, const Waits& waits, EventSink& sink);
  Cycle PerformCompute(const Op& op, Cycle cycle);
  Cycle PerformWriteOut(const Op& op, Cycle cycle, Cycle& begin);
  Cycle PerformVector(const Op& op, Cycle cycle, const Waits& waits);
  Cycle PerformScalar(const Op& op, Cycle cycle);
  void Finish(const Op& op, Cycle begin, Cycle end, EventSink& sink);
  void StartTransfer(const Op& op, Cycle cycle);
  void Check(Cycle total) const;
  // Notes that `wait` never ends, and gives the cycles up to the last event to it.
  Cycle GetStuck(const Deadlock::Wait& wait, Reason reason, EventSink& sink);

  const MachineDescription machine_;
  const DmaOptions dma_options_;
  const CostTable costs_;  // provenance only: the rules have the numbers
  const RtlDepths depths_;
  const OpInfoTable infos_;
  PortSchedule port_b_;
  DmaSystem dma_;
  DmaEvents dma_events_;
  AttributionLedger ledger_;
  BusyUnion busy_;
  HoldList holds_;
  std::vector<DmaPhase> phases_;
  MissingInterlocks interlocks_;

  // Front end.
  Cycle free_ = 0;  // first slot behind the last instruction
  bool started_ = false;
  SlotMarks marks_;
  std::uint64_t buffer_base_ = 0;  // first word of the instruction buffer
  bool buffer_filled_ = false;
  std::uint64_t slots_ = 0;
  struct Last {  // the instruction before
    std::uint32_t slots = 0;
    bool follows_refetch = false;  // it is the first after a refetch or C_LOOP_END
    bool predecessor_waited = false;
    bool waited = false;
    bool settled = false;    // it waited under R7
    bool refetches = false;  // it ends in a refetch, or is C_LOOP_END
  } last_;

  // Units.
  Release element_free_;  // R2: w + 2 of the last element op
  Release reduced_;       // R3: w + 2 of the last reduction or V_TOPK
  Release topk_done_;
  Release scalar_free_;         // R4: w + 2 of the last arithmetic op
  std::optional<Release> map_;  // R5: the last S_MAP_V_FP
  struct LastVector {           // R8
    bool any = false;
    Release at;  // its execute cycle
    Cycle write = 0;
    bool waited = false;  // for another V op
  } vector_;
  struct Array {  // R6
    bool tile_open = false;
    bool tile_is_gemv = false;
    Release next;  // from when on M_* may compute
    Reason reason = Reason::kMxBusy;
    Release write_out;  // from when on a write-out may be
    Cycle accumulated = 0;
  } array_;
  SettleWindows settle_;
  std::optional<Release> loaded_;  // the last S_LD_FP
  std::uint32_t loaded_register_ = 0;
  std::optional<Cycle> break_decode_;

  Release last_work_;
  Unit last_unit_ = Unit::kMxCompute;
  std::vector<Cycle> in_flight_;
  std::uint64_t most_in_flight_ = 0;
  Cycle most_in_flight_cycle_ = 0;
  std::uint64_t busy_events_ = 0;

  Cycle stuck_since_ = 0;
  std::optional<Deadlock::Wait> stuck_;  // the front end's wait that never ends
};

}  // namespace moescope::emulator
