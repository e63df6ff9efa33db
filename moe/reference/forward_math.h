#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "moe/reference/activation_math.h"
#include "moe/reference/arithmetic.h"
#include "moe/reference/operands.h"

// The forward of moe.md, 5.1, 7 and 9.2, written once for both arithmetics.

namespace moescope::moe::reference {

// Gate, up and hidden rows of an expert for some rows of x.
template <typename Real>
struct MlpRows {
  Matrix<Real> gate, up, hidden;
};

template <typename Arithmetic>
class ForwardPass {
 public:
  using Real = typename Arithmetic::Real;
  ForwardPass(const Arithmetic& arithmetic, const LayerOperands<Real>& operands)
      : arithmetic_(arithmetic), in_(operands), layer_(operands.layer) {}

  absl::StatusOr<ForwardValues<Real>> Run() {
    Allocate();
    if (in_.lora.has_value()) ShrinkTokens();
    const std::vector<ExpertRows> rows = RowsPerExpert(in_.routing);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      if (rows[e].pairs.empty()) continue;
      ASSIGN_OR_RETURN(const ExpertOperands<Real> expert, in_.expert(static_cast<int>(e)));
      RunExpert(e, expert, rows[e]);
    }
    Combine();
    RunShared();
    return std::move(out_);
  }

 private:
  static Real Round(Real value) { return Arithmetic::Round(value); }
  bool post() const { return layer_.weighting == Weighting::kPost; }
  bool input() const { return layer_.weighting == Weighting::kInput; }
  bool per_token() const { return in_.lora.has_value() && in_.lora->side_rows == SideRows::kToken; }

  void Allocate();
  void ShrinkTokens();
  Matrix<Real> InputRows(const ExpertRows& rows) const;
  Real HiddenWeight(std::int64_t pair) const;
  void RunExpert(std::size_t e, const ExpertOperands<Real>& expert, const ExpertRows& rows);
  Matrix<Real> DownRows(std::size_t e, const ExpertOperands<Real>& expert, const ExpertRows& rows,
                        const Matrix<Real>& hidden);
  MlpRows<Real> Activated(Matrix<Real> gate, Matrix<Real> up,
                          const std::vector<Real>& weight) const;
  void Combine();
  void RunShared();
  Real Sigma(std::int64_t token) const;

  const Arithmetic& arithmetic_;
  const LayerOperands<Real>& in_;
  const Layer& layer_;
  ForwardValues<Real> out_;
};

// bf(scale * x w^T): the narrow products of side-LoRA, scaled in FP32 before their only rounding.
template <typename Arithmetic, typename Real = typename Arithmetic::Real>
Matrix<Real> Shrink(const Arithmetic& arithmetic, Real scale, const Matrix<Real>& x,
                    const Matrix<Real>& w) {
  Matrix<Real> z = arithmetic.Contract({{x, w}});
  for (Real& value : z.values) value = Arithmetic::Round(scale * value);
  return z;
}

template <typename Real>
void AddBias(Matrix<Real>& rows, const Matrix<Real>& bias, std::size_t expert) {
  if (bias.rows == 0) return;
  const auto add = bias.Row(static_cast<std::int64_t>(expert));
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const auto row = rows.Row(r);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] += add[i];
  }
}

template <typename Arithmetic>
void ForwardPass<Arithmetic>::Allocate() {
  const std::int64_t pairs = in_.routing.pairs();
  const std::int64_t rank = in_.lora.has_value() ? in_.lora->a1.rows : 0;
  out_.gate = out_.up = out_.hidden = Matrix<Real>(pairs, layer_.shape.intermediate);
  out_.slot = Matrix<Real>(pairs, layer_.shape.hidden);
  out_.z2 = Matrix<Real>(pairs, rank);
}

template <typename Arithmetic>
void ForwardPass<Arithmetic>::ShrinkTokens() {
  out_.z1 = Shrink(arithmetic_, in_.lora->scale, in_.x, in_.lora->a1);
  out_.z3 = Shrink(arithmetic_, in_.lora->scale, in_.x, in_.lora->a3);
}

// The rows of x that an expert sees: INPUT scales them by the route weight.
template <typename Arithmetic>
auto ForwardPass<Arithmetic>::InputRows(const ExpertRows& rows) const -> Matrix<Real> {
  Matrix<Real> x = Gather(in_.x, rows.tokens);
  if (!input()) return x;
  for (std::int64_t r = 0; r < x.rows; ++r) {
    const Real weight =
        in_.weight[static_cast<std::size_t>(rows.pairs[static_cast<std::size_t>(r)])];
    for (Real& value : x.Row(r)) value = Round(value * weight);
  }
  return x;
}

// What multiplies q before R2.
template <typename Arithmetic>
auto ForwardPass<Arithmetic>::HiddenWeight(std::int64_t pair) const -> Real {
  return post() || input() ? Real(1) : in_.weight[static_cast<std::size_t>(pair)];
}

template <typename Arithmetic>
auto ForwardPass<Arithmetic>::Activated(Matrix<Real> gate, Matrix<Real> up,
                                        const std::vector<Real>& weight) const -> MlpRows<Real> {
  MlpRows<Real> rows{std::move(gate), std::move(up), {}};
  rows.hidden = Matrix<Real>(rows.gate.rows, rows.gate.columns);
  for (std::int64_t r = 0; r < rows.gate.rows; ++r) {
    for (std::int64_t i = 0; i < rows.gate.columns; ++i) {
      Real& g0 = rows.gate.At(r, i);
      Real& u0 = rows.up.At(r, i);
      g0 = Round(g0);
      u0 = Round(u0);
      const Real q = Activate<Arithmetic>(layer_.activation, ClampGate(g0, layer_.clamp),
                                          ClampUp(u0, layer_.clamp))
                         .q;
      rows.hidden.At(r, i) = Round(q * weight[static_cast<std::size_t>(r)]);
    }
  }
  return rows;
}

template <typename Arithmetic>
void ForwardPass<Arithmetic>::RunExpert(std::size_t e, const ExpertOperands<Real>& expert,
                                        const ExpertRows& rows) {
  const Matrix<Real> x = InputRows(rows);
  Matrix<Real> gate;
  Matrix<Real> up;
  if (in_.lora.has_value()) {
    const Matrix<Real> z1 = Gather(out_.z1, rows.tokens);
    const Matrix<Real> z3 = Gather(out_.z3, rows.tokens);
    gate = arithmetic_.Contract({{x, expert.gate}, {z1, in_.lora->b1[e]}});
    up = arithmetic_.Contract({{x, expert.up}, {z3, in_.lora->b3[e]}});
  } else {
    gate = arithmetic_.Contract({{x, expert.gate}});
    up = arithmetic_.Contract({{x, expert.up}});
  }
  AddBias(gate, in_.gate_bias, e);
  AddBias(up, in_.up_bias, e);
  std::vector<Real> weight;
  for (const std::int64_t pair : rows.pairs) weight.push_back(HiddenWeight(pair));
  const MlpRows<Real> mlp = Activated(std::move(gate), std::move(up), weight);
  Scatter(mlp.gate, rows.pairs, out_.gate);
  Scatter(mlp.up, rows.pairs, out_.up);
  Scatter(mlp.hidden, rows.pairs, out_.hidden);
  Scatter(DownRows(e, expert, rows, mlp.hidden), rows.pairs, out_.slot);
}

template <typename Arithmetic>
auto ForwardPass<Arithmetic>::DownRows(std::size_t e, const ExpertOperands<Real>& expert,
                                       const ExpertRows& rows, const Matrix<Real>& hidden)
    -> Matrix<Real> {
  Matrix<Real> down;
  if (in_.lora.has_value()) {
    const Matrix<Real> z2 = Shrink(arithmetic_, in_.lora->scale, hidden, in_.lora->a2[e]);
    Scatter(z2, rows.pairs, out_.z2);
    down = per_token() ? arithmetic_.Contract({{hidden, expert.down}})
                       : arithmetic_.Contract({{hidden, expert.down}, {z2, in_.lora->b2}});
  } else {
    down = arithmetic_.Contract({{hidden, expert.down}});
  }
  for (std::int64_t r = 0; r < down.rows; ++r) {
    const Real weight = HiddenWeight(rows.pairs[static_cast<std::size_t>(r)]);
    for (std::int64_t n = 0; n < down.columns; ++n) {
      Real& value = down.At(r, n);
      if (in_.down_bias.rows > 0) {
        value += weight * in_.down_bias.At(static_cast<std::int64_t>(e), n);
      }
      value = Round(value);
    }
  }
  return down;
}

// Sum over the valid slots of a token, ascending, of rows of a [T K, n] matrix.
template <typename Real>
std::vector<Real> SumSlots(const Routing& routing, const Matrix<Real>& slots, std::int64_t token,
                           const Real* weight) {
  std::vector<Real> sum(static_cast<std::size_t>(slots.columns));
  for (std::int64_t pair = token * routing.top_k; pair < (token + 1) * routing.top_k; ++pair) {
    if (routing.topk_idx[static_cast<std::size_t>(pair)] < 0) continue;
    const auto row = slots.Row(pair);
    for (std::size_t n = 0; n < sum.size(); ++n) {
      sum[n] += weight == nullptr ? row[n] : row[n] * weight[pair];
    }
  }
  return sum;
}

// z2 of a token in mode `token`: its rows summed, rounded once.
template <typename Arithmetic, typename Real = typename Arithmetic::Real>
Matrix<Real> TokenSums(const Routing& routing, const Matrix<Real>& rows) {
  Matrix<Real> sums(routing.tokens, rows.columns);
  for (std::int64_t t = 0; t < routing.tokens; ++t) {
    const std::vector<Real> sum = SumSlots<Real>(routing, rows, t, nullptr);
    for (std::size_t n = 0; n < sum.size(); ++n) {
      sums.Row(t)[n] = Arithmetic::Round(sum[n]);
    }
  }
  return sums;
}

template <typename Arithmetic>
void ForwardPass<Arithmetic>::Combine() {
  const std::int64_t tokens = in_.routing.tokens;
  out_.routed = Matrix<Real>(tokens, layer_.shape.hidden);
  Matrix<Real> side;
  if (per_token()) {
    side = arithmetic_.Contract({{TokenSums<Arithmetic>(in_.routing, out_.z2), in_.lora->b2}});
  }
  for (std::int64_t t = 0; t < tokens; ++t) {
    const std::vector<Real> sum =
        SumSlots(in_.routing, out_.slot, t, post() ? in_.weight.data() : nullptr);
    for (std::int64_t n = 0; n < layer_.shape.hidden; ++n) {
      const Real routed = sum[static_cast<std::size_t>(n)];
      out_.routed.At(t, n) = Round(per_token() ? routed + side.At(t, n) : routed);
    }
  }
  out_.y = out_.routed;
}

template <typename Arithmetic>
auto ForwardPass<Arithmetic>::Sigma(std::int64_t token) const -> Real {
  if (in_.shared_gate_vector.empty()) return Real(1);
  const Real logit = arithmetic_.Dot(in_.x.Row(token), in_.shared_gate_vector);
  return 1 / (1 + Arithmetic::Exp(-logit));
}

template <typename Arithmetic>
void ForwardPass<Arithmetic>::RunShared() {
  if (!in_.shared.has_value()) return;
  const std::vector<Real> ones(static_cast<std::size_t>(in_.x.rows), Real(1));
  MlpRows<Real> mlp = Activated(arithmetic_.Contract({{in_.x, in_.shared->gate}}),
                                arithmetic_.Contract({{in_.x, in_.shared->up}}), ones);
  out_.shared_down = arithmetic_.Contract({{mlp.hidden, in_.shared->down}});
  out_.shared = Matrix<Real>(in_.x.rows, layer_.shape.hidden);
  for (std::int64_t t = 0; t < in_.x.rows; ++t) {
    const Real sigma = Sigma(t);
    out_.sigma.push_back(sigma);
    for (std::int64_t n = 0; n < layer_.shape.hidden; ++n) {
      const Real down = out_.shared_down.At(t, n);
      out_.shared.At(t, n) = Round(in_.shared_gate_vector.empty() ? down : down * sigma);
      out_.y.At(t, n) = Round(out_.routed.At(t, n) + out_.shared.At(t, n));
    }
  }
  out_.shared_gate = std::move(mlp.gate);
  out_.shared_up = std::move(mlp.up);
  out_.shared_hidden = std::move(mlp.hidden);
}

}  // namespace moescope::moe::reference
