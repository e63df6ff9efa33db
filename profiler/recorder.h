#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "emulator/event.h"
#include "profiler/busy_record.h"
#include "profiler/counters.h"
#include "profiler/routing_record.h"
#include "profiler/stage_map.h"
#include "profiler/timeline.h"
#include "profiler/zeroed_array.h"

namespace moescope::profiler {

// What a run told, summed per word, range and stage. Its size depends on the program alone.
struct Recording {
  struct StageRun {
    std::uint64_t calls = 0;
    std::optional<emulator::Cycle> first_cycle;
    std::optional<emulator::Cycle> last_cycle;
  };
  struct WordTraffic {
    std::uint32_t pc = 0;
    TrafficCounters read;
    TrafficCounters write;
  };

  emulator::RunDescription description;
  emulator::RunEnd end;
  StageMap map;

  ZeroedArray<std::uint64_t> instructions;  // by pc
  ZeroedArray<std::uint64_t> cycles;        // [reason][pc]
  std::vector<StageRun> stages;
  std::vector<WordTraffic> traffic;  // of words that moved bytes, by first transfer
  absl::flat_hash_map<std::uint64_t, std::uint64_t> waits_on;  // stage << 32 | producing stage
  std::array<std::uint64_t, emulator::kCostClassCount> class_cycles{};
  std::uint64_t data_wait = 0;
  std::uint64_t slot_wait = 0;
  Timeline timeline;
  BusyRecord busy;
  RoutingRecord routing;

  const isa::Program& program() const { return *description.program; }
  std::size_t words() const { return instructions.size(); }
  std::uint32_t RangeOf(std::uint32_t pc) const;
  std::uint32_t StageOf(std::uint32_t pc) const { return map.stage_of_range[RangeOf(pc)]; }
  std::uint64_t CyclesOf(std::uint32_t pc, emulator::Reason reason) const {
    return cycles[static_cast<std::size_t>(reason) * words() + pc];
  }
};

// Sums the events of one run. Every event costs constant time and allocates nothing, apart from the
// first transfer of a word and the first wait of one stage for another; memory does not grow with a
// run.
// The program of the run must be valid and outlive the recording.
class Recorder : public emulator::Listener {
 public:
  void OnBegin(const emulator::RunDescription& description) override;
  void OnAccepted(const emulator::Accepted& event) override;
  void OnAttributed(const emulator::Attributed& event) override;
  void OnCompleted(const emulator::Completed& event) override;
  void OnBusy(const emulator::Busy& event) override;
  void OnTraffic(const emulator::Traffic& event) override;
  void OnRouted(const emulator::Routed& event) override;
  void OnPassed(const emulator::Passed& event) override;
  void OnEnd(const emulator::RunEnd& end) override;

  // Complete after OnEnd.
  const Recording& recording() const { return recording_; }

 private:
  struct Place {
    std::uint32_t stage = 0;
    std::uint32_t triple = 0;
    std::uint32_t traffic = kNone;  // index into Recording::traffic
    bool has_pair = false;
    emulator::CostClass cost_class = emulator::CostClass::kUnsupported;
  };
  void CountWait(const emulator::Attributed& event, const Place& place, const Place& producer);

  Recording recording_;
  std::vector<Place> places_;  // by pc
  std::uint32_t last_triple_ = kNone;
  bool pair_was_executed_ = false;
  std::uint64_t wait_key_ = ~std::uint64_t{0};  // of the entry that `wait_count_` points to
  std::uint64_t* wait_count_ = nullptr;
};

}  // namespace moescope::profiler
