#pragma once

#include <cstdint>

#include "moe/emit/emission.h"

namespace moescope::moe {

// Short sequences that the router emitters share. All are in router_topk.
class RouterSteps {
 public:
  explicit RouterSteps(Emission& emission)
      : emission_(emission), writer_(emission.builder.In({.stage = stages::kRouterTopk})) {}

  Writer writer() const { return writer_; }
  std::uint32_t LogitRow(std::uint32_t token, std::uint32_t block) const {
    const RouterPlaces& router = *emission_.map.router;
    return router.logits + (token * router.logit_blocks + block) * emission_.m();
  }
  // A constant of FP_MEM in a register.
  FpLoan Constant(float value) {
    FpLoan loan = emission_.TakeFp();
    const GpLoan address = emission_.TakeGp();
    writer_.LoadConstant(address, emission_.map.Constant(value));
    writer_.Emit<"S_LD_FP">(loan, address, 0);
    return loan;
  }
  // value = 1 / (1 + exp(-value)), each step rounded to BF16.
  void Sigmoid(Fp value, Fp one) {
    writer_.Emit<"S_SUB_FP">(value, kFp0, value);
    writer_.Emit<"S_EXP_FP">(value, value);
    writer_.Emit<"S_ADD_FP">(value, value, one);
    writer_.Emit<"S_RECI_FP">(value, value);
  }
  // Consecutive VRAM rows = at least `count` words of FP_MEM.
  void MapToRows(std::uint32_t words, std::uint32_t row, std::uint32_t count) {
    const GpLoan source = emission_.TakeGp();
    const GpLoan target = emission_.TakeGp();
    for (std::uint32_t first = 0; first < count; first += emission_.m()) {
      writer_.LoadConstant(source, words + first);
      writer_.LoadConstant(target, row + first);
      writer_.Emit<"S_MAP_V_FP">(target, source, 0);
    }
  }
  void SetTopK(std::uint32_t experts, std::uint32_t k) {
    const GpLoan shape = emission_.TakeGp();
    writer_.LoadConstant(shape, experts << 8 | k);
    writer_.Emit<"C_SET_TOPK_REG">(shape);
  }
  void TopK(std::uint32_t weights, std::uint32_t logits, std::uint32_t ids, std::uint32_t policy) {
    const GpLoan w = emission_.TakeGp();
    const GpLoan l = emission_.TakeGp();
    const GpLoan i = emission_.TakeGp();
    writer_.LoadConstant(w, weights);
    writer_.LoadConstant(l, logits);
    writer_.LoadConstant(i, ids);
    writer_.Emit<"V_TOPK">(w, l, i, policy);
  }

 private:
  Emission& emission_;
  Writer writer_;
};

}  // namespace moescope::moe
