// V_TOPK (isa.md, 5.3): routing decisions and their softmax weights.

#include <iterator>

#include "emulator/execute/executor.h"
#include "isa/top_k.h"

namespace moescope::emulator {

using isa::Operands;
using isa::Step;

namespace {

struct TopKShape {
  std::uint32_t experts = 0;
  std::uint32_t k = 0;
};

constexpr TopKShape kPolicyShapes[] = {{32, 4}, {128, 8}};

}  // namespace

Step Executor::VectorTopK(const Operands& o) {
  TopKShape shape;
  if (o.rs3 < std::size(kPolicyShapes)) {
    shape = kPolicyShapes[o.rs3];
  } else if (state_.registers.topk) {
    shape = {*state_.registers.topk >> 8, *state_.registers.topk & 255};
  } else {
    return Fail(fault::kTopKUnset,
                "V_TOPK with policy 15, but no C_SET_TOPK_REG was executed before");
  }
  const std::uint64_t rows = vlen_.Quotient(shape.experts + vlen_.size() - 1);
  RowRequest from = RowAt(o.rs1, rows);
  const std::uint32_t ids = Gp(o.rs2);
  const std::uint32_t weights = Gp(o.rd);
  if (!Locate(from) || !CheckIntWindow(ids, shape.k) || !CheckFpWindow(weights, shape.k) ||
      !LanesInitialised(from, shape.experts)) {
    return Step::kFault;
  }
  logits_.resize(static_cast<std::size_t>(rows * vlen_.size()));
  for (std::uint64_t i = 0; i < rows; ++i) {
    isa::Bf16ToFloat(std::span(Row(from.row + i), lanes_.size()),
                     std::span(logits_).subspan(static_cast<std::size_t>(i * vlen_.size())));
  }
  const std::span<const float> logits = std::span(logits_).first(shape.experts);
  chosen_.resize(shape.k);
  weights_.resize(shape.k);
  isa::SelectTopK(logits, chosen_);
  isa::TopKWeights(logits, chosen_, weights_);
  for (std::uint32_t j = 0; j < shape.k; ++j) {
    WriteInt(std::uint64_t{ids} + j, chosen_[j]);
    WriteFp(std::uint64_t{weights} + j, weights_[j]);
  }
  RecordRead(0, from);
  Touch().topk_experts = shape.experts;
  return Step::kNext;
}

}  // namespace moescope::emulator
