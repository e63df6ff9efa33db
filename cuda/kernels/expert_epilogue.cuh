#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/device/activation.cuh"
#include "cuda/device/epilogue.cuh"
#include "cuda/device/ptx.cuh"
#include "cuda/device/schedule.cuh"
#include "cuda/kernels/expert_mainloop.cuh"
#include "cuda/kernels/expert_traits.cuh"

// From the accumulators of a consumer to rows in memory: bias, R1, activation and weight, or bias
// and R3, then the store through shared memory.

namespace moescope::cuda {

// What a consumer thread knows about one token of the tile.
struct TokenPlace {
  int to = -1;  // destination row: row, pair or token; -1 beyond the valid rows
  float weight = 1.0f;
};

template <typename Traits>
__device__ __forceinline__ TokenPlace ReadPlace(const ExpertArguments& arguments,
                                                const device::WorkItem& item, int token) {
  TokenPlace place;
  if (token >= min(Traits::kTokens, item.rows)) return place;
  const int row = item.row + token;
  place.to = row;
  if (Traits::kProjection == Projection::kDown && arguments.row_src != nullptr) {
    place.to = arguments.row_src[row];
  }
  if (arguments.row_w != nullptr) place.weight = arguments.row_w[row];
  if (arguments.token_scale != nullptr) place.weight = arguments.token_scale[row];
  return place;
}

// Biases of one matrix half, by pairs: -0, which changes nothing, where there is none.
struct Biases {
  const Bf16* first;  // of this expert and half; null: no bias
  int rows;           // of the matrix

  __device__ __forceinline__ Biases(const ExpertArguments& arguments, int expert, int half)
      : first(arguments.bias), rows(arguments.matrix.rows) {
    if (first == nullptr) return;
    first += (static_cast<std::int64_t>(expert) * arguments.matrix.halves + half) * rows;
  }
  __device__ __forceinline__ float One(int row) const {
    return first == nullptr || row >= rows ? -0.0f : device::Widen(first[row]);
  }
  // `row` is even, and so is the number of rows.
  __device__ __forceinline__ float2 Two(int row) const {
    if (first == nullptr || row >= rows) return {-0.0f, -0.0f};
    const std::uint32_t pair = *reinterpret_cast<const std::uint32_t*>(first + row);
    return {device::Widen(pair & 0xFFFFu), __uint_as_float(pair & 0xFFFF0000u)};
  }
};

// The accumulators of a warpgroup, weight rows as the M side: 64 rows by all tokens of the tile.
template <typename Traits>
class WeightRowTile {
 public:
  __device__ __forceinline__ WeightRowTile(const ExpertShared<Traits>& shared, int warpgroup,
                                           int thread)
      : place_{thread},
        first_row_(64 * warpgroup),
        staging_(shared.staging(warpgroup)),
        barrier_(1 + warpgroup),
        memory_(shared.rows(warpgroup)) {}

  // The token of the tile whose place this thread reads.
  __device__ __forceinline__ int token() const { return place_.thread; }
  __device__ __forceinline__ void Publish(const TokenPlace& place) {
    if (place_.thread < Traits::kTokens) {
      memory_[place_.thread] = place.to;
      memory_[Traits::kTokens + place_.thread] = __float_as_int(place.weight);
    }
    Sync();
  }

  __device__ __forceinline__ float2 Weights(int i, int q) const {
    const int token = Traits::kTokens + place_.token(i, q);
    return {__int_as_float(memory_[token]), __int_as_float(memory_[token + 1])};
  }
  // Biases of the tile's rows from `row` on, by pairs.
  struct TileBiases {
    float values[2];
    __device__ __forceinline__ float2 Pair(int, int q) const {
      return {values[q % 2], values[q % 2]};
    }
  };
  __device__ __forceinline__ TileBiases BiasesAt(const Biases& all, int row) const {
    const int first = row + first_row_ + place_.row();
    return {all.One(first), all.One(first + 8)};
  }
  template <typename Pairs>
  __device__ __forceinline__ void Store(int row, int width, Bf16* out, Pairs pairs) const {
    device::StageTransposed<Traits::kTokens>(staging_, place_, pairs);
    Sync();
    row += first_row_;
    device::StoreStaged<Traits::kTokens>(
        staging_, place_.thread, (width - row) / 8, [&](int token) -> uint4* {
          const int to = memory_[token];
          if (to < 0) return nullptr;
          return reinterpret_cast<uint4*>(out + static_cast<std::int64_t>(to) * width + row);
        });
    Sync();
  }

 private:
  __device__ __forceinline__ void Sync() const { device::NamedBarrier(barrier_, 128); }

  device::WeightRowPlace place_;
  int first_row_;
  std::uint32_t staging_;
  int barrier_;
  int* memory_;  // row numbers, then weights
};

// The accumulators of a warp, tokens as the M side: 16 tokens by 128 rows in either accumulator.
template <typename Traits>
class TokenRowTile {
 public:
  __device__ __forceinline__ TokenRowTile(const ExpertShared<Traits>& shared, int warpgroup,
                                          int thread)
      : place_{thread % 32},
        first_token_(64 * warpgroup + thread / 32 * 16),
        staging_(shared.staging(warpgroup) + thread / 32 * 4096) {}

  __device__ __forceinline__ int token() const { return first_token_ + place_.lane % 16; }
  __device__ __forceinline__ void Publish(const TokenPlace& place) {
    to_ = place.to;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      weights_[j] = __shfl_sync(0xFFFFFFFFu, place.weight, place_.token() + 8 * j);
    }
  }

  __device__ __forceinline__ float2 Weights(int, int q) const {
    return {weights_[q % 2], weights_[q % 2]};
  }
  struct TileBiases {
    Biases all;
    int row;
    device::TokenRowPlace place;
    __device__ __forceinline__ float2 Pair(int i, int q) const {
      return all.Two(row + place.row(i, q));
    }
  };
  __device__ __forceinline__ TileBiases BiasesAt(const Biases& all, int row) const {
    return {all, row, place_};
  }
  template <typename Pairs>
  __device__ __forceinline__ void Store(int row, int width, Bf16* out, Pairs pairs) const {
    Stage(pairs);
    Write<0>(to_, row, width, out);
    Write<1>(to_, row, width, out);
  }
  // The parts of Store: all rows are staged, then one half after the other is written. Lane l knows
  // the destination of token l % 16.
  template <typename Pairs>
  __device__ __forceinline__ void Stage(Pairs pairs) const {
    device::StageRows(device::Recomputed(staging_), Lane(), pairs);
    __syncwarp();
  }
  template <int kHalf>
  __device__ __forceinline__ void Write(int to, int row, int width, Bf16* out) const {
    device::StoreStagedRows<kHalf>(device::Recomputed(staging_), Lane(), to, out + row, width,
                                   (width - row) / 8);
    __syncwarp();
  }
  __device__ __forceinline__ int destination() const { return to_; }

 private:
  __device__ __forceinline__ int Lane() const {
    return static_cast<int>(device::Recomputed(static_cast<std::uint32_t>(place_.lane)));
  }

  device::TokenRowPlace place_;
  int first_token_;
  std::uint32_t staging_;
  int to_;
  float weights_[2];
};

template <typename Traits>
using AccumulatorTile =
    std::conditional_t<Traits::kTokenRows, TokenRowTile<Traits>, WeightRowTile<Traits>>;

template <typename Traits>
struct Epilogue {
  const ExpertArguments& arguments;
  const device::WorkItem& item;
  const AccumulatorTile<Traits>& tile;

  // One accumulator plus bias, one rounding, rows of `out`.
  __device__ __forceinline__ void StorePlain(const Accumulator<Traits>& values, int half, int row,
                                             Bf16* out) const {
    RoundPairs(values, half, row,
               [&](auto pairs) { tile.Store(row, arguments.matrix.rows, out, pairs); });
  }

  // Calls take(pairs), where pairs(i, four) are the four pairs of step i of an accumulator plus
  // bias, rounded once.
  template <typename Take>
  __device__ __forceinline__ void RoundPairs(const Accumulator<Traits>& values, int half, int row,
                                             Take take) const {
    const bool scaled = arguments.token_scale != nullptr;
    if (arguments.bias == nullptr && !scaled) {
      take(Rounded([&](int i, int q) {
        const int index = device::PairIndex(i, q);
        return float2{values[index], values[index + 1]};
      }));
      return;
    }
    const bool weighted = arguments.weight_bias;
    const auto biases = tile.BiasesAt(Biases(arguments, item.expert, half), row);
    take(Rounded([&](int i, int q) {
      const int index = device::PairIndex(i, q);
      const float2 weight = tile.Weights(i, q);
      const float2 bias = biases.Pair(i, q);
      const auto value = [&](float sum, float w, float b) {
        const float term = __fmul_rn(weighted ? w : 1.0f, b);
        return __fmul_rn(__fadd_rn(sum, term), scaled ? w : 1.0f);
      };
      return float2{value(values[index], weight.x, bias.x),
                    value(values[index + 1], weight.y, bias.y)};
    }));
  }

  // The four pairs of a step from values(i, q).
  template <typename Values>
  __device__ __forceinline__ static auto Rounded(Values values) {
    return [values](int i, std::uint32_t(&four)[4]) {
      device::FourPairs<float2>(
          four,
          [&](int q, float2& input, device::RareCases& rare) {
            input = values(i, q);
            const std::uint32_t bits = device::ConvertPair(input.x, input.y);
            rare.SeeResults(bits);
            return bits;
          },
          [](const float2& input) { return device::RoundPair(input.x, input.y); });
    };
  }

  // Calls take(pairs) with h of both accumulators.
  template <bool kFastMath, bool kBias, device::Shape kShape = device::Shape::kAny, typename Take>
  __device__ __forceinline__ void ActivatedPairs(const Accumulator<Traits>& gate,
                                                 const Accumulator<Traits>& up, int row,
                                                 Take take) const {
    const auto gate_biases = tile.BiasesAt(Biases(arguments, item.expert, 0), row);
    const auto up_biases = tile.BiasesAt(Biases(arguments, item.expert, 1), row);
    const device::ActivationArguments activation = device::ActivationOf(
        arguments.activation.kind, arguments.activation.has_clamp, arguments.activation.clamp);
    const auto rounded = [&](const Accumulator<Traits>& values, const auto& biases, int i, int q) {
      const int index = device::PairIndex(i, q);
      if constexpr (!kBias) return device::ConvertPair(values[index], values[index + 1]);
      const float2 bias = biases.Pair(i, q);
      return device::ConvertPair(__fadd_rn(values[index], bias.x),
                                 __fadd_rn(values[index + 1], bias.y));
    };
    constexpr bool kSimple = kShape == device::Shape::kSimple;
    const auto gates = [&](int i, int q) {
      const std::uint32_t pair = rounded(gate, gate_biases, i, q);
      return kSimple ? pair : device::MinimumPair(pair, activation.clamp_pair);
    };
    const auto ups = [&](int i, int q) {
      const std::uint32_t pair = rounded(up, up_biases, i, q);
      if constexpr (kSimple) return pair;
      const std::uint32_t low = device::MinimumPair(pair, activation.clamp_pair);
      return device::MaximumPair(low, activation.clamp_pair ^ 0x80008000u);
    };
    struct Input {
      std::uint32_t gates, ups;
      float2 weights;
    };
    take([&](int i, std::uint32_t(&four)[4]) {
      device::FourPairs<Input>(
          four,
          [&](int q, Input& input, device::RareCases& rare) {
            input = {gates(i, q), ups(i, q), tile.Weights(i, q)};
            if constexpr (!kFastMath) rare.SeeGates(input.gates);
            const std::uint32_t h = device::HiddenPair<kFastMath, device::Division::kQuick, kShape>(
                activation, input.gates, input.ups, input.weights, device::ConvertPair);
            rare.SeeResults(h);
            return h;
          },
          [&](const Input& input) {
            return device::HiddenPair<kFastMath, device::Division::kAlways, kShape>(
                activation, input.gates, input.ups, input.weights, device::RoundPair);
          });
    });
  }

  template <typename Take>
  __device__ __forceinline__ void Activated(const Accumulator<Traits>& gate,
                                            const Accumulator<Traits>& up, int row,
                                            Take take) const {
    const bool bias = arguments.bias != nullptr;
    const ActivationSettings& activation = arguments.activation;
    const bool simple = activation.kind == moe::Activation::kSwiglu && !activation.has_clamp;
    if (simple && !bias && !activation.fast_math) {
      ActivatedPairs<false, false, device::Shape::kSimple>(gate, up, row, take);
    } else if (activation.fast_math) {
      bias ? ActivatedPairs<true, true>(gate, up, row, take)
           : ActivatedPairs<true, false>(gate, up, row, take);
    } else {
      bias ? ActivatedPairs<false, true>(gate, up, row, take)
           : ActivatedPairs<false, false>(gate, up, row, take);
    }
  }
};

// What becomes of the accumulators of an item. Where tokens are the M side, results are staged (or
// kept in registers, what has no room there) and leave while the next item multiplies, a part
// beside each of its first blocks; elsewhere they leave at once.
template <typename Traits>
class Results {
 public:
  static constexpr bool kLate = Traits::kTokenRows;
  static constexpr bool kDown = Traits::kProjection == Projection::kDown;
  static constexpr int kParts = !kLate ? 0 : kDown ? 5 : 2;

  __device__ __forceinline__ Results(const ExpertArguments& arguments,
                                     const AccumulatorTile<Traits>& tile)
      : arguments_(arguments), tile_(tile) {}

  __device__ __forceinline__ void Take(const device::WorkItem& item,
                                       const Accumulator<Traits>& first,
                                       const Accumulator<Traits>& second) {
    const Epilogue<Traits> epilogue{arguments_, item, tile_};
    const MatrixShape none{};
    const int row = HalfRow<Traits>(none, item.row_block, 0);
    if (!kDown && arguments_.gate != nullptr) {
      epilogue.StorePlain(first, 0, row, arguments_.gate);
      epilogue.StorePlain(second, 1, row, arguments_.up);
      return;
    }
    const auto take = [&](auto pairs) {
      if constexpr (kLate) {
        tile_.Stage(pairs);
      } else {
        tile_.Store(row, arguments_.matrix.rows, Out(), pairs);
      }
    };
    if constexpr (kLate) {
      row_ = row;
      to_ = tile_.destination();
    }
    if constexpr (!kDown) {
      epilogue.Activated(first, second, row, take);
    } else {
      epilogue.RoundPairs(first, 0, row, take);
      if constexpr (kLate) {
        epilogue.RoundPairs(second, 0, row + kHalfRows, [&](auto pairs) { Keep(pairs); });
      } else {
        epilogue.StorePlain(second, 0, row + kHalfRows, arguments_.out);
      }
    }
  }
  // Part 0 to kParts - 1 of what has not left yet, in this order. Without results nothing leaves.
  __device__ __forceinline__ void Part(int part) {
    if constexpr (kLate) {
      if (part == 0) Write<0>(row_);
      if (part == 1) Write<1>(row_);
      if (part == 2) StageKept();
      if (part == 3) Write<0>(row_ + kHalfRows);
      if (part == 4) Write<1>(row_ + kHalfRows);
    }
  }
  // All of it, after which there is nothing.
  __device__ __forceinline__ void Flush() {
#pragma unroll
    for (int part = 0; part < kParts; ++part) Part(part);
    to_ = -1;
  }

 private:
  static constexpr int kHalfRows = 64 * Traits::kWarpgroups;

  __device__ __forceinline__ Bf16* Out() const {
    return kDown ? arguments_.out : arguments_.hidden;
  }
  template <int kHalf>
  __device__ __forceinline__ void Write(int row) const {
    tile_.template Write<kHalf>(to_, row, arguments_.matrix.rows, Out());
  }
  template <typename From>
  __device__ __forceinline__ void Keep(From from) {
#pragma unroll
    for (int i = 0; i < 16; i += 2) {
      std::uint32_t four[4];
      from(i, four);
#pragma unroll
      for (int q = 0; q < 4; ++q) kept_[2 * i + q] = four[q];
    }
  }
  __device__ __forceinline__ void StageKept() const {
    tile_.Stage([&](int i, std::uint32_t(&four)[4]) {
#pragma unroll
      for (int q = 0; q < 4; ++q) four[q] = kept_[2 * i + q];
    });
  }

  const ExpertArguments& arguments_;
  const AccumulatorTile<Traits>& tile_;
  std::uint32_t kept_[kLate && kDown ? 32 : 1] = {};
  int row_ = 0;
  int to_ = -1;
};

}  // namespace moescope::cuda
