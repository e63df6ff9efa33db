#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/event.h"
#include "emulator/machine.h"
#include "emulator/recent_events.h"
#include "isa/instruction.h"

// The boundary between function and time: the executor tells a timing model what each executed
// instruction touched, and the model says when. It can neither read nor change a value.

namespace moescope::emulator {

// `count` rows of a memory: first, first + stride, ... (VRAM rows, or MRAM tiles).
struct Rows {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t stride = 1;

  friend bool operator==(const Rows&, const Rows&) = default;
};

// The bytes of one H_* instruction: row i has element bytes at element_address + i * element_step
// and scale bytes at scale_address + i * scale_step. A prefetch reads, a store writes.
struct HbmTransfer {
  bool is_store = false;
  std::uint32_t rows = 0;
  std::uint64_t element_address = 0;
  std::uint64_t element_step = 0;
  std::uint32_t element_bytes = 0;  // per row
  std::uint64_t scale_address = 0;
  std::uint64_t scale_step = 0;
  std::uint32_t scale_bytes = 0;  // per row; 0 for Plain
};

// What one executed instruction touched besides registers. Register operands follow from its row.
struct Access {
  Rows vram_read[2];  // in operand order; count 0 = none
  Rows vram_write;
  Rows mram_read;   // tiles
  Rows mram_write;  // tiles
  std::uint32_t topk_experts = 0;
  bool jumped = false;  // C_LOOP_END taken
  bool has_transfer = false;
  HbmTransfer transfer;  // valid when has_transfer
};

struct Executed {
  std::uint64_t sequence = 0;
  std::uint32_t pc = 0;
  const isa::Instruction* instruction = nullptr;
  isa::Operands operands;
  const Access* access = nullptr;
};

// Where a timing model sends its events; fans out to the run's listeners.
class EventSink {
 public:
  explicit EventSink(std::vector<Listener*> listeners) : listeners_(std::move(listeners)) {}
  void Begin(const RunDescription& d) {
    for (Listener* l : listeners_) l->OnBegin(d);
  }
  void Accept(const Accepted& e) {
    recent_.Add(Deadlock::RecentEvent::Kind::kAccepted, e.pc, e.cycle);
    for (Listener* l : listeners_) l->OnAccepted(e);
  }
  void Attribute(const Attributed& e) {
    for (Listener* l : listeners_) l->OnAttributed(e);
  }
  void Complete(const Completed& e) {
    recent_.Add(Deadlock::RecentEvent::Kind::kCompleted, e.pc, e.cycle);
    for (Listener* l : listeners_) l->OnCompleted(e);
  }
  void Occupy(const Busy& e) {
    for (Listener* l : listeners_) l->OnBusy(e);
  }
  void Move(const Traffic& e) {
    recent_.Add(Deadlock::RecentEvent::Kind::kMoved, e.pc, e.cycle);
    for (Listener* l : listeners_) l->OnTraffic(e);
  }
  void Route(const Routed& e) {
    for (Listener* l : listeners_) l->OnRouted(e);
  }
  void Pass(const Passed& e) {
    for (Listener* l : listeners_) l->OnPassed(e);
  }
  void Change(const Effect& e) {
    for (Listener* l : listeners_) {
      if (l->WantsEffects()) l->OnEffect(e);
    }
  }
  bool wants_effects() const {
    for (const Listener* l : listeners_) {
      if (l->WantsEffects()) return true;
    }
    return false;
  }
  void End(const RunEnd& e) {
    for (Listener* l : listeners_) l->OnEnd(e);
  }

  const RecentEvents& recent() const { return recent_; }

 private:
  std::vector<Listener*> listeners_;
  RecentEvents recent_;
};

class TimingModel {
 public:
  virtual ~TimingModel() = default;
  // Fills the model's part of the description: issue model, reasons, units, assumptions, cost
  // classes.
  virtual void Describe(const isa::Program& program, RunDescription& description) const = 0;
  // Times the next executed instruction and announces its events. Returns the cycle of its
  // acceptance; kNever when it can never be accepted, after which only Cut, Explain and Close are
  // called.
  virtual Cycle Execute(const Executed& executed, EventSink& sink) = 0;
  // Cycles that have surely passed: no later event of the run begins before it.
  virtual Cycle Now() const = 0;
  // The program ended: drains outstanding work, announces it, and returns the total; kNever when
  // some of it can never end.
  virtual Cycle Drain(EventSink& sink) = 0;
  // The run was cut before the next instruction: closes all events at the returned cycle, without
  // draining.
  virtual Cycle Cut(EventSink& sink) = 0;
  // After a kNever: who waits for what. A model that cannot deadlock keeps this one.
  virtual Deadlock Explain() const { return {}; }
  // Structures and channel counters at the end of the run.
  virtual void Close(RunEnd& end) const = 0;
};

// The model that the description asks for.
std::unique_ptr<TimingModel> MakeTimingModel(const MachineDescription& machine);

}  // namespace moescope::emulator
