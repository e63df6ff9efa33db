#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/status.h"
#include "moe/reference/forward_math.h"

// The backward of moe.md, 9.3, for weighting PRE, written once for both arithmetics.

namespace moescope::moe::reference {

// dW [m, k] = sum over rows of a [n, m] and b [n, k].
template <typename Arithmetic, typename Real = typename Arithmetic::Real>
Matrix<Real> OuterSum(const Arithmetic& arithmetic, const Matrix<Real>& a, const Matrix<Real>& b) {
  return arithmetic.Contract({{Transposed(a), Transposed(b)}});
}

// Gradients with respect to g0 and u0 of one expert's rows, and q recomputed.
template <typename Real>
struct ActivationGradients {
  Matrix<Real> gate, up, q;
};

template <typename Arithmetic, typename Real = typename Arithmetic::Real>
ActivationGradients<Real> ActivationBackward(const Layer& layer, const Matrix<Real>& g0,
                                             const Matrix<Real>& u0, const Matrix<Real>& dq) {
  ActivationGradients<Real> result{dq, dq, dq};
  for (std::size_t i = 0; i < dq.values.size(); ++i) {
    const Real g = g0.values[i];
    const Real u = u0.values[i];
    const ActivationValue<Real> value =
        Activate<Arithmetic>(layer.activation, ClampGate(g, layer.clamp), ClampUp(u, layer.clamp));
    const Real d = dq.values[i];
    result.q.values[i] = value.q;
    result.gate.values[i] =
        Arithmetic::Round(GatePasses(g, layer.clamp) ? d * value.dq_dg : Real(0));
    result.up.values[i] = Arithmetic::Round(UpPasses(u, layer.clamp) ? d * value.dq_du : Real(0));
  }
  return result;
}

template <typename Arithmetic>
class BackwardPass {
 public:
  using Real = typename Arithmetic::Real;
  BackwardPass(const Arithmetic& arithmetic, const LayerOperands<Real>& operands,
               const ForwardValues<Real>& saved, const Matrix<Real>& dy)
      : arithmetic_(arithmetic), in_(operands), saved_(saved), dy_(dy), layer_(operands.layer) {}

  absl::StatusOr<BackwardValues<Real>> Run() {
    Allocate();
    const std::vector<ExpertRows> rows = RowsPerExpert(in_.routing);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      if (rows[e].pairs.empty()) continue;
      ASSIGN_OR_RETURN(const ExpertOperands<Real> expert, in_.expert(static_cast<int>(e)));
      RunExpert(e, expert, rows[e]);
    }
    if (in_.lora.has_value()) SharedFactors(rows);
    SumPlanes();
    return std::move(out_);
  }

 private:
  static Real Round(Real value) { return Arithmetic::Round(value); }
  bool per_token() const { return in_.lora->side_rows == SideRows::kToken; }

  void Allocate();
  void RunExpert(std::size_t e, const ExpertOperands<Real>& expert, const ExpertRows& rows);
  void RouteWeights(std::size_t e, const ExpertRows& rows, const Matrix<Real>& d_hidden,
                    const Matrix<Real>& q);
  void ExpertFactors(std::size_t e, const ExpertRows& rows, const ActivationGradients<Real>& d);
  void SharedFactors(const std::vector<ExpertRows>& rows);
  Matrix<Real> SumOverRanges(const std::vector<ExpertRows>& rows, const Matrix<Real>& a,
                             bool a_per_token, const Matrix<Real>& b, bool b_per_token) const;
  Matrix<Real> SharedPlane() const;
  void SumPlanes();

  const Arithmetic& arithmetic_;
  const LayerOperands<Real>& in_;
  const ForwardValues<Real>& saved_;
  const Matrix<Real>& dy_;
  const Layer& layer_;
  BackwardValues<Real> out_;
  Matrix<Real> planes_;     // [T K, H]
  Matrix<Real> dz1_, dz3_;  // [T K, r]
  Matrix<Real> dz2_;        // [T, r]
};

template <typename Arithmetic>
void BackwardPass<Arithmetic>::Allocate() {
  const std::int64_t pairs = in_.routing.pairs();
  out_.dw.assign(static_cast<std::size_t>(pairs), Real(0));
  planes_ = Matrix<Real>(pairs, layer_.shape.hidden);
  if (!in_.lora.has_value()) return;
  const std::int64_t rank = in_.lora->a1.rows;
  dz2_ = Shrink(arithmetic_, in_.lora->scale, dy_, Transposed(in_.lora->b2));
  dz1_ = dz3_ = Matrix<Real>(pairs, rank);
  const auto experts = static_cast<std::size_t>(layer_.shape.experts);
  out_.db1.assign(experts, Matrix<Real>(layer_.shape.intermediate, rank));
  out_.db3 = out_.db1;
  out_.da2.assign(experts, Matrix<Real>(rank, layer_.shape.intermediate));
}

template <typename Arithmetic>
void BackwardPass<Arithmetic>::RunExpert(std::size_t e, const ExpertOperands<Real>& expert,
                                         const ExpertRows& rows) {
  const Matrix<Real> dout = Gather(dy_, rows.tokens);
  const Matrix<Real> down = Transposed(expert.down);
  Matrix<Real> d_hidden =
      in_.lora.has_value()
          ? arithmetic_.Contract(
                {{dout, down}, {Gather(dz2_, rows.tokens), Transposed(in_.lora->a2[e])}})
          : arithmetic_.Contract({{dout, down}});
  Matrix<Real> dq = d_hidden;
  for (std::int64_t r = 0; r < dq.rows; ++r) {
    const auto pair = static_cast<std::size_t>(rows.pairs[static_cast<std::size_t>(r)]);
    for (Real& value : dq.Row(r)) value *= in_.weight[pair];
  }
  const ActivationGradients<Real> d = ActivationBackward<Arithmetic>(
      layer_, Gather(saved_.gate, rows.pairs), Gather(saved_.up, rows.pairs), dq);
  RouteWeights(e, rows, d_hidden, d.q);
  Matrix<Real> plane;
  if (in_.lora.has_value()) {
    ExpertFactors(e, rows, d);
    plane = arithmetic_.Contract({{d.gate, Transposed(expert.gate)},
                                  {d.up, Transposed(expert.up)},
                                  {Gather(dz1_, rows.pairs), Transposed(in_.lora->a1)},
                                  {Gather(dz3_, rows.pairs), Transposed(in_.lora->a3)}});
  } else {
    plane =
        arithmetic_.Contract({{d.gate, Transposed(expert.gate)}, {d.up, Transposed(expert.up)}});
  }
  for (Real& value : plane.values) value = Round(value);
  Scatter(plane, rows.pairs, planes_);
}

template <typename Arithmetic>
void BackwardPass<Arithmetic>::RouteWeights(std::size_t e, const ExpertRows& rows,
                                            const Matrix<Real>& d_hidden, const Matrix<Real>& q) {
  for (std::int64_t r = 0; r < q.rows; ++r) {
    Real gradient = arithmetic_.Dot(d_hidden.Row(r), q.Row(r));
    if (in_.down_bias.rows > 0) {
      gradient += arithmetic_.Dot(dy_.Row(rows.tokens[static_cast<std::size_t>(r)]),
                                  in_.down_bias.Row(static_cast<std::int64_t>(e)));
    }
    out_.dw[static_cast<std::size_t>(rows.pairs[static_cast<std::size_t>(r)])] = gradient;
  }
}

template <typename Arithmetic>
void BackwardPass<Arithmetic>::ExpertFactors(std::size_t e, const ExpertRows& rows,
                                             const ActivationGradients<Real>& d) {
  const LoraOperands<Real>& lora = *in_.lora;
  out_.da2[e] = OuterSum(arithmetic_, Gather(dz2_, rows.tokens), Gather(saved_.hidden, rows.pairs));
  out_.db1[e] = OuterSum(arithmetic_, d.gate, Gather(saved_.z1, rows.tokens));
  out_.db3[e] = OuterSum(arithmetic_, d.up, Gather(saved_.z3, rows.tokens));
  Scatter(Shrink(arithmetic_, lora.scale, d.gate, Transposed(lora.b1[e])), rows.pairs, dz1_);
  Scatter(Shrink(arithmetic_, lora.scale, d.up, Transposed(lora.b3[e])), rows.pairs, dz3_);
}

// Gradient of a shared factor: sum over all valid rows of a and b. With `tile` accumulation experts
// are cut by index into 16 ranges, one chain each, added ascending (moe.md, 11: D4).
template <typename Arithmetic>
auto BackwardPass<Arithmetic>::SumOverRanges(const std::vector<ExpertRows>& rows,
                                             const Matrix<Real>& a, bool a_per_token,
                                             const Matrix<Real>& b, bool b_per_token) const
    -> Matrix<Real> {
  const std::size_t ranges = arithmetic_.accumulation() == kIdeal ? 1 : 16;
  Matrix<Real> total(a.columns, b.columns);
  for (std::size_t range = 0; range < ranges; ++range) {
    ExpertRows part;
    const std::size_t end = (range + 1) * rows.size() / ranges;
    for (std::size_t e = range * rows.size() / ranges; e < end; ++e) {
      part.pairs.insert(part.pairs.end(), rows[e].pairs.begin(), rows[e].pairs.end());
      part.tokens.insert(part.tokens.end(), rows[e].tokens.begin(), rows[e].tokens.end());
    }
    const Matrix<Real> sum =
        OuterSum(arithmetic_, Gather(a, a_per_token ? part.tokens : part.pairs),
                 Gather(b, b_per_token ? part.tokens : part.pairs));
    for (std::size_t i = 0; i < sum.values.size(); ++i) total.values[i] += sum.values[i];
  }
  return total;
}

template <typename Arithmetic>
void BackwardPass<Arithmetic>::SharedFactors(const std::vector<ExpertRows>& rows) {
  if (per_token()) {
    const Routing& routing = in_.routing;
    out_.db2 = OuterSum(arithmetic_, dy_, TokenSums<Arithmetic>(routing, saved_.z2));
    out_.da1 = OuterSum(arithmetic_, TokenSums<Arithmetic>(routing, dz1_), in_.x);
    out_.da3 = OuterSum(arithmetic_, TokenSums<Arithmetic>(routing, dz3_), in_.x);
    return;
  }
  out_.db2 = SumOverRanges(rows, dy_, true, saved_.z2, false);
  out_.da1 = SumOverRanges(rows, dz1_, false, in_.x, true);
  out_.da3 = SumOverRanges(rows, dz3_, false, in_.x, true);
}

template <typename Arithmetic>
auto BackwardPass<Arithmetic>::SharedPlane() const -> Matrix<Real> {
  Matrix<Real> dout = dy_;
  for (std::int64_t t = 0; t < dout.rows; ++t) {
    for (Real& value : dout.Row(t)) {
      value = Round(value * saved_.sigma[static_cast<std::size_t>(t)]);
    }
  }
  const ActivationGradients<Real> d =
      ActivationBackward<Arithmetic>(layer_, saved_.shared_gate, saved_.shared_up,
                                     arithmetic_.Contract({{dout, Transposed(in_.shared->down)}}));
  Matrix<Real> plane = arithmetic_.Contract(
      {{d.gate, Transposed(in_.shared->gate)}, {d.up, Transposed(in_.shared->up)}});
  for (std::int64_t t = 0; t < plane.rows; ++t) {
    Real slope = 0;
    if (!in_.shared_gate_vector.empty()) {
      const Real sigma = saved_.sigma[static_cast<std::size_t>(t)];
      slope = arithmetic_.Dot(dy_.Row(t), saved_.shared_down.Row(t)) * sigma * (1 - sigma);
    }
    for (std::int64_t n = 0; n < plane.columns; ++n) {
      Real& value = plane.At(t, n);
      if (!in_.shared_gate_vector.empty()) {
        value += slope * in_.shared_gate_vector[static_cast<std::size_t>(n)];
      }
      value = Round(value);
    }
  }
  return plane;
}

template <typename Arithmetic>
void BackwardPass<Arithmetic>::SumPlanes() {
  out_.grad_x = Matrix<Real>(in_.routing.tokens, layer_.shape.hidden);
  const bool shared = in_.shared.has_value();
  const Matrix<Real> last = shared ? SharedPlane() : Matrix<Real>();
  for (std::int64_t t = 0; t < in_.routing.tokens; ++t) {
    const std::vector<Real> sum = SumSlots<Real>(in_.routing, planes_, t, nullptr);
    for (std::int64_t n = 0; n < layer_.shape.hidden; ++n) {
      const Real routed = sum[static_cast<std::size_t>(n)];
      out_.grad_x.At(t, n) = Round(shared ? routed + last.At(t, n) : routed);
    }
  }
}

}  // namespace moescope::moe::reference
