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
// done with it.
template <int kStages>
struct Ring {
  std::uint32_t barriers;  // shared address of 2 kStages barriers

  __device__ __forceinline__ std::uint32_t full(int stage) const { return barriers + 8 * stage; }
  __device__ __forceinline__ std::uint32_t empty(int stage) const {
    return barriers + 8 * (kStages + stage);
  }
  // By one thread, before the others use it.
  __device__ __forceinline__ void Initialise(int producers, int consumers) const {
    for (int stage = 0; stage < kStages; ++stage) {
      BarrierInit(full(stage), producers);
      BarrierInit(empty(stage), consumers);
    }
    FenceBarrierInit();
  }
};

}  // namespace moescope::cuda::device
