// Floating-point registers and FP_MEM (isa.md, 4): one f32 operation on bf16 inputs, then bf.

#include "emulator/execute/executor.h"
#include "emulator/execute/lane.h"

namespace moescope::emulator {

using isa::Bf16;
using isa::BinaryOp;
using isa::Function;
using isa::Operands;
using isa::Step;

namespace {

Bf16 Compute(BinaryOp op, Bf16 a, Bf16 b) {
  switch (op) {
    case BinaryOp::kAdd:
      return lane::Add(a, b);
    case BinaryOp::kSubtract:
      return lane::Subtract(a, b);
    case BinaryOp::kMultiply:
      return lane::Multiply(a, b);
    case BinaryOp::kMaximum:
      return lane::Maximum(a, b);
    case BinaryOp::kMinimum:
      return lane::Minimum(a, b);
  }
  return isa::kBf16Nan;
}

}  // namespace

const isa::Bf16Table& FunctionTable(Function function) {
  switch (function) {
    case Function::kExp:
      return isa::ExpTable();
    case Function::kReciprocal:
      return isa::ReciprocalTable();
    case Function::kSquareRoot:
      return isa::SquareRootTable();
  }
  return isa::ExpTable();
}

Step Executor::ScalarBinary(BinaryOp op, const Operands& o) {
  SetFp(o.rd, Compute(op, Fp(o.rs1), Fp(o.rs2)));
  return Step::kNext;
}

Step Executor::ScalarUnary(Function function, const Operands& o) {
  SetFp(o.rd, FunctionTable(function)[Fp(o.rs1)]);
  return Step::kNext;
}

Step Executor::ScalarLoad(const Operands& o) {
  const std::uint32_t word = Gp(o.rs1) + o.imm;
  if (!CheckFpWindow(word, 1) || !FpInitialised(word, 1)) return Step::kFault;
  SetFp(o.rd, state_.fp_mem.Read(word));
  return Step::kNext;
}

Step Executor::ScalarStore(const Operands& o) {
  const std::uint32_t word = Gp(o.rs1) + o.imm;
  if (!CheckFpWindow(word, 1)) return Step::kFault;
  WriteFp(word, Fp(o.rd));
  return Step::kNext;
}

Step Executor::MapScalarsToVector(const Operands& o) {
  const std::uint32_t first = Gp(o.rs1) + o.imm;
  RowRequest to = RowAt(o.rd);
  if (!Locate(to) || !CheckFpWindow(first, vlen_.size()) || !FpInitialised(first, vlen_.size())) {
    return Step::kFault;
  }
  std::copy_n(state_.fp_mem.data() + first, vlen_.size(), state_.vram.Write(to.row));
  RecordWrite(to.row, 1);
  MarkRowsWritten(to.row, 1);
  return Step::kNext;
}

void Executor::WriteFp(std::uint64_t word, Bf16 value) {
  state_.fp_mem.Write(word, value);
  if (shadow_.enabled()) shadow_.WriteFp(word);
  effects_.Note(Effect::Kind::kFpMemory, word, value);
}

}  // namespace moescope::emulator
