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

  // The item whose first block comes next; false behind the last. A producer left it beside that
  // block.
  __device__ __forceinline__ bool Next(device::WorkItem& item) {
    device::BarrierWait(ring_.full(position_.stage), position_.phase);
    // One lane hands a stage of this block on: what it has read may be overwritten then.
    const int reader = Traits::kCluster == 1 ? 0 : static_cast<int>(device::ClusterRank());
    uint4 words{};
    if (thread_ % 32 == reader) words = device::LoadShared16(shared_.item(position_.stage));
    const auto all = [reader](std::uint32_t word) {
      return static_cast<int>(__shfl_sync(0xFFFFFFFFu, word, reader));
    };
    item = {all(words.x), all(words.y), all(words.z), all(words.w), false};
    return item.expert >= 0;
  }
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
    if (!Weights::kFromRegisters && block > 0) HandOnPrevious();
    position_.Advance();
  }
  // After the last block: the accumulators are complete.
  __device__ __forceinline__ void Finish() {
    device::MmaWait<0>();
    HandOnPrevious();
  }
  // A consumer without rows in its tile only hands the stages on.
  __device__ __forceinline__ void Pass() {
    device::BarrierWait(ring_.full(position_.stage), position_.phase);
    ring_.Release(position_.stage, thread_ % 32);
    position_.Advance();
  }

 private:
  using Weights = typename Traits::Weights;

  // The stage before this one, whose products are complete.
  __device__ __forceinline__ void HandOnPrevious() const {
    ring_.Release(position_.Previous(), thread_ % 32);
  }

  // Both operands in shared memory: step(k, accumulate) for 16 columns at a time.
  template <typename Step, typename Meanwhile>
  __device__ __forceinline__ void MultiplyShared(int block, Step step, Meanwhile meanwhile) {
    device::MmaFence();
#pragma unroll
    for (int k = 0; k < 4; ++k) step(k, block > 0 || k > 0);
    device::MmaCommit();
    meanwhile();
    device::MmaWait<1>();
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
    const auto step = [&](int k, int accumulate) {
      device::TokenMma::Shared(first, second, tokens + 2 * k, weights + 2 * k, accumulate);
    };
    MultiplyShared(block, step, meanwhile);
  }

  template <typename Meanwhile>
  __device__ __forceinline__ void MultiplyWeightRows(int block, Accumulator<Traits>& first,
                                                     Accumulator<Traits>& second,
                                                     Meanwhile meanwhile) {
    using Mma = device::Mma<Traits::kTokens>;
    const std::uint64_t b = device::OperandDescriptor(shared_.tokens(position_.stage));
    const std::uint64_t a0 = device::OperandDescriptor(shared_.stages + WeightOffset(0));
    const std::uint64_t a1 = device::OperandDescriptor(shared_.stages + WeightOffset(1));
    const auto step = [&](int k, int accumulate) {
      Mma::Shared(first, a0 + 2 * k, b + 2 * k, accumulate);
      Mma::Shared(second, a1 + 2 * k, b + 2 * k, accumulate);
    };
    MultiplyShared(block, step, meanwhile);
  }

  // Weights from registers, two steps of 16 columns at a time: they are expanded while the products
  // of the two before are under way.
  template <typename Meanwhile>
  __device__ __forceinline__ void MultiplyExpanded(int block, Accumulator<Traits>& first,
                                                   Accumulator<Traits>& second,
                                                   Meanwhile meanwhile) {
    using Mma = device::Mma<Traits::kTokens>;
    const std::uint64_t b = device::OperandDescriptor(shared_.tokens(position_.stage));
    typename Weights::Codes codes[2];
    for (int half = 0; half < 2; ++half) {
      codes[half] = Weights::Load(shared_.stages + WeightOffset(half), thread_);
    }
    const bool wide =
        __any_sync(0xFFFFFFFFu, device::AnyWide(codes[0].AllScales() | codes[1].AllScales()));
    device::Fragment a[4][2];
    const auto expand = [&]<int kStep, bool kWide>() {
      for (int half = 0; half < 2; ++half) {
        a[kStep][half] = Weights::template Expand<kStep, kWide>(codes[half]);
      }
    };
    const auto multiply = [&]<int kStep>() {
      const int accumulate = block > 0 || kStep > 0;
      Mma::Registers(first, a[kStep][0], b + 2 * kStep, accumulate);
      Mma::Registers(second, a[kStep][1], b + 2 * kStep, accumulate);
    };
    const auto two_steps = [&]<int kStep>() {
      if (wide) {  // hardly ever
        expand.template operator()<kStep, true>();
        expand.template operator()<kStep + 1, true>();
      } else {
        expand.template operator()<kStep, false>();
        expand.template operator()<kStep + 1, false>();
      }
      device::MmaFence();
      multiply.template operator()<kStep>();
      multiply.template operator()<kStep + 1>();
      device::MmaCommit();
      device::MmaWait<1>();
    };
    two_steps.template operator()<0>();
    if (block > 0) HandOnPrevious();  // its products are complete
    two_steps.template operator()<2>();
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
};

}  // namespace moescope::cuda
