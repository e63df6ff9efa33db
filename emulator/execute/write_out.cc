// Accumulators to VRAM (isa.md, 5.4): rounded once by bf, then zeroed.

#include <algorithm>

#include "absl/strings/str_format.h"
#include "emulator/execute/executor.h"

namespace moescope::emulator {

using isa::Accumulator;
using isa::Operands;
using isa::Step;

// BLEN lanes of `rows` rows, gp[rs1] rows apart.
Step Executor::WriteOutLanes(const Operands& o, std::uint64_t rows, std::vector<float>& from) {
  const std::uint32_t address = Gp(o.rd) + o.imm;
  const std::uint64_t stride = o.rs1 != 0 ? Gp(o.rs1) : 1;
  if (stride == 0) {
    return Fail(fault::kWriteOutStrideZero, absl::StrFormat("gp%d = 0 as the row stride", o.rs1),
                "write gp0 or 0 for a stride of one row");
  }
  const std::uint64_t lane = vlen_.Remainder(address);
  if (lane % blen_ != 0) {
    return Fail(fault::kWriteOutAlignment,
                absl::StrFormat("VRAM address %d (%s) is lane %d, not a multiple of BLEN %d",
                                address, AddressText(o.rd, o.imm), lane, blen_));
  }
  RowRequest to{.reg = o.rd, .immediate = o.imm, .address = address};
  to.row = vlen_.Quotient(address);
  to.count = (rows - 1) * stride + 1;
  if (!InBounds(to)) return Step::kFault;
  for (std::uint64_t i = 0; i < rows; ++i) {
    const std::uint64_t row = to.row + i * stride;
    isa::FloatToBf16(std::span(from).subspan(static_cast<std::size_t>(i * blen_), blen_),
                     std::span(state_.vram.Write(row) + lane, blen_));
    if (shadow_.enabled()) shadow_.WriteVram(row, lane, blen_);
  }
  RecordWrite(to.row, rows, stride);
  std::fill(from.begin(), from.end(), 0.0f);
  return Step::kNext;
}

// Whole rows, one after the other. An accumulator that was never used is empty and means zeros.
Step Executor::WriteOutRows(const Operands& o, std::uint64_t rows, std::vector<float>& from) {
  if (!CheckBroadcastShape()) return Step::kFault;
  RowRequest to{.reg = o.rd, .immediate = o.imm, .address = Gp(o.rd) + o.imm, .count = rows};
  if (!Locate(to)) return Step::kFault;
  for (std::uint64_t i = 0; i < rows; ++i) {
    const std::span<isa::Bf16> lanes(state_.vram.Write(to.row + i), vlen_.size());
    if (from.empty()) {
      std::fill(lanes.begin(), lanes.end(), isa::Bf16{0});
    } else {
      isa::FloatToBf16(std::span(from).subspan(static_cast<std::size_t>(i * mlen_), mlen_), lanes);
    }
  }
  RecordWrite(to.row, rows);
  MarkRowsWritten(to.row, rows);
  std::fill(from.begin(), from.end(), 0.0f);
  return Step::kNext;
}

Step Executor::WriteOut(Accumulator accumulator, const Operands& o) {
  Accumulators& from = state_.accumulators;
  switch (accumulator) {
    case Accumulator::kMatrix:
      return WriteOutLanes(o, blen_, from.matrix);
    case Accumulator::kVector:
      return WriteOutLanes(o, 1, from.vector);
    case Accumulator::kHeadMatrix:
      return WriteOutRows(o, broadcast_ * mlen_, from.head_matrix);
    case Accumulator::kHeadVector:
      return WriteOutRows(o, broadcast_, from.head_vector);
  }
  return Step::kNext;
}

}  // namespace moescope::emulator
