// Vector rows (isa.md, 5.1). Lanes are computed for the whole row and then committed by head, so
// that source and destination may be the same row.

#include <algorithm>

#include "emulator/execute/executor.h"
#include "emulator/execute/lane.h"

namespace moescope::emulator {

using isa::Bf16;
using isa::BinaryOp;
using isa::Function;
using isa::Operands;
using isa::Step;

namespace {

template <typename Op>
void ForLanes(const Bf16* a, const Bf16* b, std::size_t lanes, Bf16* out, Op op) {
  for (std::size_t i = 0; i < lanes; ++i) out[i] = op(a[i], b[i]);
}

template <typename Op>
void ForLanes(const Bf16* a, Bf16 b, std::size_t lanes, Bf16* out, Op op) {
  for (std::size_t i = 0; i < lanes; ++i) out[i] = op(a[i], b);
}

// Right is a row (const Bf16*) or a scalar (Bf16).
template <typename Right>
void Apply(BinaryOp op, const Bf16* a, Right b, std::size_t lanes, Bf16* out) {
  switch (op) {
    case BinaryOp::kAdd:
      return ForLanes(a, b, lanes, out, lane::Add);
    case BinaryOp::kSubtract:
      return ForLanes(a, b, lanes, out, lane::Subtract);
    case BinaryOp::kMultiply:
      return ForLanes(a, b, lanes, out, lane::Multiply);
    case BinaryOp::kMaximum:
      return ForLanes(a, b, lanes, out, lane::Maximum);
    case BinaryOp::kMinimum:
      return ForLanes(a, b, lanes, out, lane::Minimum);
  }
}

Bf16 SubtractFrom(Bf16 a, Bf16 b) { return lane::Subtract(b, a); }

}  // namespace

void Executor::CommitLanes(std::uint64_t row, const Bf16* source, std::uint8_t mask) {
  if (mask != 0) {
    for (std::uint64_t head = 0; head < heads_; ++head) {
      if (HeadEnabled(head)) continue;
      std::copy_n(source + head * hlen_, hlen_, result_.data() + head * hlen_);
    }
  }
  std::copy(result_.begin(), result_.end(), state_.vram.Write(row));
  RecordWrite(row, 1);
  MarkRowsWritten(row, 1);
}

Step Executor::VectorVector(BinaryOp op, const Operands& o) {
  RowRequest to = RowAt(o.rd);
  RowRequest a = RowAt(o.rs1);
  RowRequest b = RowAt(o.rs2);
  if (!CheckMask(o.rs3) || !Locate(to, a, b) || !Initialised(a) || !Initialised(b)) {
    return Step::kFault;
  }
  const Bf16* left = Row(a.row);
  Apply(op, left, Row(b.row), result_.size(), result_.data());
  RecordRead(0, a);
  RecordRead(1, b);
  CommitLanes(to.row, left, o.rs3);
  return Step::kNext;
}

Step Executor::VectorScalar(BinaryOp op, const Operands& o) {
  RowRequest to = RowAt(o.rd);
  RowRequest a = RowAt(o.rs1);
  if (!CheckMask(o.rs3) || !Locate(to, a) || !Initialised(a)) return Step::kFault;
  const Bf16* left = Row(a.row);
  if (op == BinaryOp::kSubtract && o.funct1 != 0) {
    ForLanes(left, Fp(o.rs2), result_.size(), result_.data(), SubtractFrom);
  } else {
    Apply(op, left, Fp(o.rs2), result_.size(), result_.data());
  }
  RecordRead(0, a);
  CommitLanes(to.row, left, o.rs3);
  return Step::kNext;
}

Step Executor::VectorUnary(Function function, const Operands& o) {
  RowRequest to = RowAt(o.rd);
  RowRequest a = RowAt(o.rs1);
  if (!CheckMask(o.rs3) || !Locate(to, a) || !Initialised(a)) return Step::kFault;
  const Bf16* left = Row(a.row);
  const isa::Bf16Table& table = FunctionTable(function);
  std::transform(left, left + result_.size(), result_.begin(),
                 [&table](Bf16 lane) { return table[lane]; });
  RecordRead(0, a);
  CommitLanes(to.row, left, o.rs3);
  return Step::kNext;
}

Step Executor::VectorShift(const Operands& o) {
  RowRequest to = RowAt(o.rd);
  RowRequest a = RowAt(o.rs1);
  if (!Locate(to, a) || !Initialised(a)) return Step::kFault;
  const Bf16* left = Row(a.row);
  const auto lanes = static_cast<std::ptrdiff_t>(result_.size());
  const auto shift =
      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(Gp(o.rs2), result_.size()));
  std::fill_n(result_.begin(), shift, Bf16{0});
  std::copy_n(left, lanes - shift, result_.begin() + shift);
  RecordRead(0, a);
  CommitLanes(to.row, left, /*mask=*/0);
  return Step::kNext;
}

}  // namespace moescope::emulator
