#pragma once

#include <cmath>

// Forward-mode differentiation for tests: a value and its derivative in one direction. A function
// written for a scalar type gives exact derivatives when it is called with these, without a step
// width and without a formula for the gradient.

namespace moescope::moe::reference {

struct Dual {
  double value = 0;
  double slope = 0;

  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT: constants mix with duals
  Dual(double v, double s) : value(v), slope(s) {}

  friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Dual operator-(Dual a) { return {-a.value, -a.slope}; }
  friend Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Dual operator/(Dual a, Dual b) {
    return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
  }
  Dual& operator+=(Dual other) { return *this = *this + other; }
  // Comparisons look at the value: a branch has the derivative of the side taken.
  friend bool operator<(Dual a, Dual b) { return a.value < b.value; }
  friend bool operator>(Dual a, Dual b) { return b < a; }
};

inline Dual exp(Dual x) {
  const double e = std::exp(x.value);
  return {e, e * x.slope};
}
inline Dual log(Dual x) { return {std::log(x.value), x.slope / x.value}; }
inline Dual log1p(Dual x) { return {std::log1p(x.value), x.slope / (1 + x.value)}; }
inline Dual sqrt(Dual x) {
  const double root = std::sqrt(x.value);
  return {root, x.slope / (2 * root)};
}
inline Dual tanh(Dual x) {
  const double t = std::tanh(x.value);
  return {t, (1 - t * t) * x.slope};
}
inline Dual erf(Dual x) {
  return {std::erf(x.value), 2 / std::sqrt(M_PI) * std::exp(-x.value * x.value) * x.slope};
}

}  // namespace moescope::moe::reference
