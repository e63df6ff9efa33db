#pragma once

#include <cstdint>

#include "cuda/device/activation.cuh"
#include "cuda/device/epilogue.cuh"
#include "cuda/device/ptx.cuh"
#include "cuda/device/schedule.cuh"
#include "cuda/kernels/expert_mainloop.cuh"
#include "cuda/kernels/expert_traits.cuh"

// From the accumulators of a consumer to rows in memory: bias, R1, activation and weight, or bias
// and R3, then the transposing store.

namespace moescope::cuda {

// What a consumer knows about the tokens of its tile, in shared memory.
template <int kTokens>
struct TileRows {
  const int* memory;  // row numbers, then weights

  // Where the row goes: row, pair or token; -1 beyond the valid rows.
  __device__ __forceinline__ int Destination(int token) const { return memory[token]; }
  __device__ __forceinline__ float Weight(int token) const {
    return __int_as_float(memory[kTokens + token]);
  }
};

template <typename Traits>
struct Epilogue {
  const ExpertArguments& arguments;
  const device::WorkItem& item;
  device::LanePlace place;
  std::uint32_t staging;
  int barrier;  // named barrier of the warpgroup
  TileRows<Traits::kTokens> rows;

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
      const float weight = rows.Weight(token);
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
      return __fmul_rn(q, rows.Weight(token));
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
          const int to = rows.Destination(token);
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

}  // namespace moescope::cuda
