#include "emulator/execute/matrix_kernel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace moescope::test {
namespace {

using emulator::MatrixBlock;
using emulator::MatrixKernel;

std::uint32_t BitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }

float AnyFloat(std::mt19937& random) {
  const auto word = static_cast<std::uint32_t>(random());
  switch (word % 8) {
    case 0:
      return std::bit_cast<float>(static_cast<std::uint32_t>(random()));  // anything
    case 1:
      return std::bit_cast<float>(static_cast<std::uint32_t>(random()) % 0x01000000u);  // tiny
    default:
      return std::ldexp(static_cast<float>(word >> 8), static_cast<int>(word % 41) - 44) *
             ((word & 64) != 0 ? -1.0f : 1.0f);
  }
}

void ExpectSame(float got, float expected, const char* what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << what;
  } else {
    EXPECT_EQ(BitsOf(got), BitsOf(expected)) << what;
  }
}

TEST(PortableFusedMultiplyAdd, EqualsTheStandardFunction) {
  std::mt19937 random(5);
  for (int i = 0; i < 500000; ++i) {
    const float a = AnyFloat(random);
    const float b = AnyFloat(random);
    // Often close to -a*b, where rounding twice would show.
    const float c = random() % 3 == 0 ? -(a * b) * (1.0f + static_cast<float>(random() % 5) * 1e-7f)
                                      : AnyFloat(random);
    ExpectSame(emulator::PortableFusedMultiplyAdd(a, b, c), std::fma(a, b, c), "random");
  }
}

TEST(PortableFusedMultiplyAdd, RoundsOnceWhereDoubleArithmeticWouldRoundTwice) {
  // (1 + 2^-23) * (1 + 2^-12) + 2^-100: the tail decides a tie that double cannot see.
  const float a = 1.0f + std::ldexp(1.0f, -23);
  const float b = 1.0f + std::ldexp(1.0f, -1);
  for (const float tail : {std::ldexp(1.0f, -100), -std::ldexp(1.0f, -100), 0.0f}) {
    ExpectSame(emulator::PortableFusedMultiplyAdd(a, b, tail), std::fma(a, b, tail), "tail");
  }
  const float infinity = std::numeric_limits<float>::infinity();
  const float largest = std::numeric_limits<float>::max();
  const float least = std::numeric_limits<float>::denorm_min();
  for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, infinity, -infinity, largest, least, -least}) {
    for (const float y : {0.0f, -0.0f, 0.5f, infinity, largest, least}) {
      for (const float z : {0.0f, -0.0f, -infinity, -largest, least, -least}) {
        ExpectSame(emulator::PortableFusedMultiplyAdd(x, y, z), std::fma(x, y, z), "special");
      }
    }
  }
}

// Every block size around the widths that kernels are unrolled for.
void ExpectChains(MatrixKernel kernel) {
  std::mt19937 random(17);
  for (const std::size_t rows : {1u, 2u, 4u, 5u, 9u}) {
    for (const std::size_t outputs : {1u, 2u, 3u, 4u, 7u, 8u, 12u, 16u, 20u, 29u}) {
      for (const std::size_t depth : {1u, 2u, 17u}) {
        const std::size_t left_stride = depth + 3;
        const std::size_t right_stride = outputs + 2;
        const std::size_t out_stride = outputs + 1;
        std::vector<float> left(rows * left_stride), right(depth * right_stride);
        for (float& x : left) x = AnyFloat(random);
        for (float& x : right) x = AnyFloat(random);
        std::vector<float> out(rows * out_stride, 77.0f);
        kernel({left.data(), left_stride, right.data(), right_stride, out.data(), out_stride, rows,
                depth, outputs});
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t j = 0; j < outputs; ++j) {
            float s = 0.0f;
            for (std::size_t k = 0; k < depth; ++k) {
              s = std::fma(left[r * left_stride + k], right[k * right_stride + j], s);
            }
            ExpectSame(out[r * out_stride + j], s, "chain");
          }
          EXPECT_EQ(out[r * out_stride + outputs], 77.0f);  // nothing beside the block is touched
        }
      }
    }
  }
}

TEST(MatrixKernels, PortableFollowsTheChain) { ExpectChains(emulator::PortableMatrixKernel); }

TEST(MatrixKernels, HardwareFollowsTheChain) {
  const MatrixKernel kernel = emulator::HardwareMatrixKernel();
  if (kernel == nullptr) GTEST_SKIP() << "this processor has no fused multiply-add that we know";
  ExpectChains(kernel);
}

TEST(MatrixKernels, AreSelectedByChoice) {
  EXPECT_EQ(emulator::SelectMatrixKernel(emulator::FusedMultiply::kPortable),
            &emulator::PortableMatrixKernel);
  const MatrixKernel hardware = emulator::HardwareMatrixKernel();
  EXPECT_EQ(emulator::SelectMatrixKernel(emulator::FusedMultiply::kFastest),
            hardware != nullptr ? hardware : &emulator::PortableMatrixKernel);
}

}  // namespace
}  // namespace moescope::test
