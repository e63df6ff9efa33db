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

// Publishes stages filled by cp.async in order, kLag stages after they were issued: the data has
// then arrived and is made visible to wgmma before the barrier tells.
template <int kStages, int kLag>
class LaggedPublisher {
 public:
  __device__ __forceinline__ explicit LaggedPublisher(const Ring<kStages>& ring) : ring_(ring) {}

  // After the copies of one stage were issued.
  __device__ __forceinline__ void Issued() {
    CopyAsyncCommit();
    if (++pending_ > kLag) {
      CopyAsyncWait<kLag>();
      Publish();
    }
  }
  __device__ __forceinline__ void Flush() {
    CopyAsyncWait<0>();
    while (pending_ > 0) Publish();
  }

 private:
  __device__ __forceinline__ void Publish() {
    FenceAsyncProxy();
    BarrierArrive(ring_.full(next_.stage));
    next_.Advance();
    --pending_;
  }

  const Ring<kStages>& ring_;
  RingPosition<kStages> next_;
  int pending_ = 0;
};

}  // namespace moescope::cuda::device
