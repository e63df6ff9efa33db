#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "moe/reference/router.h"
#include "moe/reference/router_math.h"

// Auxiliary and z loss with their gradients (moe.md, 3.5), written once for both arithmetics.

namespace moescope::moe::reference {

template <typename Real>
struct LossValues {
  Real aux = 0;
  Real z = 0;
  Matrix<Real> dl;  // [T, E] of both
};

// Inputs of the losses. `counts` are the slots choosing each expert before capacity drops.
template <typename Real>
struct LossOperands {
  const Layer& layer;
  const Matrix<Real>& logits;  // [T, E]
  const Matrix<Real>& scores;  // [T, E]
  const std::vector<std::int64_t>& counts;
  LossOptions weights;
};

template <typename Arithmetic>
class LossPass {
 public:
  using Real = typename Arithmetic::Real;
  explicit LossPass(const LossOperands<Real>& operands) : in_(operands) {}

  LossValues<Real> Run() {
    out_.dl = Matrix<Real>(in_.logits.rows, in_.logits.columns);
    if (in_.logits.rows == 0) return std::move(out_);
    Aux();
    Z();
    return std::move(out_);
  }

 private:
  bool is_softmax() const {
    const RouterMode mode = in_.layer.router.mode;
    return mode == RouterMode::kSoftmaxTopk || mode == RouterMode::kSoftmaxAll;
  }
  Matrix<Real> Probabilities() const;
  void Aux();
  void AuxGradient(std::int64_t token, const Matrix<Real>& p, const std::vector<Real>& f);
  void Z();
  Real ScoreSlope(std::int64_t token, std::int64_t expert) const;

  const LossOperands<Real>& in_;
  LossValues<Real> out_;
};

// Scores normalised over the experts; softmax scores are already.
template <typename Arithmetic>
auto LossPass<Arithmetic>::Probabilities() const -> Matrix<Real> {
  Matrix<Real> p = in_.scores;
  if (is_softmax()) return p;
  for (std::int64_t t = 0; t < p.rows; ++t) {
    Real sum = 0;
    for (const Real score : p.Row(t)) sum += score;
    for (Real& score : p.Row(t)) score = sum > 0 ? score / sum : Real(0);
  }
  return p;
}

// ds/dl of a sigmoid or sqrtsoftplus score.
template <typename Arithmetic>
auto LossPass<Arithmetic>::ScoreSlope(std::int64_t token, std::int64_t expert) const -> Real {
  const Real score = in_.scores.At(token, expert);
  if (in_.layer.router.mode != RouterMode::kSqrtSoftplus) return score * (1 - score);
  if (score == 0) return 0;
  return TokenRouter<Arithmetic>::Sigmoid(in_.logits.At(token, expert)) / (2 * score);
}

template <typename Arithmetic>
void LossPass<Arithmetic>::Aux() {
  const Matrix<Real> p = Probabilities();
  const auto tokens = static_cast<Real>(p.rows);
  const Real share = static_cast<Real>(in_.layer.shape.experts) /
                     (static_cast<Real>(in_.layer.shape.top_k) * tokens);
  std::vector<Real> f;
  Real sum = 0;
  for (std::int64_t e = 0; e < p.columns; ++e) {
    f.push_back(share * static_cast<Real>(in_.counts[static_cast<std::size_t>(e)]));
    const Real mean =
        SumOverTokens<Real>(p.rows, [&](std::int64_t t) { return p.At(t, e); }) / tokens;
    sum += f.back() * mean;
  }
  out_.aux = static_cast<Real>(in_.weights.aux) * sum;
  for (std::int64_t t = 0; t < p.rows; ++t) AuxGradient(t, p, f);
}

template <typename Arithmetic>
void LossPass<Arithmetic>::AuxGradient(std::int64_t token, const Matrix<Real>& p,
                                       const std::vector<Real>& f) {
  const Real scale = static_cast<Real>(in_.weights.aux) / static_cast<Real>(p.rows);
  Real mean = 0;
  Real score_sum = 0;
  for (std::int64_t e = 0; e < p.columns; ++e) {
    mean += p.At(token, e) * f[static_cast<std::size_t>(e)];
    score_sum += in_.scores.At(token, e);
  }
  for (std::int64_t e = 0; e < p.columns; ++e) {
    const Real above = f[static_cast<std::size_t>(e)] - mean;
    if (is_softmax()) {
      out_.dl.At(token, e) += scale * p.At(token, e) * above;
    } else if (score_sum > 0) {
      out_.dl.At(token, e) += scale * above / score_sum * ScoreSlope(token, e);
    }
  }
}

template <typename Arithmetic>
void LossPass<Arithmetic>::Z() {
  const std::int64_t tokens = in_.logits.rows;
  std::vector<Real> lse;
  std::vector<std::vector<Real>> softmax;
  for (std::int64_t t = 0; t < tokens; ++t) {
    const std::span<const Real> row = in_.logits.Row(t);
    softmax.push_back(Softmax<Arithmetic>(row));
    const Real largest = *std::max_element(row.begin(), row.end());
    Real sum = 0;
    for (const Real logit : row) sum += Arithmetic::Exp(logit - largest);
    lse.push_back(largest + static_cast<Real>(std::log(static_cast<double>(sum))));
  }
  const auto square = [&](std::int64_t t) {
    return lse[static_cast<std::size_t>(t)] * lse[static_cast<std::size_t>(t)];
  };
  const Real c = static_cast<Real>(in_.weights.z);
  out_.z = c * (SumOverTokens<Real>(tokens, square) / static_cast<Real>(tokens));
  const Real scale = c * 2 / static_cast<Real>(tokens);
  for (std::int64_t t = 0; t < tokens; ++t) {
    const auto row = static_cast<std::size_t>(t);
    for (std::int64_t e = 0; e < in_.logits.columns; ++e) {
      out_.dl.At(t, e) += scale * lse[row] * softmax[row][static_cast<std::size_t>(e)];
    }
  }
}

}  // namespace moescope::moe::reference
