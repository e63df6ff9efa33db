#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "tests/emulator/timing/tick_dma.h"
#include "tests/emulator/timing/tick_op.h"

// What the cycles of a DMA wait were spent on (timing.md, 7.2), one cycle at a time.

namespace moescope::test {

// Instruction `op` waited in `cycle` for a transfer slot, or else for data.
struct TickWait {
  std::size_t op = 0;
  emulator::Cycle cycle = 0;
  bool slot = false;
};

using RowsOfTransfers = std::map<std::size_t, std::vector<std::uint32_t>>;

// What the instruction found as its wait began.
struct TickAwaited {
  RowsOfTransfers rows;
  std::vector<std::size_t> holders;  // of the slot, in order of priority
};

// Rows of transfers that the source (or destination) rows of an access meet and that are not
// settled at t, counted from each transfer's first.
inline RowsOfTransfers UnsettledRows(const emulator::Access& access, bool source,
                                     std::uint32_t mlen,
                                     const std::vector<emulator::TickTransfer>& transfers,
                                     emulator::Cycle t) {
  RowsOfTransfers found;
  for (std::size_t id = 0; id < transfers.size(); ++id) {
    const emulator::TickTransfer& x = transfers[id];
    if ((source && x.is_store()) || x.complete <= t) continue;
    std::vector<std::uint32_t> rows;
    if (x.request.kind == emulator::DmaKind::kPrefetchMatrix) {
      const emulator::Rows& tiles = source ? access.mram_read : access.mram_write;
      rows = List({tiles.first * mlen, tiles.count * mlen, 1});
    } else if (source) {
      rows = List(access.vram_read[0]);
      for (const std::uint32_t row : List(access.vram_read[1])) rows.push_back(row);
    } else {
      rows = List(access.vram_write);
    }
    std::set<std::uint32_t> own;
    for (const std::uint32_t row : rows) {
      const std::uint32_t first = x.request.first_row;
      if (row < first || row >= first + x.request.transfer.rows) continue;
      if (x.settled[row - first] > t) own.insert(row - first);
    }
    if (!own.empty()) found[id].assign(own.begin(), own.end());
  }
  return found;
}

// What the wait of one cycle was, with the lives of all bursts known.
inline emulator::Reason ReasonOf(const TickWait& wait, const TickAwaited& awaited,
                                 const emulator::MachineDescription& machine,
                                 const std::vector<emulator::TickTransfer>& transfers) {
  using Cycle = emulator::Cycle;
  using Reason = emulator::Reason;
  std::size_t id = 0;
  std::vector<std::uint32_t> rows;
  if (wait.slot) {
    id = *std::find_if(awaited.holders.begin(), awaited.holders.end(),
                       [&](std::size_t holder) { return transfers[holder].complete > wait.cycle; });
  } else {
    Cycle settled = 0;
    for (const auto& [transfer, its_rows] : awaited.rows) {
      Cycle latest = 0;
      for (const std::uint32_t row : its_rows) {
        latest = std::max(latest, transfers[transfer].settled[row]);
      }
      if (latest > settled) {
        settled = latest;
        id = transfer;
        rows = its_rows;
      }
    }
  }
  const emulator::TickTransfer& x = transfers[id];
  const emulator::ClockRatio ratio(machine.core_ps, machine.hbm.dram_ps);
  const Cycle t = wait.cycle;
  if (t < x.ordered_from) return Reason::kHbmOrder;
  if (x.is_store() && t < x.read_end) return Reason::kDmaSlot;
  const Reason rest = x.is_store() ? Reason::kDmaSlot : Reason::kSramFill;
  if (machine.hbm.model == emulator::HbmModelKind::kFixed) {
    if (t < x.start) return Reason::kDmaIssue;
    if (x.is_store())
      return t < ratio.VisibleAt(ratio.ClockAt(x.start)) ? Reason::kHbmBandwidth : rest;
    emulator::DramClock arrival = 0;
    for (std::uint32_t row = 0; row < x.arrived.size(); ++row) {
      const bool asked = wait.slot || std::count(rows.begin(), rows.end(), row) > 0;
      if (asked) arrival = std::max(arrival, x.arrived[row]);
    }
    return t < ratio.VisibleAt(arrival) ? Reason::kHbmLatency : rest;
  }
  const emulator::TickLine* critical = nullptr;
  for (const emulator::TickLine& line : x.lines) {
    bool asked = wait.slot;
    for (const std::uint32_t row : rows) asked = asked || line.rows.count(row) != 0;
    if (!asked) continue;
    const bool later = critical == nullptr || line.last.done > critical->last.done;
    const bool lower = critical != nullptr && line.last.done == critical->last.done &&
                       line.last.burst.address < critical->last.burst.address;
    if (later || lower) critical = &line;
  }
  const emulator::BurstLife& life = critical->last;
  if (t < critical->issued) return Reason::kDmaIssue;
  if (t < ratio.VisibleAt(life.admitted)) return Reason::kHbmQueue;
  if (x.is_store()) return t < ratio.VisibleAt(life.done) ? Reason::kHbmBandwidth : rest;
  if (life.row_begin != emulator::kNever) {
    const bool row = t >= ratio.VisibleAt(life.row_begin) && t < ratio.VisibleAt(life.row_ready);
    if (row) return Reason::kHbmRow;
  }
  if (t < ratio.VisibleAt(life.command)) return Reason::kHbmBandwidth;
  return t < ratio.VisibleAt(life.done) ? Reason::kHbmLatency : rest;
}

}  // namespace moescope::test
