#include <limits>

#include "moe/emit/program_constants.h"
#include "moe/emit/router_emit.h"
#include "moe/emit/router_steps.h"

namespace moescope::moe {
namespace {

// Emits the weights of one token from the logits of its chosen experts.
class Scores {
 public:
  Scores(Emission& emission, std::uint32_t token)
      : emission_(emission), steps_(emission), w_(steps_.writer()), token_(token) {}

  void Sigmoid() {
    const Router& router = emission_.layer.router;
    const FpLoan one = steps_.Constant(1.0f);
    const FpLoan sum = emission_.TakeFp();
    const FpLoan score = emission_.TakeFp();
    w_.Emit<"S_ADD_FP">(sum, kFp0, kFp0);
    for (std::uint32_t rank = 0; rank < top_k(); ++rank) {
      LoadLogit(score, rank);
      steps_.Sigmoid(score, one);
      w_.Emit<"S_ADD_FP">(sum, sum, score);
      StoreWeight(score, rank);
    }
    if (router.norm) Normalise(sum);
    if (router.routed_scale != 1) MultiplyAll(router.routed_scale);
  }

  // w = exp(l - m) / (sum over all experts of exp(l - m)).
  void Softmax() {
    const FpLoan largest = emission_.TakeFp();
    const FpLoan sum = emission_.TakeFp();
    MaximumOfLogits(largest);
    SumOfExponentials(largest, sum);
    w_.Emit<"S_RECI_FP">(sum, sum);
    const FpLoan score = emission_.TakeFp();
    for (std::uint32_t rank = 0; rank < top_k(); ++rank) {
      LoadLogit(score, rank);
      w_.Emit<"S_SUB_FP">(score, score, largest);
      w_.Emit<"S_EXP_FP">(score, score);
      w_.Emit<"S_MUL_FP">(score, score, sum);
      StoreWeight(score, rank);
    }
  }

 private:
  std::uint32_t top_k() const { return static_cast<std::uint32_t>(emission_.layer.shape.top_k); }
  std::uint32_t Pair(std::uint32_t rank) const { return token_ * top_k() + rank; }

  void LoadLogit(Fp target, std::uint32_t rank) {
    const GpLoan id = emission_.TakeGp();
    const GpLoan base = emission_.TakeGp();
    w_.LoadConstant(id, emission_.map.ids + Pair(rank));
    w_.Emit<"S_LD_INT">(id, id, 0);
    w_.LoadConstant(base, emission_.map.router->fp_logits);
    w_.Emit<"S_ADD_INT">(id, id, base);
    w_.Emit<"S_LD_FP">(target, id, 0);
  }
  void StoreWeight(Fp source, std::uint32_t rank) {
    const GpLoan address = emission_.TakeGp();
    w_.LoadConstant(address, emission_.map.weights + Pair(rank));
    w_.Emit<"S_ST_FP">(source, address, 0);
  }
  void MultiplyWeights(Fp factor) {
    const FpLoan weight = emission_.TakeFp();
    const GpLoan address = emission_.TakeGp();
    for (std::uint32_t rank = 0; rank < top_k(); ++rank) {
      w_.LoadConstant(address, emission_.map.weights + Pair(rank));
      w_.Emit<"S_LD_FP">(weight, address, 0);
      w_.Emit<"S_MUL_FP">(weight, weight, factor);
      w_.Emit<"S_ST_FP">(weight, address, 0);
    }
  }
  void Normalise(Fp sum) {
    {
      const FpLoan epsilon = steps_.Constant(kScoreEpsilon);
      w_.Emit<"S_ADD_FP">(sum, sum, epsilon);
    }
    w_.Emit<"S_RECI_FP">(sum, sum);
    MultiplyWeights(sum);
  }
  void MultiplyAll(float factor) {
    const FpLoan value = steps_.Constant(factor);
    MultiplyWeights(value);
  }

  void MaximumOfLogits(Fp largest) {
    {
      const FpLoan minus_infinity = steps_.Constant(-std::numeric_limits<float>::infinity());
      w_.Emit<"S_ADD_FP">(largest, kFp0, minus_infinity);
    }
    const GpLoan row = emission_.TakeGp();
    for (std::uint32_t block = 0; block < emission_.map.router->logit_blocks; ++block) {
      w_.LoadConstant(row, steps_.LogitRow(token_, block));
      w_.Emit<"V_RED_MAX">(largest, row, 0);
    }
  }
  void SumOfExponentials(Fp largest, Fp sum) {
    const GpLoan row = emission_.TakeGp();
    const GpLoan scratch = emission_.TakeGp();
    w_.Emit<"S_ADD_FP">(sum, kFp0, kFp0);
    w_.LoadConstant(scratch, emission_.map.router->scratch);
    for (std::uint32_t block = 0; block < emission_.map.router->logit_blocks; ++block) {
      w_.LoadConstant(row, steps_.LogitRow(token_, block));
      w_.Emit<"V_SUB_VF">(scratch, row, largest, 0, 0);
      w_.Emit<"V_EXP_V">(scratch, scratch, 0);
      w_.Emit<"V_RED_SUM">(sum, scratch, 0);
    }
  }

  Emission& emission_;
  RouterSteps steps_;
  Writer w_;
  std::uint32_t token_;
};

}  // namespace

void EmitRouterScores(Emission& emission, std::uint32_t token) {
  Scores scores(emission, token);
  if (emission.layer.router.mode == RouterMode::kSoftmaxAll) {
    scores.Softmax();
  } else {
    scores.Sigmoid();
  }
}

}  // namespace moescope::moe
