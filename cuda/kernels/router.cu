#include "cuda/device/activation.cuh"
#include "cuda/device/order_key.h"
#include "cuda/kernels/launch.cuh"

// Logits, the total order of moe.md, 3.2, and the weights of section 3.3.

namespace moescope::cuda {
namespace {

constexpr int kTile = 64;
constexpr int kDepth = 16;

// 64 tokens by 64 experts per block, 4 x 4 outputs per thread; every logit is one FMA chain over
// ascending columns.
__global__ void __launch_bounds__(256) LogitKernel(LogitArguments a) {
  __shared__ float tokens[kDepth][kTile + 1];
  __shared__ float experts[kDepth][kTile + 1];
  const int first_token = blockIdx.x * kTile;
  const int first_expert = blockIdx.y * kTile;
  const int token = threadIdx.x / 16 * 4;
  const int expert = threadIdx.x % 16 * 4;
  float sums[4][4] = {};
  for (int column = 0; column < a.hidden; column += kDepth) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += 256) {
      const int row = i / kDepth;
      const int k = i % kDepth;
      const int t = first_token + row;
      const int e = first_expert + row;
      tokens[k][row] =
          t < a.tokens ? device::Widen(a.x[static_cast<std::int64_t>(t) * a.hidden + column + k])
                       : 0.0f;
      experts[k][row] =
          e < a.experts ? a.weights[static_cast<std::int64_t>(e) * a.hidden + column + k] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          sums[i][j] = __fmaf_rn(tokens[k][token + i], experts[k][expert + j], sums[i][j]);
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int t = first_token + token + i;
      const int e = first_expert + expert + j;
      if (t >= a.tokens || e >= a.experts) continue;
      float logit = sums[i][j];
      if (a.bias != nullptr) logit = __fadd_rn(logit, a.bias[e]);
      if (a.round) logit = device::RoundToFloat(logit);
      a.logits[static_cast<std::int64_t>(t) * a.experts + e] = logit;
    }
  }
}

// ---- selection: one warp per token ----

__device__ __forceinline__ float NanAsMinusInfinity(float x) {
  return x != x ? __uint_as_float(0xFF800000u) : x;
}
// Larger is better; NaN as -inf, -0 as +0. Never 0, which marks a taken expert.
__device__ __forceinline__ std::uint32_t Ordered(float key) {
  return device::OrderedBits(__float_as_uint(__fadd_rn(NanAsMinusInfinity(key), 0.0f)));
}
__device__ __forceinline__ std::uint64_t WarpMax(std::uint64_t value) {
  for (int d = 16; d > 0; d /= 2) {
    const std::uint64_t other = __shfl_xor_sync(0xFFFFFFFFu, value, d);
    if (other > value) value = other;
  }
  return value;
}
__device__ __forceinline__ float WarpSum(float value) {
  for (int d = 16; d > 0; d /= 2) {
    value = __fadd_rn(value, __shfl_xor_sync(0xFFFFFFFFu, value, d));
  }
  return value;
}
__device__ __forceinline__ bool IsUsable(float sum) { return isfinite(sum) && sum > 0.0f; }

// Takes the best of `count` keys out of the array and returns its index.
__device__ __forceinline__ int TakeBest(std::uint32_t* keys, int count) {
  const int lane = threadIdx.x % 32;
  std::uint64_t best = 0;
  for (int i = lane; i < count; i += 32) {
    const std::uint64_t key = device::RankKey(keys[i], i);
    if (key > best) best = key;
  }
  best = WarpMax(best);
  const auto index = static_cast<int>(device::IndexOf(best));
  if (index % 32 == lane) keys[index] = 0;
  __syncwarp();
  return index;
}

// Scores of one token, in shared memory.
struct TokenScores {
  float* score;           // [E]
  std::uint32_t* keys;    // [E]
  std::uint32_t* groups;  // [G]
};

__device__ __forceinline__ float SqrtSoftplus(float logit) {
  return logit > 20.0f ? __fsqrt_rn(logit) : __fsqrt_rn(log1pf(expf(logit)));
}

__device__ void SoftmaxScores(const float* logits, int experts, float* score) {
  const int lane = threadIdx.x % 32;
  float largest = __uint_as_float(0xFF800000u);
  for (int e = lane; e < experts; e += 32) largest = fmaxf(largest, NanAsMinusInfinity(logits[e]));
  for (int d = 16; d > 0; d /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, d));
  }
  float sum = 0.0f;
  for (int e = lane; e < experts; e += 32) {
    score[e] = expf(__fsub_rn(NanAsMinusInfinity(logits[e]), largest));
    sum = __fadd_rn(sum, score[e]);
  }
  sum = WarpSum(sum);
  for (int e = lane; e < experts; e += 32) {
    score[e] = IsUsable(sum) ? __fdiv_rn(score[e], sum) : 0.0f;
  }
}

// The sum of the two best keys of each group, as an ordered key.
__device__ void GroupKeys(const TokenScores& s, const SelectArguments& a, const float* unordered) {
  const int size = a.experts / a.router.groups;
  for (int g = threadIdx.x % 32; g < a.router.groups; g += 32) {
    float first = __uint_as_float(0xFF800000u);
    float second = first;
    for (int i = 0; i < size; ++i) {
      const float key = NanAsMinusInfinity(unordered[g * size + i]);
      if (key > first) {
        second = first;
        first = key;
      } else if (key > second) {
        second = key;
      }
    }
    s.groups[g] = Ordered(size > 1 ? __fadd_rn(first, second) : first);
  }
  __syncwarp();
}

// Experts outside the kept groups get key -inf.
__device__ void DropGroups(const TokenScores& s, const SelectArguments& a) {
  const int size = a.experts / a.router.groups;
  for (int k = 0; k < a.router.topk_group; ++k) TakeBest(s.groups, a.router.groups);
  for (int e = threadIdx.x % 32; e < a.experts; e += 32) {
    if (s.groups[e / size] != 0) s.keys[e] = device::kMinusInfinityKey;
  }
  __syncwarp();
}

__device__ void FillScoresAndKeys(const TokenScores& s, const SelectArguments& a,
                                  const float* logits, float* unordered) {
  const moe::RouterMode mode = a.router.mode;
  const bool softmax =
      mode == moe::RouterMode::kSoftmaxTopk || mode == moe::RouterMode::kSoftmaxAll;
  if (softmax) SoftmaxScores(logits, a.experts, s.score);
  for (int e = threadIdx.x % 32; e < a.experts; e += 32) {
    if (!softmax) {
      s.score[e] = mode == moe::RouterMode::kSqrtSoftplus ? SqrtSoftplus(logits[e])
                                                          : device::Sigmoid(logits[e]);
    }
    const bool corrected =
        mode == moe::RouterMode::kSigmoidGroup || mode == moe::RouterMode::kSqrtSoftplus;
    float key = corrected ? s.score[e] : logits[e];
    if (corrected && a.correction != nullptr) key = __fadd_rn(key, a.correction[e]);
    unordered[e] = key;
    s.keys[e] = Ordered(key);
  }
  __syncwarp();
}

// The weight of rank `lane`, moe.md 3.3.
__device__ float RankWeight(const SelectArguments& a, float value) {
  const moe::RouterMode mode = a.router.mode;
  float sum = 0.0f;
  for (int k = 0; k < a.top_k; ++k) sum = __fadd_rn(sum, __shfl_sync(0xFFFFFFFFu, value, k));
  const bool corrected =
      mode == moe::RouterMode::kSigmoidGroup || mode == moe::RouterMode::kSqrtSoftplus;
  const bool divide = mode == moe::RouterMode::kSoftmaxTopk || a.router.norm;
  if (divide) value = __fdiv_rn(value, corrected ? __fadd_rn(sum, 1e-20f) : sum);
  if (corrected) value = __fmul_rn(value, a.router.routed_scale);
  if (!IsUsable(sum)) value = 0.0f;
  return a.round ? device::RoundToFloat(value) : value;
}

__global__ void __launch_bounds__(32) SelectKernel(SelectArguments a) {
  extern __shared__ float memory[];
  const std::int64_t token = blockIdx.x;
  const int lane = threadIdx.x;
  const float* logits = a.logits + token * a.experts;
  float* const unordered = memory + a.experts;
  const TokenScores s{memory, reinterpret_cast<std::uint32_t*>(memory + 2 * a.experts),
                      reinterpret_cast<std::uint32_t*>(memory + 3 * a.experts)};
  FillScoresAndKeys(s, a, logits, unordered);
  if (a.router.groups > 1) {
    GroupKeys(s, a, unordered);
    DropGroups(s, a);
  }
  int expert = 0;  // of rank `lane`
  float largest = 0.0f;
  for (int k = 0; k < a.top_k; ++k) {
    const int best = TakeBest(s.keys, a.experts);
    if (k == lane) expert = best;
    if (k == 0) largest = NanAsMinusInfinity(logits[best]);
  }
  float value = 0.0f;
  if (lane < a.top_k) {
    value = a.router.mode == moe::RouterMode::kSoftmaxTopk
                ? expf(__fsub_rn(NanAsMinusInfinity(logits[expert]), largest))
                : s.score[expert];
  }
  const float weight = RankWeight(a, value);
  if (lane < a.top_k) {
    a.idx[token * a.top_k + lane] = expert;
    a.w[token * a.top_k + lane] = weight;
  }
}

}  // namespace

cudaError_t LaunchLogits(const LogitArguments& a, cudaStream_t stream) {
  const dim3 grid((a.tokens + kTile - 1) / kTile, (a.experts + kTile - 1) / kTile);
  LogitKernel<<<grid, 256, 0, stream>>>(a);
  return cudaGetLastError();
}

cudaError_t LaunchSelect(const SelectArguments& a, cudaStream_t stream) {
  const int bytes = 4 * (3 * a.experts + a.router.groups);
  SelectKernel<<<a.tokens, 32, bytes, stream>>>(a);
  return cudaGetLastError();
}

}  // namespace moescope::cuda
