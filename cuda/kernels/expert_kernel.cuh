#pragma once

#include "cuda/device/activation.cuh"
#include "cuda/device/epilogue.cuh"
#include "cuda/device/mma.cuh"
#include "cuda/device/pipeline.cuh"
#include "cuda/device/ptx.cuh"
#include "cuda/device/schedule.cuh"
#include "cuda/device/weights.cuh"
#include "cuda/kernels/launch.cuh"

// The one main loop of both projections and of every weight format: a persistent kernel with a
// producer warpgroup and one or two consumer warpgroups. Weights are the M side of wgmma, tokens
// the N side. Every consumer holds two accumulators of 64 rows: gate and up of the same rows of I,
// or two blocks of rows of H. The chain of an output is its columns ascending, whatever the tile.

namespace moescope::cuda {

enum class Projection { kGateUp, kDown };

constexpr int BlocksPerMultiprocessor(int tokens) {
  return tokens <= 16 ? 3 : tokens <= 32 ? 2 : 1;
}

template <typename WeightsT, Projection kProjectionV, int kTokensV, int kWarpgroupsV, int kStagesV>
struct ExpertTraits {
  using Weights = WeightsT;
  static constexpr Projection kProjection = kProjectionV;
  static constexpr int kTokens = kTokensV;
  static constexpr int kWarpgroups = kWarpgroupsV;
  static constexpr int kStages = kStagesV;
  static constexpr int kThreads = 128 * (1 + kWarpgroups);
  // Small tiles leave most of a multiprocessor idle: several blocks share it.
  static constexpr int kBlocksPerMultiprocessor = BlocksPerMultiprocessor(kTokens);
  // Registers move from the producers to the consumers.
  static constexpr int kEntryRegisters = 65536 / (kBlocksPerMultiprocessor * kThreads) / 8 * 8;
  static constexpr int kProducerRegisters = kBlocksPerMultiprocessor == 3 ? 40 : 56;
  static constexpr int kConsumerRegisters =
      (kEntryRegisters * kThreads - 128 * kProducerRegisters) / (128 * kWarpgroups) / 8 * 8;
  static constexpr bool kGather = kProjection == Projection::kGateUp;
  static constexpr int kTokenBytes = kTokens * 128;
  static constexpr int kWeightBytes = 2 * kWarpgroups * Weights::kChunkBytes;
  static constexpr int kStageBytes = (kTokenBytes + kWeightBytes + 1023) / 1024 * 1024;
  static constexpr int kStagingBytes = kTokens * 128;  // per consumer
  // Per consumer: row number and weight of each token.
  static constexpr int kRowBytes = kTokens * 8;
  static constexpr int kSharedBytes =
      kStages * kStageBytes + kWarpgroups * (kStagingBytes + kRowBytes) + 16 * kStages;
};

// Shared memory of a block, as addresses.
template <typename Traits>
struct ExpertShared {
  std::uint32_t stages;
  std::uint8_t* stage_bytes;  // the same as a pointer

  __device__ __forceinline__ explicit ExpertShared(std::uint8_t* memory)
      : stages(device::SharedAddress(memory)), stage_bytes(memory) {}
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
  __device__ __forceinline__ std::uint32_t barriers() const {
    return stages + Traits::kStages * Traits::kStageBytes +
           Traits::kWarpgroups * (Traits::kStagingBytes + Traits::kRowBytes);
  }
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

// ---- producer ----

// Starts the copies of the weights of one stage; returns nothing: the barrier counts bytes.
template <typename Traits>
__device__ __forceinline__ void LoadWeights(const ExpertArguments& arguments,
                                            const CUtensorMap* map, const device::WorkItem& item,
                                            int block, const ExpertShared<Traits>& shared,
                                            int stage, std::uint32_t barrier) {
  using Weights = typename Traits::Weights;
  if constexpr (!Weights::kFromRegisters) {
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

// The token rows that a producer thread gathers: one 16-byte piece of kTokens / 16 rows.
template <int kTokens>
struct GatherRows {
  static constexpr int kCount = kTokens / 16;
  int source[kCount];  // token; -1: zeros

  __device__ __forceinline__ void Read(const ExpertArguments& arguments,
                                       const device::WorkItem& item, int thread) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int row = thread / 8 + 16 * i;
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
  __device__ __forceinline__ void Load(const ExpertArguments& arguments, std::uint32_t to,
                                       int thread, int block) const {
    const int piece = thread % 8;
    const int columns = arguments.matrix.columns;
    const int column = block * kChunk + piece * 8;
    const bool inside = column < columns;
    const Bf16* const first = arguments.tokens + (inside ? column : 0);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int row = thread / 8 + 16 * i;
      const std::int64_t token = source[i] < 0 ? 0 : source[i];
      device::CopyAsync16(to + row * 128 + ((piece ^ (row & 7)) << 4), first + token * columns,
                          inside && source[i] >= 0);
    }
  }
};

template <typename Traits>
__device__ __forceinline__ void Produce(const ExpertArguments& arguments,
                                        const CUtensorMap* weights, const CUtensorMap* hidden,
                                        const ExpertShared<Traits>& shared,
                                        const device::Ring<Traits::kStages>& ring, int row_blocks) {
  const int thread = threadIdx.x;
  if constexpr (!Traits::kGather) {
    if (thread >= 32) return;
  }
  using Rows = GatherRows<Traits::kGather ? Traits::kTokens : 16>;
  device::ItemWalker walker(arguments.groups, row_blocks, Traits::kTokens);
  device::RingPosition<Traits::kStages> position;
  const int blocks = arguments.matrix.column_chunks();
  device::WorkItem item, next_item;
  Rows rows, next_rows;
  bool more = walker.Next(item);
  if (Traits::kGather && more) rows.Read(arguments, item, thread);
  while (more) {
    if constexpr (Traits::kGather) rows.ToTokens(arguments);
    bool next = false;
    for (int block = 0; block < blocks; ++block) {
      device::BarrierWait(ring.empty(position.stage), position.phase ^ 1);
      const std::uint32_t full = ring.full(position.stage);
      if (thread == 0) {
        constexpr int kBytes = Traits::kWeightBytes + (Traits::kGather ? 0 : Traits::kTokenBytes);
        device::BarrierArriveExpect(full, kBytes);
        LoadWeights<Traits>(arguments, weights, item, block, shared, position.stage, full);
        if constexpr (!Traits::kGather) {
          device::CopyTile2(shared.tokens(position.stage), hidden, full, block * kChunk, item.row);
        }
      }
      if constexpr (Traits::kGather) {
        rows.Load(arguments, shared.tokens(position.stage), thread, block);
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
}

// ---- consumer ----

template <typename Traits>
using Accumulator = float[Traits::kTokens / 2];

// All columns of one item into both accumulators. `meanwhile` is called once, while the first
// products are under way.
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

// What a consumer knows about the tokens of its tile, in shared memory.
struct TileRows {
  const int* source;  // where the row goes: row, pair or token; -1 beyond the valid rows
  const float* weight;
};

template <typename Traits>
struct Epilogue {
  const ExpertArguments& arguments;
  const device::WorkItem& item;
  device::LanePlace place;
  std::uint32_t staging;
  int barrier;  // named barrier of the warpgroup
  TileRows rows;

  __device__ __forceinline__ void Sync() const { device::NamedBarrier(barrier, 128); }

  // Bias of a row of a half; -0, which changes nothing, where there is none.
  __device__ __forceinline__ float Bias(int half, int row) const {
    const MatrixShape& m = arguments.matrix;
    if (arguments.bias == nullptr || row >= m.rows) return -0.0f;
    const std::int64_t index =
        (static_cast<std::int64_t>(item.expert) * m.halves + half) * m.rows + row;
    return device::Widen(arguments.bias[index]);
  }

  // One accumulator plus bias, one rounding, rows of `out`.
  __device__ __forceinline__ void StorePlain(const Accumulator<Traits>& values, int half, int row,
                                             Bf16* out) const {
    const float bias[2] = {Bias(half, row + place.row()), Bias(half, row + place.row() + 8)};
    const bool weight_bias = arguments.weight_bias;
    const bool scale = arguments.token_scale != nullptr;
    device::StageTransposed<Traits::kTokens>(staging, place, [&](int index, int j, int token) {
      const float weight = rows.weight[token];
      const float term = __fmul_rn(weight_bias ? weight : 1.0f, bias[j]);
      return __fmul_rn(__fadd_rn(values[index], term), scale ? weight : 1.0f);
    });
    StoreRows(row, arguments.matrix.rows, out);
  }

  // h of both accumulators.
  template <bool kFastMath>
  __device__ __forceinline__ void StoreActivated(const Accumulator<Traits>& gate,
                                                 const Accumulator<Traits>& up, int row) const {
    const int first = row + place.row();
    const float gate_bias[2] = {Bias(0, first), Bias(0, first + 8)};
    const float up_bias[2] = {Bias(1, first), Bias(1, first + 8)};
    const device::ActivationArguments activation = device::ActivationOf(
        arguments.activation.kind, arguments.activation.has_clamp, arguments.activation.clamp);
    device::StageTransposed<Traits::kTokens>(staging, place, [&](int index, int j, int token) {
      const float g = device::RoundToFloat(__fadd_rn(gate[index], gate_bias[j]));
      const float u = device::RoundToFloat(__fadd_rn(up[index], up_bias[j]));
      const float q = device::Gated<kFastMath>(activation, device::ClampGate(activation, g),
                                               device::ClampUp(activation, u));
      return __fmul_rn(q, rows.weight[token]);
    });
    StoreRows(row, arguments.matrix.rows, arguments.hidden);
  }

  // Both accumulators of a consumer whose rows begin `offset` into its block.
  __device__ __forceinline__ void Store(const Accumulator<Traits>& first,
                                        const Accumulator<Traits>& second, int offset) const {
    if constexpr (Traits::kProjection == Projection::kDown) {
      const MatrixShape none{};
      StorePlain(first, 0, HalfRow<Traits>(none, item.row_block, 0) + offset, arguments.out);
      StorePlain(second, 0, HalfRow<Traits>(none, item.row_block, 1) + offset, arguments.out);
    } else {
      const int row = item.row_block * 64 * Traits::kWarpgroups + offset;
      if (arguments.gate != nullptr) {
        StorePlain(first, 0, row, arguments.gate);
        StorePlain(second, 1, row, arguments.up);
      } else if (arguments.activation.fast_math) {
        StoreActivated<true>(first, second, row);
      } else {
        StoreActivated<false>(first, second, row);
      }
    }
  }

  __device__ __forceinline__ void StoreRows(int row, int width, Bf16* out) const {
    Sync();
    device::StoreStaged<Traits::kTokens>(
        staging, place.thread, (width - row) / 8, [&](int token) -> uint4* {
          const int to = rows.source[token];
          if (to < 0) return nullptr;
          return reinterpret_cast<uint4*>(out + static_cast<std::int64_t>(to) * width + row);
        });
    Sync();
  }
};

// What a consumer thread knows about one token of the tile.
struct TokenPlace {
  int to = -1;  // destination row; -1: none
  float weight = 1.0f;
};

template <typename Traits>
__device__ __forceinline__ TokenPlace ReadPlace(const ExpertArguments& arguments,
                                                const device::WorkItem& item, int thread) {
  TokenPlace place;
  if (thread >= min(Traits::kTokens, item.rows)) return place;
  const int row = item.row + thread;
  place.to = row;
  if (Traits::kProjection == Projection::kDown && arguments.row_src != nullptr) {
    place.to = arguments.row_src[row];
  }
  if (arguments.row_w != nullptr) place.weight = arguments.row_w[row];
  if (arguments.token_scale != nullptr) place.weight = arguments.token_scale[row];
  return place;
}

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
    const Epilogue<Traits> epilogue{arguments,     item,
                                    {thread},      shared.staging(warpgroup),
                                    1 + warpgroup, {row_numbers, row_weights}};
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

// As many stages as fit beside the staging buffers.
template <typename Weights, int kTokens, int kWarpgroups>
constexpr int StagesFor() {
  using One = ExpertTraits<Weights, Projection::kDown, kTokens, kWarpgroups, 1>;
  constexpr int kFixed = One::kSharedBytes - One::kStageBytes - 16;
  // 228 KiB per multiprocessor, 1 KiB of each block reserved.
  constexpr int kShared = 233472 / BlocksPerMultiprocessor(kTokens) / 1024 * 1024 - 1024;
  constexpr int kFit = (kShared - kFixed) / (One::kStageBytes + 16);
  return kFit > 8 ? 8 : kFit;
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
