#pragma once

#include <cstdint>
#include <vector>

#include "emulator/hbm/burst.h"
#include "emulator/hbm/line_plan.h"
#include "emulator/timing_model.h"

namespace moescope::emulator {

enum class DmaKind : std::uint8_t { kPrefetchMatrix, kPrefetchVector, kStoreVector };

// An H_* instruction as the engines see it. SRAM rows are VRAM rows, or rows of MLEN elements of
// the matrix SRAM (a tile is MLEN of them).
struct DmaRequest {
  std::uint64_t sequence = 0;
  std::uint32_t pc = 0;
  DmaKind kind = DmaKind::kPrefetchMatrix;
  std::uint32_t first_row = 0;
  Cycle accepted = 0;
  HbmTransfer transfer;
};

// One planned line on its way.
struct DmaLine {
  PlannedLine plan;
  bool partial = false;          // of a store: must be read before it is written
  std::uint8_t reads_left = 0;   // bursts that have not arrived
  std::uint8_t writes_left = 0;  // bursts that are not written (or, with store_done = "accept",
                                 // not yet queued)
  Cycle read_arrived = kNever;   // of a partial line: the cycle that sees its last byte
  Cycle issued = kNever;         // the read of a prefetch, the write of a store
  BurstLife last;                // the burst of it that finished last; ties: the lowest address
};

// One transfer in flight. Times are core cycles unless they are DramClock; kNever = not known yet.
struct DmaTransaction {
  DmaRequest request;
  std::vector<DmaLine> lines;
  std::vector<std::uint32_t> lines_left;  // by row: lines that have not arrived
  std::vector<DramClock> row_done;        // by row: clock of the last arrival so far
  // By row: of a prefetch, from when on the row may be used; of a store, from when on it may be
  // overwritten.
  std::vector<Cycle> settled;
  std::uint32_t rows_left = 0;  // rows that are not settled
  std::size_t next_read = 0;    // first line whose read may still have to be issued
  std::size_t next_write = 0;
  std::size_t lines_unfinished = 0;
  std::uint64_t bursts_unfinished = 0;  // not yet returned by the DRAM

  Cycle ordered_from = 0;                    // memory order lets it start here (0: no wait)
  Cycle start = kNever;                      // its first line may be issued
  Cycle store_read_end = kNever;             // of a store: its last VRAM read was one cycle before
  Cycle memory_begin = kNever;               // its first line was issued
  Cycle memory_end = 0;                      // its last burst arrived or was written
  Cycle last_line_done = 0;                  // of a store: its last line was written or queued
  DramClock closed_form_begin = 0;           // fast: when its channels were free
  Cycle closed_form_end = 0;                 // fast and fixed: its last byte
  Cycle complete = kNever;                   // its engine may take the next one
  std::vector<const DmaTransaction*> after;  // older ones that memory order makes it wait for
  std::vector<std::uint64_t> ascending;      // its lines, sorted; filled when first compared

  std::uint64_t payload_bytes = 0;
  std::uint64_t read_lines = 0;  // issued so far
  std::uint64_t written_lines = 0;
  std::uint64_t repeated_lines = 0;
  std::uint64_t read_bursts = 0;  // finished so far
  std::uint64_t written_bursts = 0;
  std::uint64_t forwarded_bursts = 0;
  // The most requests that an HBM channel held when it took one of its bursts, and when.
  std::uint32_t deepest_queue = 0;
  Cycle deepest_queue_cycle = 0;

  bool is_store() const { return request.kind == DmaKind::kStoreVector; }
  std::uint32_t rows() const { return request.transfer.rows; }
  bool Finished() const { return complete != kNever && bursts_unfinished == 0; }
};

// Fills the request's plan in; everything else as for a transaction that has not started.
void Prepare(const DmaRequest& request, PlanOrder order, ScaleRead scale_read, LinePlan& scratch,
             DmaTransaction& transaction);

// Whether two transfers touch the same line.
bool ShareALine(DmaTransaction& a, DmaTransaction& b);

}  // namespace moescope::emulator
