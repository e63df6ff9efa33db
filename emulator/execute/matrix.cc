// Matrix tile times rows of VRAM (isa.md, 5.4). Every output is one FMA chain; the broadcast forms
// scale it; then it is added to the accumulator once (numerics.md, 7).

#include <algorithm>

#include "absl/strings/str_format.h"
#include "emulator/execute/executor.h"

namespace moescope::emulator {

using isa::MatrixForm;
using isa::Operands;
using isa::Step;

namespace {

bool IsBroadcast(MatrixForm form) {
  return form == MatrixForm::kBroadcast || form == MatrixForm::kBroadcastTransposed;
}

void Add(const std::vector<float>& values, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += values[i];
}

void AddScaled(const std::vector<float>& values, std::size_t count, float scale, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const float scaled = values[i] * scale;
    to[i] += scaled;
  }
}

}  // namespace

bool Executor::Align(MatrixAddress& m) {
  m.tile.tile = tile_elements_.Quotient(m.tile.address);
  m.tile.offset = tile_elements_.Remainder(m.tile.address);
  const std::uint64_t r = m.tile.offset;
  if (m.slice == SliceRule::kHead) {
    if (r < mlen_ && r % hlen_ == 0) return true;
    Fail(fault::kHeadAlignment,
         absl::StrFormat("matrix address %d is at element %d of its tile; a head begins at a "
                         "multiple of HLEN %d below MLEN %d",
                         m.tile.address, r, hlen_, mlen_));
    return false;
  }
  const std::uint64_t step = m.slice == SliceRule::kRows ? mlen_ : 1;
  if (r % (step * blen_) == 0 && r < step * mlen_) return true;
  Fail(fault::kMatrixSliceAlignment,
       absl::StrFormat("matrix address %d is at element %d of its tile; a slice begins at a "
                       "multiple of %s%d below %d",
                       m.tile.address, r, m.slice == SliceRule::kRows ? "BLEN * MLEN = " : "BLEN ",
                       step * blen_, step * mlen_));
  return false;
}

bool Executor::LocateMatrix(MatrixForm form, std::uint64_t rows, const Operands& o,
                            MatrixAddress& matrix, RowRequest& vectors) {
  if (IsBroadcast(form) && !CheckBroadcastShape()) return false;
  const bool vector_first = form == MatrixForm::kTransposed;
  matrix.tile.address = Gp(vector_first ? o.rs2 : o.rs1) + (IsBroadcast(form) ? Gp(o.rd) : 0);
  vectors = RowAt(vector_first ? o.rs1 : o.rs2, rows);
  if (vector_first ? !Locate(vectors, matrix) : !Locate(matrix, vectors)) return false;
  if (!Initialised(matrix.tile) || !Initialised(vectors)) return false;
  Touch().mram_read = {static_cast<std::uint32_t>(matrix.tile.tile), 1, 1};
  RecordRead(0, vectors);
  return true;
}

// left_ = `count` rows from `row` on as f32, MLEN apart.
void Executor::LoadLeft(std::uint64_t row, std::uint64_t count) {
  left_.resize(static_cast<std::size_t>(count * mlen_));
  for (std::uint64_t i = 0; i < count; ++i) {
    isa::Bf16ToFloat(std::span(Row(row + i), static_cast<std::size_t>(mlen_)),
                     std::span(left_).subspan(static_cast<std::size_t>(i * mlen_)));
  }
}

// right_[k][j] = tile[first_row + j][first_column + k]: a transposed part of a tile, tightly
// packed.
void Executor::PackTransposed(const float* tile, std::uint64_t first_row, std::uint64_t rows,
                              std::uint64_t first_column, std::uint64_t columns) {
  right_.resize(static_cast<std::size_t>(rows * columns));
  for (std::uint64_t j = 0; j < rows; ++j) {
    const float* from = tile + (first_row + j) * mlen_ + first_column;
    for (std::uint64_t k = 0; k < columns; ++k) right_[k * rows + j] = from[k];
  }
}

// accumulator[rows][BLEN] += the rows times BLEN columns of the tile, or of its transpose.
void Executor::AccumulateSlice(MatrixForm form, const MatrixAddress& m, std::uint64_t row,
                               std::uint64_t rows, float* accumulator) {
  const float* tile = state_.mram.Read(m.tile.tile);
  const std::uint64_t column = m.slice == SliceRule::kRows ? m.tile.offset / mlen_ : m.tile.offset;
  LoadLeft(row, rows);
  product_.resize(static_cast<std::size_t>(rows * blen_));
  MatrixBlock block{.left = left_.data(), .left_stride = mlen_, .out = product_.data()};
  if (form == MatrixForm::kTransposed) {
    PackTransposed(tile, column, blen_, 0, mlen_);
    block.right = right_.data();
    block.right_stride = blen_;
  } else {
    block.right = tile + column;
    block.right_stride = mlen_;
  }
  block.out_stride = block.outputs = blen_;
  block.rows = rows;
  block.depth = mlen_;
  kernel_(block);
  Add(product_, product_.size(), accumulator);
}

// accumulator[g][rows][MLEN] += scale * (head g of the rows) times HLEN rows of the tile, or HLEN
// columns of it transposed. Heads are interleaved in the plain form and contiguous in the
// transposed one.
void Executor::AccumulateHeads(MatrixForm form, const MatrixAddress& m, std::uint64_t row,
                               std::uint64_t rows, float* accumulator) {
  const float* tile = state_.mram.Read(m.tile.tile);
  const bool transposed = form == MatrixForm::kBroadcastTransposed;
  const std::uint64_t head = m.tile.offset;
  if (transposed) PackTransposed(tile, 0, mlen_, head, hlen_);
  const float* right = transposed ? right_.data() : tile + head * mlen_;
  const std::uint64_t lane_step = transposed ? 1 : broadcast_;
  const std::uint64_t group_step = transposed ? hlen_ : 1;
  product_.resize(static_cast<std::size_t>(kRowsAtOnce * mlen_));
  left_.resize(static_cast<std::size_t>(kRowsAtOnce * hlen_));
  for (std::uint64_t g = 0; g < broadcast_; ++g) {
    for (std::uint64_t i = 0; i < rows; i += kRowsAtOnce) {
      const std::uint64_t count = std::min(kRowsAtOnce, rows - i);
      for (std::uint64_t r = 0; r < count; ++r) {
        const isa::Bf16* lanes = Row(row + i + r) + g * group_step;
        for (std::uint64_t t = 0; t < hlen_; ++t) {
          left_[r * hlen_ + t] = isa::Bf16ToFloat(lanes[t * lane_step]);
        }
      }
      kernel_({left_.data(), hlen_, right, mlen_, product_.data(), mlen_, count, hlen_, mlen_});
      AddScaled(product_, count * mlen_, bmm_scale_, accumulator + (g * rows + i) * mlen_);
    }
  }
}

Step Executor::MatrixMultiply(MatrixForm form, const Operands& o) {
  const std::uint64_t rows = IsBroadcast(form) ? mlen_ : blen_;
  MatrixAddress matrix{.slice = IsBroadcast(form) ? SliceRule::kHead : SliceRule::kRows};
  RowRequest vectors;
  if (!LocateMatrix(form, rows, o, matrix, vectors)) return Step::kFault;
  Accumulators& to = state_.accumulators;
  if (IsBroadcast(form)) {
    to.head_matrix.resize(static_cast<std::size_t>(broadcast_ * mlen_ * mlen_));
    AccumulateHeads(form, matrix, vectors.row, rows, to.head_matrix.data());
  } else {
    AccumulateSlice(form, matrix, vectors.row, rows, to.matrix.data());
  }
  return Step::kNext;
}

Step Executor::MatrixVector(MatrixForm form, const Operands& o) {
  MatrixAddress matrix{.slice = IsBroadcast(form)            ? SliceRule::kHead
                                : form == MatrixForm::kPlain ? SliceRule::kElements
                                                             : SliceRule::kRows};
  RowRequest vectors;
  if (!LocateMatrix(form, 1, o, matrix, vectors)) return Step::kFault;
  Accumulators& to = state_.accumulators;
  if (IsBroadcast(form)) {
    to.head_vector.resize(static_cast<std::size_t>(broadcast_ * mlen_));
    AccumulateHeads(form, matrix, vectors.row, 1, to.head_vector.data());
  } else {
    AccumulateSlice(form, matrix, vectors.row, 1, to.vector.data());
  }
  return Step::kNext;
}

}  // namespace moescope::emulator
