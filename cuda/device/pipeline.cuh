#pragma once

#include <cstdint>

#include "cuda/device/ptx.cuh"

// The ring of shared-memory stages between producers and consumers.

namespace moescope::cuda::device {

// Position in the ring: stage and the parity of the barrier phase it is in.
template <int kStages>
struct RingPosition {
  int stage = 0;
  std::uint32_t phase = 0;

  __device__ __forceinline__ void Advance() {
    if (++stage == kStages) {
      stage = 0;
      phase ^= 1;
    }
  }
  __device__ __forceinline__ int Previous() const { return stage == 0 ? kStages - 1 : stage - 1; }
};

// Barriers of one ring. `full` completes when a stage holds its data, `empty` when its readers are
// done with it, in a cluster the readers of the same stage in all its blocks: any of them may write
// it.
//
// Readers by ordinary loads (`kByThread`) must all arrive. For readers by wgmma one lane of a warp
// speaks for it: the warp waits for the products together.
template <int kStages, int kCluster, bool kByThread>
struct Ring {
  static_assert(!kByThread || kCluster == 1);
  std::uint32_t barriers;  // shared address of 2 kStages barriers

  __device__ __forceinline__ std::uint32_t full(int stage) const { return barriers + 8 * stage; }
  __device__ __forceinline__ std::uint32_t empty(int stage) const {
    return barriers + 8 * (kStages + stage);
  }
  // A warp of readers is done with a stage.
  __device__ __forceinline__ void Release(int stage, int lane) const {
    if constexpr (kByThread) {
      BarrierArrive(empty(stage));
    } else if constexpr (kCluster == 1) {
      if (lane == 0) BarrierArrive(empty(stage));
    } else {
      if (lane < kCluster) BarrierArriveAt(empty(stage), static_cast<std::uint32_t>(lane));
    }
  }
  // By one thread, before the others use it. `consumers` are the warps of one block.
  __device__ __forceinline__ void Initialise(int producers, int consumers) const {
    for (int stage = 0; stage < kStages; ++stage) {
      BarrierInit(full(stage), producers);
      BarrierInit(empty(stage), consumers * (kByThread ? 32 : kCluster));
    }
    FenceBarrierInit();
  }
};

}  // namespace moescope::cuda::device
