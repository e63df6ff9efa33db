#pragma once

#include <optional>

#include "moe/layer.h"

namespace moescope::moe::reference {

// q = act(g, u) and its derivatives (moe.md, 5.2), in the association written there.
template <typename Real>
struct ActivationValue {
  Real q;
  Real dq_dg;
  Real dq_du;
};

// min(g0, L), and min(max(u0, -L), L); NaN propagates.
template <typename Real>
Real ClampGate(Real g, std::optional<float> limit) {
  return limit.has_value() && g > *limit ? static_cast<Real>(*limit) : g;
}
template <typename Real>
Real ClampUp(Real u, std::optional<float> limit) {
  if (!limit.has_value()) return u;
  const Real bound = *limit;
  return u > bound ? bound : u < -bound ? -bound : u;
}
// Derivative of the clamps; the boundary passes.
template <typename Real>
bool GatePasses(Real g, std::optional<float> limit) {
  return !(limit.has_value() && g > *limit);
}
template <typename Real>
bool UpPasses(Real u, std::optional<float> limit) {
  return !(limit.has_value() && (u > *limit || u < -*limit));
}

namespace internal {

template <typename Arithmetic, typename Real = typename Arithmetic::Real>
ActivationValue<Real> GeluTanh(Real g, Real u) {
  const Real slope = static_cast<Real>(0.79788456f);
  const Real cubic = static_cast<Real>(0.044715f);
  const Real t = Arithmetic::Tanh(slope * (g + cubic * (g * g * g)));
  const Real a = Real(0.5) * g * (1 + t);
  const Real inner = slope * (1 + 3 * cubic * (g * g));
  const Real da = Real(0.5) * (1 + t) + Real(0.5) * g * (1 - t * t) * inner;
  return {a * u, u * da, a};
}

template <typename Arithmetic, typename Real = typename Arithmetic::Real>
ActivationValue<Real> GeluErf(Real g, Real u) {
  const Real inverse_root2 = static_cast<Real>(0.70710678118654752440);
  const Real inverse_root2pi = static_cast<Real>(0.39894228040143267794);
  const Real cdf = 1 + Arithmetic::Erf(g * inverse_root2);
  const Real a = Real(0.5) * g * cdf;
  const Real da = Real(0.5) * cdf + g * inverse_root2pi * Arithmetic::Exp(Real(-0.5) * (g * g));
  return {a * u, u * da, a};
}

// swiglu and gpt_oss: a = g / (1 + exp(-(slope g))), q = a (u + offset).
template <typename Arithmetic, typename Real = typename Arithmetic::Real>
ActivationValue<Real> Gated(Real g, Real u, Real scaled, Real slope) {
  const Real denominator = 1 + Arithmetic::Exp(-scaled);
  const Real a = g / denominator;
  const Real sigmoid = 1 / denominator;
  return {a * u, u * (sigmoid + slope * g * sigmoid * (1 - sigmoid)), a};
}

}  // namespace internal

template <typename Arithmetic, typename Real = typename Arithmetic::Real>
ActivationValue<Real> Activate(Activation activation, Real g, Real u) {
  switch (activation) {
    case Activation::kSwiglu:
      return internal::Gated<Arithmetic>(g, u, g, Real(1));
    case Activation::kGptOss: {
      const Real slope = static_cast<Real>(1.702f);
      return internal::Gated<Arithmetic>(g, u + 1, slope * g, slope);
    }
    case Activation::kGegluTanh:
      return internal::GeluTanh<Arithmetic>(g, u);
    case Activation::kGegluErf:
      return internal::GeluErf<Arithmetic>(g, u);
  }
  return {};
}

}  // namespace moescope::moe::reference
