#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/timing_model.h"
#include "isa/instruction_set.h"
#include "isa/program.h"

// Executed instructions made by hand, and what a timing model says about them: timing models are
// tested without running programs.

namespace moescope::test {

struct StreamStep {
  const isa::Instruction* instruction = nullptr;
  isa::Operands operands;
  emulator::Access access;
  std::uint32_t pc = 0;
};

class Stream {
 public:
  // Appends an execution of `mnemonic`; its pc is the position unless At() says otherwise.
  Stream& Add(std::string_view mnemonic, isa::Operands operands = {},
              const emulator::Access& access = {}) {
    StreamStep step{isa::InstructionSet::Builtin().Find(mnemonic), operands, access,
                    static_cast<std::uint32_t>(steps_.size())};
    if (step.instruction == nullptr) std::abort();
    steps_.push_back(step);
    return *this;
  }
  Stream& At(std::uint32_t pc) {
    steps_.back().pc = pc;
    return *this;
  }

  const std::vector<StreamStep>& steps() const { return steps_; }

  // A program whose words are those of the stream at their pcs; other words are 0.
  isa::Program Program() const {
    std::uint32_t size = 0;
    for (const StreamStep& step : steps_) size = std::max(size, step.pc + 1);
    std::vector<std::uint32_t> words(size, 0);
    for (const StreamStep& step : steps_) {
      words[step.pc] = isa::Encode(*step.instruction, step.operands);
    }
    return isa::ProgramFromWords(std::move(words));
  }

 private:
  std::vector<StreamStep> steps_;
};

// Accesses by hand.
inline emulator::Access Reads(emulator::Rows a, emulator::Rows b = {}) {
  emulator::Access access;
  access.vram_read[0] = a;
  access.vram_read[1] = b;
  return access;
}
inline emulator::Access Writes(emulator::Rows rows) {
  emulator::Access access;
  access.vram_write = rows;
  return access;
}
inline emulator::Access ReadsWrites(emulator::Rows a, emulator::Rows b, emulator::Rows to) {
  emulator::Access access = Reads(a, b);
  access.vram_write = to;
  return access;
}
inline emulator::Access Multiply(std::uint32_t tile, emulator::Rows rows) {
  emulator::Access access = Reads(rows);
  access.mram_read = {tile, 1, 1};
  return access;
}

using Cell = std::pair<std::uint32_t, emulator::Reason>;  // pc, reason

// Everything that a model announced.
class Announced : public emulator::Listener {
 public:
  void OnAccepted(const emulator::Accepted& e) override { accepted.push_back(e.cycle); }
  void OnAttributed(const emulator::Attributed& e) override {
    pieces.push_back(e);
    cells[{e.pc, e.reason}] += e.end - e.begin;
    if (e.producer_pc != emulator::kNoPc) blame[{e.pc, e.producer_pc}] += e.end - e.begin;
  }
  void OnCompleted(const emulator::Completed& e) override { completed.push_back(e); }
  void OnBusy(const emulator::Busy& e) override {
    busy[e.unit] += e.end - e.begin;
    busy_events.push_back(e);
  }
  void OnTraffic(const emulator::Traffic& e) override { traffic.push_back(e); }
  void OnPassed(const emulator::Passed& e) override { passed.push_back(e.cycle); }

  emulator::Cycle Of(std::uint32_t pc, emulator::Reason reason) const {
    const auto cell = cells.find({pc, reason});
    return cell == cells.end() ? 0 : cell->second;
  }
  emulator::Cycle Of(emulator::Reason reason) const {
    emulator::Cycle sum = 0;
    for (const auto& [cell, cycles] : cells) sum += cell.second == reason ? cycles : 0;
    return sum;
  }

  std::vector<emulator::Cycle> accepted;
  std::vector<emulator::Attributed> pieces;
  std::map<Cell, emulator::Cycle> cells;
  std::map<std::pair<std::uint32_t, std::uint32_t>, emulator::Cycle> blame;  // waiter, producer
  std::vector<emulator::Completed> completed;
  std::map<emulator::Unit, emulator::Cycle> busy;
  std::vector<emulator::Busy> busy_events;
  std::vector<emulator::Traffic> traffic;
  std::vector<emulator::Cycle> passed;
  emulator::Cycle total = 0;
  emulator::RunEnd end;
};

// Feeds a stream to a model; with `cut_after`, only that many steps and no drain.
inline Announced Feed(emulator::TimingModel& model, const Stream& stream,
                      std::size_t cut_after = static_cast<std::size_t>(-1)) {
  Announced announced;
  emulator::EventSink sink({&announced});
  std::uint64_t sequence = 0;
  for (const StreamStep& step : stream.steps()) {
    if (sequence == cut_after) break;
    model.Execute({sequence++, step.pc, step.instruction, step.operands, &step.access}, sink);
  }
  const bool whole = sequence == stream.steps().size();
  announced.total = whole && cut_after >= sequence ? model.Drain(sink) : model.Cut(sink);
  model.Close(announced.end);
  return announced;
}

}  // namespace moescope::test
