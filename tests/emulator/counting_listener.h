#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/event.h"
#include "isa/instruction_set.h"

namespace moescope::test {

// Adds up what a run announces, and checks what every run must keep: attributed pieces partition
// [0, total), acceptance never goes back.
class CountingListener : public emulator::Listener {
 public:
  void OnBegin(const emulator::RunDescription& d) override {
    description = d;
    executions_.assign(d.program->words.size(), 0);
    cycles_.assign(d.program->words.size(), 0);
  }
  void OnAccepted(const emulator::Accepted& e) override {
    in_order = in_order && e.cycle >= last_accept_ && e.sequence == accepted;
    last_accept_ = e.cycle;
    ++accepted;
    ++executions_[e.pc];
  }
  void OnAttributed(const emulator::Attributed& e) override {
    contiguous = contiguous && e.begin == attributed && e.end > e.begin;
    attributed = e.end;
    cycles_[e.pc] += e.end - e.begin;
    reasons[std::string(emulator::Name(e.reason))] += e.end - e.begin;
  }
  void OnCompleted(const emulator::Completed&) override { ++completed; }
  void OnTraffic(const emulator::Traffic& e) override {
    (e.is_write ? written_lines : read_lines) += e.lines;
    (e.is_write ? written_payload : read_payload) += e.logical_bytes;
    repeat_bytes += e.repeat_bytes;
    rmw_bytes += e.rmw_read_bytes;
  }
  void OnRouted(const emulator::Routed& e) override {
    routed.emplace_back(e.ids.begin(), e.ids.end());
  }
  void OnEnd(const emulator::RunEnd& e) override { end = e; }

  // Executions and attributed cycles by mnemonic.
  std::map<std::string, std::uint64_t> ExecutionsByMnemonic() const { return Sum(executions_); }
  std::map<std::string, std::uint64_t> CyclesByMnemonic() const { return Sum(cycles_); }

  emulator::RunDescription description;
  emulator::RunEnd end;
  std::uint64_t accepted = 0;
  std::uint64_t completed = 0;
  emulator::Cycle attributed = 0;
  bool in_order = true;
  bool contiguous = true;
  std::map<std::string, std::uint64_t> reasons;
  std::uint64_t read_lines = 0;
  std::uint64_t written_lines = 0;
  std::uint64_t read_payload = 0;
  std::uint64_t written_payload = 0;
  std::uint64_t repeat_bytes = 0;
  std::uint64_t rmw_bytes = 0;
  std::vector<std::vector<std::uint32_t>> routed;

 private:
  std::map<std::string, std::uint64_t> Sum(const std::vector<std::uint64_t>& values) const {
    std::map<std::string, std::uint64_t> sums;
    for (std::size_t pc = 0; pc < values.size(); ++pc) {
      if (executions_[pc] == 0) continue;
      const isa::Decoded decoded =
          isa::InstructionSet::Builtin().Decode(description.program->words[pc]);
      sums[std::string(decoded.instruction->mnemonic)] += values[pc];
    }
    return sums;
  }

  emulator::Cycle last_accept_ = 0;
  std::vector<std::uint64_t> executions_;
  std::vector<std::uint64_t> cycles_;
};

}  // namespace moescope::test
