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

// Bytes kFirst and kFirst + 2 of a word, one in either half.
template <int kFirst>
__device__ __forceinline__ std::uint32_t EverySecondByte(std::uint32_t bytes) {
  return __byte_perm(bytes, 0, kFirst == 0 ? 0x4240 : 0x4341);
}
// One half of a pair in both halves: the multiplication reads it so, there is no instruction.
template <int kHalf>
__device__ __forceinline__ std::uint32_t Twice(std::uint32_t pair) {
  std::uint32_t both;
  if constexpr (kHalf == 0) {
    asm("{.reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {l, l};}" : "=r"(both) : "r"(pair));
  } else {
    asm("{.reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, h};}" : "=r"(both) : "r"(pair));
  }
  return both;
}

// How pairs of codes are scaled. `kWide` is for scale bytes above kLargestSingleScale.
template <bool kWide>
struct Scaling {
  ExpansionFactors factors;

  // By byte kByte of a word of scales.
  template <int kByte>
  __device__ __forceinline__ std::uint32_t Apply(std::uint32_t bits, std::uint32_t scales) const {
    const std::uint32_t bytes = EverySecondByte<kByte % 2>(scales);
    const std::uint32_t two = kWide ? ExpansionFactors::TwiceScale(bytes) : factors.Single(bytes);
    return Scale(kWide ? Scale(bits, factors.Rebias()) : bits, Twice<kByte / 2>(two));
  }
};

struct Bf16Weights {
  static constexpr bool kFromRegisters = false;
  static constexpr int kChunkBytes = kChunk * kChunk * 2;
};

// Where the scales of a thread begin among a chunk's: those of rows r and r + 8 of its warp.
template <int kPerRow>
__device__ __forceinline__ int FirstScale(int thread) {
  return (thread / 32 * 16 + thread % 32 / 4 * 2) * kPerRow;
}

// Whether one of the bytes is a scale above kLargestSingleScale.
__device__ __forceinline__ bool AnyWide(std::uint32_t bytes) {
  static_assert(kLargestSingleScale == 0x7F);
  return (bytes & 0x80808080u) != 0;
}

// One chunk's codes and scales of a thread.
struct Fp4Weights {
  static constexpr bool kFromRegisters = true;
  static constexpr moe::WeightFormat::Kind kFormat = moe::WeightFormat::kMxfp4B32;
  static constexpr int kChunkBytes = ChunkBytes(kFormat);

  struct Codes {
    uint4 words;
    std::uint32_t scales;  // two bytes of either row

    __device__ __forceinline__ std::uint32_t AllScales() const { return scales; }
  };
  // From the shared address of a chunk.
  __device__ __forceinline__ static Codes Load(std::uint32_t chunk, int thread) {
    const std::uint32_t scales = chunk + ChunkElementBytes(kFormat) + FirstScale<2>(thread);
    return {LoadShared16(chunk + 16 * thread), LoadShared4(scales)};
  }
  template <int kStep, bool kWide>
  __device__ __forceinline__ static Fragment Expand(const Codes& codes) {
    const std::uint32_t first = kStep < 2 ? codes.words.x : codes.words.z;
    const std::uint32_t second = kStep < 2 ? codes.words.y : codes.words.w;
    constexpr int kPair = 4 * (kStep % 2);
    constexpr Scaling<kWide> kScaling{kFp4Factors};
    constexpr int kBlock = kStep / 2;
    const std::uint32_t scales = codes.scales;
    return {{kScaling.Apply<kBlock>(Fp4Bits<kPair>(first, second), scales),
             kScaling.Apply<kBlock + 2>(Fp4Bits<kPair + 1>(first, second), scales),
             kScaling.Apply<kBlock>(Fp4Bits<kPair + 2>(first, second), scales),
             kScaling.Apply<kBlock + 2>(Fp4Bits<kPair + 3>(first, second), scales)}};
  }
};

template <int kBlock>
struct Fp8Weights {
  static constexpr bool kFromRegisters = true;
  static constexpr moe::WeightFormat::Kind kFormat =
      kBlock == 8 ? moe::WeightFormat::kMxfp8B8 : moe::WeightFormat::kMxfp8B32;
  static constexpr int kChunkBytes = ChunkBytes(kFormat);
  static constexpr int kScalesPerRow = kChunk / kBlock;
  static constexpr int kScaleWords = kScalesPerRow / 2;  // of two rows

  struct Codes {
    uint4 words[2];
    std::uint32_t scales[kScaleWords];

    __device__ __forceinline__ std::uint32_t AllScales() const {
      if constexpr (kScaleWords == 1) return scales[0];
      return scales[0] | scales[1] | scales[2] | scales[3];
    }
  };
  __device__ __forceinline__ static Codes Load(std::uint32_t chunk, int thread) {
    const std::uint32_t from =
        chunk + ChunkElementBytes(kFormat) + FirstScale<kScalesPerRow>(thread);
    Codes codes;
    codes.words[0] = LoadShared16(chunk + 16 * thread);
    codes.words[1] = LoadShared16(chunk + 16 * (kChunkThreads + thread));
    if constexpr (kBlock == 8) {
      const uint4 scales = LoadShared16(from);
      codes.scales[0] = scales.x;
      codes.scales[1] = scales.y;
      codes.scales[2] = scales.z;
      codes.scales[3] = scales.w;
    } else {
      codes.scales[0] = LoadShared4(from);
    }
    return codes;
  }
  template <int kStep, bool kWide>
  __device__ __forceinline__ static Fragment Expand(const Codes& codes) {
    const uint4 words = codes.words[kStep / 2];
    const std::uint32_t first = kStep % 2 == 0 ? words.x : words.z;
    const std::uint32_t second = kStep % 2 == 0 ? words.y : words.w;
    // Bits of row r (kHalf 0) or r + 8 in the chunk's 8 columns kOctet.
    const auto scaled = [&]<int kOctet, int kHalf>(std::uint32_t bits) {
      constexpr Scaling<kWide> kScaling{kFp8Factors};
      constexpr int kByte = kHalf * kScalesPerRow + (kBlock == 8 ? kOctet : kOctet / 4);
      return kScaling.Apply<kByte % 4>(bits, codes.scales[kByte / 4]);
    };
    return {{scaled.template operator()<2 * kStep, 0>(Fp8Bits<0>(first)),
             scaled.template operator()<2 * kStep, 1>(Fp8Bits<1>(first)),
             scaled.template operator()<2 * kStep + 1, 0>(Fp8Bits<0>(second)),
             scaled.template operator()<2 * kStep + 1, 1>(Fp8Bits<1>(second))}};
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
  const std::uint64_t unit = *reinterpret_cast<const std::uint64_t*>(chunk + place.unit);
  const int scale = chunk[ScalePlaceOf(format, row % kChunk, column % kChunk)];
  const auto code = static_cast<std::uint32_t>(CodeIn(format, place, unit));
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
