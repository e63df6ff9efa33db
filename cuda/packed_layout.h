#pragma once

#include <cstdint>

#include "moe/layer.h"

// Where an element of a packed expert matrix lies. BF16 matrices stay row-major. MX matrices are
// cut into chunks of 64 rows by 64 columns; a chunk holds its elements in the order in which the
// threads of a warpgroup hold the A operand of wgmma m64k16 (PTX ISA, "Register Fragments for
// wgmma"), then its scale bytes. Rows and columns beyond the matrix are zero elements with scale
// 127.
//
// Everything here is constexpr so that packing on the host and the plain kernels share it.

namespace moescope::cuda {

inline constexpr int kChunk = 64;
inline constexpr int kChunkThreads = 128;

// One expert matrix: `halves` = 2 for gate and up, each padded to whole chunks by itself.
struct MatrixShape {
  int halves = 1;
  int rows = 0;  // of one half
  int columns = 0;

  constexpr int row_chunks() const { return (rows + kChunk - 1) / kChunk; }
  constexpr int column_chunks() const { return (columns + kChunk - 1) / kChunk; }
  constexpr std::int64_t chunks() const {
    return std::int64_t{halves} * row_chunks() * column_chunks();
  }
};

constexpr bool IsFp4(moe::WeightFormat format) { return format == moe::WeightFormat::kMxfp4B32; }
constexpr int ScaleBlock(moe::WeightFormat format) {
  return format == moe::WeightFormat::kMxfp8B8 ? 8 : 32;
}
constexpr int ChunkElementBytes(moe::WeightFormat format) {
  return kChunk * kChunk / (IsFp4(format) ? 2 : 1);
}
constexpr int ChunkScaleBytes(moe::WeightFormat format) {
  return kChunk * kChunk / ScaleBlock(format);
}
constexpr int ChunkBytes(moe::WeightFormat format) {
  return ChunkElementBytes(format) + ChunkScaleBytes(format);
}

// Bytes of one expert's matrix.
constexpr std::int64_t MatrixBytes(moe::WeightFormat format, MatrixShape shape) {
  return format == moe::WeightFormat::kBf16
             ? std::int64_t{2} * shape.halves * shape.rows * shape.columns
             : shape.chunks() * ChunkBytes(format);
}

// A 4-bit or 8-bit code inside a chunk: byte offset, and whether it is the high nibble.
struct CodePlace {
  int byte = 0;
  bool high = false;
};

// Row and column in the chunk. A thread holds for each 16 columns four registers a: rows r and r +
// 8 (a & 1), columns c and c + 8 (a >> 1), each of two neighbouring columns. A pair is stored half
// a word apart, so that two shifts and masks bring both to BF16.
constexpr CodePlace PlaceOf(moe::WeightFormat format, int row, int column) {
  const int step = column / 16;
  const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
  const int a = row % 16 / 8 + column % 16 / 8 * 2;
  const int second = column % 2;
  if (IsFp4(format)) {
    const int nibble = a + 4 * second;
    return {thread * 16 + step * 4 + nibble / 2, nibble % 2 == 1};
  }
  return {step / 2 * 2048 + thread * 16 + step % 2 * 8 + a / 2 * 4 + a % 2 + 2 * second, false};
}

// Byte offset of a scale inside a chunk.
constexpr int ScalePlaceOf(moe::WeightFormat format, int row, int column) {
  const int per_row = kChunk / ScaleBlock(format);
  return ChunkElementBytes(format) + row * per_row + column / ScaleBlock(format);
}

// Byte offset of the chunk that holds (half, row, column) inside an expert's matrix.
constexpr std::int64_t ChunkOffset(moe::WeightFormat format, MatrixShape shape, int half, int row,
                                   int column) {
  const std::int64_t row_chunk = std::int64_t{half} * shape.row_chunks() + row / kChunk;
  return (row_chunk * shape.column_chunks() + column / kChunk) * ChunkBytes(format);
}

}  // namespace moescope::cuda
