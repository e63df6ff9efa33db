#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "moe/layer.h"
#include "moe/matrix.h"
#include "moe/routing.h"
#include "moe/side_lora.h"
#include "moe/weights.h"

// The inputs of a layer as numbers of one arithmetic, and everything a forward pass leaves behind.

namespace moescope::moe::reference {

template <typename Real>
struct ExpertOperands {
  Matrix<Real> gate;  // [I, H]
  Matrix<Real> up;    // [I, H]
  Matrix<Real> down;  // [H, I]
};

template <typename Real>
struct LoraOperands {
  Real scale = 0;
  SideRows side_rows = SideRows::kRow;
  Matrix<Real> a1, a3;               // [r, H]
  Matrix<Real> b2;                   // [H, r]
  std::vector<Matrix<Real>> b1, b3;  // [E] of [I, r]
  std::vector<Matrix<Real>> a2;      // [E] of [r, I]
};

template <typename Real>
struct LayerOperands {
  Layer layer;
  Matrix<Real> x;            // [T, H]
  Routing routing;           // ids
  std::vector<Real> weight;  // [T, K]
  std::function<absl::StatusOr<ExpertOperands<Real>>(int)> expert;
  Matrix<Real> gate_bias, up_bias, down_bias;  // [E, I], [E, I], [E, H]; empty = none
  std::optional<ExpertOperands<Real>> shared;
  std::vector<Real> shared_gate_vector;    // [H]; empty = no gate
  std::optional<LoraOperands<Real>> lora;  // absent also when its scale is 0
};

// Per pair rows of masked slots are zero.
template <typename Real>
struct ForwardValues {
  Matrix<Real> gate, up;                               // g0, u0 [T K, I]: before the clamps
  Matrix<Real> hidden;                                 // h [T K, I]
  Matrix<Real> slot;                                   // o [T K, H]
  Matrix<Real> routed;                                 // routed y [T, H]
  Matrix<Real> z1, z3;                                 // [T, r]
  Matrix<Real> z2;                                     // [T K, r]
  Matrix<Real> shared_gate, shared_up, shared_hidden;  // [T, Is]
  Matrix<Real> shared_down;                            // ays [T, H], before sigma and rounding
  std::vector<Real> sigma;                             // [T]; 1 without gate
  Matrix<Real> shared;                                 // ys [T, H]
  Matrix<Real> y;                                      // [T, H]
};

// Results of the backward (moe.md, 9.3). Gradients of factors are empty without side-LoRA.
template <typename Real>
struct BackwardValues {
  Matrix<Real> grad_x;                 // [T, H]
  std::vector<Real> dw;                // [T, K]
  Matrix<Real> da1, da3;               // [r, H]
  Matrix<Real> db2;                    // [H, r]
  std::vector<Matrix<Real>> db1, db3;  // [E] of [I, r]
  std::vector<Matrix<Real>> da2;       // [E] of [r, I]
};

// Rows `rows` of `matrix`, in that order.
template <typename Real>
Matrix<Real> Gather(const Matrix<Real>& matrix, const std::vector<std::int64_t>& rows) {
  Matrix<Real> result(static_cast<std::int64_t>(rows.size()), matrix.columns);
  for (std::int64_t i = 0; i < result.rows; ++i) {
    const auto source = matrix.Row(rows[static_cast<std::size_t>(i)]);
    std::copy(source.begin(), source.end(), result.Row(i).begin());
  }
  return result;
}

template <typename Real>
void Scatter(const Matrix<Real>& from, const std::vector<std::int64_t>& rows, Matrix<Real>& to) {
  for (std::int64_t i = 0; i < from.rows; ++i) {
    const auto source = from.Row(i);
    std::copy(source.begin(), source.end(), to.Row(rows[static_cast<std::size_t>(i)]).begin());
  }
}

// The pairs of one expert, ascending, and the token of each.
struct ExpertRows {
  std::vector<std::int64_t> pairs;
  std::vector<std::int64_t> tokens;
};
std::vector<ExpertRows> RowsPerExpert(const Routing& routing);

}  // namespace moescope::moe::reference
