#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "emulator/hbm/clock_ratio.h"
#include "emulator/machine.h"
#include "emulator/timing/dma/dma_transaction.h"
#include "tests/emulator/hbm/tick_dram.h"

// The DMA engines of timing.md 4.4, stepped cycle by cycle over a DRAM that is stepped clock by
// clock. Slow, and written apart from the event-driven engines, which it checks.

namespace moescope::emulator {

struct TickLine {
  std::uint64_t line = 0;
  std::set<std::uint32_t> rows;       // that wait for it, or give it data
  std::multiset<std::uint32_t> uses;  // the same, a row once per stream
  bool full = false;
  int reads_left = 0;
  int writes_left = 0;
  Cycle read_arrived = kNever;
  Cycle issued = kNever;
  BurstLife last;
  DramClock last_read = 0;
};

struct TickTransfer {
  DmaRequest request;
  std::vector<TickLine> lines;
  std::vector<std::uint32_t> missing;  // lines that each row still waits for
  std::vector<DramClock> arrived;
  std::vector<Cycle> settled;
  std::vector<std::size_t> reads;  // lines to read, in order
  std::size_t reads_issued = 0;
  std::size_t writes_issued = 0;
  std::uint32_t rows_accessed = 0;
  Cycle start = kNever;
  Cycle ordered_from = 0;
  Cycle read_end = kNever;
  Cycle complete = kNever;
  Cycle end_of_fixed = kNever;
  std::set<std::size_t> after;
  bool is_store() const { return request.kind == DmaKind::kStoreVector; }
};

class TickDma {
 public:
  TickDma(const MachineDescription& machine, const DmaOptions& options,
          std::map<Cycle, std::uint32_t>& port_b)
      : machine_(machine),
        options_(options),
        ratio_(machine.core_ps, machine.hbm.dram_ps),
        dram_(machine.hbm.channels),
        backlog_(machine.hbm.channels),
        port_b_(port_b) {}

  std::vector<TickTransfer> transfers;  // all, in order of acceptance

  void Accept(const DmaRequest& request) {
    TickTransfer t;
    t.request = request;
    Plan(t);
    t.settled.assign(request.transfer.rows, kNever);
    t.arrived.assign(request.transfer.rows, 0);
    const std::size_t id = transfers.size();
    for (std::size_t other = 0; other < id; ++other) {
      TickTransfer& o = transfers[other];
      if (o.complete <= request.accepted || !(o.is_store() || t.is_store())) continue;
      bool common = false;
      for (const TickLine& a : o.lines) {
        for (const TickLine& b : t.lines) common = common || a.line == b.line;
      }
      if (!common) continue;
      if (o.complete == kNever) {
        t.after.insert(other);
      } else {
        t.ordered_from = std::max(t.ordered_from, o.complete);
      }
    }
    transfers.push_back(t);
    EngineOf(t).queue.push_back(id);
    StartAll();
  }

  // SRAM accesses of cycle t. Matrix rows have their own port and are entered with the value they
  // are due; they are known one cycle later.
  void Sram(Cycle t) {
    for (Engine& engine : engines_) {
      while (!engine.queue.empty() && AccessOne(engine, t)) {
      }
    }
  }

  void Issue(Cycle t) {
    for (Engine& engine : engines_) {
      for (std::uint32_t n = 0; n < options_.lines_per_cycle; ++n) IssueOne(engine, t);
    }
  }

  // The DRAM clocks that belong to cycle t.
  void Dram(Cycle t) {
    for (DramClock y = ratio_.ClockAt(t); y < ratio_.ClockAt(t + 1); ++y) {
      for (auto& queue : backlog_) {
        while (!queue.empty() && queue.front().second <= y && dram_.Offer(queue.front().first, y)) {
          if (queue.front().first.is_write && !options_.store_done_issued) {
            WriteDone(queue.front().first, y, {.burst = queue.front().first, .admitted = y});
          }
          queue.pop_front();
        }
      }
      std::vector<BurstLife> finished;
      dram_.Tick(y, finished);
      for (const BurstLife& life : finished) {
        if (!life.burst.is_write) {
          ReadDone(life);
        } else {
          Cycle& last = last_write_[Find(life.burst).second.first];
          last = std::max(last, ratio_.VisibleAt(y) + 1);
          if (options_.store_done_issued) WriteDone(life.burst, y, life);
        }
      }
    }
  }

  bool Idle() const {
    for (const auto& queue : backlog_) {
      if (!queue.empty()) return false;
    }
    return dram_.Idle() && engines_[0].queue.empty() && engines_[1].queue.empty();
  }
  // The cycle after the last write of a transfer was issued.
  Cycle LastWriteOf(std::size_t id) const {
    const auto found = last_write_.find(id);
    return found == last_write_.end() ? 0 : found->second;
  }

  // Transfers of the engine of `kind` that are not complete at t, oldest first.
  std::vector<std::size_t> Waiting(DmaKind kind, Cycle t) const {
    std::vector<std::size_t> ids;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const bool same = (transfers[i].request.kind == DmaKind::kPrefetchMatrix) ==
                        (kind == DmaKind::kPrefetchMatrix);
      if (same && transfers[i].complete > t) ids.push_back(i);
    }
    return ids;
  }

 private:
  struct Engine {
    std::deque<std::size_t> queue;
    Cycle free_from = 0;
    Cycle row_from = 0;
    std::set<std::pair<Cycle, std::uint32_t>> due;  // rows on their way into SRAM
    std::vector<Cycle> finishes;                    // of lines in flight; kNever: unknown
    std::multiset<Cycle> issued;                    // cycles of issue
    std::uint64_t lines_issued = 0;
  };
  Engine& EngineOf(const TickTransfer& t) {
    return engines_[t.request.kind == DmaKind::kPrefetchMatrix ? 0 : 1];
  }

  void Plan(TickTransfer& t) {
    const HbmTransfer& x = t.request.transfer;
    std::map<std::uint64_t, std::set<std::uint64_t>> bytes;
    for (std::uint32_t row = 0; row < x.rows; ++row) {
      for (const bool scales : {false, true}) {
        const std::uint64_t first = scales ? x.scale_address + row * x.scale_step
                                           : x.element_address + row * x.element_step;
        std::set<std::uint64_t> lines;
        for (std::uint64_t b = first; b < first + (scales ? x.scale_bytes : x.element_bytes); ++b) {
          lines.insert(b / 64);
          bytes[b / 64].insert(b);
        }
        for (const std::uint64_t line : lines) {
          auto found = std::find_if(t.lines.begin(), t.lines.end(), [&](const TickLine& l) {
            return options_.merge_lines && l.line == line;
          });
          if (found == t.lines.end()) {
            t.lines.push_back({.line = line});
            found = std::prev(t.lines.end());
            // Without merging a line is as full as this row makes it.
            std::uint64_t own = 0;
            for (std::uint64_t b = line * 64; b < line * 64 + 64; ++b) {
              own += b >= first && b < first + (scales ? x.scale_bytes : x.element_bytes);
            }
            found->full = own == 64;
          }
          found->rows.insert(row);
          found->uses.insert(row);
        }
      }
    }
    if (options_.merge_lines) {
      std::sort(t.lines.begin(), t.lines.end(),
                [](const TickLine& a, const TickLine& b) { return a.line < b.line; });
      for (TickLine& line : t.lines) line.full = bytes[line.line].size() == 64;
    }
    t.missing.assign(x.rows, 0);
    for (std::size_t i = 0; i < t.lines.size(); ++i) {
      TickLine& line = t.lines[i];
      for (const std::uint32_t row : line.uses) ++t.missing[row];
      if (!t.is_store() || !line.full) {
        t.reads.push_back(i);
        line.reads_left = 4;
      }
      if (t.is_store()) line.writes_left = 4;
    }
  }

  void StartAll() {
    for (Engine& engine : engines_) {
      if (engine.queue.empty()) continue;
      TickTransfer& t = transfers[engine.queue.front()];
      if (t.start != kNever || !t.after.empty()) continue;
      t.start = std::max(
          {t.request.accepted + options_.issue_overhead, engine.free_from, t.ordered_from});
      if (machine_.hbm.model != HbmModelKind::kFixed) continue;
      const DramClock clock = ratio_.ClockAt(t.start);
      for (std::uint32_t row = 0; row < t.request.transfer.rows && !t.is_store(); ++row) {
        t.arrived[row] =
            clock + machine_.hbm.fixed_latency + row / machine_.hbm.fixed_rows_per_cycle;
        engine.due.insert({ratio_.VisibleAt(t.arrived[row]) + Convert(t), row});
      }
    }
  }

  Cycle Convert(const TickTransfer& t) const {
    return t.request.kind == DmaKind::kPrefetchVector ? options_.convert_v : 0;
  }

  Cycle ReserveB(Cycle from, std::uint32_t pc) {
    while (port_b_.count(from) != 0) ++from;
    port_b_[from] = pc;
    return from;
  }

  bool AccessOne(Engine& engine, Cycle t) {
    TickTransfer& x = transfers[engine.queue.front()];
    const bool matrix = x.request.kind == DmaKind::kPrefetchMatrix;
    std::uint32_t row = 0;
    Cycle due = 0;
    if (x.is_store()) {
      due = std::max(x.start, engine.row_from);
      if (x.start == kNever || due > t || x.rows_accessed == x.request.transfer.rows) return false;
      row = x.rows_accessed;
    } else {
      if (engine.due.empty()) return false;
      due = engine.due.begin()->first;
      row = engine.due.begin()->second;
      if (matrix ? due >= t : due > t) return false;
      engine.due.erase(engine.due.begin());
      due = std::max(due, engine.row_from);
    }
    const Cycle at = matrix ? due : ReserveB(due, x.request.pc);
    engine.row_from = at + 1;
    x.settled[row] = at + 1;
    if (++x.rows_accessed < x.request.transfer.rows) return true;
    if (x.is_store()) x.read_end = at + 1;
    if (!x.is_store() || machine_.hbm.model == HbmModelKind::kFixed) Complete(x, at + 1);
    return true;
  }

  void Complete(TickTransfer& x, Cycle cycle) {
    Engine& engine = EngineOf(x);
    x.complete = cycle;
    engine.free_from = cycle;
    const std::size_t id = engine.queue.front();
    engine.queue.pop_front();
    for (TickTransfer& other : transfers) {
      if (other.after.erase(id) > 0) other.ordered_from = std::max(other.ordered_from, cycle);
    }
    StartAll();
  }

  void IssueOne(Engine& engine, Cycle t) {
    if (engine.queue.empty() || machine_.hbm.model == HbmModelKind::kFixed) return;
    TickTransfer& x = transfers[engine.queue.front()];
    if (x.start == kNever || x.start > t) return;
    std::uint64_t in_flight = 0;
    for (const Cycle finish : engine.finishes) in_flight += finish == kNever || finish + 1 > t;
    if (in_flight >= options_.max_lines) return;
    bool is_write = false;
    std::size_t index = 0;
    if (x.reads_issued < x.reads.size()) {
      index = x.reads[x.reads_issued++];
    } else {
      if (!x.is_store() || x.writes_issued == x.lines.size()) return;
      index = x.writes_issued;
      const TickLine& line = x.lines[index];
      if (x.settled[*line.rows.rbegin()] > t) return;
      if (!line.full && (line.read_arrived == kNever || line.read_arrived + 1 > t)) return;
      is_write = true;
      ++x.writes_issued;
    }
    TickLine& line = x.lines[index];
    if (is_write == x.is_store()) line.issued = t;
    const std::uint32_t flight = static_cast<std::uint32_t>(engine.finishes.size());
    engine.finishes.push_back(kNever);
    for (std::uint64_t b = 0; b < 4; ++b) {
      const Burst burst{line.line * 64 + 16 * b, x.request.sequence, flight, is_write};
      flights_[{&engine, flight}] = {engine.queue.front(), index};
      backlog_[dram_.Place(burst).channel].push_back({burst, ratio_.ClockAt(t)});
    }
  }

  std::pair<Engine*, std::pair<std::size_t, std::size_t>> Find(const Burst& burst) {
    for (TickTransfer& x : transfers) {
      if (x.request.sequence != burst.sequence) continue;
      Engine* engine = &EngineOf(x);
      return {engine, flights_.at({engine, burst.owner})};
    }
    std::abort();
  }

  static void KeepLater(TickLine& line, const BurstLife& life, DramClock done) {
    const bool later = done > line.last.done;
    const bool same = done == line.last.done;
    if (!later && !(same && life.burst.address < line.last.burst.address)) return;
    line.last = life;
    line.last.done = done;
  }

  void ReadDone(const BurstLife& life) {
    const auto [engine, at] = Find(life.burst);
    TickTransfer& x = transfers[at.first];
    TickLine& line = x.lines[at.second];
    line.last_read = std::max(line.last_read, life.done);
    if (!x.is_store()) KeepLater(line, life, life.done);
    if (--line.reads_left > 0) return;
    engine->finishes[life.burst.owner] = ratio_.VisibleAt(line.last_read);
    line.read_arrived = ratio_.VisibleAt(line.last_read);
    if (x.is_store()) return;
    for (const std::uint32_t row : line.uses) {
      x.arrived[row] = std::max(x.arrived[row], line.last_read);
      if (--x.missing[row] == 0) {
        engine->due.insert({ratio_.VisibleAt(x.arrived[row]) + Convert(x), row});
      }
    }
  }

  void WriteDone(const Burst& burst, DramClock clock, const BurstLife& life) {
    const auto [engine, at] = Find(burst);
    TickTransfer& x = transfers[at.first];
    TickLine& line = x.lines[at.second];
    KeepLater(line, life, clock);
    if (--line.writes_left > 0) return;
    engine->finishes[burst.owner] = ratio_.VisibleAt(line.last.done);
    Cycle end = 0;
    for (const TickLine& each : x.lines) {
      if (each.writes_left > 0) return;
      end = std::max(end, ratio_.VisibleAt(each.last.done) + 1);
    }
    Complete(x, end);
  }

  const MachineDescription& machine_;
  const DmaOptions& options_;
  ClockRatio ratio_;
  TickDram dram_;
  std::vector<std::deque<std::pair<Burst, DramClock>>> backlog_;
  std::map<Cycle, std::uint32_t>& port_b_;
  Engine engines_[2];
  std::map<std::pair<Engine*, std::uint32_t>, std::pair<std::size_t, std::size_t>> flights_;
  std::map<std::size_t, Cycle> last_write_;
};

}  // namespace moescope::emulator
