#include "emulator/run.h"

#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "emulator/decoded_program.h"
#include "emulator/execute/executor.h"
#include "emulator/fault_report.h"
#include "emulator/hbm/clock_ratio.h"
#include "emulator/machine_check.h"
#include "emulator/timing/make_timing_model.h"

namespace moescope::emulator {

namespace {

using Clock = std::chrono::steady_clock;

// Host work between two looks at the clock and the interrupt flag, in scalar instructions.
constexpr std::int64_t kPollBudget = 1 << 14;

struct ResourceName {
  std::string_view name;
  std::string_view unit;
};

constexpr std::array<ResourceName, kResourceCount> kResourceNames = {{{"hbm_address", "bytes"},
                                                                      {"mram_tiles", "tiles"},
                                                                      {"vram_rows", "rows"},
                                                                      {"fp_mem_words", "words"},
                                                                      {"int_mem_words", "words"},
                                                                      {"loop_depth", "loops"}}};

const isa::InstructionSet& SetOf(const RunOptions& options) {
  return options.instructions != nullptr ? *options.instructions : isa::InstructionSet::Builtin();
}

// One run: owns what lives for its duration.
class RunLoop {
 public:
  RunLoop(const isa::Program& program, const MachineDescription& machine, MachineState& state,
          TimingModel* timing, std::span<Listener* const> listeners, const RunOptions& options);

  RunEnd Execute();

 private:
  EndReason Loop();
  std::optional<EndReason> Boundary();
  std::optional<EndReason> Poll();
  bool LoopGuardExceeded() const {
    return !state_.loops.empty() && sequence_ - guard_start_ >= loop_limit_;
  }
  Cycle Announce(const DecodedWord& word);
  void AnnounceEffects();
  void StampUsage(Cycle cycle);
  EndReason FaultAt(std::uint32_t pc, const FaultText& text);
  RunEnd Close(EndReason reason);

  Cycle Now() const { return timing_ == nullptr ? 0 : timing_->Now(); }

  const isa::Program& program_;
  const MachineDescription& machine_;
  const isa::InstructionSet& set_;
  const RunOptions& options_;
  MachineState& state_;
  TimingModel* timing_;
  EventSink sink_;
  Executor executor_;
  std::vector<DecodedWord> words_;

  std::uint64_t sequence_ = 0;  // executed instructions
  std::uint64_t stop_at_ = 0;   // look at the limits from this one on
  std::int64_t budget_ = kPollBudget;
  std::uint64_t loop_limit_;
  std::uint64_t guard_start_ = 0;  // sequence number after the last jump back, or the first start
  Clock::time_point started_ = Clock::now();
  std::array<Structure, kResourceCount> structures_;
  std::optional<Fault> fault_;
};

RunLoop::RunLoop(const isa::Program& program, const MachineDescription& machine,
                 MachineState& state, TimingModel* timing, std::span<Listener* const> listeners,
                 const RunOptions& options)
    : program_(program),
      machine_(machine),
      set_(SetOf(options)),
      options_(options),
      state_(state),
      timing_(timing),
      sink_(std::vector<Listener*>(listeners.begin(), listeners.end())),
      executor_(machine, state, {options.fused_multiply, options.sanitize, sink_.wants_effects()}),
      words_(DecodeProgram(program, set_, machine.dialect.strict_encoding)),
      loop_limit_(machine.max_loop_instructions == 0 ? ~std::uint64_t{0}
                                                     : machine.max_loop_instructions) {
  // Cycles can pass any limit at any instruction; instructions only at a known one.
  const Limits& limits = options.limits;
  stop_at_ = limits.max_cycles ? 0 : limits.max_instructions.value_or(~std::uint64_t{0});
  const std::array<std::uint64_t, kResourceCount> capacities = {
      state.hbm.size(),    state.mram.rows(),    state.vram.rows(),
      state.fp_mem.size(), state.int_mem.size(), machine.max_loop_depth};
  for (std::size_t i = 0; i < kResourceCount; ++i) {
    structures_[i].name = kResourceNames[i].name;
    structures_[i].unit = kResourceNames[i].unit;
    if (capacities[i] != 0) structures_[i].capacity = capacities[i];
  }
}

RunEnd RunLoop::Execute() {
  RunDescription description = DescribeRun(program_, machine_, options_.images);
  if (timing_ != nullptr) timing_->Describe(program_, description);
  sink_.Begin(description);
  RunEnd end = Close(Loop());
  sink_.End(end);
  return end;
}

EndReason RunLoop::Loop() {
  const auto size = static_cast<std::uint32_t>(words_.size());
  while (state_.pc < size) {
    if (sequence_ >= stop_at_ || budget_ < 0) [[unlikely]] {
      if (const auto reason = Boundary()) return *reason;
    }
    const DecodedWord& word = words_[state_.pc];
    const bool in_loop = !state_.loops.empty();
    if (LoopGuardExceeded()) [[unlikely]] {
      return FaultAt(state_.pc,
                     {fault::kLoopInstructions,
                      absl::StrFormat("%d instructions since the last jump back of an open loop; "
                                      "MAX_LOOP_INSTRUCTIONS is %d",
                                      sequence_ - guard_start_ + 1, loop_limit_),
                      {}});
    }
    if (word.execute == nullptr) [[unlikely]] {
      return FaultAt(state_.pc, ExplainUndecodable(program_.words[state_.pc], set_,
                                                   machine_.dialect.strict_encoding));
    }
    const isa::Step step = word.execute(executor_, word.operands);
    if (step == isa::Step::kFault) [[unlikely]]
      return FaultAt(state_.pc, executor_.fault());
    const Cycle cycle = Announce(word);
    if (cycle == kNever) [[unlikely]]
      return EndReason::kDeadlock;
    if (executor_.usage().TakeChanged()) [[unlikely]]
      StampUsage(cycle);
    ++sequence_;
    budget_ -= word.weight;
    if (step == isa::Step::kNext) {
      ++state_.pc;
      if (!in_loop) guard_start_ = sequence_;
    } else if (step == isa::Step::kJump) {
      state_.pc = executor_.jump_target();
      guard_start_ = sequence_;
    } else {
      return EndReason::kBreak;
    }
  }
  if (state_.loops.empty()) return EndReason::kEnd;
  const OpenLoop& loop = state_.loops.back();
  return FaultAt(
      loop.start_pc,
      {fault::kEndInsideLoop,
       absl::StrFormat("the program ended while this loop, counted by gp%d, was open", loop.reg),
       {}});
}

// What lies between two instructions: limits first, so that they do not depend on the host.
std::optional<EndReason> RunLoop::Boundary() {
  const Limits& limits = options_.limits;
  if (limits.max_instructions && sequence_ >= *limits.max_instructions) {
    return EndReason::kMaxInstructions;
  }
  if (limits.max_cycles && Now() >= *limits.max_cycles) return EndReason::kMaxCycles;
  return budget_ < 0 ? Poll() : std::nullopt;
}

std::optional<EndReason> RunLoop::Poll() {
  budget_ = kPollBudget;
  const Limits& limits = options_.limits;
  if (limits.interrupt != nullptr && limits.interrupt->load(std::memory_order_relaxed) != 0) {
    return EndReason::kInterrupt;
  }
  if (limits.timeout && Clock::now() - started_ >= *limits.timeout) return EndReason::kTimeout;
  if (options_.on_progress) options_.on_progress({sequence_, Now(), state_.pc});
  return std::nullopt;
}

Cycle RunLoop::Announce(const DecodedWord& word) {
  Cycle cycle = 0;
  const std::uint32_t experts = executor_.access().topk_experts;
  if (timing_ == nullptr) {
    sink_.Accept({sequence_, state_.pc, 0});
  } else {
    cycle = timing_->Execute(
        {sequence_, state_.pc, word.instruction, word.operands, &executor_.access()}, sink_);
    if (cycle == kNever) [[unlikely]]
      return kNever;
  }
  executor_.ResetAccess();
  if (!executor_.chosen_experts().empty()) [[unlikely]] {
    sink_.Route({state_.pc, experts, executor_.chosen_experts()});
    executor_.ForgetChosenExperts();
  }
  if (executor_.effects().enabled()) [[unlikely]]
    AnnounceEffects();
  return cycle;
}

// Calls body(bytes) with what an effect wrote, contiguous; `buffer` holds it where it is not.
template <typename Element>
std::span<const char> Gather(const LazyRows<Element>& rows, std::uint64_t first, std::uint64_t last,
                             std::vector<char>& buffer) {
  const std::size_t row_bytes = static_cast<std::size_t>(rows.width()) * sizeof(Element);
  buffer.resize(static_cast<std::size_t>(last - first + 1) * row_bytes);
  for (std::uint64_t row = first; row <= last; ++row) {
    std::memcpy(buffer.data() + static_cast<std::size_t>(row - first) * row_bytes, rows.Read(row),
                row_bytes);
  }
  return buffer;
}

void RunLoop::AnnounceEffects() {
  std::vector<char> buffer;
  for (const EffectLog::Entry& entry : executor_.effects().entries()) {
    Effect effect{entry.kind, entry.first, entry.last, entry.value, {}};
    switch (entry.kind) {
      case Effect::Kind::kVectorRows:
        effect.bytes = Gather(state_.vram, entry.first, entry.last, buffer);
        break;
      case Effect::Kind::kMatrixTiles:
        effect.bytes = Gather(state_.mram, entry.first, entry.last, buffer);
        break;
      case Effect::Kind::kHbmBytes:
        buffer.resize(static_cast<std::size_t>(entry.last - entry.first + 1));
        state_.hbm.Read(entry.first,
                        {reinterpret_cast<std::uint8_t*>(buffer.data()), buffer.size()});
        effect.bytes = buffer;
        break;
      default:
        break;
    }
    sink_.Change(effect);
  }
  executor_.effects().Clear();
}

void RunLoop::StampUsage(Cycle cycle) {
  for (std::size_t i = 0; i < kResourceCount; ++i) {
    const std::uint64_t mark = executor_.usage().mark(static_cast<Resource>(i));
    if (mark == structures_[i].high_water) continue;
    structures_[i].high_water = mark;
    structures_[i].cycle = cycle;
  }
}

EndReason RunLoop::FaultAt(std::uint32_t pc, const FaultText& text) {
  fault_ = MakeFault(text, pc, program_, set_, state_);
  return EndReason::kFault;
}

RunEnd RunLoop::Close(EndReason reason) {
  RunEnd end;
  end.reason = reason;
  end.instructions = sequence_;
  if (timing_ != nullptr) {
    if (end.complete()) end.cycles = timing_->Drain(sink_);
    if (end.cycles == kNever) end.reason = EndReason::kDeadlock;
    if (end.reason == EndReason::kDeadlock) {
      end.deadlock = timing_->Explain();
      end.deadlock->events = sink_.recent().List();
    }
    if (!end.complete()) end.cycles = timing_->Cut(sink_);
  }
  if (end.reason != EndReason::kEnd) end.pc = fault_ ? fault_->pc : state_.pc;
  if (end.deadlock && !end.deadlock->waits.empty()) end.pc = end.deadlock->waits.front().pc;
  end.fault = std::move(fault_);
  const Limits& limits = options_.limits;
  if (reason == EndReason::kInterrupt) end.signal = limits.interrupt->load();
  if (reason == EndReason::kMaxCycles) end.limit = limits.max_cycles;
  if (reason == EndReason::kMaxInstructions) end.limit = limits.max_instructions;
  end.structures.assign(structures_.begin(), structures_.end());
  if (timing_ != nullptr) timing_->Close(end);
  return end;
}

}  // namespace

RunEnd Run(const isa::Program& program, const MachineDescription& machine, MachineState& state,
           TimingModel* timing, std::span<Listener* const> listeners, const RunOptions& options) {
  CHECK(CheckMachine(machine).ok());
  return RunLoop(program, machine, state, timing, listeners, options).Execute();
}

RunEnd Run(const isa::Program& program, const MachineDescription& machine, MachineState& state,
           std::span<Listener* const> listeners, const RunOptions& options) {
  const std::unique_ptr<TimingModel> timing = MakeTimingModel(machine, SetOf(options));
  return Run(program, machine, state, timing.get(), listeners, options);
}

}  // namespace moescope::emulator
