#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "emulator/event.h"
#include "isa/instruction_set.h"
#include "profiler/byte_sink.h"
#include "profiler/stage_map.h"
#include "profiler/timeline.h"
#include "profiler/trace/spans.h"
#include "profiler/trace/trace_options.h"

namespace moescope::profiler {

// Collects a run for chrome://tracing and Perfetto (profile.md, 7): one lane per busy unit, one for
// stages, one for DMA transactions from acceptance to their end, and counters of HBM bytes, of
// transactions in flight and of the HBM queues that they met. One cycle is shown as one
// microsecond. Memory is bounded by the options; the profile of the same run is not touched by any
// cap.
class Trace : public emulator::Listener {
 public:
  explicit Trace(TraceOptions options,
                 const isa::InstructionSet& set = isa::InstructionSet::Builtin());

  void OnBegin(const emulator::RunDescription& description) override;
  void OnAccepted(const emulator::Accepted& event) override;
  void OnAttributed(const emulator::Attributed& event) override;
  void OnBusy(const emulator::Busy& event) override;
  void OnTraffic(const emulator::Traffic& event) override;
  void OnEnd(const emulator::RunEnd& end) override;

  // Writes the JSON file; call once, after OnEnd.
  absl::Status Write(const ByteSink& sink);
  // What the file leaves out, in a sentence; empty when nothing. Valid after Write.
  std::string Summary() const;

 private:
  struct Transfer {
    emulator::Cycle begin = 0;
    emulator::Cycle end = 0;
    std::uint32_t pc = 0;
    std::uint64_t bytes = 0;
    bool is_write = false;
    std::uint64_t deepest_queue = 0;
    emulator::Cycle deepest_queue_cycle = 0;
  };
  // Cuts a span to the window; false when nothing is left.
  bool Clip(std::uint32_t stage, emulator::Cycle& begin, emulator::Cycle& end) const;
  std::uint64_t CountBytes() const;
  // All events, one per line without separators.
  void EachEvent(const std::function<void(const std::string&)>& line) const;
  void EachName(const std::function<void(const std::string&)>& line) const;
  void EachCounter(const std::function<void(const std::string&)>& line) const;
  void EachDepth(const std::function<void(const std::string&)>& line) const;
  void EachQueue(const std::function<void(const std::string&)>& line) const;
  std::string SpanText(std::size_t lane, const Span& span) const;

  TraceOptions options_;
  const isa::InstructionSet& set_;
  const isa::Program* program_ = nullptr;
  StageMap map_;
  std::optional<std::uint32_t> only_stage_;
  bool stage_is_unknown_ = false;
  std::vector<std::uint32_t> stage_of_pc_;
  std::vector<emulator::Cycle> accepted_;  // by pc: the last acceptance
  SpanStore spans_;
  std::vector<Transfer> transfers_;
  std::uint64_t dropped_transfers_ = 0;
  Timeline bytes_;
  emulator::Cycle total_ = 0;
};

}  // namespace moescope::profiler
