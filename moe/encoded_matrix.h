#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "isa/number_format.h"
#include "moe/layer.h"
#include "moe/matrix.h"

namespace moescope::moe {

// How an [output, contraction] matrix lies in memory. MX blocks always run along a stored row, so
// this is also the block axis (moe.md, 6).
enum class Orientation : std::uint8_t {
  kOutputMajor,       // stored [output, contraction]: blocks along the contraction; M_TMM and CUDA
  kContractionMajor,  // stored [contraction, output]: blocks along the output; M_MM
};

// The number rules that encode and decode stored weights.
struct NumberRules {
  isa::Convention convention = isa::Convention::kOcp;
  isa::ScaleRule scale_rule = isa::ScaleRule::kFloor;  // kOcp only

  friend bool operator==(const NumberRules&, const NumberRules&) = default;
};

// Tensor format of a weight format: Plain bf16, or Mx{E4M3 or E2M1, block}.
isa::TensorFormat FormatOf(WeightFormat format);

// Scale bytes with which every element is exact in BF16 (moe.md, 6); {0, 254} for bf16.
struct ScaleRange {
  int smallest = 0;
  int largest = 254;
};
ScaleRange ExactScales(WeightFormat format);

// A weight matrix as stored: all element rows, then all scale rows (numerics.md, 5). A stored row
// is padded with zeros to a whole number of blocks.
struct EncodedMatrix {
  WeightFormat format;
  Orientation orientation = Orientation::kOutputMajor;
  std::int64_t outputs = 0;
  std::int64_t contraction = 0;
  std::vector<std::uint8_t> elements;
  std::vector<std::uint8_t> scales;

  std::int64_t stored_rows() const {
    return orientation == Orientation::kOutputMajor ? outputs : contraction;
  }
  std::int64_t row_width() const {  // without padding
    return orientation == Orientation::kOutputMajor ? contraction : outputs;
  }
  friend bool operator==(const EncodedMatrix&, const EncodedMatrix&) = default;
};

// Columns of a stored row: `width` rounded up to a whole number of blocks and bytes.
std::int64_t StoredColumns(WeightFormat format, std::int64_t width);

// `matrix` is [output, contraction].
EncodedMatrix Encode(const Bf16Matrix& matrix, WeightFormat format, Orientation orientation,
                     NumberRules rules);

// The values that every implementation computes with, [output, contraction] in BF16, exact.
// InvalidArgument when the byte counts do not follow the shape, or with the index of the first
// block whose scale is out of the exact range. A block of zeros is exact with any scale but 0xFF.
absl::StatusOr<Bf16Matrix> Decode(const EncodedMatrix& matrix, NumberRules rules);

// decode(encode(matrix)) == matrix: whether a matrix may be compared across block axes.
bool IsRepresentable(const Bf16Matrix& matrix, WeightFormat format, Orientation orientation,
                     NumberRules rules);

}  // namespace moescope::moe
