#include <algorithm>
#include <array>
#include <random>

#include "tests/profiler/synthetic_run.h"

namespace moescope::profiler::test {

namespace {

using emulator::Cycle;
using emulator::Reason;
using emulator::Unit;

constexpr std::array<std::string_view, 12> kMnemonics = {
    "M_MM",       "M_MM_WO", "V_ADD_VV", "V_EXP_V", "S_ADDI_INT",   "S_ADD_FP",
    "C_LOOP_END", "V_TOPK",  "S_LD_FP",  "M_BMM",   "H_PREFETCH_M", "H_STORE_V"};
constexpr std::array<std::string_view, 6> kStages = {
    "residual_setup", "router_topk", "gather", "expert_projection", "expert_bias", "shared_expert"};

// The same 32-bit numbers on every host.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

isa::Program RandomProgram(Random& random) {
  ProgramBuilder builder;
  builder.Extension("detail", isa::StageScope::kPair);
  if (random() % 2 == 0) builder.Emit("S_ADDI_INT", static_cast<int>(random() % 3));
  const std::uint32_t markers = random() % 12;
  bool in_region = false;
  for (std::uint32_t i = 0; i < markers; ++i) {
    const std::uint32_t kind = random() % 8;
    if (in_region) {
      builder.Pop();
      in_region = false;
    } else if (kind == 0) {
      builder.Unattributed();
    } else if (kind == 1 && i > 0) {
      builder.Push("detail");
      in_region = true;
    } else {
      std::optional<std::uint32_t> pair, expert;
      if (random() % 2 == 0) pair = random() % 5;
      if (random() % 3 == 0) expert = pair.value_or(7) % 3;
      builder.Stage(kStages[random() % kStages.size()], pair, expert);
    }
    const std::uint32_t words = random() % 5;
    for (std::uint32_t w = 0; w < words; ++w) {
      builder.Emit(kMnemonics[random() % kMnemonics.size()]);
    }
  }
  if (random() % 4 != 0) builder.Emit("S_ADDI_INT");
  return builder.Build();
}

// Plays one run: the front end advances in pieces, units and transfers run beside it.
class Player {
 public:
  Player(const RandomRun& run, std::uint32_t seed, emulator::Listener& listener)
      : run_(run), random_(seed), listener_(listener) {}

  void Play(std::optional<std::uint64_t> cut) {
    listener_.OnBegin(run_.description);
    const std::size_t words = run_.program.words.size();
    const std::uint64_t length = words == 0 ? 0 : random_() % 200;
    while (executed_ < length && executed_ < cut.value_or(length)) Step(Below(words));
    emulator::RunEnd end;
    const bool is_cut = cut && *cut < length;
    if (is_cut) {
      end.reason = emulator::EndReason::kMaxInstructions;
      end.limit = *cut;
    } else {
      Drain();
    }
    end.cycles = now_;
    end.instructions = executed_;
    if (random_() % 2 == 0) {
      end.structures = {{"vram_rows", "rows", 4096, 17, now_}, {"hbm_address", "bytes", {}, 5, 0}};
      end.channels.resize(2);
    }
    listener_.OnEnd(end);
  }

 private:
  bool rich() const { return !run_.description.units.empty(); }
  std::uint32_t Below(std::size_t bound) { return random_() % static_cast<std::uint32_t>(bound); }

  void Attribute(std::uint32_t pc, Reason reason, Cycle cycles) {
    if (cycles == 0) return;
    emulator::Attributed event{pc, reason, now_, now_ + cycles};
    if (Below(2) == 0 && executed_ > 0) event.producer_pc = last_pc_;
    event.waits_for_slot = Below(4) == 0;
    listener_.OnAttributed(event);
    now_ += cycles;
  }

  void Step(std::uint32_t pc) {
    const std::vector<Reason>& reasons = run_.description.reasons;
    if (rich() && Below(2) == 0) Attribute(pc, reasons[Below(reasons.size())], Below(9));
    listener_.OnAccepted({executed_, pc, now_});
    const isa::Instruction* row =
        isa::InstructionSet::Builtin().Decode(run_.program.words[pc]).instruction;
    if (row->mnemonic == "V_TOPK") Route(pc);
    if (row->mnemonic.starts_with("H_")) Move(pc, row->mnemonic == "H_STORE_V");
    Attribute(pc, rich() ? Reason::kIssue : Reason::kExecute, Below(3));
    if (rich()) Occupy(pc);
    listener_.OnCompleted({pc, now_ + (rich() ? Below(20) : 0)});
    if (rich() && Below(16) == 0) listener_.OnPassed({now_});
    last_pc_ = pc;
    ++executed_;
  }

  void Occupy(std::uint32_t pc) {
    const auto unit = static_cast<Unit>(Below(emulator::kUnitCount));
    Cycle& free = free_[static_cast<std::size_t>(unit)];
    const Cycle begin = std::max(free, now_ + Below(3));
    free = begin + Below(12);
    listener_.OnBusy({unit, pc, begin, free});
  }

  void Route(std::uint32_t pc) {
    std::vector<std::uint32_t> ids(Below(8) == 0 ? 3 : 2);
    for (std::uint32_t& id : ids) id = Below(4);
    listener_.OnRouted({pc, 4, ids});
  }

  void Move(std::uint32_t pc, bool is_store) {
    const std::uint64_t lines = Below(5);
    emulator::Traffic read{.pc = pc, .cycle = now_ + Below(30), .lines = lines};
    read.burst_bytes = lines * 64;
    read.logical_bytes = is_store ? 0 : lines * 40;
    read.repeat_bytes = lines / 2 * 64;
    listener_.OnTraffic(read);
    if (!is_store) return;
    emulator::Traffic write = read;
    write.is_write = true;
    write.logical_bytes = lines * 50;
    write.repeat_bytes = 0;
    write.rmw_read_bytes = lines * 64;
    listener_.OnTraffic(write);
  }

  void Drain() {
    if (!rich() || executed_ == 0) return;
    Cycle last = now_;
    for (const Cycle free : free_) last = std::max(last, free);
    Attribute(last_pc_, Reason::kDrainVx, last - now_);
  }

  const RandomRun& run_;
  Random random_;
  emulator::Listener& listener_;
  Cycle now_ = 0;
  std::uint64_t executed_ = 0;
  std::uint32_t last_pc_ = 0;
  std::array<Cycle, emulator::kUnitCount> free_{};
};

}  // namespace

RandomRun::RandomRun(std::uint32_t seed, bool rich) {
  Random random(seed);
  program = RandomProgram(random);
  description = rich ? DescribeRich(program) : Describe(program);
  for (emulator::CostClass& c : description.cost_class) {
    c = static_cast<emulator::CostClass>(random() % emulator::kCostClassCount);
  }
}

void RandomRun::Play(std::uint32_t seed, std::optional<std::uint64_t> cut,
                     emulator::Listener& listener) {
  description.program = &program;
  Player(*this, seed, listener).Play(cut);
}

}  // namespace moescope::profiler::test
