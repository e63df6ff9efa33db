#include "emulator/timing/fixed_transfers.h"

namespace moescope::emulator {

DramClock FixedTransfers::Run(const HbmTransfer& transfer, std::uint64_t, DramClock start) {
  bytes_ = {};
  phases_.clear();
  plan_.Build(transfer, serial_.merge_lines ? PlanOrder::kMerged : PlanOrder::kLegacy, scale_read_);
  bytes_.payload_bytes = plan_.payload_bytes();
  if (transfer.rows == 0) return start;
  const std::uint64_t lines = plan_.lines().size();
  bytes_.read_lines = lines;
  bytes_.read_bursts = lines * kBurstsPerLine;
  const DramClock last_row = (transfer.rows - 1) / hbm_.fixed_rows_per_cycle;
  if (transfer.is_store) {
    bytes_.written_lines = lines;
    bytes_.written_bursts = lines * kBurstsPerLine;
    phases_.push_back({Reason::kHbmBandwidth, start + last_row + 1});
    return start + last_row + 1;
  }
  const DramClock first_arrival = start + hbm_.fixed_latency;
  if (first_arrival > start) phases_.push_back({Reason::kHbmLatency, first_arrival});
  if (last_row > 0) phases_.push_back({Reason::kHbmBandwidth, first_arrival + last_row});
  return first_arrival + last_row;
}

}  // namespace moescope::emulator
