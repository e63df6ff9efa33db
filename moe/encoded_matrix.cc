#include "moe/encoded_matrix.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "isa/bfloat16.h"
#include "isa/row_codec.h"
#include "moe/layer_names.h"

namespace moescope::moe {
namespace {

// Bytes of one stored row.
struct RowBytes {
  std::size_t elements = 0;
  std::size_t scales = 0;
};

RowBytes BytesOf(WeightFormat format, std::int64_t width) {
  const auto columns = static_cast<std::uint64_t>(StoredColumns(format, width));
  const isa::TensorFormat tensor = FormatOf(format);
  return {static_cast<std::size_t>(tensor.ElementBytes(columns)),
          static_cast<std::size_t>(tensor.ScaleBytes(columns))};
}

absl::Status CheckBytes(const EncodedMatrix& matrix, RowBytes row) {
  const auto rows = static_cast<std::size_t>(matrix.stored_rows());
  if (matrix.elements.size() == rows * row.elements && matrix.scales.size() == rows * row.scales) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s matrix [%d,%d]: expected %d element and %d scale bytes, got %d and %d [RC032]",
      Absl(Name(matrix.format)), matrix.outputs, matrix.contraction, rows * row.elements,
      rows * row.scales, matrix.elements.size(), matrix.scales.size()));
}

bool IsZeroBlock(const EncodedMatrix& matrix, std::size_t block, std::size_t block_bytes) {
  const auto first = matrix.elements.begin() + static_cast<std::ptrdiff_t>(block * block_bytes);
  return std::all_of(first, first + static_cast<std::ptrdiff_t>(block_bytes),
                     [](std::uint8_t byte) { return byte == 0; });
}

absl::Status CheckScales(const EncodedMatrix& matrix) {
  const ScaleRange exact = ExactScales(matrix.format);
  const auto block_bytes = static_cast<std::size_t>(FormatOf(matrix.format).BytesPerScale());
  for (std::size_t block = 0; block < matrix.scales.size(); ++block) {
    const int scale = matrix.scales[block];
    if (scale >= exact.smallest && scale <= exact.largest) continue;
    if (scale != 0xFF && IsZeroBlock(matrix, block, block_bytes)) continue;
    return absl::InvalidArgumentError(absl::StrFormat(
        "scale byte %d of block %d is outside %d to %d, where %s is exact in BF16 [RC033]", scale,
        block, exact.smallest, exact.largest, Absl(Name(matrix.format))));
  }
  return absl::OkStatus();
}

}  // namespace

isa::TensorFormat FormatOf(WeightFormat format) {
  switch (format) {
    case WeightFormat::kBf16:
      return isa::Plain(isa::kBf16);
    case WeightFormat::kMxfp8B8:
      return isa::Mx(isa::kE4M3, 8);
    case WeightFormat::kMxfp8B32:
      return isa::Mx(isa::kE4M3, 32);
    case WeightFormat::kMxfp4B32:
      return isa::Mx(isa::kE2M1, 32);
  }
  return isa::Plain(isa::kBf16);
}

ScaleRange ExactScales(WeightFormat format) {
  switch (format) {
    case WeightFormat::kBf16:
      return {};
    case WeightFormat::kMxfp8B8:
    case WeightFormat::kMxfp8B32:
      return {3, 246};
    case WeightFormat::kMxfp4B32:
      return {0, 252};
  }
  return {};
}

std::int64_t StoredColumns(WeightFormat format, std::int64_t width) {
  const isa::TensorFormat tensor = FormatOf(format);
  const std::int64_t unit = tensor.is_mx() ? static_cast<std::int64_t>(tensor.block) : 1;
  return (width + unit - 1) / unit * unit;
}

EncodedMatrix Encode(const Bf16Matrix& matrix, WeightFormat format, Orientation orientation,
                     NumberRules rules) {
  EncodedMatrix encoded{format, orientation, matrix.rows, matrix.columns, {}, {}};
  const bool as_is = orientation == Orientation::kOutputMajor;
  const Bf16Matrix turned = as_is ? Bf16Matrix() : Transposed(matrix);
  const Bf16Matrix& stored = as_is ? matrix : turned;
  const RowBytes row = BytesOf(format, stored.columns);
  encoded.elements.resize(static_cast<std::size_t>(stored.rows) * row.elements);
  encoded.scales.resize(static_cast<std::size_t>(stored.rows) * row.scales);
  const isa::RowCodec codec(FormatOf(format), rules.convention, rules.scale_rule);
  std::vector<float> values(static_cast<std::size_t>(StoredColumns(format, stored.columns)));
  const auto used = static_cast<std::size_t>(stored.columns);
  for (std::int64_t r = 0; r < stored.rows; ++r) {
    isa::Bf16ToFloat(stored.Row(r), std::span(values).first(used));
    const auto index = static_cast<std::size_t>(r);
    codec.Encode(values, std::span(encoded.elements).subspan(index * row.elements, row.elements),
                 std::span(encoded.scales).subspan(index * row.scales, row.scales));
  }
  return encoded;
}

absl::StatusOr<Bf16Matrix> Decode(const EncodedMatrix& matrix, NumberRules rules) {
  const RowBytes row = BytesOf(matrix.format, matrix.row_width());
  RETURN_IF_ERROR(CheckBytes(matrix, row));
  RETURN_IF_ERROR(CheckScales(matrix));
  const isa::RowCodec codec(FormatOf(matrix.format), rules.convention, rules.scale_rule);
  std::vector<float> values(
      static_cast<std::size_t>(StoredColumns(matrix.format, matrix.row_width())));
  Bf16Matrix stored(matrix.stored_rows(), matrix.row_width());
  const auto used = static_cast<std::size_t>(stored.columns);
  for (std::int64_t r = 0; r < stored.rows; ++r) {
    const auto index = static_cast<std::size_t>(r);
    codec.Decode(std::span(matrix.elements).subspan(index * row.elements, row.elements),
                 std::span(matrix.scales).subspan(index * row.scales, row.scales), values);
    isa::FloatToBf16(std::span<const float>(values).first(used), stored.Row(r));
  }
  return matrix.orientation == Orientation::kOutputMajor ? stored : Transposed(stored);
}

bool IsRepresentable(const Bf16Matrix& matrix, WeightFormat format, Orientation orientation,
                     NumberRules rules) {
  const absl::StatusOr<Bf16Matrix> decoded =
      Decode(Encode(matrix, format, orientation, rules), rules);
  return decoded.ok() && *decoded == matrix;
}

}  // namespace moescope::moe
