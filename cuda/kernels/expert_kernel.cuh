#pragma once

#include "cuda/kernels/chained_launch.cuh"
#include "cuda/kernels/expert_epilogue.cuh"
#include "cuda/kernels/expert_mainloop.cuh"
#include "cuda/kernels/expert_producer.cuh"
#include "cuda/kernels/expert_traits.cuh"

// The kernel of both projections: persistent, a producer warpgroup and one or two consumer
// warpgroups. Every consumer holds two accumulators: gate and up of the same rows of I, or two
// blocks of rows of H.

namespace moescope::cuda {

template <typename Traits>
__device__ __forceinline__ void Consume(const ExpertArguments& arguments,
                                        const ExpertShared<Traits>& shared,
                                        const typename Traits::Ring& ring) {
  const int warpgroup = threadIdx.x / 128 - 1;
  const int thread = threadIdx.x % 128;
  constexpr int kParts = Results<Traits>::kParts;
  AccumulatorTile<Traits> tile(shared, warpgroup, thread);
  Results<Traits> results(arguments, tile);
  Contraction<Traits> contraction(shared, ring, warpgroup, thread);
  const int blocks = arguments.blocks;
  device::WorkItem item;
  while (contraction.Next(item)) {
    if (Traits::kTokenRows && 64 * warpgroup >= item.rows) {
      results.Flush();
      for (int block = 0; block < blocks; ++block) contraction.Pass();
      continue;
    }
    Accumulator<Traits> first, second;
    TokenPlace place;
    const auto read_place = [&] { place = ReadPlace<Traits>(arguments, item, tile.token()); };
    // What the item before left to do goes beside the first blocks.
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      if (part < blocks) {
        contraction.Block(part, first, second, [&] { results.Part(part); });
      } else {
        results.Part(part);
      }
    }
    for (int block = kParts; block < blocks; ++block) {
      contraction.Block(block, first, second, [&] {
        if (block == kParts) read_place();
      });
    }
    if (blocks <= kParts) read_place();
    contraction.Finish();
    tile.Publish(place);
    results.Take(item, first, second);
  }
  results.Flush();
}

template <typename Traits>
__device__ __forceinline__ void SyncBlocks() {
  if constexpr (Traits::kCluster > 1) {
    device::ClusterSync();
  } else {
    __syncthreads();
  }
}

template <typename Traits>
__global__ void __launch_bounds__(Traits::kThreads, Traits::kBlocksPerMultiprocessor)
    ExpertKernel(const __grid_constant__ ExpertArguments arguments,
                 const __grid_constant__ CUtensorMap weights,
                 const __grid_constant__ CUtensorMap hidden) {
  extern __shared__ __align__(1024) std::uint8_t memory[];  // swizzled tiles need 1,024
  const ExpertShared<Traits> shared(memory);
  const typename Traits::Ring ring{shared.barriers()};
  if (threadIdx.x == 0) {
    ring.Initialise(1 + (Traits::kGather ? Traits::kProducers : 0), 4 * Traits::kWarpgroups);
    if constexpr (!Traits::Weights::kFromRegisters) device::PrefetchMap(&weights);
    if constexpr (!Traits::kGather) device::PrefetchMap(&hidden);
  }
  SyncBlocks<Traits>();
  // The groups come from the dispatch, which has ended when `down` starts: gate/up waited for it.
  if constexpr (Traits::kGather) device::WaitForPreviousKernel();
  constexpr int kRowsPerBlock =
      64 * Traits::kWarpgroups * (Traits::kProjection == Projection::kDown ? 2 : 1);
  const int row_blocks = (arguments.matrix.rows + kRowsPerBlock - 1) / kRowsPerBlock;
  if (threadIdx.x < 128) {
    device::RegistersDecrease<Traits::kProducerRegisters>();
    Produce<Traits>(arguments, &weights, &hidden, shared, ring, row_blocks);
  } else {
    device::RegistersIncrease<Traits::kConsumerRegisters>();
    Consume<Traits>(arguments, shared, ring);
  }
  // A block must not end while another may still write to it.
  if constexpr (Traits::kCluster > 1) device::ClusterSync();
}

template <typename Traits>
cudaError_t LaunchExpert(const ExpertArguments& arguments, const CUtensorMap& weights,
                         const CUtensorMap& hidden, int blocks, cudaStream_t stream) {
  const auto kernel = ExpertKernel<Traits>;
  const cudaError_t sized = cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Traits::kSharedBytes);
  if (sized != cudaSuccess) return sized;
  blocks *= Traits::kBlocksPerMultiprocessor;
  return LaunchChained(kernel, {blocks, Traits::kThreads, Traits::kSharedBytes, Traits::kCluster},
                       stream, arguments, weights, hidden);
}

template <typename Weights, Projection kProjection>
cudaError_t LaunchTile(const ExpertArguments& arguments, const CUtensorMap& weights,
                       const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream) {
  const auto launch = [&]<int kTokens, int kWarpgroups, int kCluster = 1>() {
    using Traits = ExpertTraits<Weights, kProjection, kTokens, kWarpgroups,
                                StagesFor<Weights, kTokens, kWarpgroups>(), kCluster>;
    return LaunchExpert<Traits>(arguments, weights, hidden, tile.blocks, stream);
  };
  if constexpr (!Weights::kFromRegisters) {
    if (tile.cluster == 2 && tile.tokens == 128 && tile.warpgroups == 2) {
      return launch.template operator()<128, 2, 2>();
    }
  }
  if (tile.cluster != 1) return cudaErrorInvalidValue;
  if (tile.tokens == 16 && tile.warpgroups == 1) return launch.template operator()<16, 1>();
  if (tile.tokens == 32 && tile.warpgroups == 1) return launch.template operator()<32, 1>();
  if (tile.tokens == 64 && tile.warpgroups == 2) return launch.template operator()<64, 2>();
  if (tile.tokens == 128 && tile.warpgroups == 2) return launch.template operator()<128, 2>();
  return cudaErrorInvalidValue;
}

}  // namespace moescope::cuda
