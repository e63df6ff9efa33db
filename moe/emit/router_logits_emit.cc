#include "moe/emit/projection.h"
#include "moe/emit/router_emit.h"
#include "moe/emit/router_steps.h"
#include "moe/emit/weights_emit.h"

namespace moescope::moe {
namespace {

constexpr stages::Attribution kRouter{.stage = stages::kRouterTopk};

// FP_MEM[fp_logits + expert] = x . w, products and running sum rounded to BF16.
void EmitDot(Emission& emission, Writer w, std::uint32_t token, std::uint32_t expert) {
  const RouterPlaces& router = *emission.map.router;
  const FpLoan sum = emission.TakeFp();
  const GpLoan scratch = emission.TakeGp();
  const GpLoan x = emission.TakeGp();
  const GpLoan weight = emission.TakeGp();
  const GpLoan counter = emission.TakeGp();
  w.LoadConstant(scratch, router.scratch);
  w.Emit<"S_ADD_FP">(sum, kFp0, kFp0);
  w.LoadConstant(x, emission.map.x.Row(0, token));
  w.LoadConstant(weight, router.weights.Row(0, expert));
  w.Repeat(counter, router.weights.blocks, [&] {
    w.Emit<"V_MUL_VV">(scratch, x, weight, 0);
    w.Emit<"V_RED_SUM">(sum, scratch, 0);
    w.Emit<"S_ADDI_INT">(x, x, emission.map.x.block_step());
    w.Emit<"S_ADDI_INT">(weight, weight, router.weights.block_step());
  });
  w.LoadConstant(x, router.fp_logits + expert);
  w.Emit<"S_ST_FP">(sum, x, 0);
}

// One B-wide column group of logits for all row groups: every tile of the column block is fetched
// again, just before it is used.
void EmitStreamedGroup(Emission& emission, Ar base, std::uint32_t group) {
  const RouterPlaces& router = *emission.map.router;
  const std::uint32_t m = emission.m();
  const std::uint32_t b = emission.b();
  const std::uint32_t block = group * b / m;
  const std::uint32_t lane = group * b % m;
  Writer w = emission.builder.In(kRouter);
  const GpLoan tile = emission.TakeGp();
  const GpLoan slice = emission.TakeGp();
  const GpLoan offset = emission.TakeGp();
  const GpLoan x = emission.TakeGp();
  const GpLoan step = emission.TakeGp();
  const GpLoan out = emission.TakeGp();
  const GpLoan counter = emission.TakeGp();
  const bool output_major = router.table.orientation == Orientation::kOutputMajor;
  w.LoadConstant(tile, 0);
  w.LoadConstant(slice, lane * m);
  w.LoadConstant(step, router.table.TileOffset(1, 0, m));
  for (std::uint32_t row = 0; row < emission.map.token_rows; row += b) {
    w.LoadConstant(offset, router.table.TileOffset(0, block, m));
    w.LoadConstant(x, emission.map.x.Row(0, row));
    w.Repeat(counter, router.table.contraction_tiles, [&] {
      w.Emit<"H_PREFETCH_M">(tile, offset, base, 1, 1);
      if (output_major) {
        w.Emit<"M_TMM">(x, slice);
      } else {
        w.Emit<"M_MM">(slice, x);
      }
      w.Emit<"S_ADD_INT">(offset, offset, step);
      w.Emit<"S_ADDI_INT">(x, x, emission.map.x.block_step());
    });
    w.LoadConstant(out, router.matrix_logits.Row(block, row) + lane);
    w.Emit<"M_MM_WO">(out, kGp0, 0);
  }
}

void EmitResident(Emission& emission, Ar base) {
  const RouterPlaces& router = *emission.map.router;
  const std::uint32_t tiles = router.table.contraction_tiles;
  for (std::uint32_t block = 0; block < router.logit_blocks; ++block) {
    EmitWeightPrefetch(emission, {router.table, base, 0, tiles, block, 0}, kRouter);
    EmitProjection(emission,
                   {.orientation = router.table.orientation,
                    .input = emission.map.x,
                    .output = router.matrix_logits,
                    .output_block = block,
                    .rows = emission.map.token_rows,
                    .first = 0,
                    .count = tiles,
                    .mram_tile = 0},
                   kRouter);
  }
}

// Each token's column blocks to consecutive rows, as V_TOPK reads them.
void EmitPack(Emission& emission) {
  RouterSteps steps(emission);
  Writer w = steps.writer();
  const RouterPlaces& router = *emission.map.router;
  const GpLoan target = emission.TakeGp();
  const GpLoan source = emission.TakeGp();
  for (std::uint32_t token = 0; token < emission.map.tokens; ++token) {
    for (std::uint32_t block = 0; block < router.logit_blocks; ++block) {
      w.LoadConstant(target, steps.LogitRow(token, block));
      w.LoadConstant(source, router.matrix_logits.Row(block, token));
      w.Emit<"V_ADD_VF">(target, source, kFp0, 0);
    }
  }
}

}  // namespace

void EmitRouterLogitsDot(Emission& emission, std::uint32_t token) {
  RouterSteps steps(emission);
  const RouterPlaces& router = *emission.map.router;
  const auto experts = static_cast<std::uint32_t>(emission.layer.shape.experts);
  for (std::uint32_t expert = 0; expert < experts; ++expert) {
    EmitDot(emission, steps.writer(), token, expert);
  }
  steps.MapToRows(router.fp_logits, steps.LogitRow(token, 0), experts);
}

void EmitRouterLogitsMatrix(Emission& emission) {
  if (emission.map.tokens == 0) return;
  const RouterPlaces& router = *emission.map.router;
  const auto base = emission.builder.ar().Take();
  EmitStaticAddress(emission, {router.table, base}, kRouter);
  const bool fits = router.table.contraction_tiles <= emission.map.mram_tiles;
  if (emission.lowering.router_matrix == RouterMatrix::kResident && fits) {
    EmitResident(emission, base);
  } else {
    const auto experts = static_cast<std::uint32_t>(emission.layer.shape.experts);
    for (std::uint32_t group = 0; group * emission.b() < experts; ++group) {
      EmitStreamedGroup(emission, base, group);
    }
  }
  EmitPack(emission);
}

}  // namespace moescope::moe
