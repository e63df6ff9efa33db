#pragma once

#include <cstddef>

namespace moescope::emulator {

// One block of dot products: out[r][j] = sum over k of left[r][k] * right[k][j], for r < rows,
// k < depth, j < outputs. Each output is one chain s = FMA(left, right, s) from +0.0 with k
// ascending (numerics.md, 7); different outputs may be computed side by side. Strides are in
// elements; `out` overlaps no operand.
struct MatrixBlock {
  const float* left = nullptr;
  std::size_t left_stride = 0;
  const float* right = nullptr;
  std::size_t right_stride = 0;
  float* out = nullptr;
  std::size_t out_stride = 0;
  std::size_t rows = 0;
  std::size_t depth = 0;
  std::size_t outputs = 0;
};

using MatrixKernel = void (*)(const MatrixBlock&);

// Works on every processor; the fused multiply-add is made of double arithmetic. Bit for bit the
// same results as the hardware kernel (NaN as a class).
void PortableMatrixKernel(const MatrixBlock& block);
// Uses the fused multiply-add of this processor; null when it has none that we know.
MatrixKernel HardwareMatrixKernel();

enum class FusedMultiply : unsigned char { kFastest, kPortable };
MatrixKernel SelectMatrixKernel(FusedMultiply choice);

// FMA(a, b, c) in f32, rounded once, from double arithmetic alone.
float PortableFusedMultiplyAdd(float a, float b, float c);

}  // namespace moescope::emulator
