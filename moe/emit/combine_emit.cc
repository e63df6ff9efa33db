#include "moe/emit/combine_emit.h"

#include <numeric>
#include <vector>

#include "moe/emit/program_constants.h"
#include "moe/emit/rows.h"

namespace moescope::moe {
namespace {

std::vector<std::uint32_t> TokenRows(const Emission& emission) {
  std::vector<std::uint32_t> rows(emission.map.tokens);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

// The row of one token in every column block.
RowRange TokenRow(VramMatrix matrix, std::uint32_t token) {
  matrix.base = matrix.Row(0, token);
  return {matrix, 1, matrix.blocks};
}

// x = x / sqrt(mean(x^2) + epsilon) * weight for one token row.
class NormRow {
 public:
  NormRow(Emission& emission, Writer writer, std::uint32_t token)
      : emission_(emission), w_(writer), token_(token), norm_(emission.TakeFp()) {}

  void Emit() {
    SumOfSquares();
    Factor(InverseWidth(emission_.layer.shape.hidden), isa::Op("S_MUL_FP"));
    Factor(kNormEpsilon, isa::Op("S_ADD_FP"));
    w_.Emit<"S_SQRT_FP">(norm_, norm_);
    w_.Emit<"S_RECI_FP">(norm_, norm_);
    Multiply();
  }

 private:
  RowRange Range() const { return TokenRow(emission_.map.x, token_); }
  void SumOfSquares() {
    const GpLoan scratch = emission_.TakeGp();
    w_.LoadConstant(scratch, emission_.map.norm_scratch);
    w_.Emit<"S_ADD_FP">(norm_, kFp0, kFp0);
    RowWalk walk(emission_, w_, {Range()});
    walk.Run([&] {
      w_.Emit<"V_MUL_VV">(scratch, walk.pointer(0), walk.pointer(0), 0);
      w_.Emit<"V_RED_SUM">(norm_, scratch, 0);
    });
  }
  void Factor(float constant, isa::InstructionIndex op) {
    const GpLoan address = emission_.TakeGp();
    const FpLoan value = emission_.TakeFp();
    w_.LoadConstant(address, emission_.map.Constant(constant));
    w_.Emit<"S_LD_FP">(value, address, 0);
    w_.Emit(op, {norm_, norm_, value});
  }
  void Multiply() {
    VramMatrix weight{emission_.map.norm_weight, 1, emission_.map.x.blocks, emission_.m()};
    RowWalk walk(emission_, w_, {Range(), {weight, 1, weight.blocks}});
    walk.Run([&] {
      w_.Emit<"V_MUL_VF">(walk.pointer(0), walk.pointer(0), norm_, 0);
      w_.Emit<"V_MUL_VV">(walk.pointer(0), walk.pointer(0), walk.pointer(1), 0);
    });
  }

  Emission& emission_;
  Writer w_;
  std::uint32_t token_;
  FpLoan norm_;
};

void AddRows(Emission& emission, Writer writer, const VramMatrix& to, const VramMatrix& from) {
  const RowRange target{to, emission.map.tokens, to.blocks};
  const RowRange source{from, emission.map.tokens, to.blocks};
  RowWalk walk(emission, writer, {target, source});
  walk.Run([&] { writer.Emit<"V_ADD_VV">(walk.pointer(0), walk.pointer(0), walk.pointer(1), 0); });
}

}  // namespace

void EmitResidualSetup(Emission& emission) {
  if (emission.lowering.residual == Residual::kNone || emission.map.tokens == 0) return;
  const stages::Attribution at{.stage = stages::kResidualSetup};
  EmitZeroRows(emission, {emission.map.residual, TokenRows(emission)}, at);
  Writer writer = emission.builder.In(at);
  AddRows(emission, writer, emission.map.residual, emission.map.x);
  if (emission.lowering.residual != Residual::kNorm) return;
  for (std::uint32_t token = 0; token < emission.map.tokens; ++token) {
    NormRow(emission, writer, token).Emit();
  }
}

void EmitAccumulatorInit(Emission& emission) {
  EmitZeroRows(emission, {emission.map.accumulator, TokenRows(emission)},
               {.stage = stages::kAccumulatorInit});
}

void EmitScatterAdd(Emission& emission, const Slot& slot, std::size_t row) {
  Writer w = emission.builder.In(OfPair(stages::kScatterCombine, slot, row));
  const auto token = static_cast<std::uint32_t>(slot.pairs[row] / emission.layer.shape.top_k);
  const VramMatrix& accumulator = emission.map.accumulator;
  const GpLoan sum = emission.TakeGp();
  const GpLoan source = emission.TakeGp();
  for (std::uint32_t block = 0; block < accumulator.blocks; ++block) {
    w.LoadConstant(sum, accumulator.Row(block, token));
    w.LoadConstant(source, slot.out.Row(block, static_cast<std::uint32_t>(row)));
    w.Emit<"V_ADD_VV">(sum, sum, source, 0);
  }
}

void EmitResidualAdd(Emission& emission) {
  if (emission.lowering.residual == Residual::kNone) return;
  const auto top_k = static_cast<std::uint32_t>(emission.layer.shape.top_k);
  for (std::uint32_t token = 0; token < emission.map.tokens; ++token) {
    Writer w =
        emission.builder.In({.stage = stages::kScatterCombine, .pair = token * top_k + top_k - 1});
    RowWalk walk(
        emission, w,
        {TokenRow(emission.map.accumulator, token), TokenRow(emission.map.residual, token)});
    walk.Run([&] { w.Emit<"V_ADD_VV">(walk.pointer(0), walk.pointer(1), walk.pointer(0), 0); });
  }
}

}  // namespace moescope::moe
