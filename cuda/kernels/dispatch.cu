#include <climits>

#include "cuda/device/ptx.cuh"
#include "cuda/kernels/chained_launch.cuh"
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

// The pair of this thread; id -1 behind the last one.
__device__ __forceinline__ std::int64_t PairOfThread() {
  return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}
__device__ __forceinline__ std::int32_t IdOf(const DispatchArguments& a, std::int64_t pair) {
  return pair < a.pairs ? a.idx[pair] : -1;
}

// Pairs of this block per expert, into shared `counts`.
__device__ void CountPairs(const DispatchArguments& a, std::int32_t id, std::int32_t* counts) {
  for (int e = threadIdx.x; e < a.experts; e += kThreads) counts[e] = 0;
  __syncthreads();
  if (IsExpert(id, a.experts)) atomicAdd(&counts[id], 1);
  __syncthreads();
}

__global__ void __launch_bounds__(kThreads) HistogramKernel(DispatchArguments a) {
  extern __shared__ std::int32_t counts[];
  CountPairs(a, IdOf(a, PairOfThread()), counts);
  for (int e = threadIdx.x; e < a.experts; e += kThreads) {
    a.chunk_count[static_cast<std::int64_t>(blockIdx.x) * a.experts + e] = counts[e];
  }
  device::LetNextKernelStart();
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
  device::WaitForPreviousKernel();
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
  device::LetNextKernelStart();
}

// What is counted over experts.
struct Counts {
  int rows = 0;   // padded
  int flags = 0;  // non-empty experts, and 65,536 times those with an odd number of tiles
  int tiles = 0;
  int pairs = 0;

  __device__ __forceinline__ Counts operator+(const Counts& other) const {
    return {rows + other.rows, flags + other.flags, tiles + other.tiles, pairs + other.pairs};
  }
};

__device__ __forceinline__ Counts WarpInclusive(const Counts& c) {
  return {WarpInclusive(c.rows), WarpInclusive(c.flags), WarpInclusive(c.tiles),
          WarpInclusive(c.pairs)};
}

// Sums over the threads of the block before this one; `total` over all.
__device__ Counts BlockExclusive(const Counts& own, Counts* warp_sums, Counts& total) {
  const Counts inclusive = WarpInclusive(own);
  const int warp = threadIdx.x / 32;
  __syncthreads();
  if (threadIdx.x % 32 == 31) warp_sums[warp] = inclusive;
  __syncthreads();
  if (warp == 0) warp_sums[threadIdx.x] = WarpInclusive(warp_sums[threadIdx.x]);
  __syncthreads();
  total = warp_sums[kWarps - 1];
  const Counts before = warp == 0 ? Counts{} : warp_sums[warp - 1];
  return {before.rows + inclusive.rows - own.rows, before.flags + inclusive.flags - own.flags,
          before.tiles + inclusive.tiles - own.tiles, before.pairs + inclusive.pairs - own.pairs};
}

// Bases, the list of non-empty experts, token tiles and padding rows, from the pairs of each
// expert. One block; experts are strided over its threads, `kThreads` at a time. `bases` may be
// `counts`. Of several blocks that build the same, one writes what others read.
__device__ void BuildGroups(const DispatchArguments& a, const std::int32_t* counts,
                            std::int32_t* bases, bool writes) {
  __shared__ Counts warp_sums[kWarps];
  Counts before;
  for (int first = 0; first < a.experts; first += kThreads) {
    const int e = first + threadIdx.x;
    const int count = e < a.experts ? counts[e] : 0;
    const int padded = (count + 15) / 16 * 16;
    const int tiles = (count + a.token_tile - 1) / a.token_tile;
    Counts sum;
    const Counts at =
        before + BlockExclusive({padded, (count > 0 ? 1 : 0) + (tiles % 2 << 16), tiles, count},
                                warp_sums, sum);
    before = before + sum;
    if (e < a.experts) bases[e] = at.rows;
    if (!writes) continue;
    if (e < a.experts) {
      a.count[e] = count;
      a.base[e] = at.rows;
    }
    if (count > 0) {
      const int group = at.flags & 0xFFFF;
      a.group_expert[group] = e;
      a.group_prefix[group] = at.tiles;
      a.group_odd[group] = at.flags >> 16;
    }
    for (int row = at.rows + count; row < at.rows + padded; ++row) {
      a.row_src[row] = -1;
      a.row_w[row] = 0.0f;
    }
  }
  if (writes && threadIdx.x == 0) {
    const int groups = before.flags & 0xFFFF;
    a.group_prefix[groups] = before.tiles;
    a.group_odd[groups] = before.flags >> 16;
    *a.group_size = groups;
    a.status[0] = INT_MAX;
    a.status[1] = before.pairs;
  }
}

__global__ void __launch_bounds__(kThreads) GroupsKernel(DispatchArguments a) {
  device::WaitForPreviousKernel();
  BuildGroups(a, a.count, a.base, true);
  device::LetNextKernelStart();
}

// What a thread knows of its pair before the rows are known.
struct OwnPair {
  std::int64_t index;
  std::int32_t id;
  float weight;

  __device__ __forceinline__ explicit OwnPair(const DispatchArguments& a)
      : index(PairOfThread()), id(IdOf(a, index)), weight(index < a.pairs ? a.w[index] : 0.0f) {}
};

// Rows of this block's pairs. `before[e]` are the pairs of expert e in earlier blocks. Shared
// `ranks` holds [warps, E]: first the pairs of each warp, then those of earlier warps.
__device__ void PlacePairs(const DispatchArguments& a, const OwnPair& pair,
                           const std::int32_t* bases, const std::int32_t* before,
                           std::uint16_t* ranks) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const std::int64_t left = a.pairs - static_cast<std::int64_t>(blockIdx.x) * kThreads;
  const auto warps =  // with pairs
      static_cast<int>(max(min((left + 31) / 32, std::int64_t{kWarps}), std::int64_t{0}));
  for (int i = threadIdx.x; i < warps * a.experts; i += kThreads) ranks[i] = 0;
  __syncthreads();
  const bool routed = IsExpert(pair.id, a.experts);
  if (!routed && pair.id != -1) atomicMin(&a.status[0], static_cast<int>(pair.index));
  const unsigned peers = __match_any_sync(0xFFFFFFFFu, routed ? pair.id : -1);
  const int rank = __popc(peers & ((1u << lane) - 1u));
  if (routed && rank == 0) {
    ranks[warp * a.experts + pair.id] = static_cast<std::uint16_t>(__popc(peers));
  }
  __syncthreads();
  for (int e = threadIdx.x; e < a.experts; e += kThreads) {
    int sum = 0;
    for (int w = 0; w < warps; ++w) {
      const int count = ranks[w * a.experts + e];
      ranks[w * a.experts + e] = static_cast<std::uint16_t>(sum);
      sum += count;
    }
  }
  __syncthreads();
  if (pair.index >= a.pairs) return;
  if (!routed) {
    a.row_of[pair.index] = -1;
    return;
  }
  const int row = bases[pair.id] + before[pair.id] + ranks[warp * a.experts + pair.id] + rank;
  a.row_of[pair.index] = row;
  a.row_src[row] = static_cast<std::int32_t>(pair.index);
  a.row_w[row] = pair.weight;
}

__global__ void __launch_bounds__(kThreads) PlaceKernel(DispatchArguments a) {
  extern __shared__ std::uint16_t ranks[];
  const OwnPair pair(a);  // an input of the layer
  device::WaitForPreviousKernel();
  PlacePairs(a, pair, a.base, &a.chunk_count[static_cast<std::int64_t>(blockIdx.x) * a.experts],
             ranks);
  device::LetNextKernelStart();
}

template <typename Kernel>
cudaError_t AllowShared(Kernel kernel, int bytes) {
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

// All of it for at most 1,024 pairs per block, in one cluster. Every block knows the counts of all,
// hence the bases; the first one writes the groups.
template <int kBlocks>
__global__ void __cluster_dims__(kBlocks, 1, 1) __launch_bounds__(kThreads)
    FewPairsKernel(DispatchArguments a) {
  extern __shared__ std::int32_t memory[];
  std::int32_t* const counts = memory;  // of this block
  std::int32_t* const bases = counts + a.experts;
  std::int32_t* const before = bases + a.experts;
  auto* const ranks = reinterpret_cast<std::uint16_t*>(before + a.experts);
  const auto sync = [] {
    if constexpr (kBlocks > 1) {
      device::ClusterSync();
    } else {
      __syncthreads();
    }
  };
  const OwnPair pair(a);
  CountPairs(a, pair.id, counts);
  sync();
  for (int e = threadIdx.x; e < a.experts; e += kThreads) {
    int total = 0;
    int earlier = 0;
    for (int block = 0; block < kBlocks; ++block) {
      if (block == blockIdx.x) earlier = total;
      total +=
          kBlocks == 1 ? counts[e] : device::LoadSharedOf(device::SharedAddress(&counts[e]), block);
    }
    bases[e] = total;
    before[e] = earlier;
  }
  __syncthreads();
  BuildGroups(a, bases, bases, blockIdx.x == 0);
  sync();  // the status is set, and nobody reads the counts of another block any more
  PlacePairs(a, pair, bases, before, ranks);
  device::LetNextKernelStart();
}

template <int kBlocks>
cudaError_t LaunchFewPairs(const DispatchArguments& a, cudaStream_t stream) {
  const int bytes = (3 * 4 + 2 * kWarps) * a.experts;
  const cudaError_t allowed = AllowShared(FewPairsKernel<kBlocks>, bytes);
  if (allowed != cudaSuccess) return allowed;
  FewPairsKernel<kBlocks><<<kBlocks, kThreads, bytes, stream>>>(a);
  return cudaGetLastError();
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

}  // namespace

cudaError_t LaunchDispatch(const DispatchArguments& a, cudaStream_t stream) {
  static_assert(kDispatchChunk == kThreads);
  const auto chunks = static_cast<int>((a.pairs + kThreads - 1) / kThreads);
  if (chunks <= 1) return LaunchFewPairs<1>(a, stream);
  if (chunks <= kDispatchCluster) return LaunchFewPairs<kDispatchCluster>(a, stream);
  const int count_bytes = 4 * a.experts;
  const int rank_bytes = 2 * kWarps * a.experts;
  const cudaError_t allowed = AllowShared(PlaceKernel, rank_bytes);
  if (allowed != cudaSuccess) return allowed;
  HistogramKernel<<<chunks, kThreads, count_bytes, stream>>>(a);
  cudaError_t error = cudaGetLastError();
  const auto chain = [&](auto kernel, const LaunchShape& shape, auto... arguments) {
    if (error == cudaSuccess) error = LaunchChained(kernel, shape, stream, arguments...);
  };
  chain(ChunkPrefixKernel, {(a.experts + 3) / 4, 128}, a, chunks);
  chain(GroupsKernel, {1, kThreads}, a);
  chain(PlaceKernel, {chunks, kThreads, rank_bytes}, a);
  return error;
}

cudaError_t LaunchSingleGroup(const SingleGroupArguments& a, cudaStream_t stream) {
  SingleGroupKernel<<<1, 1, 0, stream>>>(a);
  return cudaGetLastError();
}

}  // namespace moescope::cuda
