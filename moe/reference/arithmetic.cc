#include "moe/reference/arithmetic.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace moescope::moe::reference {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MapDouble = Eigen::Map<const RowMajor>;
using MapFloat =
    Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

MapDouble MapOf(const Matrix<double>& m) { return {m.values.data(), m.rows, m.columns}; }
MapFloat MapOf(const Matrix<float>& m) { return {m.values.data(), m.rows, m.columns}; }

template <typename Real>
RowMajor SumOfProducts(std::initializer_list<Term<Real>> terms) {
  const Term<Real>& first = *terms.begin();
  RowMajor sum = RowMajor::Zero(first.x.rows, first.w.rows);
  for (const Term<Real>& term : terms) {
    CHECK(term.x.columns == term.w.columns);
    if (term.x.columns == 0 || sum.size() == 0) continue;
    sum.noalias() +=
        MapOf(term.x).template cast<double>() * MapOf(term.w).template cast<double>().transpose();
  }
  return sum;
}

template <typename Real>
Matrix<Real> FromEigen(const RowMajor& from) {
  Matrix<Real> to(from.rows(), from.cols());
  for (std::size_t i = 0; i < to.values.size(); ++i) {
    to.values[i] = static_cast<Real>(from.data()[i]);
  }
  return to;
}

// BF16 values whose products with each other are exact in FP32: a multiply and an add then give the
// bits of a fused multiply-add, and the compiler may use vector registers.
bool HasExactProducts(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t exponent = bits >> 23 & 0xFFu;
    return (bits & 0xFFFFu) == 0 && ((bits << 1) == 0 || (exponent >= 65 && exponent <= 189));
  });
}

constexpr std::size_t kLanes = 8;  // outputs that advance together, to hide the latency of a chain

// One chain per lane over a tile; lane i reads row i of `w`.
template <bool kExactProducts>
void Chains(std::span<const float> x, const float* w, std::size_t stride, std::size_t lanes,
            std::array<float, kLanes>& sums) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const float factor = w[lane * stride + k];
      sums[lane] = kExactProducts ? sums[lane] + x[k] * factor : std::fma(x[k], factor, sums[lane]);
    }
  }
}

void AddRow(std::span<const float> x, const Matrix<float>& w, std::size_t tile, bool exact,
            std::span<float> accumulators) {
  const std::size_t outputs = accumulators.size();
  for (std::size_t n = 0; n < outputs; n += kLanes) {
    const std::size_t lanes = std::min(kLanes, outputs - n);
    const float* rows = w.values.data() + n * x.size();
    for (std::size_t k = 0; k < x.size(); k += tile) {
      const std::span<const float> part = x.subspan(k, std::min(tile, x.size() - k));
      std::array<float, kLanes> sums{};
      if (exact && lanes == kLanes) {
        Chains<true>(part, rows + k, x.size(), kLanes, sums);
      } else if (exact) {
        Chains<true>(part, rows + k, x.size(), lanes, sums);
      } else {
        Chains<false>(part, rows + k, x.size(), lanes, sums);
      }
      for (std::size_t lane = 0; lane < lanes; ++lane) accumulators[n + lane] += sums[lane];
    }
  }
}

}  // namespace

Matrix<float> Fused::Contract(std::initializer_list<Term<float>> terms) const {
  if (accumulation_.tile == 0) return FromEigen<float>(SumOfProducts(terms));
  Matrix<float> result(terms.begin()->x.rows, terms.begin()->w.rows);
  const auto tile = static_cast<std::size_t>(accumulation_.tile);
  for (const Term<float>& term : terms) {
    CHECK(term.x.columns == term.w.columns);
    const bool exact = HasExactProducts(term.x.values) && HasExactProducts(term.w.values);
    for (std::int64_t row = 0; row < result.rows; ++row) {
      AddRow(term.x.Row(row), term.w, tile, exact, result.Row(row));
    }
  }
  return result;
}

float Fused::Dot(std::span<const float> a, std::span<const float> b) const {
  CHECK(a.size() == b.size());
  if (accumulation_.tile == 0) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return static_cast<float>(sum);
  }
  const auto tile = static_cast<std::size_t>(accumulation_.tile);
  float total = 0;
  for (std::size_t first = 0; first < a.size(); first += tile) {
    float sum = 0;
    for (std::size_t i = first; i < std::min(first + tile, a.size()); ++i) {
      sum = std::fma(a[i], b[i], sum);
    }
    total += sum;
  }
  return total;
}

Matrix<double> Exact::Contract(std::initializer_list<Term<double>> terms) const {
  return FromEigen<double>(SumOfProducts(terms));
}

double Exact::Dot(std::span<const double> a, std::span<const double> b) const {
  CHECK(a.size() == b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Bf16Matrix Narrow(const F32Matrix& values) {
  Bf16Matrix bits(values.rows, values.columns);
  isa::FloatToBf16(values.values, bits.values);
  return bits;
}

}  // namespace moescope::moe::reference
