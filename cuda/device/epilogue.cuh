#pragma once

#include <cstdint>

#include "cuda/device/activation.cuh"
#include "cuda/device/ptx.cuh"

// From accumulators to rows in global memory, through shared memory so that 16-byte pieces leave:
// rows of a staging buffer are tokens, pieces are swizzled by the token.

namespace moescope::cuda::device {

// Pair q of step i of an epilogue, 4 pairs per step: where its two accumulators begin.
__device__ __forceinline__ constexpr int PairIndex(int i, int q) {
  return 4 * (i + q / 2) + 2 * (q % 2);
}

// Accumulators with weight rows as the M side: 64 rows of a warpgroup by kTokens tokens. The pair
// (i, q) is weight row row() + 8 (q % 2) of the tokens column() + 8 (i + q / 2) and the next one.
struct WeightRowPlace {
  int thread;  // of the warpgroup
  __device__ __forceinline__ int row() const { return thread / 32 * 16 + thread % 32 / 4; }
  __device__ __forceinline__ int column() const { return 2 * (thread % 4); }
  __device__ __forceinline__ int token(int i, int q) const { return 8 * (i + q / 2) + column(); }
};

__device__ __forceinline__ int StagingOffset(int token, int piece) {
  return token * 128 + ((piece ^ (token & 7)) << 4);
}

// Calls pairs(i, four) for every step and leaves the pairs in a staging buffer of kTokens rows of
// 128 bytes. All 128 threads of the warpgroup.
template <int kTokens, typename Pairs>
__device__ __forceinline__ void StageTransposed(std::uint32_t staging, WeightRowPlace place,
                                                Pairs pairs) {
  const int lane = place.thread % 32;
  const int piece = place.thread / 32 * 2 + (lane / 8 & 1);
#pragma unroll
  for (int i = 0; i < kTokens / 8; i += 2) {
    std::uint32_t four[4];
    pairs(i, four);
    const int token = 8 * (i + lane / 16) + lane % 8;
    StoreTransposed(staging + StagingOffset(token, piece), four);
  }
}

// Copies the staged rows out, 16 bytes per thread and step. `row_of(token)` is the destination of a
// token, null to skip it; pieces at or beyond `pieces` are outside the matrix.
template <int kTokens, typename RowOf>
__device__ __forceinline__ void StoreStaged(std::uint32_t staging, int thread, int pieces,
                                            RowOf row_of) {
  const int piece = thread % 8;
  if (piece >= pieces) return;
#pragma unroll 4
  for (int token = thread / 8; token < kTokens; token += 16) {
    uint4* to = row_of(token);
    if (to == nullptr) continue;
    to[piece] = LoadShared16(staging + StagingOffset(token, piece));
  }
}

// Accumulators with tokens as the M side: 16 tokens of a warp by 128 weight rows. The pair (i, q)
// is weight row row(i, q) and the next one of token token() + 8 (q % 2).
struct TokenRowPlace {
  int lane;
  __device__ __forceinline__ int token() const { return lane / 4; }
  __device__ __forceinline__ int row(int i, int q) const {
    return 8 * (i + q / 2) + 2 * (lane % 4);
  }
};

__device__ __forceinline__ int WideStagingOffset(int token, int piece) {
  return token * 256 + ((piece ^ (token & 7)) << 4);
}

// The same as StageTransposed in a buffer of 16 rows of 256 bytes. All lanes of a warp.
template <typename Pairs>
__device__ __forceinline__ void StageRows(std::uint32_t staging, int lane, Pairs pairs) {
  const int token = lane / 8 % 2 * 8 + lane % 8;
#pragma unroll
  for (int i = 0; i < 16; i += 2) {
    std::uint32_t four[4];
    pairs(i, four);
    StoreMatrices(staging + WideStagingOffset(token, i + lane / 16), four);
  }
}

// Copies one half of 16 staged rows out: tokens 8 kHalf to 8 kHalf + 7. Lane l knows in `to` the
// row of token l % 16, -1 to skip it. Loads come before stores, so that their latencies overlap.
template <int kHalf>
__device__ __forceinline__ void StoreStagedRows(std::uint32_t staging, int lane, int to,
                                                std::uint16_t* out, int width, int pieces) {
  const int piece = lane % 16;
  uint4* const first = reinterpret_cast<uint4*>(out) + piece;
  const std::uint32_t pitch = static_cast<std::uint32_t>(width) / 8;  // pieces per row
  uint4 data[4];
  int row[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int token = 8 * kHalf + 2 * k + lane / 16;
    row[k] = __shfl_sync(0xFFFFFFFFu, to, token);
    data[k] = LoadShared16(staging + WideStagingOffset(token, piece));
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (row[k] < 0 || piece >= pieces) continue;
    first[std::uint64_t{static_cast<std::uint32_t>(row[k])} * pitch] = data[k];
  }
}

// Four pairs, each by quick(q, input, rare), and all of them by exact(input) when one is a rare
// case. That loop is not unrolled: its code would push the common path out of the instruction
// cache.
template <typename Input, typename Quick, typename Exact>
__device__ __forceinline__ void FourPairs(std::uint32_t (&four)[4], Quick quick, Exact exact) {
  RareCases rare;
  Input inputs[4];
#pragma unroll
  for (int q = 0; q < 4; ++q) four[q] = quick(q, inputs[q], rare);
  if (!rare.Any()) return;
#pragma unroll 1
  for (int q = 0; q < 4; ++q) {  // rotates: registers cannot be indexed
    const std::uint32_t pair = exact(inputs[0]);
    for (int k = 0; k < 3; ++k) {
      inputs[k] = inputs[k + 1];
      four[k] = four[k + 1];
    }
    four[3] = pair;
  }
}

}  // namespace moescope::cuda::device
