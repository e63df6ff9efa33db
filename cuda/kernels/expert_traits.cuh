#pragma once

#include <cstdint>

#include "cuda/device/mma.cuh"
#include "cuda/device/pipeline.cuh"
#include "cuda/device/schedule.cuh"
#include "cuda/device/weights.cuh"
#include "cuda/kernels/launch.cuh"

// What an expert kernel is made of: its compile-time parameters and its map of shared memory.

namespace moescope::cuda {

enum class Projection { kGateUp, kDown };

// Small tiles leave most of a multiprocessor idle: several blocks share it.
constexpr int BlocksPerMultiprocessor(int tokens) {
  return tokens <= 16 ? 3 : tokens <= 32 ? 2 : 1;
}

template <typename WeightsT, Projection kProjectionV, int kTokensV, int kWarpgroupsV, int kStagesV,
          int kClusterV = 1>
struct ExpertTraits {
  using Weights = WeightsT;
  static constexpr Projection kProjection = kProjectionV;
  static constexpr int kTokens = kTokensV;
  static constexpr int kWarpgroups = kWarpgroupsV;
  static constexpr int kStages = kStagesV;
  static constexpr int kCluster = kClusterV;
  using Ring = device::Ring<kStages, kCluster, Weights::kFromRegisters>;
  using Walker = device::ItemWalker<kCluster>;
  static constexpr bool kGather = kProjection == Projection::kGateUp;
  // Producers: 16 rows of tokens each warp, at most all four; one for what the copy engine does.
  static constexpr int kProducers = kGather ? 32 * (kTokens < 64 ? kTokens / 16 : 4) : 32;
  // Wide tiles of BF16 have tokens as the M side of wgmma and all weight rows as the N side, which
  // reads less shared memory per product; weights from registers must be the M side.
  static constexpr bool kTokenRows = !Weights::kFromRegisters && kTokens == 128;
  static_assert(!kTokenRows || kWarpgroups == 2);
  static constexpr int kThreads = 128 * (1 + kWarpgroups);
  static constexpr int kBlocksPerMultiprocessor = BlocksPerMultiprocessor(kTokens);
  // Registers move from the producers to the consumers.
  static constexpr int kEntryRegisters = 65536 / (kBlocksPerMultiprocessor * kThreads) / 8 * 8;
  static constexpr int kProducerRegisters =
      kBlocksPerMultiprocessor == 3 || (kTokenRows && !kGather) ? 40 : 64;
  static constexpr int kConsumerRegisters =
      (kEntryRegisters * kThreads - 128 * kProducerRegisters) / (128 * kWarpgroups) / 8 * 8;
  static constexpr int kTokenBytes = kTokens * 128;
  static constexpr int kWeightBytes = 2 * kWarpgroups * Weights::kChunkBytes;
  static constexpr int kStageBytes = (kTokenBytes + kWeightBytes + 1023) / 1024 * 1024;
  static constexpr int kStagingBytes = kTokens * 128;  // per consumer
  // Per consumer: row number and weight of each token.
  static constexpr int kRowBytes = kTokens * 8;
  // Per stage: the item that begins with it.
  static constexpr int kItemBytes = 16;
  static constexpr int kSharedBytes =
      kStages * (kStageBytes + kItemBytes + 16) + kWarpgroups * (kStagingBytes + kRowBytes);
};

// Shared memory of a block, as addresses.
template <typename Traits>
struct ExpertShared {
  std::uint32_t stages;
  std::uint8_t* stage_bytes;  // the same as a pointer

  __device__ __forceinline__ explicit ExpertShared(std::uint8_t* memory)
      : stages(device::Recomputed(device::SharedAddress(memory))), stage_bytes(memory) {}
  __device__ __forceinline__ std::uint32_t tokens(int stage) const {
    return stages + stage * Traits::kStageBytes;
  }
  // Chunk of one consumer: half 0 or 1.
  __device__ __forceinline__ int WeightOffset(int stage, int half, int warpgroup) const {
    return stage * Traits::kStageBytes + Traits::kTokenBytes +
           (half * Traits::kWarpgroups + warpgroup) * Traits::Weights::kChunkBytes;
  }
  __device__ __forceinline__ std::uint32_t staging(int warpgroup) const {
    return stages + Traits::kStages * Traits::kStageBytes + warpgroup * Traits::kStagingBytes;
  }
  __device__ __forceinline__ int* rows(int warpgroup) const {
    return reinterpret_cast<int*>(stage_bytes + Traits::kStages * Traits::kStageBytes +
                                  Traits::kWarpgroups * Traits::kStagingBytes +
                                  warpgroup * Traits::kRowBytes);
  }
  __device__ __forceinline__ std::uint32_t item(int stage) const {
    return stages + Traits::kStages * Traits::kStageBytes +
           Traits::kWarpgroups * (Traits::kStagingBytes + Traits::kRowBytes) +
           Traits::kItemBytes * stage;
  }
  __device__ __forceinline__ std::uint32_t barriers() const { return item(Traits::kStages); }
};

// First weight row of a half for a consumer, and whether the half is a row offset or a matrix half.
template <typename Traits>
__device__ __forceinline__ int HalfRow(const MatrixShape& matrix, int row_block, int half) {
  if constexpr (Traits::kProjection == Projection::kGateUp) {
    return half * matrix.rows + row_block * 64 * Traits::kWarpgroups;
  } else {
    return (row_block * 2 + half) * 64 * Traits::kWarpgroups;
  }
}

// As many stages as fit beside the staging buffers.
template <typename Weights, int kTokens, int kWarpgroups>
constexpr int StagesFor() {
  using One = ExpertTraits<Weights, Projection::kDown, kTokens, kWarpgroups, 1>;
  constexpr int kPerStage = One::kStageBytes + One::kItemBytes + 16;
  constexpr int kFixed = One::kSharedBytes - kPerStage;
  // 228 KiB per multiprocessor, 1 KiB of each block reserved.
  constexpr int kShared = 233472 / BlocksPerMultiprocessor(kTokens) / 1024 * 1024 - 1024;
  constexpr int kFit = (kShared - kFixed) / kPerStage;
  return kFit > 8 ? 8 : kFit;
}

}  // namespace moescope::cuda
