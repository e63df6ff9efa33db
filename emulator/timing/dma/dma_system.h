#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/hbm/clock_ratio.h"
#include "emulator/hbm/dram.h"
#include "emulator/hbm/fast_memory.h"
#include "emulator/machine.h"
#include "emulator/timing/dma/dma_transaction.h"
#include "emulator/timing/dma/line_places.h"
#include "emulator/timing/dma/port_schedule.h"
#include "emulator/timing/line_history.h"

namespace moescope::emulator {

// The most bursts that one HBM channel ever held, and when.
struct QueuePeak {
  std::uint64_t bursts = 0;
  Cycle cycle = 0;
};

// Whether a transfer that touches a line of an older one in flight, one of them a store, starts
// after that one is complete.
enum class MemoryOrder : std::uint8_t { kKept, kNone };

// The two DMA engines of timing.md 4.4 and the HBM behind them: dma_m serves H_PREFETCH_M, dma_v
// H_PREFETCH_V and H_STORE_V. Event-driven: nothing is stepped by the cycle.
//
// Within a cycle the order is: DRAM, SRAM accesses of the engines, then whoever calls.
class DmaSystem {
 public:
  // `port_b` is the VRAM port that rows of dma_v use; it outlives the system.
  DmaSystem(const MachineDescription& machine, const DmaOptions& options, PortSchedule& port_b,
            MemoryOrder order = MemoryOrder::kKept);

  // Takes a transfer in request.accepted, for which AwaitSlot gave a free place. All calls have
  // cycles that do not descend.
  void Accept(const DmaRequest& request);

  // Performs everything up to and including `cycle`.
  void AdvanceTo(Cycle cycle);

  // No access of the engines to port B that is still to come lies before this cycle; `now` is the
  // caller's.
  Cycle AccessesFrom(Cycle now) const { return live_.empty() ? now : std::min(now, performed_to_); }

  // Whether any of these rows (MRAM: tiles) is in flight from a prefetch at `at`.
  bool InFlight(bool matrix, const Rows& rows, Cycle at);
  // Whether, since the last call, a prefetch was accepted that reads what a store in flight writes
  // and that nothing orders.
  bool TakeUnordered() { return std::exchange(unordered_, false); }

  // The next two look into the future as far as they must; as long as nothing new is accepted this
  // changes nothing. A `cycle` of kNever: it never happens.

  // From when on the engine can take a transfer of this kind, at or after `at`; `holder` is the
  // transfer that has to be complete first, or null.
  struct SlotWait {
    Cycle cycle = 0;
    const DmaTransaction* holder = nullptr;
  };
  SlotWait AwaitSlot(DmaKind kind, Cycle at);
  // The same until no transfer of this very kind is in flight.
  SlotWait AwaitIdle(DmaKind kind, Cycle at);

  // From when on none of these SRAM rows (MRAM: tiles) is in flight, of those in flight at `at`:
  // until then a prefetch writes them or, with `stores`, a store reads them. `transaction` is the
  // one that settles last (ties: the older) or null, and `rows` spans those of its rows.
  struct RowWait {
    Cycle cycle = 0;
    const DmaTransaction* transaction = nullptr;
    RowSpan rows;
  };
  RowWait AwaitRows(bool matrix, const Rows& rows, bool stores, Cycle at);

  // Runs until nothing is in flight and every queued write is written; the cycle from which on that
  // is so, 0 if nothing was ever in flight, kNever if something in flight can never end.
  Cycle Drain();
  // Everything up to here is performed; after a kNever, nothing happens behind it.
  Cycle performed_to() const { return performed_to_; }
  // What each transfer in flight waits for, oldest first; and the engines' states.
  void Explain(Deadlock& deadlock) const;
  // The transfer whose work ended last so far; ties: the older.
  struct LastDone {
    Cycle cycle = 0;
    std::uint64_t sequence = 0;
    std::uint32_t pc = kNoPc;
  };
  const LastDone& last_done() const { return last_done_; }

  // Transfers that finished (or, after a cut, that are still in flight), in the order of their
  // finishing. The reference is valid during the call of `use`.
  template <typename Use>
  void TakeFinished(Use use) {
    for (std::size_t i = 0; i < finished_.size(); ++i) use(*finished_[i]);
    for (DmaTransaction* t : finished_) free_.push_back(t);
    finished_.clear();
  }
  // Those still in flight, oldest first.
  const std::vector<DmaTransaction*>& in_flight() const { return live_; }
  bool has_finished() const { return !finished_.empty(); }

  const ClockRatio& ratio() const { return ratio_; }
  std::vector<HbmChannelFigures> Figures() const;
  QueuePeak queue_peak() const;
  std::uint64_t bursts_asked() const { return bursts_asked_; }
  std::uint64_t forwarded_bursts() const { return forwarded_bursts_; }
  const LinePlaces& places(bool matrix) const { return engines_[matrix ? 0 : 1].places; }

 private:
  struct PendingRow {
    Cycle due = 0;
    std::uint32_t row = 0;
  };
  struct Engine {
    explicit Engine(const DmaOptions& options) : places(options.max_lines) {}
    std::deque<DmaTransaction*> queue;  // the first one is in service
    Cycle free_from = 0;                // the one before it was complete
    Cycle issue_cycle = 0;              // of the next line, if nothing else holds it
    std::uint32_t issued_now = 0;       // lines issued in that cycle
    LinePlaces places;
    std::vector<PendingRow> pending_rows;  // complete rows on their way into SRAM; (due, row)
    Cycle row_access_from = 0;             // its SRAM port takes one row per cycle
    std::uint32_t next_store_row = 0;      // of the store in service
  };
  static constexpr std::size_t kMatrixEngine = 0;
  static constexpr std::size_t kVectorEngine = 1;
  Engine& EngineOf(DmaKind kind) {
    return engines_[kind == DmaKind::kPrefetchMatrix ? kMatrixEngine : kVectorEngine];
  }

  void Order(const DmaTransaction& older, DmaTransaction& t);
  void Perform(Cycle cycle);
  Engine* NextEngine();
  Cycle KnownUntil() const;
  void StepDram(Cycle limit);
  bool RunAhead();
  void ReleaseFinished(Cycle cycle);

  // Issue (dma_issue.cc).
  void StartNext(Engine& engine);
  Cycle NextIssue(Engine& engine);
  Cycle NextLine(const Engine& engine, const DmaTransaction& t) const;
  void Issue(Engine& engine, Cycle cycle);
  void IssueLine(DmaTransaction& t, Cycle cycle);
  void CountLine(DmaTransaction& t, std::uint64_t line, bool is_write);
  void BeginClosedForm(Engine& engine, DmaTransaction& t);

  // Arrival and SRAM (dma_arrival.cc).
  void Arrive(const BurstLife& life);
  void CountBurst(DmaTransaction& t, const BurstLife& life);
  void FinishLine(DmaTransaction& t, DmaLine& line, bool is_write);
  void CompleteRows(Engine& engine, DmaTransaction& t, const DmaLine& line);
  void AddPendingRow(Engine& engine, const DmaTransaction& t, Cycle arrived, std::uint32_t row);
  void AccessSram(Cycle until);
  Cycle NextAccess(const Engine& engine) const;
  void AccessRow(Engine& engine);
  void Complete(Engine& engine, DmaTransaction& t, Cycle cycle);
  void NoteDone(const DmaTransaction& t, Cycle cycle);

  SlotWait AwaitComplete(const DmaTransaction& holder);
  Rows SramRows(bool matrix, const Rows& rows) const;

  DmaOptions options_;
  PlanOrder order_;
  ScaleRead scale_read_;
  HbmModelKind model_;
  std::uint32_t rows_per_tile_;
  std::uint32_t fixed_latency_;
  std::uint32_t fixed_rows_per_cycle_;
  ClockRatio ratio_;
  Dram dram_;
  FastMemory fast_;
  PortSchedule& port_b_;
  std::array<Engine, 2> engines_;
  LineHistory lines_read_;
  LinePlan scratch_;

  std::vector<std::unique_ptr<DmaTransaction>> pool_;
  std::vector<DmaTransaction*> free_;
  std::vector<DmaTransaction*> live_;      // oldest first
  std::vector<DmaTransaction*> finished_;  // not yet taken
  Cycle performed_to_ = 0;
  DramClock dram_clock_ = 0;  // clocks before it are stepped
  std::uint64_t writes_in_flight_ = 0;
  std::uint64_t bursts_asked_ = 0;
  std::uint64_t forwarded_bursts_ = 0;
  LastDone last_done_;
  MemoryOrder memory_order_;
  bool unordered_ = false;
};

}  // namespace moescope::emulator
