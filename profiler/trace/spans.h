#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/event.h"

namespace moescope::profiler {

// A piece of a lane: work for a stage in [begin, end).
struct Span {
  emulator::Cycle begin = 0;
  emulator::Cycle end = 0;
  std::uint32_t pc = emulator::kNoPc;  // kNoPc when several words were merged
  std::uint32_t stage = 0;
};

// The spans of all lanes, at most `limit` of them. When they become too many, consecutive ones of a
// lane and stage are merged; when that does not help, time is sampled: a lane then shows, for every
// period, the stage that was at work when the period began. Periods double until everything fits.
class SpanStore {
 public:
  SpanStore(std::size_t lanes, std::uint64_t limit);

  // Spans of one lane come in ascending order. Touching ones of the same word are one.
  void Add(std::size_t lane, const Span& span);
  // Merges, or doubles the period, so that half of the spans are left.
  void Compact();
  // Brings all of time to the same period.
  void Settle();

  const std::vector<Span>& lane(std::size_t index) const { return lanes_[index]; }
  std::size_t lanes() const { return lanes_.size(); }
  std::uint64_t size() const { return size_; }

  // What was done to make room.
  std::uint64_t merged() const { return merged_; }    // spans that became part of another
  emulator::Cycle period() const { return period_; }  // 0: not sampled
  bool is_complete() const { return merged_ == 0; }

 private:
  void MergeRuns();
  void ChoosePeriod();
  void Sample();

  std::vector<std::vector<Span>> lanes_;
  std::uint64_t limit_;
  std::uint64_t size_ = 0;
  std::uint64_t merged_ = 0;
  emulator::Cycle period_ = 0;
};

}  // namespace moescope::profiler
