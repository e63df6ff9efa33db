#pragma once

#include <cmath>
#include <initializer_list>
#include <span>

#include "isa/bfloat16.h"
#include "isa/functions.h"
#include "moe/matrix.h"
#include "moe/reference/accumulation.h"

// The two arithmetics that the reference is written for. Both have the same members, so that the
// code whose bits are judged is the code whose derivatives are checked.

namespace moescope::moe::reference {

// One range of a contraction: x [n, k] times w [m, k] transposed. All ranges share an accumulator,
// in the order given.
template <typename Real>
struct Term {
  const Matrix<Real>& x;
  const Matrix<Real>& w;
};

// Profile `fused`: FP32 with BF16 rounding points.
class Fused {
 public:
  using Real = float;
  explicit Fused(Accumulation accumulation) : accumulation_(accumulation) {}

  // bf(x).
  static float Round(float x) { return isa::Bf16ToFloat(isa::FloatToBf16(x)); }
  static float Exp(float x) { return isa::Exp(x); }
  static float Tanh(float x) { return static_cast<float>(std::tanh(static_cast<double>(x))); }
  static float Erf(float x) { return static_cast<float>(std::erf(static_cast<double>(x))); }

  // [n, m]: sum over the terms of x w^T, in FP32.
  Matrix<float> Contract(std::initializer_list<Term<float>> terms) const;
  float Dot(std::span<const float> a, std::span<const float> b) const;
  Accumulation accumulation() const { return accumulation_; }

 private:
  Accumulation accumulation_;
};

// FP64 without any rounding point: what finite differences can check.
class Exact {
 public:
  using Real = double;

  static double Round(double x) { return x; }
  static double Exp(double x) { return std::exp(x); }
  static double Tanh(double x) { return std::tanh(x); }
  static double Erf(double x) { return std::erf(x); }

  Matrix<double> Contract(std::initializer_list<Term<double>> terms) const;
  double Dot(std::span<const double> a, std::span<const double> b) const;
  Accumulation accumulation() const { return kIdeal; }
};

// Values of BF16 bits.
template <typename Real>
Matrix<Real> Widen(const Bf16Matrix& bits) {
  Matrix<Real> values(bits.rows, bits.columns);
  for (std::size_t i = 0; i < bits.values.size(); ++i) {
    values.values[i] = static_cast<Real>(isa::Bf16ToFloat(bits.values[i]));
  }
  return values;
}

// bf of every element.
Bf16Matrix Narrow(const F32Matrix& values);

}  // namespace moescope::moe::reference
