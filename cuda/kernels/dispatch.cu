#include <climits>

#include "cuda/kernels/launch.cuh"

// A counting sort by expert whose result is the stable permutation of moe.md, 4. Integer atomics
// only count; no atomic chooses a row.

namespace moescope::cuda {
namespace {

constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / 32;

__device__ __forceinline__ bool IsExpert(std::int32_t id, int experts) {
  return id >= 0 && id < experts;
}

// Pairs of this block per expert, into shared `counts`.
__device__ void CountPairs(const DispatchArguments& a, std::int32_t* counts) {
  for (int e = threadIdx.x; e < a.experts; e += kThreads) counts[e] = 0;
  __syncthreads();
  const std::int64_t pair = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (pair < a.pairs && IsExpert(a.idx[pair], a.experts)) atomicAdd(&counts[a.idx[pair]], 1);
  __syncthreads();
}

__global__ void __launch_bounds__(kThreads) HistogramKernel(DispatchArguments a) {
  extern __shared__ std::int32_t counts[];
  CountPairs(a, counts);
  for (int e = threadIdx.x; e < a.experts; e += kThreads) {
    a.chunk_count[static_cast<std::int64_t>(blockIdx.x) * a.experts + e] = counts[e];
  }
}

__device__ __forceinline__ int WarpInclusive(int value) {
  const int lane = threadIdx.x % 32;
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(0xFFFFFFFFu, value, d);
    if (lane >= d) value += other;
  }
  return value;
}

// One warp per expert: chunk counts become exclusive prefixes, the sum is the expert's count.
__global__ void ChunkPrefixKernel(DispatchArguments a, int chunks) {
  const int warps = blockDim.x / 32;
  const int lane = threadIdx.x % 32;
  for (int e = blockIdx.x * warps + threadIdx.x / 32; e < a.experts; e += gridDim.x * warps) {
    int total = 0;
    for (int first = 0; first < chunks; first += 32) {
      const int chunk = first + lane;
      std::int32_t* const at = &a.chunk_count[static_cast<std::int64_t>(chunk) * a.experts + e];
      const int value = chunk < chunks ? *at : 0;
      const int inclusive = WarpInclusive(value);
      if (chunk < chunks) *at = total + inclusive - value;
      total += __shfl_sync(0xFFFFFFFFu, inclusive, 31);
    }
    if (lane == 0) a.count[e] = total;
  }
}

// Exclusive prefix over the block's threads; `total` is the sum.
__device__ int BlockExclusive(int value, int* warp_sums, int& total) {
  const int inclusive = WarpInclusive(value);
  const int warp = threadIdx.x / 32;
  __syncthreads();
  if (threadIdx.x % 32 == 31) warp_sums[warp] = inclusive;
  __syncthreads();
  if (warp == 0) {
    const int sums = WarpInclusive(warp_sums[threadIdx.x]);
    warp_sums[threadIdx.x] = sums;
  }
  __syncthreads();
  total = warp_sums[kWarps - 1];
  return inclusive - value + (warp == 0 ? 0 : warp_sums[warp - 1]);
}

// Bases, the list of non-empty experts, token tiles and padding rows. One block; experts are
// strided over its threads, `kThreads` at a time.
__device__ void BuildGroups(const DispatchArguments& a) {
  __shared__ int warp_sums[kWarps];
  int rows_before = 0;
  int groups_before = 0;
  int tiles_before = 0;
  int odd_before = 0;
  int valid = 0;
  for (int first = 0; first < a.experts; first += kThreads) {
    const int e = first + threadIdx.x;
    const int count = e < a.experts ? a.count[e] : 0;
    const int padded = (count + 15) / 16 * 16;
    const int tiles = (count + a.token_tile - 1) / a.token_tile;
    int rows = 0;
    int flag_sum = 0;
    int tile_sum = 0;
    int counted = 0;
    const int base = rows_before + BlockExclusive(padded, warp_sums, rows);
    // Two counts of at most 1,024 in one sum: groups, and groups with an odd number of tiles.
    const int flags = BlockExclusive((count > 0 ? 1 : 0) + (tiles % 2 << 16), warp_sums, flag_sum);
    const int group = groups_before + (flags & 0xFFFF);
    const int odd = odd_before + (flags >> 16);
    const int tile = tiles_before + BlockExclusive(tiles, warp_sums, tile_sum);
    BlockExclusive(count, warp_sums, counted);
    if (e < a.experts) a.base[e] = base;
    if (count > 0) {
      a.group_expert[group] = e;
      a.group_prefix[group] = tile;
      a.group_odd[group] = odd;
    }
    for (int row = base + count; row < base + padded; ++row) {
      a.row_src[row] = -1;
      a.row_w[row] = 0.0f;
    }
    rows_before += rows;
    groups_before += flag_sum & 0xFFFF;
    tiles_before += tile_sum;
    odd_before += flag_sum >> 16;
    valid += counted;
  }
  if (threadIdx.x == 0) {
    a.group_prefix[groups_before] = tiles_before;
    a.group_odd[groups_before] = odd_before;
    *a.group_size = groups_before;
    a.status[0] = INT_MAX;
    a.status[1] = valid;
  }
}

__global__ void __launch_bounds__(kThreads) GroupsKernel(DispatchArguments a) { BuildGroups(a); }

// Rows of this block's pairs. `before[e]` are the pairs of expert e in earlier blocks (null: none).
// Shared `ranks` holds [warps, E]: first the pairs of each warp, then those of earlier warps.
__device__ void PlacePairs(const DispatchArguments& a, const std::int32_t* before,
                           std::uint16_t* ranks) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < kWarps * a.experts; i += kThreads) ranks[i] = 0;
  __syncthreads();
  const std::int64_t pair = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int32_t id = pair < a.pairs ? a.idx[pair] : -1;
  const bool routed = IsExpert(id, a.experts);
  if (pair < a.pairs && !routed && id != -1) atomicMin(&a.status[0], static_cast<int>(pair));
  const unsigned peers = __match_any_sync(0xFFFFFFFFu, routed ? id : -1);
  const int rank = __popc(peers & ((1u << lane) - 1u));
  if (routed && rank == 0) {
    ranks[warp * a.experts + id] = static_cast<std::uint16_t>(__popc(peers));
  }
  __syncthreads();
  for (int e = threadIdx.x; e < a.experts; e += kThreads) {
    int sum = 0;
    for (int w = 0; w < kWarps; ++w) {
      const int count = ranks[w * a.experts + e];
      ranks[w * a.experts + e] = static_cast<std::uint16_t>(sum);
      sum += count;
    }
  }
  __syncthreads();
  if (pair >= a.pairs) return;
  if (!routed) {
    a.row_of[pair] = -1;
    return;
  }
  const int row =
      a.base[id] + (before == nullptr ? 0 : before[id]) + ranks[warp * a.experts + id] + rank;
  a.row_of[pair] = row;
  a.row_src[row] = static_cast<std::int32_t>(pair);
  a.row_w[row] = a.w[pair];
}

__global__ void __launch_bounds__(kThreads) PlaceKernel(DispatchArguments a) {
  extern __shared__ std::uint16_t ranks[];
  PlacePairs(a, &a.chunk_count[static_cast<std::int64_t>(blockIdx.x) * a.experts], ranks);
}

// All of it for at most 1,024 pairs.
__global__ void __launch_bounds__(kThreads) SmallDispatchKernel(DispatchArguments a) {
  extern __shared__ std::int32_t memory[];
  CountPairs(a, memory);
  for (int e = threadIdx.x; e < a.experts; e += kThreads) a.count[e] = memory[e];
  __syncthreads();
  BuildGroups(a);
  __syncthreads();
  PlacePairs(a, nullptr, reinterpret_cast<std::uint16_t*>(memory));
}

__global__ void SingleGroupKernel(SingleGroupArguments a) {
  *a.count = a.tokens;
  *a.base = 0;
  *a.group_size = a.tokens > 0 ? 1 : 0;
  *a.group_expert = 0;
  const int tiles = (a.tokens + a.token_tile - 1) / a.token_tile;
  a.group_prefix[0] = 0;
  a.group_prefix[1] = tiles;
  a.group_odd[0] = 0;
  a.group_odd[1] = tiles % 2;
}

template <typename Kernel>
cudaError_t AllowShared(Kernel kernel, int bytes) {
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

}  // namespace

cudaError_t LaunchDispatch(const DispatchArguments& a, cudaStream_t stream) {
  static_assert(kDispatchChunk == kThreads);
  const int count_bytes = 4 * a.experts;
  const int rank_bytes = 2 * kWarps * a.experts;
  const auto chunks = static_cast<int>((a.pairs + kThreads - 1) / kThreads);
  if (chunks <= 1) {
    const cudaError_t allowed = AllowShared(SmallDispatchKernel, rank_bytes);
    if (allowed != cudaSuccess) return allowed;
    SmallDispatchKernel<<<1, kThreads, rank_bytes, stream>>>(a);
    return cudaGetLastError();
  }
  const cudaError_t allowed = AllowShared(PlaceKernel, rank_bytes);
  if (allowed != cudaSuccess) return allowed;
  HistogramKernel<<<chunks, kThreads, count_bytes, stream>>>(a);
  ChunkPrefixKernel<<<(a.experts + 3) / 4, 128, 0, stream>>>(a, chunks);
  GroupsKernel<<<1, kThreads, 0, stream>>>(a);
  PlaceKernel<<<chunks, kThreads, rank_bytes, stream>>>(a);
  return cudaGetLastError();
}

cudaError_t LaunchSingleGroup(const SingleGroupArguments& a, cudaStream_t stream) {
  SingleGroupKernel<<<1, 1, 0, stream>>>(a);
  return cudaGetLastError();
}

}  // namespace moescope::cuda
