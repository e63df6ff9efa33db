#pragma once

#include <cstdint>

#include "cuda/device/pipeline.cuh"
#include "cuda/device/ptx.cuh"
#include "cuda/device/schedule.cuh"
#include "cuda/kernels/expert_traits.cuh"

// The producer warpgroup of an expert kernel: fills the ring with 64 columns of weights and tokens
// per stage, item after item.

namespace moescope::cuda {

// Starts the copies of the weights of one stage; the barrier counts their bytes.
template <typename Traits>
__device__ __forceinline__ void LoadWeights(const ExpertArguments& arguments,
                                            const CUtensorMap* map, const device::WorkItem& item,
                                            int block, const ExpertShared<Traits>& shared,
                                            int stage, std::uint32_t barrier) {
  using Weights = typename Traits::Weights;
  if constexpr (!Weights::kFromRegisters) {
    if (Traits::kCluster == 2 && item.shares_weights) {  // one half each, for both
      const int half = static_cast<int>(device::ClusterRank());
      device::CopyTile3To(0b11, shared.stages + shared.WeightOffset(stage, half, 0), map, barrier,
                          block * kChunk, HalfRow<Traits>(arguments.matrix, item.row_block, half),
                          item.expert);
      return;
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      device::CopyTile3(shared.stages + shared.WeightOffset(stage, half, 0), map, barrier,
                        block * kChunk, HalfRow<Traits>(arguments.matrix, item.row_block, half),
                        item.expert);
    }
  } else {
    const MatrixShape& matrix = arguments.matrix;
    const std::uint8_t* expert = arguments.weights + item.expert * arguments.expert_bytes;
    const int row_chunks = matrix.row_chunks();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int warpgroup = 0; warpgroup < Traits::kWarpgroups; ++warpgroup) {
        int chunk;
        if constexpr (Traits::kProjection == Projection::kGateUp) {
          chunk = half * row_chunks +
                  min(item.row_block * Traits::kWarpgroups + warpgroup, row_chunks - 1);
        } else {
          chunk =
              min((item.row_block * 2 + half) * Traits::kWarpgroups + warpgroup, row_chunks - 1);
        }
        const std::int64_t offset =
            (static_cast<std::int64_t>(chunk) * matrix.column_chunks() + block) *
            Weights::kChunkBytes;
        device::CopyBulk(shared.stages + shared.WeightOffset(stage, half, warpgroup),
                         expert + offset, Weights::kChunkBytes, barrier);
      }
    }
  }
}

// The token rows of which a producer thread gathers one 16-byte piece.
template <int kTokens, int kThreads>
struct GatherRows {
  static constexpr int kStride = kThreads / 8;
  static constexpr int kCount = kTokens / kStride;
  int source[kCount];  // token; -1: zeros

  __device__ __forceinline__ void Read(const ExpertArguments& arguments,
                                       const device::WorkItem& item, int thread) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int row = thread / 8 + kStride * i;
      source[i] = -1;
      if (row >= item.rows) continue;
      source[i] = item.row + row;
      if (arguments.row_src != nullptr) source[i] = arguments.row_src[item.row + row];
    }
  }
  // From pairs to tokens; apart from Read so that the loads have time to arrive.
  __device__ __forceinline__ void ToTokens(const ExpertArguments& arguments) {
    if (arguments.row_src == nullptr) return;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (source[i] >= 0) source[i] /= arguments.top_k;
    }
  }
  // Into kTokens rows, or only into the first half of them.
  __device__ __forceinline__ void Load(const ExpertArguments& arguments, std::uint32_t to,
                                       int thread, int block, bool half) const {
    const int piece = thread % 8;
    const int columns = arguments.matrix.columns;
    const int column = block * kChunk + piece * 8;
    const bool inside = column < columns;
    const Bf16* const first = arguments.tokens + (inside ? column : 0);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (i == kCount / 2 && half) break;
      const int row = thread / 8 + kStride * i;
      const std::int64_t token = source[i] < 0 ? 0 : source[i];
      device::CopyAsync16(to + row * 128 + ((piece ^ (row & 7)) << 4), first + token * columns,
                          inside && source[i] >= 0);
    }
  }
};

// Leaves the item for the consumers, in the stage of its first block.
__device__ __forceinline__ void PutItem(std::uint32_t to, const device::WorkItem& item) {
  const auto word = [](int value) { return static_cast<std::uint32_t>(value); };
  device::StoreShared16(to,
                        {word(item.expert), word(item.row), word(item.rows), word(item.row_block)});
}

template <typename Traits>
__device__ __forceinline__ void Produce(const ExpertArguments& arguments,
                                        const CUtensorMap* weights, const CUtensorMap* hidden,
                                        const ExpertShared<Traits>& shared,
                                        const typename Traits::Ring& ring, int row_blocks) {
  const int thread = threadIdx.x;
  if (thread >= Traits::kProducers) return;
  using Rows = GatherRows<Traits::kGather ? Traits::kTokens : 16, Traits::kProducers>;
  typename Traits::Walker walker(arguments.groups, row_blocks, Traits::kTokens);
  device::RingPosition<Traits::kStages> position;
  const int blocks = arguments.blocks;
  device::WorkItem item, next_item;
  Rows rows, next_rows;
  bool more = walker.Next(item);
  const auto start_weights = [&](int block, int stage) {
    constexpr int kBytes = Traits::kWeightBytes + (Traits::kGather ? 0 : Traits::kTokenBytes);
    if (block == 0) PutItem(shared.item(stage), item);
    device::BarrierArriveExpect(ring.full(stage), kBytes);
    LoadWeights<Traits>(arguments, weights, item, block, shared, stage, ring.full(stage));
  };
  int ahead = 0;  // blocks whose weights are under way
  if constexpr (Traits::kGather) {
    if (more) rows.Read(arguments, item, thread);
  } else {
    // The kernel before makes the tokens of this one: meanwhile the ring is filled with weights.
    if (more) ahead = min(blocks, Traits::kStages);
    if (thread == 0) {
#pragma unroll 1
      for (int block = 0; block < ahead; ++block) start_weights(block, block);
    }
    device::WaitForPreviousKernel();
  }
  while (more) {
    if constexpr (Traits::kGather) rows.ToTokens(arguments);
    bool next = false;
    for (int block = 0; block < blocks; ++block) {
      device::BarrierWait(ring.empty(position.stage), position.phase ^ 1);
      const std::uint32_t full = ring.full(position.stage);
      if (thread == 0) {
        if (ahead == 0) start_weights(block, position.stage);
        if constexpr (!Traits::kGather) {
          device::CopyTile2(shared.tokens(position.stage), hidden, full, block * kChunk, item.row);
        }
      }
      ahead = max(ahead - 1, 0);
      if constexpr (Traits::kGather) {
        // The second consumer of a tile with few rows does not read its own.
        rows.Load(arguments, shared.tokens(position.stage), thread, block,
                  Traits::kTokenRows && item.rows <= Traits::kTokens / 2);
        device::CopyAsyncArrive(full);
      }
      position.Advance();
      if (block == 0) {  // while this item's copies are under way
        next = walker.Next(next_item);
        if (Traits::kGather && next) next_rows.Read(arguments, next_item, thread);
      }
    }
    more = next;
    item = next_item;
    rows = next_rows;
  }
  device::LetNextKernelStart();
  // A stage without data for the end of the list.
  device::BarrierWait(ring.empty(position.stage), position.phase ^ 1);
  if (thread == 0) {
    PutItem(shared.item(position.stage), {.expert = -1});
    device::BarrierArrive(ring.full(position.stage));
  }
  if constexpr (Traits::kGather) device::BarrierArrive(ring.full(position.stage));
}

}  // namespace moescope::cuda
