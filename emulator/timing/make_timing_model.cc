#include <memory>
#include <utility>

#include "base/check.h"
#include "emulator/machine_check.h"
#include "emulator/timing/dram_transfers.h"
#include "emulator/timing/fast_transfers.h"
#include "emulator/timing/serial_model.h"
#include "emulator/timing_model.h"

namespace moescope::emulator {

bool HasTimingModel(TimingModelKind kind) { return kind == TimingModelKind::kSerial; }

bool HasHbmModel(HbmModelKind kind) {
  return kind == HbmModelKind::kFast || kind == HbmModelKind::kDram;
}

std::unique_ptr<TransferTimer> MakeTransferTimer(const MachineDescription& machine) {
  CHECK(HasHbmModel(machine.hbm.model));
  const ScaleRead scale_read = machine.dialect.scale_read;
  if (machine.hbm.model == HbmModelKind::kDram) {
    return std::make_unique<DramTransfers>(machine.hbm, machine.serial, scale_read);
  }
  return std::make_unique<FastTransfers>(machine.hbm, machine.serial, scale_read);
}

std::unique_ptr<TimingModel> MakeTimingModel(const MachineDescription& machine) {
  CHECK(HasTimingModel(machine.timing));
  return std::make_unique<SerialModel>(machine, MakeTransferTimer(machine));
}

}  // namespace moescope::emulator
