#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "cuda/device/expansion.h"
#include "cuda/device/mma.cuh"
#include "cuda/packed_layout.h"

// Weight formats as traits of the main loop: how many bytes a 64 x 64 chunk takes in shared memory
// and, for MX formats, how a thread makes its A operand from them.

namespace moescope::cuda::device {

// Two BF16 values times two exact powers of two.
__device__ __forceinline__ std::uint32_t Scale(std::uint32_t pair, std::uint32_t factor) {
  std::uint32_t product;
  asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(product) : "r"(pair), "r"(factor));
  return product;
}

// Pair a of a word of eight 4-bit codes.
template <int kPair>
__device__ __forceinline__ std::uint32_t ExpandFp4(std::uint32_t word) {
  return Scale(Fp4Bits<kPair>(word), kFp4Rebias);
}
// Pair a of a word of four 8-bit codes.
template <int kPair>
__device__ __forceinline__ std::uint32_t ExpandFp8(std::uint32_t word) {
  return Scale(Fp8Bits<kPair>(word), kFp8Rebias);
}

struct Bf16Weights {
  static constexpr bool kFromRegisters = false;
  static constexpr int kChunkBytes = kChunk * kChunk * 2;
};

// One chunk's codes and scales of a thread: rows r and r + 8 of its warp.
struct Fp4Weights {
  static constexpr bool kFromRegisters = true;
  static constexpr moe::WeightFormat::Kind kFormat = moe::WeightFormat::kMxfp4B32;
  static constexpr int kChunkBytes = ChunkBytes(kFormat);

  struct Codes {
    uint4 words;
    std::uint32_t scales[2];  // two bytes of each row
  };
  __device__ __forceinline__ static Codes Load(const std::uint8_t* chunk, int thread) {
    const int row = thread / 32 * 16 + thread % 32 / 4;
    const auto* scales = reinterpret_cast<const std::uint16_t*>(chunk + ChunkElementBytes(kFormat));
    return {reinterpret_cast<const uint4*>(chunk)[thread], {scales[row], scales[row + 8]}};
  }
  template <int kStep>
  __device__ __forceinline__ static Fragment Expand(const Codes& codes) {
    const std::uint32_t word = kStep == 0   ? codes.words.x
                               : kStep == 1 ? codes.words.y
                               : kStep == 2 ? codes.words.z
                                            : codes.words.w;
    const std::uint32_t low = ScaleBits(codes.scales[0] >> (kStep / 2 * 8) & 0xFFu);
    const std::uint32_t high = ScaleBits(codes.scales[1] >> (kStep / 2 * 8) & 0xFFu);
    return {{Scale(ExpandFp4<0>(word), low), Scale(ExpandFp4<1>(word), high),
             Scale(ExpandFp4<2>(word), low), Scale(ExpandFp4<3>(word), high)}};
  }
};

template <int kBlock>
struct Fp8Weights {
  static constexpr bool kFromRegisters = true;
  static constexpr moe::WeightFormat::Kind kFormat =
      kBlock == 8 ? moe::WeightFormat::kMxfp8B8 : moe::WeightFormat::kMxfp8B32;
  static constexpr int kChunkBytes = ChunkBytes(kFormat);
  static constexpr int kScalesPerRow = kChunk / kBlock;

  struct Codes {
    uint4 words[2];
    std::uint32_t scales[2][kBlock == 8 ? 2 : 1];
  };
  __device__ __forceinline__ static Codes Load(const std::uint8_t* chunk, int thread) {
    const int row = thread / 32 * 16 + thread % 32 / 4;
    const std::uint8_t* scales = chunk + ChunkElementBytes(kFormat);
    Codes codes;
    codes.words[0] = reinterpret_cast<const uint4*>(chunk)[thread];
    codes.words[1] = reinterpret_cast<const uint4*>(chunk)[kChunkThreads + thread];
    for (int half = 0; half < 2; ++half) {
      const std::uint8_t* from = scales + (row + 8 * half) * kScalesPerRow;
      if constexpr (kBlock == 8) {
        const uint2 bytes = *reinterpret_cast<const uint2*>(from);
        codes.scales[half][0] = bytes.x;
        codes.scales[half][1] = bytes.y;
      } else {
        codes.scales[half][0] = *reinterpret_cast<const std::uint16_t*>(from);
      }
    }
    return codes;
  }
  // The scale of 8 columns: `octet` of the chunk's 8.
  template <int kOctet>
  __device__ __forceinline__ static std::uint32_t ScaleOf(const Codes& codes, int half) {
    constexpr int kIndex = kBlock == 8 ? kOctet : kOctet / 4;
    return ScaleBits(codes.scales[half][kIndex / 4] >> (kIndex % 4 * 8) & 0xFFu);
  }
  template <int kStep>
  __device__ __forceinline__ static Fragment Expand(const Codes& codes) {
    const uint4 words = codes.words[kStep / 2];
    const std::uint32_t first = kStep % 2 == 0 ? words.x : words.z;
    const std::uint32_t second = kStep % 2 == 0 ? words.y : words.w;
    return {{Scale(ExpandFp8<0>(first), ScaleOf<2 * kStep>(codes, 0)),
             Scale(ExpandFp8<1>(first), ScaleOf<2 * kStep>(codes, 1)),
             Scale(ExpandFp8<0>(second), ScaleOf<2 * kStep + 1>(codes, 0)),
             Scale(ExpandFp8<1>(second), ScaleOf<2 * kStep + 1>(codes, 1))}};
  }
};

// The value of one element in FP32, for the kernels with one thread per output: a BF16 number.
__device__ __forceinline__ float DecodeElement(moe::WeightFormat::Kind format,
                                               const std::uint8_t* matrix, MatrixShape shape,
                                               int half, int row, int column) {
  if (format == moe::WeightFormat::kBf16) {
    const std::int64_t index =
        (static_cast<std::int64_t>(half) * shape.rows + row) * shape.columns + column;
    return __uint_as_float(
        static_cast<std::uint32_t>(reinterpret_cast<const std::uint16_t*>(matrix)[index]) << 16);
  }
  const std::uint8_t* chunk = matrix + ChunkOffset(format, shape, half, row, column);
  const CodePlace place = PlaceOf(format, row % kChunk, column % kChunk);
  const std::uint32_t byte = chunk[place.byte];
  const int scale = chunk[ScalePlaceOf(format, row % kChunk, column % kChunk)];
  const std::uint32_t code = IsFp4(format) ? (place.high ? byte >> 4 : byte & 15u) : byte;
  const int sign_bit = IsFp4(format) ? 3 : 7;
  const int fraction_bits = IsFp4(format) ? 1 : 3;
  const int bias = IsFp4(format) ? 1 : 7;
  const int exponent =
      static_cast<int>(code >> fraction_bits) & ((1 << (sign_bit - fraction_bits)) - 1);
  const int fraction = static_cast<int>(code) & ((1 << fraction_bits) - 1);
  const int significand = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
  const int power = max(exponent, 1) - bias - fraction_bits + scale - 127;
  const float magnitude = ldexpf(static_cast<float>(significand), power);
  return (code >> sign_bit & 1u) != 0 ? -magnitude : magnitude;
}

}  // namespace moescope::cuda::device
