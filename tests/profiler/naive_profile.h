#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/event.h"
#include "profiler/profile.h"

namespace moescope::profiler::test {

// A second implementation of the counting of profile.md 5, written for clarity: it keeps every
// event and looks at every cycle and every instruction one by one. Only short runs.
class NaiveProfile : public emulator::Listener {
 public:
  void OnBegin(const emulator::RunDescription& description) override { run_ = description; }
  void OnAccepted(const emulator::Accepted& event) override;
  void OnAttributed(const emulator::Attributed& event) override { attributed_.push_back(event); }
  void OnCompleted(const emulator::Completed& event) override { completed_.push_back(event); }
  void OnBusy(const emulator::Busy& event) override { busy_.push_back(event); }
  void OnTraffic(const emulator::Traffic& event) override { traffic_.push_back(event); }
  void OnRouted(const emulator::Routed& event) override;
  void OnEnd(const emulator::RunEnd& end) override { end_ = end; }

  // Every count and every value derived from counts; what identifies the run, and what its end
  // announced, is taken from `other`.
  Profile Make(const Profile& other, std::size_t hot_rows) const;

 private:
  struct Choice {
    std::uint32_t experts = 0;
    std::vector<std::uint32_t> ids;
    bool after_pair = false;
  };

  const isa::Program& program() const { return *run_.program; }
  const isa::StageRange& RangeOf(std::uint32_t pc) const;
  const std::string& StageOf(std::uint32_t pc) const;
  std::vector<std::string> StageNames() const;               // marked, display order, bucket last
  std::vector<std::size_t> PathOf(std::size_t range) const;  // places in StageNames()
  std::string MnemonicOf(std::uint32_t pc) const;

  // Counters of all words for which `in` holds.
  CounterBlock Count(const std::function<bool(std::uint32_t pc)>& in, bool with_splits) const;
  StageEntry Stage(const std::string& name, const Profile& profile) const;
  std::vector<PathEntry> Paths() const;
  std::vector<OpcodeEntry> Opcodes(bool with_waits) const;
  std::vector<HotRow> Hot(std::size_t count) const;
  void SetPairs(Profile& profile) const;
  std::optional<std::uint32_t> ExpertOfPair(std::uint32_t pair, std::string& source) const;
  Routing Routed() const;
  TimelineBins Bins(const Profile& profile) const;
  Overlap Overlapped() const;
  Coverage Covered() const;

  emulator::RunDescription run_;
  emulator::RunEnd end_;
  std::vector<emulator::Accepted> accepted_;
  std::vector<emulator::Attributed> attributed_;
  std::vector<emulator::Completed> completed_;
  std::vector<emulator::Busy> busy_;
  std::vector<emulator::Traffic> traffic_;
  std::vector<Choice> choices_;
  bool pair_was_executed_ = false;
};

}  // namespace moescope::profiler::test
