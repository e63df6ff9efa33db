// Reductions of a row to a floating-point register (isa.md, 5.2; numerics.md, 7).

#include <algorithm>

#include "emulator/execute/executor.h"
#include "emulator/execute/lane.h"

namespace moescope::emulator {

using isa::Bf16;
using isa::Operands;
using isa::Reduction;
using isa::Step;

// The tree sum of the row with disabled lanes as +0.0. The reference dialect instead replaces each
// lane of an enabled head by the sum of that head and keeps the disabled lanes.
float Executor::TreeSumOf(const Bf16* row, std::uint8_t mask) {
  isa::Bf16ToFloat(std::span(row, lanes_.size()), lanes_);
  if (mask == 0) return isa::TreeSum(lanes_);
  const bool spread = machine_.dialect.masked_reduction == MaskedReduction::kReference;
  for (std::uint64_t head = 0; head < heads_; ++head) {
    const std::span<float> lanes = std::span(lanes_).subspan(head * hlen_, hlen_);
    if (!spread && !HeadEnabled(head)) std::fill(lanes.begin(), lanes.end(), 0.0f);
    if (!spread || !HeadEnabled(head)) continue;
    head_lanes_.assign(lanes.begin(), lanes.end());
    std::fill(lanes.begin(), lanes.end(), isa::TreeSum(head_lanes_));
  }
  return isa::TreeSum(lanes_);
}

Bf16 Executor::MaximumOf(Bf16 start, const Bf16* row, std::uint8_t mask) const {
  const bool masked = mask != 0 && machine_.dialect.masked_reduction == MaskedReduction::kEnabled;
  Bf16 largest = start;
  for (std::uint64_t head = 0; head < heads_; ++head) {
    if (masked && !HeadEnabled(head)) continue;
    for (std::uint64_t i = head * hlen_; i < (head + 1) * hlen_; ++i) {
      largest = lane::Maximum(largest, row[i]);
    }
  }
  return isa::Bf16IsNan(largest) ? isa::kBf16Nan : largest;
}

Step Executor::VectorReduce(Reduction reduction, const Operands& o) {
  RowRequest a = RowAt(o.rs1);
  if (!CheckMask(o.rs3) || !Locate(a) || !Initialised(a)) return Step::kFault;
  RecordRead(0, a);
  const Bf16* row = Row(a.row);
  if (reduction == Reduction::kSum) {
    SetFp(o.rd, isa::FloatToBf16(isa::Bf16ToFloat(Fp(o.rd)) + TreeSumOf(row, o.rs3)));
  } else {
    SetFp(o.rd, MaximumOf(Fp(o.rd), row, o.rs3));
  }
  return Step::kNext;
}

}  // namespace moescope::emulator
