#pragma once

#include <cstdint>

#include "cuda/device/mma.cuh"
#include "cuda/device/pipeline.cuh"
#include "cuda/device/ptx.cuh"
#include "cuda/kernels/expert_traits.cuh"

// The one main loop of both projections and of every weight format. Weights are the M side of
// wgmma, tokens the N side. The chain of an output is its columns ascending, whatever the tile.

namespace moescope::cuda {

template <typename Traits>
using Accumulator = float[Traits::kTokens / 2];

// All columns of one item into both accumulators. `meanwhile` is called once,
// while the first products are under way.
template <typename Traits, typename Meanwhile>
__device__ __forceinline__ void Multiply(const ExpertShared<Traits>& shared,
                                         const device::Ring<Traits::kStages>& ring,
                                         device::RingPosition<Traits::kStages>& position,
                                         int warpgroup, int thread, int blocks,
                                         Accumulator<Traits>& first, Accumulator<Traits>& second,
                                         Meanwhile meanwhile) {
  using Weights = typename Traits::Weights;
  using Mma = device::Mma<Traits::kTokens>;
  int released = -1;
  for (int block = 0; block < blocks; ++block) {
    device::BarrierWait(ring.full(position.stage), position.phase);
    // cp.async writes through the ordinary proxy; wgmma reads through the other one.
    if constexpr (Traits::kGather) device::FenceAsyncProxy();
    const std::uint64_t b = device::OperandDescriptor(shared.tokens(position.stage));
    const int offset0 = shared.WeightOffset(position.stage, 0, warpgroup);
    const int offset1 = shared.WeightOffset(position.stage, 1, warpgroup);
    if constexpr (!Weights::kFromRegisters) {
      const std::uint64_t a0 = device::OperandDescriptor(shared.stages + offset0);
      const std::uint64_t a1 = device::OperandDescriptor(shared.stages + offset1);
      device::MmaFence();
#pragma unroll
      for (int step = 0; step < 4; ++step) {
        const int accumulate = block > 0 || step > 0;
        Mma::Shared(first, a0 + 2 * step, b + 2 * step, accumulate);
        Mma::Shared(second, a1 + 2 * step, b + 2 * step, accumulate);
      }
      device::MmaCommit();
      if (block == 0) meanwhile();
      device::MmaWait<1>();
    } else {
      const auto codes0 = Weights::Load(shared.stage_bytes + offset0, thread);
      const auto codes1 = Weights::Load(shared.stage_bytes + offset1, thread);
      device::Fragment a[2][2];
      const auto step = [&]<int kStep>() {
        a[kStep % 2][0] = Weights::template Expand<kStep>(codes0);
        a[kStep % 2][1] = Weights::template Expand<kStep>(codes1);
        device::MmaFence();
        const int accumulate = block > 0 || kStep > 0;
        Mma::Registers(first, a[kStep % 2][0], b + 2 * kStep, accumulate);
        Mma::Registers(second, a[kStep % 2][1], b + 2 * kStep, accumulate);
        device::MmaCommit();
        device::MmaWait<1>();
      };
      step.template operator()<0>();
      if (released >= 0 && thread % 32 == 0) device::BarrierArrive(ring.empty(released));
      released = -1;
      step.template operator()<1>();
      step.template operator()<2>();
      step.template operator()<3>();
      if (block == 0) meanwhile();
    }
    // The products of the stage before this one are complete.
    if (released >= 0 && thread % 32 == 0) device::BarrierArrive(ring.empty(released));
    released = position.stage;
    position.Advance();
  }
  device::MmaWait<0>();
  if (thread % 32 == 0) device::BarrierArrive(ring.empty(released));
}

}  // namespace moescope::cuda
