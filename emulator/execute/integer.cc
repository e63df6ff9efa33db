// Integer registers and INT_MEM (isa.md, 4): u32 arithmetic modulo 2^32.

#include "emulator/execute/executor.h"

namespace moescope::emulator {

using isa::BinaryOp;
using isa::Operands;
using isa::Step;

Step Executor::IntegerBinary(BinaryOp op, const Operands& o) {
  const std::uint32_t a = Gp(o.rs1);
  const std::uint32_t b = Gp(o.rs2);
  SetGp(o.rd, op == BinaryOp::kAdd ? a + b : op == BinaryOp::kSubtract ? a - b : a * b);
  return Step::kNext;
}

Step Executor::IntegerAddImmediate(const Operands& o) {
  SetGp(o.rd, Gp(o.rs1) + o.imm);
  return Step::kNext;
}

Step Executor::IntegerLoadUpper(const Operands& o) {
  SetGp(o.rd, o.imm << 12);
  return Step::kNext;
}

Step Executor::IntegerLoad(const Operands& o) {
  const std::uint32_t word = Gp(o.rs1) + o.imm;
  if (!CheckIntWindow(word, 1) || !IntInitialised(word, 1)) return Step::kFault;
  SetGp(o.rd, state_.int_mem.Read(word));
  return Step::kNext;
}

Step Executor::IntegerStore(const Operands& o) {
  const std::uint32_t word = Gp(o.rs1) + o.imm;
  if (!CheckIntWindow(word, 1)) return Step::kFault;
  WriteInt(word, Gp(o.rd));
  return Step::kNext;
}

void Executor::WriteInt(std::uint64_t word, std::uint32_t value) {
  state_.int_mem.Write(word, value);
  if (shadow_.enabled()) shadow_.WriteInt(word);
  effects_.Note(Effect::Kind::kIntegerMemory, word, value);
}

}  // namespace moescope::emulator
