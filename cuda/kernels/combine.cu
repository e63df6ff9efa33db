#include "cuda/device/activation.cuh"
#include "cuda/kernels/chained_launch.cuh"
#include "cuda/kernels/launch.cuh"

// What happens to whole token rows around the experts.

namespace moescope::cuda {
namespace {

struct alignas(16) Eight {
  Bf16 values[8];
};

__device__ __forceinline__ std::int64_t GlobalThread() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// Eight columns of one token per thread: slots ascending, then the shared plane. The loads of
// kSlots slots are under way together.
template <int kSlots>
__global__ void __launch_bounds__(256) CombineKernel(CombineArguments a) {
  const int pieces = a.hidden / 8;
  const std::int64_t index = GlobalThread();
  const std::int64_t token = index / pieces;
  const int piece = static_cast<int>(index % pieces);
  const auto id_of = [&](int slot) {
    return token < a.tokens && slot < a.top_k ? a.idx[token * a.top_k + slot] : -1;
  };
  std::int32_t ids[kSlots];
#pragma unroll
  for (int k = 0; k < kSlots; ++k) ids[k] = id_of(k);
  device::WaitForPreviousKernel();  // it writes the slots
  float sums[8] = {};
  for (int first = 0; first < a.top_k; first += kSlots) {
    Eight slots[kSlots];
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      if (first > 0) ids[k] = id_of(first + k);
      if (ids[k] < 0 || ids[k] >= a.experts) continue;
      const std::int64_t pair = token * a.top_k + first + k;
      slots[k] = reinterpret_cast<const Eight*>(a.slots + pair * a.hidden)[piece];
    }
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      if (ids[k] < 0 || ids[k] >= a.experts) continue;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        float o = device::Widen(slots[k].values[i]);
        if (a.w != nullptr) o = __fmul_rn(o, a.w[token * a.top_k + first + k]);
        sums[i] = __fadd_rn(sums[i], o);
        if (a.stepwise) sums[i] = device::RoundToFloat(sums[i]);
      }
    }
  }
  if (token >= a.tokens) return;
  Eight y;
  Eight shared{};
  if (a.shared != nullptr) {
    shared = reinterpret_cast<const Eight*>(a.shared + token * a.hidden)[piece];
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    std::uint32_t bits = device::Round(sums[i]);
    if (a.shared != nullptr) {
      bits = device::Round(__fadd_rn(device::Widen(bits), device::Widen(shared.values[i])));
    }
    y.values[i] = static_cast<Bf16>(bits);
  }
  reinterpret_cast<Eight*>(a.y + token * a.hidden)[piece] = y;
}

__global__ void __launch_bounds__(256)
    ScaleTokensKernel(const Bf16* x, const float* w, Bf16* scaled, std::int64_t count, int hidden) {
  const std::int64_t index = GlobalThread();
  if (index >= count) return;
  scaled[index] =
      static_cast<Bf16>(device::Round(__fmul_rn(device::Widen(x[index]), w[index / hidden])));
}

// One warp per token.
__global__ void __launch_bounds__(128)
    SharedGateKernel(const Bf16* x, const Bf16* gate, float* sigma, int tokens, int hidden) {
  const std::int64_t token = GlobalThread() / 32;
  if (token >= tokens) return;
  float sum = 0.0f;
  for (int i = threadIdx.x % 32; i < hidden; i += 32) {
    sum = __fmaf_rn(device::Widen(x[token * hidden + i]), device::Widen(gate[i]), sum);
  }
  for (int d = 16; d > 0; d /= 2) sum = __fadd_rn(sum, __shfl_xor_sync(0xFFFFFFFFu, sum, d));
  if (threadIdx.x % 32 == 0) sigma[token] = device::Sigmoid(sum);
}

// h from g0 and u0; rows are strided over the grid, padding rows become zeros.
__global__ void __launch_bounds__(256) ActivationKernel(ExpertArguments a) {
  const int width = a.matrix.rows;
  const device::ActivationArguments activation =
      device::ActivationOf(a.activation.kind, a.activation.has_clamp, a.activation.clamp);
  const int groups = *a.groups.size;
  const int last = groups == 0 ? 0 : a.groups.expert[groups - 1];
  const std::int64_t rows =
      groups == 0 ? 0 : a.groups.base[last] + (a.groups.count[last] + 15) / 16 * 16;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = GlobalThread(); i < rows * width; i += stride) {
    const std::int64_t row = i / width;
    const bool valid = a.row_src == nullptr ? row < *a.groups.count : a.row_src[row] >= 0;
    float h = 0.0f;
    if (valid) {
      const float q = device::Activate(activation, a.activation.fast_math, device::Widen(a.gate[i]),
                                       device::Widen(a.up[i]));
      h = __fmul_rn(q, a.row_w == nullptr ? 1.0f : a.row_w[row]);
    }
    a.hidden[i] = static_cast<Bf16>(device::Round(h));
  }
}

int BlocksFor(std::int64_t threads, int block) {
  return static_cast<int>((threads + block - 1) / block);
}

}  // namespace

cudaError_t LaunchCombine(const CombineArguments& a, cudaStream_t stream) {
  const std::int64_t threads = static_cast<std::int64_t>(a.tokens) * (a.hidden / 8);
  const int blocks = BlocksFor(threads, 256);
  // Few blocks wait for memory, many fill it: then more loads at a time only cost registers.
  return blocks <= 512 ? LaunchChained(CombineKernel<8>, {blocks, 256}, stream, a)
                       : LaunchChained(CombineKernel<1>, {blocks, 256}, stream, a);
}

cudaError_t LaunchScaleTokens(const Bf16* x, const float* w, Bf16* scaled, int tokens, int hidden,
                              cudaStream_t stream) {
  const std::int64_t count = static_cast<std::int64_t>(tokens) * hidden;
  ScaleTokensKernel<<<BlocksFor(count, 256), 256, 0, stream>>>(x, w, scaled, count, hidden);
  return cudaGetLastError();
}

cudaError_t LaunchSharedGate(const Bf16* x, const Bf16* gate, float* sigma, int tokens, int hidden,
                             cudaStream_t stream) {
  const std::int64_t threads = static_cast<std::int64_t>(tokens) * 32;
  SharedGateKernel<<<BlocksFor(threads, 128), 128, 0, stream>>>(x, gate, sigma, tokens, hidden);
  return cudaGetLastError();
}

cudaError_t LaunchActivation(const ExpertArguments& arguments, cudaStream_t stream) {
  ActivationKernel<<<132 * 8, 256, 0, stream>>>(arguments);
  return cudaGetLastError();
}

}  // namespace moescope::cuda
