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
};

// Barriers of one ring. `full` completes when a stage holds its data, `empty` when its readers are
// done with it, in a cluster the readers of the same stage in all its blocks: any of them may write
// it.
template <int kStages, int kCluster>
struct Ring {
  std::uint32_t barriers;  // shared address of 2 kStages barriers

  __device__ __forceinline__ std::uint32_t full(int stage) const { return barriers + 8 * stage; }
  __device__ __forceinline__ std::uint32_t empty(int stage) const {
    return barriers + 8 * (kStages + stage);
  }
  // A warp of readers is done with a stage.
  __device__ __forceinline__ void Release(int stage, int lane) const {
    if constexpr (kCluster == 1) {
      if (lane == 0) BarrierArrive(empty(stage));
    } else {
      if (lane < kCluster) BarrierArriveAt(empty(stage), static_cast<std::uint32_t>(lane));
    }
  }
  // By one thread, before the others use it. `consumers` are the warps of one block.
  __device__ __forceinline__ void Initialise(int producers, int consumers) const {
    for (int stage = 0; stage < kStages; ++stage) {
      BarrierInit(full(stage), producers);
      BarrierInit(empty(stage), consumers * kCluster);
    }
    FenceBarrierInit();
  }
};

}  // namespace moescope::cuda::device
