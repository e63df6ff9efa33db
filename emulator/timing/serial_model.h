#pragma once

#include <memory>

#include "emulator/hbm/clock_ratio.h"
#include "emulator/timing/line_history.h"
#include "emulator/timing/serial_costs.h"
#include "emulator/timing/transfer_timer.h"
#include "emulator/timing_model.h"
#include "isa/instruction_set.h"

namespace moescope::emulator {

// Model `serial` (timing.md, 3): each instruction starts when the one before it ended, and H_*
// block until their last byte arrived. No unit is measured.
class SerialModel final : public TimingModel {
 public:
  SerialModel(const MachineDescription& machine, const isa::InstructionSet& set,
              std::unique_ptr<TransferTimer> transfers);

  void Describe(const isa::Program& program, RunDescription& description) const override;
  Cycle Execute(const Executed& executed, EventSink& sink) override;
  Cycle Now() const override { return now_; }
  Cycle Drain(EventSink& sink) override;
  Cycle Cut(EventSink& sink) override;
  void Close(RunEnd& end) const override;

 private:
  CostClass ClassOf(const isa::Instruction& instruction, const isa::Operands& operands) const;
  void Transfer(const Executed& executed, EventSink& sink);
  void AnnounceTraffic(std::uint32_t pc, EventSink& sink);

  const MachineDescription machine_;
  const isa::InstructionSet& set_;
  const SerialCosts costs_;
  const ClockRatio ratio_;
  std::unique_ptr<TransferTimer> transfers_;
  LineHistory lines_read_;
  Cycle now_ = 0;
  std::uint32_t last_store_pc_ = kNoPc;
};

}  // namespace moescope::emulator
