#include "moe/emit/shared_emit.h"

#include <cstdint>

#include "moe/emit/activation_emit.h"
#include "moe/emit/projection.h"
#include "moe/emit/rows.h"

namespace moescope::moe {
namespace {

void EmitSigma(Emission& emission, std::uint32_t token) {
  Writer w = emission.builder.In({.stage = stages::kSharedGate});
  const SharedPlaces& shared = *emission.map.shared;
  const FpLoan sum = emission.TakeFp();
  const FpLoan one = emission.TakeFp();
  const GpLoan address = emission.TakeGp();
  VramMatrix x = emission.map.x;
  x.base = x.Row(0, token);
  const VramMatrix vector{shared.gate_vector, 1, x.blocks, emission.m()};
  w.LoadConstant(address, shared.scratch.base);
  w.Emit<"S_ADD_FP">(sum, kFp0, kFp0);
  RowWalk walk(emission, w, {{x, 1, x.blocks}, {vector, 1, x.blocks}});
  walk.Run([&] {
    w.Emit<"V_MUL_VV">(address, walk.pointer(0), walk.pointer(1), 0);
    w.Emit<"V_RED_SUM">(sum, address, 0);
  });
  w.LoadConstant(address, emission.map.Constant(1.0f));
  w.Emit<"S_LD_FP">(one, address, 0);
  w.Emit<"S_SUB_FP">(sum, kFp0, sum);
  w.Emit<"S_EXP_FP">(sum, sum);
  w.Emit<"S_ADD_FP">(sum, sum, one);
  w.Emit<"S_RECI_FP">(sum, sum);
  w.LoadConstant(address, shared.sigma + token);
  w.Emit<"S_ST_FP">(sum, address, 0);
}

}  // namespace

void EmitSharedExpert(Emission& emission) {
  if (emission.map.tokens == 0) return;
  const SharedPlaces& shared = *emission.map.shared;
  const std::uint32_t rows = emission.map.token_rows;
  const auto base = emission.builder.ar().Take();
  EmitMatrix(emission,
             {shared.gate, emission.map.x, shared.gate_rows, shared.temp, rows, nullptr, base});
  EmitMatrix(emission,
             {shared.up, emission.map.x, shared.up_rows, shared.temp, rows, nullptr, base});
  EmitActivation(emission, {shared.gate_rows, shared.up_rows, shared.scratch, rows},
                 {.stage = stages::kSharedExpert});
  EmitMatrix(emission, {shared.down, shared.up_rows, shared.out, shared.temp, rows, nullptr, base});
}

void EmitSharedGate(Emission& emission) {
  for (std::uint32_t token = 0; token < emission.map.tokens; ++token) {
    EmitSigma(emission, token);
    EmitScaleRows(emission, {emission.map.shared->out, token, emission.map.shared->sigma + token},
                  {.stage = stages::kSharedGate});
  }
}

void EmitSharedCombine(Emission& emission) {
  if (emission.map.tokens == 0) return;
  Writer w = emission.builder.In({.stage = stages::kSharedCombine});
  const VramMatrix& accumulator = emission.map.accumulator;
  RowWalk walk(emission, w,
               {{accumulator, emission.map.tokens, accumulator.blocks},
                {emission.map.shared->out, emission.map.tokens, accumulator.blocks}});
  walk.Run([&] { w.Emit<"V_ADD_VV">(walk.pointer(0), walk.pointer(0), walk.pointer(1), 0); });
}

}  // namespace moescope::moe
