#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/string_view.h"
#include "cuda/buffer_layout.h"
#include "cuda/host/layer_matrices.h"
#include "cuda/packed_weights.h"
#include "moe/gate_up_layout.h"
#include "moe/layer_names.h"

namespace moescope::cuda {
namespace {

using Bytes = std::span<std::uint8_t>;

// Stored row of (half, row) of an expert matrix.
using StoredRow = std::int64_t (*)(moe::GateUpLayout, int half, int row, const MatrixShape&);

std::int64_t GateUpRow(moe::GateUpLayout layout, int half, int row, const MatrixShape& shape) {
  return half == 0 ? moe::GateRow(layout, row, shape.rows) : moe::UpRow(layout, row, shape.rows);
}
std::int64_t DownRow(moe::GateUpLayout, int, int row, const MatrixShape&) { return row; }

struct Source {
  const moe::EncodedMatrix& matrix;
  moe::GateUpLayout layout;
  StoredRow row;
};

std::size_t Size(std::int64_t value) { return static_cast<std::size_t>(value); }

absl::Status CheckBytes(const moe::EncodedMatrix& matrix) {
  const std::int64_t columns = moe::StoredColumns(matrix.format, matrix.contraction);
  const bool mx = matrix.format != moe::WeightFormat::kBf16;
  const std::int64_t elements =
      matrix.outputs * (mx ? columns / (IsFp4(matrix.format) ? 2 : 1) : 2 * columns);
  const std::int64_t scales = mx ? matrix.outputs * (columns / ScaleBlock(matrix.format)) : 0;
  if (matrix.elements.size() == Size(elements) && matrix.scales.size() == Size(scales)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("expected %d element and %d scale bytes, got %d and %d", elements, scales,
                      matrix.elements.size(), matrix.scales.size()));
}

// Every scale is in the exact range (or its block is zero), and no element is NaN.
absl::Status CheckValues(const moe::EncodedMatrix& matrix) {
  if (matrix.orientation != moe::Orientation::kOutputMajor) {
    return absl::InvalidArgumentError(
        "blocks run along the output axis; CUDA weights need them along the contraction");
  }
  RETURN_IF_ERROR(CheckBytes(matrix));
  if (matrix.format == moe::WeightFormat::kBf16) return absl::OkStatus();
  const moe::ScaleRange exact = moe::ExactScales(matrix.format);
  const std::size_t block_bytes = Size(ScaleBlock(matrix.format)) / (IsFp4(matrix.format) ? 2 : 1);
  for (std::size_t block = 0; block < matrix.scales.size(); ++block) {
    const int scale = matrix.scales[block];
    const auto first = matrix.elements.begin() + static_cast<std::ptrdiff_t>(block * block_bytes);
    const auto last = first + static_cast<std::ptrdiff_t>(block_bytes);
    if (!IsFp4(matrix.format)) {
      const auto nan = std::find_if(first, last, [](std::uint8_t b) { return (b & 0x7F) == 0x7F; });
      if (nan != last) {
        return absl::InvalidArgumentError(
            absl::StrFormat("element %d is NaN", nan - matrix.elements.begin()));
      }
    }
    if (scale >= exact.smallest && scale <= exact.largest) continue;
    const bool zero = std::all_of(first, last, [](std::uint8_t b) { return b == 0; });
    if (zero && scale != 0xFF) continue;
    return absl::InvalidArgumentError(absl::StrFormat(
        "scale byte %d of block %d is outside %d to %d, where %s is exact in BF16", scale, block,
        exact.smallest, exact.largest, Absl(moe::Name(matrix.format))));
  }
  return absl::OkStatus();
}

void PackBf16(const Source& source, const MatrixShape& shape, Bytes to) {
  const std::size_t row_bytes = Size(shape.columns) * 2;
  for (int half = 0; half < shape.halves; ++half) {
    for (int row = 0; row < shape.rows; ++row) {
      const std::size_t stored = Size(source.row(source.layout, half, row, shape));
      std::memcpy(to.data() + Size(half * shape.rows + row) * row_bytes,
                  source.matrix.elements.data() + stored * row_bytes, row_bytes);
    }
  }
}

// Scales of zero blocks may lie outside the range that kernels multiply by: 127 serves as well.
std::uint8_t PackedScale(moe::WeightFormat format, std::uint8_t scale) {
  const moe::ScaleRange exact = moe::ExactScales(format);
  return scale < exact.smallest || scale > exact.largest ? std::uint8_t{127} : scale;
}

// Every code at every place of a unit.
class SpreadCodes {
 public:
  explicit SpreadCodes(moe::WeightFormat format) {
    for (int pair = 0; pair < 32 / CodeBits(format); ++pair) {
      for (int second = 0; second < 2; ++second) {
        for (int code = 0; code < 1 << CodeBits(format); ++code) {
          units_[Size(2 * pair + second)][Size(code)] = SpreadCode(format, {0, pair, second}, code);
        }
      }
    }
  }
  std::uint64_t Of(const CodePlace& place, int code) const {
    return units_[Size(2 * place.pair + place.second)][Size(code)];
  }

 private:
  std::array<std::array<std::uint64_t, 256>, 16> units_{};
};

void AddToUnit(std::uint8_t* unit, std::uint64_t bits) {
  for (int byte = 0; byte < 8; ++byte) {
    unit[byte] = static_cast<std::uint8_t>(unit[byte] | bits >> 8 * byte);
  }
}

void PackMx(const Source& source, const MatrixShape& shape, Bytes to) {
  const moe::WeightFormat format = source.matrix.format;
  const SpreadCodes codes(format);
  const int block = ScaleBlock(format);
  const std::int64_t stored_columns = moe::StoredColumns(format, shape.columns);
  const std::size_t row_bytes = Size(stored_columns) / (IsFp4(format) ? 2 : 1);
  const std::size_t row_scales = Size(stored_columns / block);
  for (std::int64_t chunk = 0; chunk < shape.chunks(); ++chunk) {
    const auto scales = to.begin() + chunk * ChunkBytes(format) + ChunkElementBytes(format);
    std::fill_n(scales, ChunkScaleBytes(format), std::uint8_t{127});
  }
  for (int half = 0; half < shape.halves; ++half) {
    for (int row = 0; row < shape.rows; ++row) {
      const std::size_t stored = Size(source.row(source.layout, half, row, shape));
      const std::uint8_t* elements = source.matrix.elements.data() + stored * row_bytes;
      const std::uint8_t* scales = source.matrix.scales.data() + stored * row_scales;
      for (int column = 0; column < shape.columns; ++column) {
        std::uint8_t* chunk = to.data() + ChunkOffset(format, shape, half, row, column);
        const CodePlace place = PlaceOf(format, row % kChunk, column % kChunk);
        const int code =
            IsFp4(format) ? elements[column / 2] >> (column % 2 * 4) & 15 : elements[column];
        AddToUnit(chunk + place.unit, codes.Of(place, code));
        if (column % block == 0) {
          chunk[ScalePlaceOf(format, row % kChunk, column % kChunk)] =
              PackedScale(format, scales[column / block]);
        }
      }
    }
  }
}

class Packer {
 public:
  Packer(const Plan& plan, PackedWeights& packed)
      : plan_(plan), layout_(LayoutOf(plan, Buffer::kPackedWeights)), packed_(packed) {
    packed_.bytes.assign(Size(layout_.bytes), 0);
  }

  absl::Status Experts(const moe::EncodedExperts& experts) {
    for (int e = 0; e < plan_.shape.experts; ++e) {
      const std::size_t index = Size(e);
      RETURN_IF_ERROR(Expert("gate_up", {experts.gate_up[index], experts.layout, &GateUpRow},
                             GateUpMatrix(plan_), e));
      RETURN_IF_ERROR(
          Expert("down", {experts.down[index], experts.layout, &DownRow}, DownMatrix(plan_), e));
    }
    return absl::OkStatus();
  }

  void Tensors(const moe::LayerTensors& t) {
    if (plan_.options.expert_bias) {
      Bytes to = SliceOf("gate_up_bias");
      for (std::int64_t e = 0; e < plan_.shape.experts; ++e) {
        to = Put<std::uint16_t>(to, t.gate_bias.Row(e));
        to = Put<std::uint16_t>(to, t.up_bias.Row(e));
      }
      Put<std::uint16_t>(SliceOf("down_bias"), t.down_bias.values);
    }
    if (plan_.options.shared.has_value()) {
      Put<std::uint16_t>(Put<std::uint16_t>(SliceOf("shared_gate_up"), t.shared_gate.values),
                         t.shared_up.values);
      Put<std::uint16_t>(SliceOf("shared_down"), t.shared_down.values);
      if (plan_.options.shared->gate) {
        Put<std::uint16_t>(SliceOf("shared_gate_vector"), t.shared_gate_vector);
      }
    }
    if (plan_.options.router.mode == moe::RouterMode::kGiven) return;
    Put<float>(SliceOf("router"), t.router.values);
    if (plan_.options.router.logit_bias) Put<float>(SliceOf("router_bias"), t.router_bias);
    if (plan_.options.router.correction_bias) {
      Put<float>(SliceOf("correction_bias"), t.correction_bias);
    }
  }

 private:
  Bytes SliceOf(std::string_view name) {
    const Slice& slice = layout_.Find(name);
    return Bytes(packed_.bytes).subspan(Size(slice.offset), Size(slice.bytes));
  }

  template <typename T>
  static Bytes Put(Bytes to, std::span<const T> values) {
    std::memcpy(to.data(), values.data(), values.size_bytes());
    return to.subspan(values.size_bytes());
  }

  absl::Status Expert(std::string_view name, const Source& source, const MatrixShape& shape,
                      int expert) {
    const absl::Status valid = CheckValues(source.matrix);
    if (!valid.ok()) {
      return absl::Status(valid.code(), absl::StrFormat("%s of expert %d: %s", Absl(name), expert,
                                                        valid.message()));
    }
    const std::size_t bytes = Size(MatrixBytes(source.matrix.format, shape));
    const Bytes to = SliceOf(name).subspan(Size(expert) * bytes, bytes);
    if (source.matrix.format == moe::WeightFormat::kBf16) {
      PackBf16(source, shape, to);
    } else {
      PackMx(source, shape, to);
    }
    return absl::OkStatus();
  }

  const Plan& plan_;
  BufferLayout layout_;
  PackedWeights& packed_;
};

}  // namespace

absl::StatusOr<PackedWeights> PackWeights(const Plan& plan, const moe::Weights& weights) {
  RETURN_IF_ERROR(moe::Check(weights.tensors, plan.layer()));
  RETURN_IF_ERROR(moe::Check(weights.experts, plan.layer()));
  PackedWeights packed;
  Packer packer(plan, packed);
  RETURN_IF_ERROR(packer.Experts(weights.experts));
  packer.Tensors(weights.tensors);
  return packed;
}

}  // namespace moescope::cuda
