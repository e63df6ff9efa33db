#include "emulator/execute/matrix_kernel.h"

#include <bit>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace moescope::emulator {

// The product of two f32 is exact in double. The sum is rounded to odd (its last bit set whenever
// it is inexact), so that the final rounding to f32 sees which side of a tie it lies on.
float PortableFusedMultiplyAdd(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = static_cast<double>(c);
  const double sum = product + addend;
  const double shadow = sum - product;
  const double error = (product - (sum - shadow)) + (addend - shadow);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  const bool is_finite = (bits >> 52 & 0x7FF) != 0x7FF;
  if (is_finite && error != 0 && (bits & 1) == 0) {
    // One step towards the exact value: outwards when the error has the sign of the sum.
    const bool outwards = (error > 0) == (bits >> 63 == 0);
    bits = outwards ? bits + 1 : bits - 1;
  }
  return static_cast<float>(std::bit_cast<double>(bits));
}

void PortableMatrixKernel(const MatrixBlock& block) {
  for (std::size_t r = 0; r < block.rows; ++r) {
    const float* left = block.left + r * block.left_stride;
    float* out = block.out + r * block.out_stride;
    for (std::size_t j = 0; j < block.outputs; ++j) out[j] = 0.0f;
    for (std::size_t k = 0; k < block.depth; ++k) {
      const float* right = block.right + k * block.right_stride;
      for (std::size_t j = 0; j < block.outputs; ++j) {
        out[j] = PortableFusedMultiplyAdd(left[k], right[j], out[j]);
      }
    }
  }
}

#if defined(__x86_64__)

namespace {

#define MOESCOPE_WITH_FMA __attribute__((target("avx2,fma")))

// `Rows` rows by `Vectors` x 8 outputs: Rows x Vectors independent chains.
template <int Rows, int Vectors>
MOESCOPE_WITH_FMA void Wide(const MatrixBlock& block, std::size_t row, std::size_t column) {
  __m256 sums[Rows][Vectors];
  for (auto& line : sums) {
    for (auto& sum : line) sum = _mm256_setzero_ps();
  }
  const float* left = block.left + row * block.left_stride;
  const float* right = block.right + column;
  for (std::size_t k = 0; k < block.depth; ++k, right += block.right_stride) {
    for (int v = 0; v < Vectors; ++v) {
      const __m256 columns = _mm256_loadu_ps(right + 8 * v);
      for (int r = 0; r < Rows; ++r) {
        const __m256 factor =
            _mm256_broadcast_ss(left + static_cast<std::size_t>(r) * block.left_stride + k);
        sums[r][v] = _mm256_fmadd_ps(factor, columns, sums[r][v]);
      }
    }
  }
  for (int r = 0; r < Rows; ++r) {
    float* out = block.out + (row + static_cast<std::size_t>(r)) * block.out_stride + column;
    for (int v = 0; v < Vectors; ++v) _mm256_storeu_ps(out + 8 * v, sums[r][v]);
  }
}

template <int Rows>
MOESCOPE_WITH_FMA void Narrow(const MatrixBlock& block, std::size_t row, std::size_t column) {
  __m128 sums[Rows];
  for (auto& sum : sums) sum = _mm_setzero_ps();
  const float* left = block.left + row * block.left_stride;
  const float* right = block.right + column;
  for (std::size_t k = 0; k < block.depth; ++k, right += block.right_stride) {
    const __m128 columns = _mm_loadu_ps(right);
    for (int r = 0; r < Rows; ++r) {
      const __m128 factor =
          _mm_broadcast_ss(left + static_cast<std::size_t>(r) * block.left_stride + k);
      sums[r] = _mm_fmadd_ps(factor, columns, sums[r]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    _mm_storeu_ps(block.out + (row + static_cast<std::size_t>(r)) * block.out_stride + column,
                  sums[r]);
  }
}

MOESCOPE_WITH_FMA void Single(const MatrixBlock& block, std::size_t row, std::size_t column) {
  float sum = 0.0f;
  const float* left = block.left + row * block.left_stride;
  for (std::size_t k = 0; k < block.depth; ++k) {
    sum = __builtin_fmaf(left[k], block.right[k * block.right_stride + column], sum);
  }
  block.out[row * block.out_stride + column] = sum;
}

template <int Rows>
void RowBlock(const MatrixBlock& block, std::size_t row) {
  std::size_t column = 0;
  for (; column + 16 <= block.outputs; column += 16) Wide<Rows, 2>(block, row, column);
  for (; column + 8 <= block.outputs; column += 8) Wide<Rows, 1>(block, row, column);
  for (; column + 4 <= block.outputs; column += 4) Narrow<Rows>(block, row, column);
  for (; column < block.outputs; ++column) {
    for (int r = 0; r < Rows; ++r) Single(block, row + static_cast<std::size_t>(r), column);
  }
}

void FmaMatrixKernel(const MatrixBlock& block) {
  std::size_t row = 0;
  for (; row + 4 <= block.rows; row += 4) RowBlock<4>(block, row);
  for (; row < block.rows; ++row) RowBlock<1>(block, row);
}

}  // namespace

MatrixKernel HardwareMatrixKernel() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? FmaMatrixKernel
                                                                         : nullptr;
}

#elif defined(__aarch64__)

namespace {

void FmaMatrixKernel(const MatrixBlock& block) {
  for (std::size_t r = 0; r < block.rows; ++r) {
    const float* left = block.left + r * block.left_stride;
    float* out = block.out + r * block.out_stride;
    for (std::size_t j = 0; j < block.outputs; ++j) out[j] = 0.0f;
    for (std::size_t k = 0; k < block.depth; ++k) {
      const float* right = block.right + k * block.right_stride;
      for (std::size_t j = 0; j < block.outputs; ++j) {
        out[j] = __builtin_fmaf(left[k], right[j], out[j]);
      }
    }
  }
}

}  // namespace

MatrixKernel HardwareMatrixKernel() { return FmaMatrixKernel; }

#else

MatrixKernel HardwareMatrixKernel() { return nullptr; }

#endif

MatrixKernel SelectMatrixKernel(FusedMultiply choice) {
  const MatrixKernel hardware = HardwareMatrixKernel();
  return choice == FusedMultiply::kFastest && hardware != nullptr ? hardware : PortableMatrixKernel;
}

}  // namespace moescope::emulator
