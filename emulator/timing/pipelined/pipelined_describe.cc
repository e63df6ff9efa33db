// What the model says about itself before a run.

#include <algorithm>

#include "absl/strings/str_format.h"
#include "emulator/machine_text.h"
#include "emulator/timing/cost_provenance.h"
#include "emulator/timing/pipelined/pipelined_model.h"

namespace moescope::emulator {
void PipelinedModel::Describe(const isa::Program& program, RunDescription& description) const {
  description.issue_model =
      absl::StrFormat("in-order, 1/cycle, asynchronous DMA, profile %s, HBM %s",
                      std::string(LatencyProfileName(machine_.profile)),
                      std::string(HbmModelName(machine_.hbm.model)));
  std::vector<Reason>& reasons = description.reasons;
  reasons = {Reason::kIssue,  Reason::kFill,    Reason::kRecovery, Reason::kCtrlLoop,
             Reason::kRawFp,  Reason::kRawVram, Reason::kWarWaw,   Reason::kMxBusy,
             Reason::kWoBusy, Reason::kVxBusy,  Reason::kSxBusy,   Reason::kRedPending,
             Reason::kPortA,  Reason::kPortB,   Reason::kMixedLat};
  AppendTransferReasons(machine_.hbm.model, /*ordered=*/true, reasons);
  reasons.insert(reasons.end(), {Reason::kDrainMx, Reason::kDrainWo, Reason::kDrainVx,
                                 Reason::kDrainSx, Reason::kDrainDma});
  if (!options_.retire_in_order) std::erase(reasons, Reason::kMixedLat);
  if (options_.recovery == 0) std::erase(reasons, Reason::kRecovery);
  if (options_.fill == 0) std::erase(reasons, Reason::kFill);
  description.units.clear();
  for (std::size_t unit = 0; unit < kUnitCount; ++unit) {
    description.units.push_back({static_cast<Unit>(unit), 1});
  }

  CostProvenance provenance(machine_, costs_, infos_);
  if (options_.vv_slots == 1) provenance.AssumeThreeAddress("A02");
  provenance.AssumeDma(options_.dma);
  provenance.Describe(program, description);
}

}  // namespace moescope::emulator
