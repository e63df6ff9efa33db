#pragma once

#include "cuda/kernels/expert_epilogue.cuh"
#include "cuda/kernels/expert_mainloop.cuh"
#include "cuda/kernels/expert_producer.cuh"
#include "cuda/kernels/expert_traits.cuh"

// The kernel of both projections: persistent, a producer warpgroup and one or two consumer
// warpgroups. Every consumer holds two accumulators of 64 rows: gate and up of the same rows of I,
// or two blocks of rows of H.

namespace moescope::cuda {

template <typename Traits>
__device__ __forceinline__ void Consume(const ExpertArguments& arguments,
                                        const ExpertShared<Traits>& shared,
                                        const device::Ring<Traits::kStages>& ring, int row_blocks) {
  const int warpgroup = threadIdx.x / 128 - 1;
  const int thread = threadIdx.x % 128;
  int* const row_numbers = shared.rows(warpgroup);
  float* const row_weights = reinterpret_cast<float*>(row_numbers + Traits::kTokens);
  device::ItemWalker walker(arguments.groups, row_blocks, Traits::kTokens);
  device::RingPosition<Traits::kStages> position;
  device::WorkItem item, next_item;
  TokenPlace place, next_place;
  bool more = walker.Next(item);
  if (more) place = ReadPlace<Traits>(arguments, item, thread);
  while (more) {
    bool next = false;
    Accumulator<Traits> first, second;
    Multiply<Traits>(shared, ring, position, warpgroup, thread, arguments.matrix.column_chunks(),
                     first, second, [&] {
                       next = walker.Next(next_item);
                       if (next) next_place = ReadPlace<Traits>(arguments, next_item, thread);
                     });
    if (thread < Traits::kTokens) {
      row_numbers[thread] = place.to;
      row_weights[thread] = place.weight;
    }
    device::NamedBarrier(1 + warpgroup, 128);
    const Epilogue<Traits> epilogue{
        arguments, item, {thread}, shared.staging(warpgroup), 1 + warpgroup, {row_numbers}};
    epilogue.Store(first, second, 64 * warpgroup);
    more = next;
    item = next_item;
    place = next_place;
  }
}

template <typename Traits>
__global__ void __launch_bounds__(Traits::kThreads, Traits::kBlocksPerMultiprocessor)
    ExpertKernel(const __grid_constant__ ExpertArguments arguments,
                 const __grid_constant__ CUtensorMap weights,
                 const __grid_constant__ CUtensorMap hidden) {
  extern __shared__ __align__(1024) std::uint8_t memory[];  // swizzled tiles need 1,024
  const ExpertShared<Traits> shared(memory);
  const device::Ring<Traits::kStages> ring{shared.barriers()};
  if (threadIdx.x == 0) {
    ring.Initialise(1 + (Traits::kGather ? 128 : 0), 4 * Traits::kWarpgroups);
    if constexpr (!Traits::Weights::kFromRegisters) device::PrefetchMap(&weights);
    if constexpr (!Traits::kGather) device::PrefetchMap(&hidden);
  }
  __syncthreads();
  constexpr int kRowsPerBlock =
      64 * Traits::kWarpgroups * (Traits::kProjection == Projection::kDown ? 2 : 1);
  const int row_blocks = (arguments.matrix.rows + kRowsPerBlock - 1) / kRowsPerBlock;
  if (threadIdx.x < 128) {
    device::RegistersDecrease<Traits::kProducerRegisters>();
    Produce<Traits>(arguments, &weights, &hidden, shared, ring, row_blocks);
  } else {
    device::RegistersIncrease<Traits::kConsumerRegisters>();
    Consume<Traits>(arguments, shared, ring, row_blocks);
  }
}

template <typename Traits>
cudaError_t LaunchExpert(const ExpertArguments& arguments, const CUtensorMap& weights,
                         const CUtensorMap& hidden, int blocks, cudaStream_t stream) {
  const auto kernel = ExpertKernel<Traits>;
  const cudaError_t sized = cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Traits::kSharedBytes);
  if (sized != cudaSuccess) return sized;
  blocks *= Traits::kBlocksPerMultiprocessor;
  kernel<<<blocks, Traits::kThreads, Traits::kSharedBytes, stream>>>(arguments, weights, hidden);
  return cudaGetLastError();
}

template <typename Weights, Projection kProjection>
cudaError_t LaunchTile(const ExpertArguments& arguments, const CUtensorMap& weights,
                       const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream) {
  const auto launch = [&]<int kTokens, int kWarpgroups>() {
    using Traits = ExpertTraits<Weights, kProjection, kTokens, kWarpgroups,
                                StagesFor<Weights, kTokens, kWarpgroups>()>;
    return LaunchExpert<Traits>(arguments, weights, hidden, tile.blocks, stream);
  };
  if (tile.tokens == 16 && tile.warpgroups == 1) return launch.template operator()<16, 1>();
  if (tile.tokens == 32 && tile.warpgroups == 1) return launch.template operator()<32, 1>();
  if (tile.tokens == 64 && tile.warpgroups == 2) return launch.template operator()<64, 2>();
  if (tile.tokens == 128 && tile.warpgroups == 2) return launch.template operator()<128, 2>();
  return cudaErrorInvalidValue;
}

}  // namespace moescope::cuda
