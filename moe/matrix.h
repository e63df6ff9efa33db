#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace moescope::moe {

// A dense row-major matrix. BF16 values are held as their bits (std::uint16_t).
template <typename T>
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<T> values;

  Matrix() = default;
  Matrix(std::int64_t row_count, std::int64_t column_count, T fill = T{})
      : rows(row_count),
        columns(column_count),
        values(static_cast<std::size_t>(row_count * column_count), fill) {}

  std::span<T> Row(std::int64_t row) {
    return std::span<T>(values).subspan(Offset(row, 0), static_cast<std::size_t>(columns));
  }
  std::span<const T> Row(std::int64_t row) const {
    return std::span<const T>(values).subspan(Offset(row, 0), static_cast<std::size_t>(columns));
  }
  T& At(std::int64_t row, std::int64_t column) { return values[Offset(row, column)]; }
  const T& At(std::int64_t row, std::int64_t column) const { return values[Offset(row, column)]; }

  friend bool operator==(const Matrix&, const Matrix&) = default;

 private:
  std::size_t Offset(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(row * columns + column);
  }
};

using Bf16Matrix = Matrix<std::uint16_t>;
using F32Matrix = Matrix<float>;

// In square pieces, so that neither side of a large matrix is read or written line by line.
template <typename T>
Matrix<T> Transposed(const Matrix<T>& matrix) {
  constexpr std::int64_t kPiece = 32;
  Matrix<T> result(matrix.columns, matrix.rows);
  for (std::int64_t row = 0; row < matrix.rows; row += kPiece) {
    for (std::int64_t column = 0; column < matrix.columns; column += kPiece) {
      const std::int64_t last_row = std::min(row + kPiece, matrix.rows);
      const std::int64_t last_column = std::min(column + kPiece, matrix.columns);
      for (std::int64_t r = row; r < last_row; ++r) {
        for (std::int64_t c = column; c < last_column; ++c) result.At(c, r) = matrix.At(r, c);
      }
    }
  }
  return result;
}

}  // namespace moescope::moe
