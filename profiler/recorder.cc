#include "profiler/recorder.h"

#include <algorithm>

namespace moescope::profiler {

namespace {

constexpr std::uint64_t kWaitsOnBits = BitsOf(kWaitsOnReasons);
constexpr std::uint64_t kTransferWaitBits = BitsOf(kTransferWaits);

}  // namespace

std::uint32_t Recording::RangeOf(std::uint32_t pc) const {
  const std::vector<isa::StageRange>& ranges = program().ranges;
  const auto at = std::upper_bound(
      ranges.begin(), ranges.end(), pc,
      [](std::uint32_t value, const isa::StageRange& range) { return value < range.end_pc; });
  return static_cast<std::uint32_t>(at - ranges.begin());
}

void Recorder::OnBegin(const emulator::RunDescription& description) {
  const isa::Program& program = *description.program;
  Recording& r = recording_;
  r = Recording();
  r.description = description;
  r.map = MakeStageMap(program);
  r.instructions = ZeroedArray<std::uint64_t>(program.words.size());
  r.cycles = ZeroedArray<std::uint64_t>(program.words.size() * emulator::kReasonCount);
  r.stages.resize(r.map.stage_names.size());
  r.timeline = Timeline(r.map.stage_names.size());
  r.busy = BusyRecord(r.map.stage_names.size());
  r.routing = RoutingRecord(r.map.pairs);

  places_.assign(program.words.size(), {});
  for (std::uint32_t i = 0; i < program.ranges.size(); ++i) {
    const isa::StageRange& range = program.ranges[i];
    const Place place{r.map.stage_of_range[i], r.map.triple_of_range[i], kNone,
                      range.pair.has_value()};
    std::fill(places_.begin() + range.begin_pc, places_.begin() + range.end_pc, place);
  }
  for (std::size_t pc = 0; pc < std::min(places_.size(), description.cost_class.size()); ++pc) {
    places_[pc].cost_class = description.cost_class[pc];
  }
  last_triple_ = kNone;
  pair_was_executed_ = false;
  wait_key_ = ~std::uint64_t{0};
}

void Recorder::OnAccepted(const emulator::Accepted& event) {
  ++recording_.instructions[event.pc];
  recording_.busy.Reach(event.cycle);
  const Place& place = places_[event.pc];
  if (place.triple == last_triple_) return;
  last_triple_ = place.triple;
  pair_was_executed_ |= place.has_pair;
  Recording::StageRun& stage = recording_.stages[place.stage];
  if (stage.calls++ == 0) stage.first_cycle = event.cycle;
}

void Recorder::OnAttributed(const emulator::Attributed& event) {
  const std::uint64_t cycles = event.end - event.begin;
  const Place& place = places_[event.pc];
  recording_.cycles[static_cast<std::size_t>(event.reason) * places_.size() + event.pc] += cycles;
  recording_.timeline.AddCycles(place.stage, event.begin, event.end);

  const Place& producer = event.producer_pc == emulator::kNoPc ? place : places_[event.producer_pc];
  recording_.class_cycles[static_cast<std::size_t>(producer.cost_class)] += cycles;
  if (Contains(kWaitsOnBits | kTransferWaitBits, event.reason)) CountWait(event, place, producer);
}

void Recorder::CountWait(const emulator::Attributed& event, const Place& place,
                         const Place& producer) {
  const std::uint64_t cycles = event.end - event.begin;
  if (Contains(kTransferWaitBits, event.reason)) {
    const bool slot = event.waits_for_slot || event.reason == emulator::Reason::kDmaSlot;
    (slot ? recording_.slot_wait : recording_.data_wait) += cycles;
  }
  if (!Contains(kWaitsOnBits, event.reason) || cycles == 0) return;
  const std::uint64_t key = std::uint64_t{place.stage} << 32 | producer.stage;
  if (key != wait_key_) {
    wait_key_ = key;
    wait_count_ = &recording_.waits_on[key];
  }
  *wait_count_ += cycles;
}

void Recorder::OnCompleted(const emulator::Completed& event) {
  std::optional<emulator::Cycle>& last = recording_.stages[places_[event.pc].stage].last_cycle;
  if (!last || *last < event.cycle) last = event.cycle;
}

void Recorder::OnBusy(const emulator::Busy& event) {
  recording_.busy.Add(event.unit, places_[event.pc].stage, event.begin, event.end);
}

void Recorder::OnTraffic(const emulator::Traffic& event) {
  std::uint32_t& index = places_[event.pc].traffic;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(recording_.traffic.size());
    recording_.traffic.push_back({.pc = event.pc});
  }
  Recording::WordTraffic& traffic = recording_.traffic[index];
  const std::uint64_t physical = kLineBytes * event.lines;
  Add(event.is_write ? traffic.write : traffic.read,
      {.logical_bytes = event.logical_bytes,
       .physical_bytes = physical,
       .lines = event.lines,
       .burst_bytes = event.burst_bytes,
       .extra_bytes = event.is_write ? event.rmw_read_bytes : event.repeat_bytes});
  recording_.timeline.AddBytes(event.is_write, event.cycle, physical);
}

void Recorder::OnRouted(const emulator::Routed& event) {
  recording_.routing.Add(event.experts, event.ids, pair_was_executed_);
}

void Recorder::OnPassed(const emulator::Passed& event) { recording_.busy.Pass(event.cycle); }

void Recorder::OnEnd(const emulator::RunEnd& end) {
  recording_.end = end;
  recording_.busy.Finish(end.cycles);
}

}  // namespace moescope::profiler
