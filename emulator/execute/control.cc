// Control registers and hardware loops (isa.md, 4).

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "emulator/execute/executor.h"

namespace moescope::emulator {

using isa::ControlRegister;
using isa::Operands;
using isa::Step;

Step Executor::SetAddressRegister(const Operands& o) {
  const std::uint64_t value = std::uint64_t{Gp(o.rs1)} << 32 | Gp(o.rs2);
  state_.registers.address[o.rd] = value;
  effects_.Note(Effect::Kind::kAddressRegister, o.rd, value);
  return Step::kNext;
}

Step Executor::SetControlRegister(ControlRegister target, const Operands& o) {
  const std::uint32_t value = Gp(o.rd);
  switch (target) {
    case ControlRegister::kScale:
      state_.registers.scale = value;
      break;
    case ControlRegister::kStride:
      state_.registers.stride = value;
      break;
    case ControlRegister::kVectorMask:
      state_.registers.vector_mask = value;
      break;
  }
  return Step::kNext;
}

Step Executor::SetTopKShape(const Operands& o) {
  const std::uint32_t value = Gp(o.rd);
  const std::uint32_t experts = value >> 8;
  const std::uint32_t k = value & 255;
  if (k < 1 || k > experts) {
    return Fail(fault::kTopKShape,
                absl::StrFormat("gp%d = %d means %d experts, top-%d; top-k must be 1..experts",
                                o.rd, value, experts, k),
                "the value is (experts << 8) | k");
  }
  state_.registers.topk = value;
  return Step::kNext;
}

Step Executor::LoopStart(const Operands& o) {
  std::vector<OpenLoop>& loops = state_.loops;
  const auto same = std::find_if(loops.begin(), loops.end(),
                                 [&o](const OpenLoop& loop) { return loop.reg == o.rd; });
  if (same != loops.end()) {
    return Fail(
        fault::kLoopRegisterInUse,
        absl::StrFormat("gp%d already counts the loop opened at pc %d", o.rd, same->start_pc));
  }
  const std::uint32_t limit = machine_.max_loop_depth;
  if (limit != 0 && loops.size() >= limit) {
    return Fail(fault::kLoopDepth,
                absl::StrFormat("%d loops are open; max_loop_depth is %d", loops.size(), limit));
  }
  SetGp(o.rd, o.imm);
  loops.push_back({state_.pc, o.rd});
  usage_.Reach(Resource::kLoopDepth, loops.size());
  effects_.Note(Effect::Kind::kLoopOpened, o.rd, o.imm);
  return Step::kNext;
}

Step Executor::LoopEnd(const Operands& o) {
  std::vector<OpenLoop>& loops = state_.loops;
  if (loops.empty()) {
    return Fail(fault::kLoopEndWithoutLoop,
                absl::StrFormat("no loop is open that gp%d counts", o.rd));
  }
  const OpenLoop innermost = loops.back();
  if (innermost.reg != o.rd) {
    return Fail(fault::kLoopEndNotInnermost,
                absl::StrFormat("the innermost open loop is counted by gp%d (opened at pc %d), "
                                "not by gp%d",
                                innermost.reg, innermost.start_pc, o.rd));
  }
  const std::uint32_t left = Gp(o.rd);
  if (left > 1) {
    SetGp(o.rd, left - 1);
    Touch().jumped = true;
    jump_target_ = innermost.start_pc + 1;
    return Step::kJump;
  }
  SetGp(o.rd, 0);
  loops.pop_back();
  effects_.Note(Effect::Kind::kLoopClosed, o.rd, 0);
  return Step::kNext;
}

Step Executor::Halt(const Operands&) {
  state_.loops.clear();
  return Step::kHalt;
}

}  // namespace moescope::emulator
