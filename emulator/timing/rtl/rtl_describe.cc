// What the model says about itself before a run.

#include "absl/strings/str_format.h"
#include "emulator/machine_text.h"
#include "emulator/timing/cost_provenance.h"
#include "emulator/timing/rtl/rtl_model.h"

namespace moescope::emulator {

void RtlModel::Describe(const isa::Program& program, RunDescription& description) const {
  description.latency_profile = std::string(LatencyProfileName(machine_.profile));
  description.issue_model =
      absl::StrFormat("released control path, in-order, no vector overlap, HBM %s",
                      std::string(HbmModelName(machine_.hbm.model)));
  std::vector<Reason>& reasons = description.reasons;
  reasons = {Reason::kIssue};
  reasons.push_back(Reason::kFill);
  if (machine_.rtl.ibuf) reasons.push_back(Reason::kRefill);
  reasons.insert(reasons.end(), {Reason::kRecovery, Reason::kCtrlLoop, Reason::kHoldInt,
                                 Reason::kMxBusy, Reason::kWoBusy, Reason::kVxBusy, Reason::kSxBusy,
                                 Reason::kRedPending, Reason::kSettle});
  AppendTransferReasons(machine_.hbm.model, /*ordered=*/false, reasons);
  reasons.insert(reasons.end(), {Reason::kDrainMx, Reason::kDrainWo, Reason::kDrainVx,
                                 Reason::kDrainSx, Reason::kDrainDma});
  description.units.clear();
  for (std::size_t unit = 0; unit < kUnitCount; ++unit) {
    description.units.push_back({static_cast<Unit>(unit), 1});
  }

  CostProvenance provenance(machine_, costs_, infos_);
  provenance.AssumeDma(dma_options_);
  provenance.Unsupport({"M_BMV", "M_BTMV", "M_BMV_WO", "M_TMV", "V_TOPK", "V_MAX_VF", "V_MIN_VF",
                        "C_SET_V_MASK_REG", "C_SET_TOPK_REG"});
  provenance.UnsupportMasks();
  provenance.Describe(program, description);
}

}  // namespace moescope::emulator
