#pragma once

#include <cstdint>
#include <vector>

#include "emulator/timing/busy_union.h"
#include "emulator/timing/dma/dma_system.h"
#include "emulator/timing_model.h"

namespace moescope::emulator {

// Announces what the DMA engines did: completions, traffic, and when engines and HBM were busy.
class DmaEvents {
 public:
  // Announces the transfers that finished since the last call.
  void Announce(DmaSystem& dma, BusyUnion& busy, EventSink& sink);
  // Announces, after the last Announce of a run that is cut at `cycle`, what is still in flight.
  void AnnounceCut(DmaSystem& dma, Cycle cycle, BusyUnion& busy, EventSink& sink);

  // CHECKs that the bytes of all instructions are those of the DRAM.
  void Check(const DmaSystem& dma) const;

 private:
  void AnnounceTraffic(const DmaTransaction& t, Cycle cycle, EventSink& sink);
  static void AddBusy(const DmaTransaction& t, Cycle end, Cycle memory_end, BusyUnion& busy);

  std::uint64_t bursts_ = 0;
  std::uint64_t forwarded_ = 0;
};

// The reasons of waits for transfers under an HBM model; `ordered`: memory order is kept.
void AppendTransferReasons(HbmModelKind model, bool ordered, std::vector<Reason>& reasons);

// The structures of profile.md 5.5 that the engines and the HBM fill.
void AppendDmaStructures(const DmaSystem& dma, const DmaOptions& options, RunEnd& end);

}  // namespace moescope::emulator
