#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "cuda/device/ptx.cuh"
#include "moe/layer.h"

// Rounding points and activations of moe.md, 5.1 and 5.2. Every product and sum goes through an
// intrinsic that the compiler may not contract.

namespace moescope::cuda::device {

// bf(x): round to nearest even, NaN to 7FC0.
__device__ __forceinline__ std::uint32_t Round(float x) {
  const std::uint32_t bits = __bfloat16_as_ushort(__float2bfloat16_rn(x));
  return x != x ? 0x7FC0u : bits;
}
__device__ __forceinline__ float Widen(std::uint32_t bits) { return __uint_as_float(bits << 16); }
__device__ __forceinline__ float RoundToFloat(float x) { return Widen(Round(x)); }

struct ActivationArguments {
  moe::Activation kind;
  bool has_clamp;
  float clamp;
  bool fast_math;
};

__device__ __forceinline__ float ClampGate(const ActivationArguments& a, float g) {
  return a.has_clamp && g > a.clamp ? a.clamp : g;
}
__device__ __forceinline__ float ClampUp(const ActivationArguments& a, float u) {
  if (!a.has_clamp) return u;
  return u > a.clamp ? a.clamp : u < -a.clamp ? -a.clamp : u;
}

// swiglu and gpt_oss: g / (1 + exp(-(slope g))) times u or u + 1; inputs are already clamped.
__device__ __forceinline__ float Gated(const ActivationArguments& a, float g, float u) {
  const bool gpt_oss = a.kind == moe::Activation::kGptOss;
  const float scaled = gpt_oss ? __fmul_rn(1.702f, g) : g;
  const float factor = gpt_oss ? __fadd_rn(u, 1.0f) : u;
  if (a.fast_math) {
    const float denominator = __fadd_rn(1.0f, ExpApproximate(-scaled));
    return __fmul_rn(__fmul_rn(g, ReciprocalApproximate(denominator)), factor);
  }
  return __fmul_rn(__fdiv_rn(g, __fadd_rn(1.0f, expf(-scaled))), factor);
}

__device__ __forceinline__ float GegluTanh(float g, float u) {
  const float cube = __fmul_rn(__fmul_rn(g, g), g);
  const float inner = __fmul_rn(0.79788456f, __fadd_rn(g, __fmul_rn(0.044715f, cube)));
  return __fmul_rn(__fmul_rn(__fmul_rn(0.5f, g), __fadd_rn(1.0f, tanhf(inner))), u);
}

__device__ __forceinline__ float GegluErf(float g, float u) {
  const float cdf = __fadd_rn(1.0f, erff(__fmul_rn(g, 0.70710678118654752440f)));
  return __fmul_rn(__fmul_rn(__fmul_rn(0.5f, g), cdf), u);
}

// q from g0 and u0.
__device__ __forceinline__ float Activate(const ActivationArguments& a, float g0, float u0) {
  const float g = ClampGate(a, g0);
  const float u = ClampUp(a, u0);
  switch (a.kind) {
    case moe::Activation::kGegluTanh:
      return GegluTanh(g, u);
    case moe::Activation::kGegluErf:
      return GegluErf(g, u);
    default:
      return Gated(a, g, u);
  }
}

// 1 / (1 + exp(-x)).
__device__ __forceinline__ float Sigmoid(float x) {
  return __fdiv_rn(1.0f, __fadd_rn(1.0f, expf(-x)));
}

}  // namespace moescope::cuda::device
