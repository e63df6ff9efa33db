#include "emulator/timing/dma/dma_events.h"

#include <algorithm>

#include "base/check.h"

namespace moescope::emulator {
namespace {

void SetQueue(const DmaTransaction& t, Traffic& event) {
  event.deepest_queue = t.deepest_queue;
  event.deepest_queue_cycle = t.deepest_queue_cycle;
}

}  // namespace

void DmaEvents::Announce(DmaSystem& dma, BusyUnion& busy, EventSink& sink) {
  if (!dma.has_finished()) return;
  dma.TakeFinished([&](const DmaTransaction& t) {
    sink.Complete({t.request.pc, t.complete});
    AnnounceTraffic(t, t.complete, sink);
    AddBusy(t, t.complete, t.memory_end, busy);
  });
  busy.Flush(dma.in_flight().empty() ? kNever : dma.in_flight().front()->request.accepted, sink);
}

void DmaEvents::AnnounceCut(DmaSystem& dma, Cycle cycle, BusyUnion& busy, EventSink& sink) {
  for (const DmaTransaction* t : dma.in_flight()) {
    AnnounceTraffic(*t, cycle, sink);
    if (t->memory_begin < cycle) AddBusy(*t, cycle, cycle, busy);
  }
  busy.Flush(kNever, sink);
}

void DmaEvents::AddBusy(const DmaTransaction& t, Cycle end, Cycle memory_end, BusyUnion& busy) {
  const bool matrix = t.request.kind == DmaKind::kPrefetchMatrix;
  busy.AddLate(matrix ? Unit::kDmaM : Unit::kDmaV, t.request.pc, t.memory_begin, end);
  busy.AddLate(Unit::kHbm, t.request.pc, t.memory_begin, memory_end);
}

// Bytes on the bus are those of bursts that the DRAM served; forwarded ones never reach it.
void DmaEvents::AnnounceTraffic(const DmaTransaction& t, Cycle cycle, EventSink& sink) {
  bursts_ += t.read_bursts + t.written_bursts;
  forwarded_ += t.forwarded_bursts;
  const bool is_store = t.is_store();
  Traffic read{.pc = t.request.pc, .cycle = cycle};
  read.logical_bytes = is_store ? 0 : t.payload_bytes;
  read.lines = t.read_lines;
  read.burst_bytes = t.read_bursts * kBurstBytes;
  read.repeat_bytes = t.repeated_lines * kLineBytes;
  if (!is_store) SetQueue(t, read);
  if (!is_store || t.read_lines > 0) sink.Move(read);
  if (!is_store) return;
  Traffic write{.pc = t.request.pc, .is_write = true, .cycle = cycle};
  write.logical_bytes = t.payload_bytes;
  write.lines = t.written_lines;
  write.burst_bytes = t.written_bursts * kBurstBytes;
  write.rmw_read_bytes = t.read_lines * kLineBytes;
  SetQueue(t, write);
  sink.Move(write);
}

void DmaEvents::Check(const DmaSystem& dma) const {
  std::uint64_t served = 0;
  for (const HbmChannelFigures& channel : dma.Figures()) {
    served += channel.bursts_read + channel.bursts_written;
  }
  CHECK_BECAUSE(forwarded_ == dma.forwarded_bursts(), "forwarded bursts without an instruction");
  if (dma.Figures().empty()) return;
  CHECK_BECAUSE(bursts_ == served, "HBM bytes of the instructions differ from those of the DRAM");
}

void AppendTransferReasons(HbmModelKind model, bool ordered, std::vector<Reason>& reasons) {
  reasons.insert(reasons.end(), {Reason::kDmaSlot, Reason::kDmaIssue});
  if (model != HbmModelKind::kFixed) reasons.push_back(Reason::kHbmQueue);
  if (model == HbmModelKind::kDram) reasons.push_back(Reason::kHbmRow);
  if (model != HbmModelKind::kFixed) reasons.push_back(Reason::kHbmBandwidth);
  reasons.insert(reasons.end(), {Reason::kHbmLatency, Reason::kSramFill});
  if (ordered) reasons.push_back(Reason::kHbmOrder);
}

void AppendDmaStructures(const DmaSystem& dma, const DmaOptions& options, RunEnd& end) {
  for (const bool matrix : {true, false}) {
    const LinePlaces& places = dma.places(matrix);
    end.structures.push_back({matrix ? "dma_m_lines" : "dma_v_lines", "lines", options.max_lines,
                              places.high_water(), places.high_water_cycle()});
  }
  const QueuePeak peak = dma.queue_peak();
  end.structures.push_back(
      {"hbm_queue", "bursts", std::uint64_t{3} * kQueuePlaces, peak.bursts, peak.cycle});
}

}  // namespace moescope::emulator
