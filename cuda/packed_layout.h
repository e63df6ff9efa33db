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

// Bits that the third word of a unit of 4-bit codes takes from the first one (the others come from
// the second, shifted by 2).
inline constexpr std::uint32_t kFp4FromFirst = 0x0C180C18u;

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
constexpr int CodeBits(moe::WeightFormat format) { return IsFp4(format) ? 4 : 8; }
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

// Where a 4-bit or 8-bit code of a chunk lies: a unit is a little-endian number of 64 bits, which
// holds pairs of codes of neighbouring columns.
struct CodePlace {
  int unit = 0;    // byte offset in the chunk
  int pair = 0;    // 0 to 7 (4-bit codes) or 0 to 3
  int second = 0;  // of the pair
};

// Row and column in the chunk. A thread holds for each 16 columns four registers a: rows r and r +
// 8 (a & 1), columns c and c + 8 (a >> 1), each of two neighbouring columns. A unit of 4-bit codes
// holds the registers of 32 columns, one of 8-bit codes those of 16.
constexpr CodePlace PlaceOf(moe::WeightFormat format, int row, int column) {
  const int step = column / 16;
  const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
  const int a = row % 16 / 8 + column % 16 / 8 * 2;
  const int second = column % 2;
  if (IsFp4(format)) return {thread * 16 + step / 2 * 8, 4 * (step % 2) + a, second};
  return {step / 2 * 2048 + thread * 16 + step % 2 * 8, a, second};
}

// The bit of its unit that holds bit `bit` of a code. In a pair of BF16 numbers a code belongs at
// bits 6 to 8 (4-bit codes) or 4 to 10, and its sign at 15, the second code 16 further. The bits of
// a word are arranged so that a mask alone, or one shift or rotation and a mask, bring a whole pair
// there; what fits nowhere so makes up the last pairs (cuda/device/expansion.h).
constexpr int BitOf(moe::WeightFormat format, const CodePlace& place, int bit) {
  if (!IsFp4(format)) {
    const int word = 32 * (place.pair / 2);
    const int to = (bit < 7 ? 4 + bit : 15) + 16 * place.second;
    if (place.pair % 2 == 0) return word + to;
    return word + (bit < 3 ? to - 4 : (to + 4) % 32);
  }
  const int word = 32 * (place.pair / 4);
  const int to = (bit < 3 ? 6 + bit : 15) + 16 * place.second;
  const int a = place.pair % 4;
  if (a == 0) return word + to;
  if (a == 1) return word + (to + 6) % 32;
  if (a == 2) return word + to - 6;
  // Register 3 of both words, in a third word that is made of both.
  const int mixed = word == 0 ? (to + 4) % 32 : to - 2;
  return (kFp4FromFirst >> mixed & 1u) != 0 ? mixed : 32 + mixed - 2;
}

// A code at its place in a unit of zeros.
constexpr std::uint64_t SpreadCode(moe::WeightFormat format, const CodePlace& place, int code) {
  std::uint64_t unit = 0;
  for (int bit = 0; bit < CodeBits(format); ++bit) {
    unit |= static_cast<std::uint64_t>(code >> bit & 1) << BitOf(format, place, bit);
  }
  return unit;
}
// The code at a place of a unit.
constexpr int CodeIn(moe::WeightFormat format, const CodePlace& place, std::uint64_t unit) {
  int code = 0;
  for (int bit = 0; bit < CodeBits(format); ++bit) {
    code |= static_cast<int>(unit >> BitOf(format, place, bit) & 1u) << bit;
  }
  return code;
}

// Byte offset of a scale inside a chunk: those of rows r and r + 8, which a thread needs, follow
// each other.
constexpr int ScalePlaceOf(moe::WeightFormat format, int row, int column) {
  const int per_row = kChunk / ScaleBlock(format);
  const int place = row / 16 * 16 + row % 8 * 2 + row % 16 / 8;
  return ChunkElementBytes(format) + place * per_row + column / ScaleBlock(format);
}

// Byte offset of the chunk that holds (half, row, column) inside an expert's matrix.
constexpr std::int64_t ChunkOffset(moe::WeightFormat format, MatrixShape shape, int half, int row,
                                   int column) {
  const std::int64_t row_chunk = std::int64_t{half} * shape.row_chunks() + row / kChunk;
  return (row_chunk * shape.column_chunks() + column / kChunk) * ChunkBytes(format);
}

}  // namespace moescope::cuda
