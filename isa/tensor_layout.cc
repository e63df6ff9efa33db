#include "isa/tensor_layout.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "isa/format_text.h"

namespace moescope::isa {

namespace {

// Keeps every figure of a layout, and columns * bits on the way to it, below 2^64.
constexpr std::uint64_t kValueLimit = std::uint64_t{1} << 59;

}  // namespace

absl::StatusOr<TensorLayout> LayoutOf(const TensorFormat& format, std::uint64_t rows,
                                      std::uint64_t columns) {
  if (rows == 0 || columns == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a tensor of ", rows, " x ", columns, " values is empty"));
  }
  const std::uint64_t block = format.is_mx() ? format.block : 1;
  const bool too_wide = columns > kValueLimit;
  const std::uint64_t stored = too_wide ? columns : (columns + block - 1) / block * block;
  if (too_wide || stored > kValueLimit / rows) {
    return absl::InvalidArgumentError(absl::StrCat("a tensor of ", rows, " x ", columns,
                                                   " values (", TensorFormatName(format),
                                                   ") has more than 2^59"));
  }
  return TensorLayout{format, rows, columns, stored};
}

RowGroupAddress TensorLayout::AddressOf(std::uint64_t row, std::uint64_t column) const {
  const std::uint64_t stride = row_bytes();
  const std::uint64_t offset = row * stride + format.ElementBytes(column);
  if (!format.is_mx()) return {offset, stride, 0, 0};
  CHECK(column % format.block == 0);
  const std::uint64_t bytes_per_scale = format.BytesPerScale();
  return {offset, stride, scale_offset() + offset / bytes_per_scale, stride / bytes_per_scale};
}

}  // namespace moescope::isa
