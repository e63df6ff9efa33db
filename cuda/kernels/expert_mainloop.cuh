#pragma once

#include <cstdint>

#include "cuda/device/mma.cuh"
#include "cuda/device/pipeline.cuh"
#include "cuda/device/ptx.cuh"
#include "cuda/kernels/expert_traits.cuh"

// The one main loop of both projections and of every weight format. The chain of an output is its
// columns ascending, whatever the tile and whichever operand is the M side.

namespace moescope::cuda {

template <typename Traits>
using Accumulator = float[Traits::kTokens / 2];

// The products of one consumer, block after block of 64 columns.
template <typename Traits>
class Contraction {
 public:
  __device__ __forceinline__ Contraction(const ExpertShared<Traits>& shared,
                                         const typename Traits::Ring& ring, int warpgroup,
                                         int thread)
      : shared_(shared), ring_(ring), warpgroup_(warpgroup), thread_(thread) {}

  // Adds one block to both accumulators, block 0 sets them. `meanwhile` is called once, while the
  // products are under way. The stage of the block before is handed on.
  template <typename Meanwhile>
  __device__ __forceinline__ void Block(int block, Accumulator<Traits>& first,
                                        Accumulator<Traits>& second, Meanwhile meanwhile) {
    device::BarrierWait(ring_.full(position_.stage), position_.phase);
    // cp.async writes through the ordinary proxy; wgmma reads through the other one.
    if constexpr (Traits::kGather) device::FenceAsyncProxy();
    if constexpr (Traits::kTokenRows) {
      MultiplyTokenRows(block, first, second, meanwhile);
    } else if constexpr (!Weights::kFromRegisters) {
      MultiplyWeightRows(block, first, second, meanwhile);
    } else {
      MultiplyExpanded(block, first, second, meanwhile);
    }
    HandOn();
    released_ = position_.stage;
    position_.Advance();
  }
  // After the last block: the accumulators are complete.
  __device__ __forceinline__ void Finish() {
    device::MmaWait<0>();
    HandOn();
  }
  // A consumer without rows in its tile only hands the stages on.
  __device__ __forceinline__ void Pass() {
    device::BarrierWait(ring_.full(position_.stage), position_.phase);
    ring_.Release(position_.stage, thread_ % 32);
    position_.Advance();
  }

 private:
  using Weights = typename Traits::Weights;

  __device__ __forceinline__ void HandOn() {
    if (released_ >= 0) ring_.Release(released_, thread_ % 32);
    released_ = -1;
  }

  // Tokens of this consumer by the chunks of all consumers, which follow each other.
  template <typename Meanwhile>
  __device__ __forceinline__ void MultiplyTokenRows(int block, Accumulator<Traits>& first,
                                                    Accumulator<Traits>& second,
                                                    Meanwhile meanwhile) {
    const std::uint64_t tokens =
        device::OperandDescriptor(shared_.tokens(position_.stage) + warpgroup_ * 64 * 128);
    const std::uint64_t weights =
        device::OperandDescriptor(shared_.stages + shared_.WeightOffset(position_.stage, 0, 0));
    device::MmaFence();
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      device::TokenMma::Shared(first, second, tokens + 2 * step, weights + 2 * step,
                               block > 0 || step > 0);
    }
    device::MmaCommit();
    meanwhile();
    device::MmaWait<1>();
  }

  template <typename Meanwhile>
  __device__ __forceinline__ void MultiplyWeightRows(int block, Accumulator<Traits>& first,
                                                     Accumulator<Traits>& second,
                                                     Meanwhile meanwhile) {
    using Mma = device::Mma<Traits::kTokens>;
    const std::uint64_t b = device::OperandDescriptor(shared_.tokens(position_.stage));
    const std::uint64_t a0 = device::OperandDescriptor(shared_.stages + WeightOffset(0));
    const std::uint64_t a1 = device::OperandDescriptor(shared_.stages + WeightOffset(1));
    device::MmaFence();
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      const int accumulate = block > 0 || step > 0;
      Mma::Shared(first, a0 + 2 * step, b + 2 * step, accumulate);
      Mma::Shared(second, a1 + 2 * step, b + 2 * step, accumulate);
    }
    device::MmaCommit();
    meanwhile();
    device::MmaWait<1>();
  }

  template <typename Meanwhile>
  __device__ __forceinline__ void MultiplyExpanded(int block, Accumulator<Traits>& first,
                                                   Accumulator<Traits>& second,
                                                   Meanwhile meanwhile) {
    using Mma = device::Mma<Traits::kTokens>;
    const std::uint64_t b = device::OperandDescriptor(shared_.tokens(position_.stage));
    const auto codes0 = Weights::Load(shared_.stage_bytes + WeightOffset(0), thread_);
    const auto codes1 = Weights::Load(shared_.stage_bytes + WeightOffset(1), thread_);
    // One lane hands the stage on for its warp: the loads of the others come before that.
    __syncwarp();
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
    HandOn();  // the products of the stage before this one are complete
    step.template operator()<1>();
    step.template operator()<2>();
    step.template operator()<3>();
    meanwhile();
  }

  __device__ __forceinline__ int WeightOffset(int half) const {
    return shared_.WeightOffset(position_.stage, half, warpgroup_);
  }

  const ExpertShared<Traits>& shared_;
  const typename Traits::Ring& ring_;
  int warpgroup_;
  int thread_;
  device::RingPosition<Traits::kStages> position_;
  int released_ = -1;  // the stage whose products are not known to be complete
};

}  // namespace moescope::cuda
