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
#include "emulator/timing_model.h"

namespace moescope::emulator {

// Model `pipelined` (timing.md, 4): in-order issue of one instruction per cycle, overlapping units,
// asynchronous DMA. Work per instruction is bounded by what is in flight; no cycle is stepped.
class PipelinedModel final : public TimingModel {
 public:
  explicit PipelinedModel(const MachineDescription& machine,
                          const isa::InstructionSet& set = isa::InstructionSet::Builtin());

  void Describe(const isa::Program& program, RunDescription& description) const override;
  Cycle Execute(const Executed& executed, EventSink& sink) override;
  Cycle Now() const override { return free_; }
  Cycle Drain(EventSink& sink) override;
  Cycle Cut(EventSink& sink) override;
  Deadlock Explain() const override;
  void Close(RunEnd& end) const override;

 private:
  struct Cost {
    Cycle result = 1;
    Cycle interval = 1;
    Cycle slots = 1;
  };
  // An operation about to be accepted.
  struct Op {
    const Executed& executed;
    const OpInfo& info;
    Cost cost;
    Release At(Cycle cycle) const { return {cycle, executed.sequence, executed.pc}; }
    std::uint32_t pc() const { return executed.pc; }
    const Access& access() const { return *executed.access; }
  };

  Cost CostOf(const OpInfo& info, const Executed& executed) const;
  Cycle Accept(const Op& op, Cycle cycle, EventSink& sink);
  void Forget(Cycle cycle);
  void Check(Cycle total) const;
  // Notes that `wait` never ends, and gives the cycles up to the last event to it.
  Cycle GetStuck(const Deadlock::Wait& wait, Reason reason, EventSink& sink);

  // What holds an instruction from `from` on (pipelined_hazards.cc).
  void CollectHolds(const Op& op, Cycle from);
  void HoldForRegisters(const Op& op, Cycle from);
  void HoldForSources(const Op& op, Cycle from);
  void HoldForDestinations(const Op& op, Cycle from);
  void HoldForUnit(const Op& op, Cycle from);
  void HoldForScalars(const Op& op, Cycle from);
  void HoldForSlot(const Op& op, Cycle from);
  void HoldForInterlocks(const Op& op, Cycle from);
  void HoldForTransfer(const DmaSystem::SlotWait& wait, Cycle from);
  static bool IsLater(const DmaSystem::RowWait& a, const DmaSystem::RowWait& b);
  static void RaiseToTransfer(const DmaSystem::RowWait& wait, Release& over);
  // When an operation may be accepted that must land after an earlier one which ends then.
  Release LandedBefore(const Op& op, const Release& earlier) const;

  // The wait and its reasons; returns the cycle in which nothing holds any more
  // (pipelined_wait.cc).
  Cycle Wait(const Op& op, Cycle from, EventSink& sink);
  void WaitForPorts(const Op& op, Cycle from, const Hold* mixed, EventSink& sink);
  void GiveHold(const Op& op, const Hold& hold, EventSink& sink);
  struct PortState {
    const PortSchedule::Claim* claim = nullptr;  // in the way, or null
    Reason reason = Reason::kPortA;
    Cycle until = 0;  // the answer holds for earlier cycles
  };
  PortState PortsAt(const Op& op, Cycle from, Cycle cycle) const;

  // The operation itself, from its accept cycle on; these return its end (pipelined_units.cc).
  void Perform(const Op& op, Cycle cycle, EventSink& sink);
  Cycle PerformCompute(const Op& op, Cycle cycle);
  Cycle PerformWriteOut(const Op& op, Cycle begin);
  Cycle PerformVector(const Op& op, Cycle cycle);
  Cycle PerformScalar(const Op& op, Cycle cycle);
  void Finish(const Op& op, Cycle begin, Cycle end, EventSink& sink);
  void StartTransfer(const Op& op, Cycle cycle);

  const MachineDescription machine_;
  const PipelinedOptions& options_;
  const CostTable costs_;
  const OpInfoTable infos_;
  PortSchedule port_a_;
  PortSchedule port_b_;
  DmaSystem dma_;
  DmaEvents dma_events_;
  AttributionLedger ledger_;
  BusyUnion busy_;
  HoldList holds_;
  std::vector<DmaPhase> phases_;

  // Front end.
  Cycle free_ = 0;  // the slots before it are given
  bool started_ = false;
  Cycle bubble_ = 0;  // after the last instruction
  std::uint32_t last_pc_ = kNoPc;
  std::uint64_t slots_ = 0;

  // Scoreboard.
  std::array<Release, 8> fp_ready_;
  RowUses vram_writers_;
  RowUses vram_readers_;
  RowUses mram_readers_;
  std::array<Release, kUnitCount> unit_free_;
  std::array<Release, kAccumulatorCount> computed_;  // last result of M_* on this accumulator
  std::array<Release, kAccumulatorCount> written_out_;
  bool tile_open_ = false;  // an M_* ran since the last write-out
  Release reduced_;         // last result of a reduction, V_TOPK included
  Release topk_done_;
  Release scalar_done_;           // last result of scalar FP arithmetic
  Release element_done_;          // of the last element operation
  Cycle element_result_ = 0;      // its latency
  std::vector<Cycle> in_flight_;  // ends of operations in flight
  std::uint64_t most_in_flight_ = 0;
  Cycle most_in_flight_cycle_ = 0;

  // The work that ends last.
  Release last_work_;
  Unit last_unit_ = Unit::kMxCompute;
  std::uint64_t busy_events_ = 0;

  Cycle stuck_since_ = 0;
  std::optional<Deadlock::Wait> stuck_;  // the front end's wait that never ends
};

}  // namespace moescope::emulator
