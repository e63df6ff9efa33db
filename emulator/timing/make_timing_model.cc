#include "emulator/timing/make_timing_model.h"

#include <utility>

#include "emulator/timing/dram_transfers.h"
#include "emulator/timing/fast_transfers.h"
#include "emulator/timing/fixed_transfers.h"
#include "emulator/timing/pipelined/pipelined_model.h"
#include "emulator/timing/rtl/rtl_model.h"
#include "emulator/timing/serial_model.h"

namespace moescope::emulator {

std::unique_ptr<TransferTimer> MakeTransferTimer(const MachineDescription& machine) {
  const ScaleRead scale_read = machine.dialect.scale_read;
  switch (machine.hbm.model) {
    case HbmModelKind::kDram:
      return std::make_unique<DramTransfers>(machine.hbm, machine.serial, scale_read);
    case HbmModelKind::kFast:
      return std::make_unique<FastTransfers>(machine.hbm, machine.serial, scale_read);
    case HbmModelKind::kFixed:
      break;
  }
  return std::make_unique<FixedTransfers>(machine.hbm, machine.serial, scale_read);
}

std::unique_ptr<TimingModel> MakeTimingModel(const MachineDescription& machine) {
  return MakeTimingModel(machine, isa::InstructionSet::Builtin());
}

std::unique_ptr<TimingModel> MakeTimingModel(const MachineDescription& machine,
                                             const isa::InstructionSet& set) {
  switch (machine.timing) {
    case TimingModelKind::kSerial:
      return std::make_unique<SerialModel>(machine, set, MakeTransferTimer(machine));
    case TimingModelKind::kPipelined:
      return std::make_unique<PipelinedModel>(machine, set);
    case TimingModelKind::kRtl:
      break;
  }
  return std::make_unique<RtlModel>(machine, set);
}

}  // namespace moescope::emulator
