#pragma once

#include <cstdint>

#include "cuda/device/activation.cuh"
#include "cuda/device/mma.cuh"
#include "cuda/device/ptx.cuh"

// From accumulators to rows in global memory. The accumulators of a warpgroup are 64 weight rows
// (M) by kTokens tokens (N); memory wants one row per token. The transposition goes through a
// buffer of kTokens rows of 128 bytes in shared memory, 16-byte pieces swizzled by the token.

namespace moescope::cuda::device {

// Where a thread's accumulators lie: row() + 8 j of the 64.
struct LanePlace {
  int thread;  // of the warpgroup
  __device__ __forceinline__ int row() const { return thread / 32 * 16 + thread % 32 / 4; }
  __device__ __forceinline__ int column() const { return 2 * (thread % 4); }
};

__device__ __forceinline__ int StagingOffset(int token, int piece) {
  return token * 128 + ((piece ^ (token & 7)) << 4);
}

// Calls value(index, j, token) for every accumulator index of the thread and leaves bf of it in the
// staging buffer. All 128 threads of the warpgroup.
template <int kTokens, typename Value>
__device__ __forceinline__ void StageTransposed(std::uint32_t staging, LanePlace place,
                                                Value value) {
  const int lane = place.thread % 32;
  const int piece = place.thread / 32 * 2 + (lane / 8 & 1);
#pragma unroll
  for (int i = 0; i < kTokens / 8; i += 2) {
    std::uint32_t pairs[4];
#pragma unroll
    for (int q = 0; q < 4; ++q) {  // (i, j) = (0, 0), (0, 1), (1, 0), (1, 1)
      const int index = 4 * (i + q / 2) + 2 * (q % 2);
      const int token = 8 * (i + q / 2) + place.column();
      pairs[q] = RoundPair(value(index, q % 2, token), value(index + 1, q % 2, token + 1));
    }
    const int token = 8 * (i + lane / 16) + lane % 8;
    StoreMatrices(staging + StagingOffset(token, piece), pairs[0], pairs[1], pairs[2], pairs[3]);
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
    uint4 data;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(data.x), "=r"(data.y), "=r"(data.z), "=r"(data.w)
                 : "r"(staging + StagingOffset(token, piece)));
    to[piece] = data;
  }
}

}  // namespace moescope::cuda::device
