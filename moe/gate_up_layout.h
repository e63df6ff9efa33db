#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "moe/layer.h"
#include "moe/matrix.h"

namespace moescope::moe {

// Row of a [2I, ...] tensor that holds row `index` of the gate (or of the up) half.
constexpr std::int64_t GateRow(GateUpLayout layout, std::int64_t index, std::int64_t) {
  switch (layout) {
    case GateUpLayout::kHalves:
      return index;
    case GateUpLayout::kInterleaved:
      return 2 * index;
    case GateUpLayout::kGranule8:
      return index / 8 * 16 + index % 8;
  }
  return index;
}
constexpr std::int64_t UpRow(GateUpLayout layout, std::int64_t index, std::int64_t intermediate) {
  switch (layout) {
    case GateUpLayout::kHalves:
      return intermediate + index;
    case GateUpLayout::kInterleaved:
      return 2 * index + 1;
    case GateUpLayout::kGranule8:
      return index / 8 * 16 + 8 + index % 8;
  }
  return index;
}

// InvalidArgument when a tensor of `rows` rows cannot have the layout: an odd row count, or halves
// that are no multiple of 8 for granule8.
absl::Status CheckGateUpRows(GateUpLayout layout, std::int64_t rows);

// The gate rows and the up rows of a tensor, and the tensor made of both. The row count must suit
// the layout (CheckGateUpRows). Weights, scales, biases and gradients all permute alike.
template <typename T>
Matrix<T> GateRows(const Matrix<T>& tensor, GateUpLayout layout);
template <typename T>
Matrix<T> UpRows(const Matrix<T>& tensor, GateUpLayout layout);
template <typename T>
Matrix<T> JoinGateUp(const Matrix<T>& gate, const Matrix<T>& up, GateUpLayout layout);

namespace internal {

template <typename T>
Matrix<T> TakeRows(const Matrix<T>& tensor, GateUpLayout layout,
                   std::int64_t (*row_of)(GateUpLayout, std::int64_t, std::int64_t)) {
  const std::int64_t intermediate = tensor.rows / 2;
  Matrix<T> half(intermediate, tensor.columns);
  for (std::int64_t i = 0; i < intermediate; ++i) {
    const auto source = tensor.Row(row_of(layout, i, intermediate));
    std::copy(source.begin(), source.end(), half.Row(i).begin());
  }
  return half;
}

}  // namespace internal

template <typename T>
Matrix<T> GateRows(const Matrix<T>& tensor, GateUpLayout layout) {
  return internal::TakeRows(tensor, layout, &GateRow);
}
template <typename T>
Matrix<T> UpRows(const Matrix<T>& tensor, GateUpLayout layout) {
  return internal::TakeRows(tensor, layout, &UpRow);
}
template <typename T>
Matrix<T> JoinGateUp(const Matrix<T>& gate, const Matrix<T>& up, GateUpLayout layout) {
  Matrix<T> tensor(2 * gate.rows, gate.columns);
  for (std::int64_t i = 0; i < gate.rows; ++i) {
    const auto g = gate.Row(i);
    const auto u = up.Row(i);
    std::copy(g.begin(), g.end(), tensor.Row(GateRow(layout, i, gate.rows)).begin());
    std::copy(u.begin(), u.end(), tensor.Row(UpRow(layout, i, gate.rows)).begin());
  }
  return tensor;
}

}  // namespace moescope::moe
