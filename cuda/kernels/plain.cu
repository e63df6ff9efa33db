#include "cuda/device/activation.cuh"
#include "cuda/device/weights.cuh"
#include "cuda/kernels/launch.cuh"

// The expert MLP with one thread per output: profile `fused` with an FP32 FMA chain, and profile
// `stepwise`. Slow and simple on purpose: the tuned kernels are compared with these.

namespace moescope::cuda {
namespace {

constexpr int kThreads = 128;

struct Row {
  int expert = -1;
  int source = -1;  // pair, or token for a single group; -1: padding
};

// The expert whose pool holds the row; -1 behind the last row.
__device__ Row FindRow(const ExpertArguments& a, int row) {
  const int groups = *a.groups.size;
  for (int g = 0; g < groups; ++g) {
    const int expert = a.groups.expert[g];
    const int local = row - a.groups.base[expert];
    const int count = a.groups.count[expert];
    if (local < 0 || local >= (count + 15) / 16 * 16) continue;
    if (local >= count) return {expert, -1};
    return {expert, a.row_src == nullptr ? row : a.row_src[row]};
  }
  return {};
}

__device__ __forceinline__ float Weight(const ExpertArguments& a, int row) {
  return a.row_w == nullptr ? 1.0f : a.row_w[row];
}
__device__ __forceinline__ float Bias(const ExpertArguments& a, int expert, int half, int index) {
  const std::int64_t at =
      (static_cast<std::int64_t>(expert) * a.matrix.halves + half) * a.matrix.rows + index;
  return device::Widen(a.bias[at]);
}

// One contraction: an FMA chain from +0.
struct FusedChain {
  __device__ __forceinline__ float operator()(moe::WeightFormat::Kind format,
                                              const ExpertArguments& a, const Bf16* operand,
                                              int expert, int half, int row) const {
    const std::uint8_t* matrix = a.weights + expert * a.expert_bytes;
    float sum = 0.0f;
    for (int k = 0; k < a.matrix.columns; ++k) {
      sum = __fmaf_rn(device::DecodeElement(format, matrix, a.matrix, half, row, k),
                      device::Widen(operand[k]), sum);
    }
    return sum;
  }
};

// tile(M) with one BF16 rounding per chunk, chunks added with one rounding each.
struct StepwiseChain {
  StepwiseSettings order;

  __device__ __forceinline__ float operator()(moe::WeightFormat::Kind format,
                                              const ExpertArguments& a, const Bf16* operand,
                                              int expert, int half, int row) const {
    const std::uint8_t* matrix = a.weights + expert * a.expert_bytes;
    const int columns = a.matrix.columns;
    const std::int64_t chunk = static_cast<std::int64_t>(order.tile) * order.tiles_per_chunk;
    float result = 0.0f;
    for (std::int64_t first = 0; first < columns; first += chunk) {
      const int end = static_cast<int>(first + chunk < columns ? first + chunk : columns);
      float accumulator = 0.0f;
      for (int tile = static_cast<int>(first); tile < end; tile += order.tile) {
        float sum = 0.0f;
        for (int k = tile; k < min(tile + order.tile, end); ++k) {
          sum = __fmaf_rn(device::DecodeElement(format, matrix, a.matrix, half, row, k),
                          device::Widen(operand[k]), sum);
        }
        accumulator = __fadd_rn(accumulator, sum);
      }
      const float part = device::RoundToFloat(accumulator);
      result = first == 0 ? part : device::RoundToFloat(__fadd_rn(result, part));
    }
    return result;
  }
};

// ---- gate and up ----

struct FusedHidden {
  __device__ __forceinline__ void operator()(const ExpertArguments& a, std::int64_t at, float gate,
                                             float up, float weight) const {
    const device::ActivationArguments activation =
        device::ActivationOf(a.activation.kind, a.activation.has_clamp, a.activation.clamp);
    const std::uint32_t g0 = device::Round(gate);
    const std::uint32_t u0 = device::Round(up);
    if (a.gate != nullptr) {
      a.gate[at] = static_cast<Bf16>(g0);
      a.up[at] = static_cast<Bf16>(u0);
    }
    const float q =
        device::Activate(activation, a.activation.fast_math, device::Widen(g0), device::Widen(u0));
    a.hidden[at] = static_cast<Bf16>(device::Round(__fmul_rn(q, weight)));
  }
};

__device__ __forceinline__ float R(float x) { return device::RoundToFloat(x); }
__device__ __forceinline__ float StepExp(float x) {
  const float clamped = x > 88.0f ? 88.0f : x < -88.0f ? -88.0f : x;
  return R(static_cast<float>(exp(static_cast<double>(clamped))));
}

// moe.md, 5.3, steps 2 and 3: every operation rounds to BF16.
struct StepwiseHidden {
  __device__ __forceinline__ void operator()(const ExpertArguments& a, std::int64_t at, float gate,
                                             float up, float weight) const {
    const device::ActivationArguments activation =
        device::ActivationOf(a.activation.kind, a.activation.has_clamp, a.activation.clamp);
    const float g = device::ClampGate(activation, gate);
    float u = device::ClampUp(activation, up);
    const bool gpt_oss = a.activation.kind == moe::Activation::kGptOss;
    float t = gpt_oss ? R(__fmul_rn(g, -1.703125f)) : -g;
    t = R(__fadd_rn(StepExp(t), 1.0f));
    t = R(__fdiv_rn(1.0f, t));
    const float activated = R(__fmul_rn(g, t));
    if (gpt_oss) u = R(__fadd_rn(u, 1.0f));
    float h = R(__fmul_rn(u, activated));
    if (a.row_w != nullptr) h = R(__fmul_rn(h, weight));
    a.hidden[at] = static_cast<Bf16>(device::Round(h));
  }
};

template <bool kRoundBias, typename Chain, typename Hidden>
__global__ void __launch_bounds__(kThreads)
    GateUpKernel(moe::WeightFormat::Kind format, ExpertArguments a, Chain chain, Hidden hidden) {
  const int row = blockIdx.x;
  const int i = blockIdx.y * kThreads + threadIdx.x;
  const Row place = FindRow(a, row);
  if (place.expert < 0 || i >= a.matrix.rows) return;
  const std::int64_t at = static_cast<std::int64_t>(row) * a.matrix.rows + i;
  if (place.source < 0) {
    a.hidden[at] = 0;
    return;
  }
  const int token = a.row_src == nullptr ? place.source : place.source / a.top_k;
  const Bf16* x = a.tokens + static_cast<std::int64_t>(token) * a.matrix.columns;
  float gate = chain(format, a, x, place.expert, 0, i);
  float up = chain(format, a, x, place.expert, 1, i);
  if (a.bias != nullptr) {
    gate = __fadd_rn(gate, Bias(a, place.expert, 0, i));
    up = __fadd_rn(up, Bias(a, place.expert, 1, i));
    if (kRoundBias) {
      gate = R(gate);
      up = R(up);
    }
  }
  hidden(a, at, gate, up, Weight(a, row));
}

// ---- down ----

struct FusedOut {
  __device__ __forceinline__ float operator()(const ExpertArguments& a, float value, int expert,
                                              int n, int row) const {
    if (a.bias != nullptr) {
      const float bias = Bias(a, expert, 0, n);
      value = __fadd_rn(value, a.weight_bias ? __fmul_rn(Weight(a, row), bias) : bias);
    }
    return a.token_scale == nullptr ? value : __fmul_rn(value, a.token_scale[row]);
  }
};

struct StepwiseOut {
  const float* weight_after;  // POST: the weight of each row; else null

  __device__ __forceinline__ float operator()(const ExpertArguments& a, float value, int expert,
                                              int n, int row) const {
    if (a.bias != nullptr) {
      const float bias = Bias(a, expert, 0, n);
      value = R(__fadd_rn(value, a.weight_bias ? R(__fmul_rn(Weight(a, row), bias)) : bias));
    }
    return weight_after == nullptr ? value : R(__fmul_rn(value, weight_after[row]));
  }
};

template <typename Chain, typename Out>
__global__ void __launch_bounds__(kThreads)
    DownKernel(moe::WeightFormat::Kind format, ExpertArguments a, Chain chain, Out out) {
  const int row = blockIdx.x;
  const int n = blockIdx.y * kThreads + threadIdx.x;
  const Row place = FindRow(a, row);
  if (place.source < 0 || n >= a.matrix.rows) return;
  const Bf16* h = a.hidden_in + static_cast<std::int64_t>(row) * a.matrix.columns;
  const float value = out(a, chain(format, a, h, place.expert, 0, n), place.expert, n, row);
  a.out[static_cast<std::int64_t>(place.source) * a.matrix.rows + n] =
      static_cast<Bf16>(device::Round(value));
}

dim3 GridOf(const ExpertArguments& a) {
  return {static_cast<unsigned>(a.rows_max),
          static_cast<unsigned>((a.matrix.rows + kThreads - 1) / kThreads)};
}

}  // namespace

cudaError_t LaunchPlainGateUp(moe::WeightFormat format, const ExpertArguments& a,
                              cudaStream_t stream) {
  GateUpKernel<false><<<GridOf(a), kThreads, 0, stream>>>(format, a, FusedChain{}, FusedHidden{});
  return cudaGetLastError();
}

cudaError_t LaunchPlainDown(moe::WeightFormat format, const ExpertArguments& a,
                            cudaStream_t stream) {
  DownKernel<<<GridOf(a), kThreads, 0, stream>>>(format, a, FusedChain{}, FusedOut{});
  return cudaGetLastError();
}

cudaError_t LaunchStepwiseGateUp(moe::WeightFormat format, const ExpertArguments& a,
                                 StepwiseSettings order, cudaStream_t stream) {
  GateUpKernel<true>
      <<<GridOf(a), kThreads, 0, stream>>>(format, a, StepwiseChain{order}, StepwiseHidden{});
  return cudaGetLastError();
}

cudaError_t LaunchStepwiseDown(moe::WeightFormat format, const ExpertArguments& a,
                               StepwiseSettings order, const float* weight_after,
                               cudaStream_t stream) {
  DownKernel<<<GridOf(a), kThreads, 0, stream>>>(format, a, StepwiseChain{order},
                                                 StepwiseOut{weight_after});
  return cudaGetLastError();
}

}  // namespace moescope::cuda
