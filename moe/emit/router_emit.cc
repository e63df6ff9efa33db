#include "moe/emit/router_emit.h"

#include <limits>

#include "moe/emit/mapper.h"
#include "moe/emit/program_constants.h"
#include "moe/emit/router_steps.h"

namespace moescope::moe {
namespace {

bool IsBuiltinShape(const LayerShape& shape, std::uint32_t& policy) {
  if (shape.experts == 32 && shape.top_k == 4) {
    policy = 0;
    return true;
  }
  if (shape.experts == 128 && shape.top_k == 8) {
    policy = 1;
    return true;
  }
  return false;
}

// s = sigmoid(l) of every expert, then + bias_corr, as vector rows: the keys of sigmoid_group.
void EmitVectorKeys(Emission& emission, RouterSteps& steps, std::uint32_t token) {
  const RouterPlaces& router = *emission.map.router;
  Writer w = steps.writer();
  const FpLoan one = steps.Constant(1.0f);
  const GpLoan key = emission.TakeGp();
  const GpLoan source = emission.TakeGp();
  for (std::uint32_t block = 0; block < router.logit_blocks; ++block) {
    w.LoadConstant(key, router.keys + block * emission.m());
    w.LoadConstant(source, steps.LogitRow(token, block));
    w.Emit<"V_SUB_VF">(key, source, kFp0, 0, 1);
    w.Emit<"V_EXP_V">(key, key, 0);
    w.Emit<"V_ADD_VF">(key, key, one, 0);
    w.Emit<"V_RECI_V">(key, key, 0);
    if (!emission.layer.router.correction_bias) continue;
    w.LoadConstant(source, router.correction + block * emission.m());
    w.Emit<"V_ADD_VV">(key, key, source, 0);
  }
}

// With groups the keys are scalars: a group's ids must index them.
void EmitScalarKeys(Emission& emission, RouterSteps& steps) {
  const RouterPlaces& router = *emission.map.router;
  const bool corrected = emission.layer.router.correction_bias;
  Writer w = steps.writer();
  const FpLoan one = steps.Constant(1.0f);
  const FpLoan key = emission.TakeFp();
  const FpLoan bias = emission.TakeFp();
  const GpLoan logit = emission.TakeGp();
  const GpLoan target = emission.TakeGp();
  const GpLoan correction = emission.TakeGp();
  const GpLoan counter = emission.TakeGp();
  w.LoadConstant(logit, router.fp_logits);
  w.LoadConstant(target, router.fp_keys);
  if (corrected) w.LoadConstant(correction, router.fp_correction);
  w.Repeat(counter, static_cast<std::uint32_t>(emission.layer.shape.experts), [&] {
    w.Emit<"S_LD_FP">(key, logit, 0);
    steps.Sigmoid(key, one);
    if (corrected) {
      w.Emit<"S_LD_FP">(bias, correction, 0);
      w.Emit<"S_ADD_FP">(key, key, bias);
      w.Emit<"S_ADDI_INT">(correction, correction, 1);
    }
    w.Emit<"S_ST_FP">(key, target, 0);
    w.Emit<"S_ADDI_INT">(logit, logit, 1);
    w.Emit<"S_ADDI_INT">(target, target, 1);
  });
}

// The score of every group: the sum of its two largest keys.
void EmitGroupScores(Emission& emission, RouterSteps& steps) {
  const RouterPlaces& router = *emission.map.router;
  const auto groups = static_cast<std::uint32_t>(emission.layer.router.groups);
  const std::uint32_t size = static_cast<std::uint32_t>(emission.layer.shape.experts) / groups;
  const std::uint32_t best = size > 1 ? 2 : 1;
  Writer w = steps.writer();
  const FpLoan sum = emission.TakeFp();
  const FpLoan value = emission.TakeFp();
  const GpLoan id = emission.TakeGp();
  const GpLoan base = emission.TakeGp();
  steps.SetTopK(size, best);
  for (std::uint32_t group = 0; group < groups; ++group) {
    steps.MapToRows(router.fp_keys + group * size, router.scratch, size);
    steps.TopK(router.fp_scratch, router.scratch, router.int_scratch, 15);
    w.Emit<"S_ADD_FP">(sum, kFp0, kFp0);
    for (std::uint32_t rank = 0; rank < best; ++rank) {
      w.LoadConstant(id, router.int_scratch);
      w.Emit<"S_LD_INT">(id, id, rank);
      w.LoadConstant(base, router.fp_keys + group * size);
      w.Emit<"S_ADD_INT">(id, id, base);
      w.Emit<"S_LD_FP">(value, id, 0);
      w.Emit<"S_ADD_FP">(sum, sum, value);
    }
    w.LoadConstant(base, router.fp_groups + group);
    w.Emit<"S_ST_FP">(sum, base, 0);
  }
}

// Ranks all groups and overwrites the keys of those that are not kept with -inf.
void EmitDropGroups(Emission& emission, RouterSteps& steps) {
  const RouterPlaces& router = *emission.map.router;
  const auto groups = static_cast<std::uint32_t>(emission.layer.router.groups);
  const auto kept = static_cast<std::uint32_t>(emission.layer.router.topk_group);
  const std::uint32_t size = static_cast<std::uint32_t>(emission.layer.shape.experts) / groups;
  Writer w = steps.writer();
  steps.MapToRows(router.fp_groups, router.scratch, groups);
  steps.SetTopK(groups, groups);
  steps.TopK(router.fp_scratch, router.scratch, router.int_scratch, 15);
  const FpLoan minus_infinity = steps.Constant(-std::numeric_limits<float>::infinity());
  const GpLoan word = emission.TakeGp();
  const GpLoan scratch = emission.TakeGp();
  const GpLoan counter = emission.TakeGp();
  for (std::uint32_t rank = kept; rank < groups; ++rank) {
    w.LoadConstant(word, router.int_scratch);
    w.Emit<"S_LD_INT">(word, word, rank);
    w.LoadConstant(scratch, size);
    w.Emit<"S_MUL_INT">(word, word, scratch);
    w.LoadConstant(scratch, router.fp_keys);
    w.Emit<"S_ADD_INT">(word, word, scratch);
    w.Repeat(counter, size, [&] {
      w.Emit<"S_ST_FP">(minus_infinity, word, 0);
      w.Emit<"S_ADDI_INT">(word, word, 1);
    });
  }
}

void EmitKeys(Emission& emission, RouterSteps& steps, std::uint32_t token) {
  if (emission.layer.router.groups == 1) return EmitVectorKeys(emission, steps, token);
  const RouterPlaces& router = *emission.map.router;
  EmitScalarKeys(emission, steps);
  EmitGroupScores(emission, steps);
  EmitDropGroups(emission, steps);
  steps.MapToRows(router.fp_keys, router.keys,
                  static_cast<std::uint32_t>(emission.layer.shape.experts));
}

}  // namespace

void EmitRouterBias(Emission& emission, std::uint32_t token) {
  RouterSteps steps(emission);
  Writer w = steps.writer();
  const GpLoan logits = emission.TakeGp();
  const GpLoan bias = emission.TakeGp();
  for (std::uint32_t block = 0; block < emission.map.router->logit_blocks; ++block) {
    w.LoadConstant(logits, steps.LogitRow(token, block));
    w.LoadConstant(bias, emission.map.router->bias + block * emission.m());
    w.Emit<"V_ADD_VV">(logits, logits, bias, 0);
  }
}

void EmitRouterSelect(Emission& emission, std::uint32_t token) {
  RouterSteps steps(emission);
  const LayerShape& shape = emission.layer.shape;
  const RouterPlaces& router = *emission.map.router;
  std::uint32_t keys = steps.LogitRow(token, 0);
  if (emission.layer.router.mode == RouterMode::kSigmoidGroup) {
    EmitKeys(emission, steps, token);
    keys = router.keys;
  }
  std::uint32_t policy = 15;
  const bool builtin =
      emission.lowering.topk == TopKSource::kBuiltin && IsBuiltinShape(shape, policy);
  // The register is sticky, so one shape needs it once; groups change it for every token.
  if (!builtin) policy = 15;
  if (!builtin && (token == 0 || emission.layer.router.groups > 1)) {
    steps.SetTopK(static_cast<std::uint32_t>(shape.experts),
                  static_cast<std::uint32_t>(shape.top_k));
  }
  const std::uint32_t first = token * static_cast<std::uint32_t>(shape.top_k);
  steps.TopK(emission.map.weights + first, keys, emission.map.ids + first, policy);
}

void EmitRouter(Emission& emission) {
  const bool dot = emission.map.router->path == RouterPath::kDot;
  if (!dot) EmitRouterLogitsMatrix(emission);
  for (std::uint32_t token = 0; token < emission.map.tokens; ++token) {
    if (dot) EmitRouterLogitsDot(emission, token);
    if (emission.layer.router.logit_bias) EmitRouterBias(emission, token);
    EmitRouterSelect(emission, token);
    if (NeedsScores(emission.layer.router)) EmitRouterScores(emission, token);
  }
}

}  // namespace moescope::moe
