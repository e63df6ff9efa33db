#include "profiler/busy_record.h"

#include <algorithm>

namespace moescope::profiler {

namespace {

constexpr std::size_t kGiveUpAt = 65536;

bool IsMemory(emulator::Unit unit) {
  return unit == emulator::Unit::kDmaM || unit == emulator::Unit::kDmaV ||
         unit == emulator::Unit::kHbm;
}

// Cycles of both lists before `limit`.
std::uint64_t Intersection(const std::vector<CycleSet::Interval>& a,
                           const std::vector<CycleSet::Interval>& b, emulator::Cycle limit) {
  std::uint64_t cycles = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const emulator::Cycle begin = std::max(x->begin, y->begin);
    const emulator::Cycle end = std::min({x->end, y->end, limit});
    if (begin < end) cycles += end - begin;
    (x->end < y->end ? x : y)++;
  }
  return cycles;
}

std::uint64_t Length(const std::vector<CycleSet::Interval>& intervals, emulator::Cycle limit) {
  std::uint64_t cycles = 0;
  for (const CycleSet::Interval& i : intervals) {
    if (i.begin < limit) cycles += std::min(i.end, limit) - i.begin;
  }
  return cycles;
}

}  // namespace

void CycleSet::Insert(Interval interval) {
  // All intervals that touch the new one become one with it.
  const auto first =
      std::lower_bound(intervals_.begin(), intervals_.end(), interval.begin,
                       [](const Interval& i, emulator::Cycle begin) { return i.end < begin; });
  auto last = first;
  while (last != intervals_.end() && last->begin <= interval.end) {
    interval.begin = std::min(interval.begin, last->begin);
    interval.end = std::max(interval.end, last->end);
    ++last;
  }
  if (first == last) {
    intervals_.insert(first, interval);
    return;
  }
  *first = interval;
  intervals_.erase(first + 1, last);
}

void CycleSet::Forget(emulator::Cycle cycle) {
  const auto keep = std::find_if(intervals_.begin(), intervals_.end(),
                                 [cycle](const Interval& i) { return i.end > cycle; });
  intervals_.erase(intervals_.begin(), keep);
  if (!intervals_.empty()) intervals_[0].begin = std::max(intervals_[0].begin, cycle);
}

void BusyOverlap::Insert(emulator::Unit unit, emulator::Cycle begin, emulator::Cycle end) {
  if (given_up_) return;
  CycleSet& set = sets_[IsMemory(unit) ? 0 : 1];
  set.Insert({begin, end});
  if (set.intervals().size() < settle_at_) return;
  Settle(passed_);
  const std::size_t left = std::max(sets_[0].intervals().size(), sets_[1].intervals().size());
  settle_at_ = std::max(kSettleAt, 2 * left);
  given_up_ = left >= kGiveUpAt;
}

void BusyOverlap::Settle(emulator::Cycle cycle) {
  figures_.memory += Length(sets_[0].intervals(), cycle);
  figures_.compute += Length(sets_[1].intervals(), cycle);
  figures_.both += Intersection(sets_[0].intervals(), sets_[1].intervals(), cycle);
  for (CycleSet& set : sets_) set.Forget(cycle);
}

std::optional<BusyOverlap::Figures> BusyOverlap::Finish() {
  if (given_up_) return std::nullopt;
  Settle(UINT64_MAX);
  return figures_;
}

BusyRecord::Interval BusyRecord::Pending::Pop() {
  const Interval interval = ring[first];
  first = (first + 1) % kCapacity;
  --size;
  return interval;
}

void BusyRecord::Add(emulator::Unit unit, std::uint32_t stage, emulator::Cycle begin,
                     emulator::Cycle end) {
  Pending& pending = pending_[static_cast<std::size_t>(unit)];
  CommitReached(unit);
  if (pending.size == Pending::kCapacity) Commit(unit, pending.Pop());
  pending.ring[(pending.first + pending.size++) % Pending::kCapacity] = {stage, begin, end};
}

void BusyRecord::Pass(emulator::Cycle cycle) {
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    CommitReached(static_cast<emulator::Unit>(i));
    if (pending_[i].size > 0) cycle = std::min(cycle, pending_[i].Oldest().begin);
  }
  overlap_.Pass(cycle);
}

void BusyRecord::CommitReached(emulator::Unit unit) {
  Pending& pending = pending_[static_cast<std::size_t>(unit)];
  while (pending.size > 0 && pending.Oldest().end <= reached_) Commit(unit, pending.Pop());
}

void BusyRecord::Commit(emulator::Unit unit, const Interval& interval) {
  if (interval.begin >= interval.end) return;
  cycles_[interval.stage][static_cast<std::size_t>(unit)] += interval.end - interval.begin;
  overlap_.Insert(unit, interval.begin, interval.end);
}

void BusyRecord::Finish(emulator::Cycle total) {
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    while (pending_[i].size > 0) {
      Interval interval = pending_[i].Pop();
      interval.end = std::min(interval.end, total);
      Commit(static_cast<emulator::Unit>(i), interval);
    }
  }
  figures_ = overlap_.Finish();
}

}  // namespace moescope::profiler
