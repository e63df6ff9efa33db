#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "isa/number_format.h"

// Where the elements and scales of a tensor lie in HBM (numerics.md, 5): all element rows, then all
// scale rows, both tight. Blocks run along a row and never across rows: a row whose length is not a
// multiple of the block is stored with zeros up to the next multiple. All figures are bytes from
// the tensor's base unless they say otherwise.

namespace moescope::isa {

inline constexpr std::uint64_t kTensorAlignment = 64;

constexpr std::uint64_t AlignTensor(std::uint64_t bytes) {
  return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

// What a program needs to move rows of a tensor, a tile or a row group: H_* takes `offset` in
// G[rs1], `stride` in STRIDE and TensorLayout::scale_offset() in SCALE, and derives the scale
// figures.
struct RowGroupAddress {
  std::uint64_t offset = 0;
  std::uint64_t stride = 0;
  std::uint64_t scale_offset = 0;  // of the first scale byte; 0 for Plain
  std::uint64_t scale_stride = 0;  // 0 for Plain

  friend bool operator==(const RowGroupAddress&, const RowGroupAddress&) = default;
};

struct TensorLayout {
  TensorFormat format;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;         // of values
  std::uint64_t stored_columns = 0;  // `columns` rounded up to whole blocks

  std::uint64_t row_bytes() const { return format.ElementBytes(stored_columns); }
  std::uint64_t row_scales() const { return format.ScaleBytes(stored_columns); }
  std::uint64_t element_bytes() const { return rows * row_bytes(); }
  std::uint64_t scale_offset() const { return format.is_mx() ? element_bytes() : 0; }  // SCALE
  std::uint64_t total_bytes() const { return element_bytes() + rows * row_scales(); }
  // The distance of two blobs in a table of expert tensors of this layout.
  std::uint64_t table_stride() const { return AlignTensor(total_bytes()); }

  // Rows from (row, column) on. `column` is a multiple of the block.
  RowGroupAddress AddressOf(std::uint64_t row, std::uint64_t column) const;

  friend bool operator==(const TensorLayout&, const TensorLayout&) = default;
};

// InvalidArgument when there is no value at all, or more than 2^59 stored ones. `format` passes
// CheckTensorFormat (format_check.h).
absl::StatusOr<TensorLayout> LayoutOf(const TensorFormat& format, std::uint64_t rows,
                                      std::uint64_t columns);

}  // namespace moescope::isa
