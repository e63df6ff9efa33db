#pragma once

#include <cuda_bf16.h>

#include <cstdint>

#include "cuda/device/ptx.cuh"
#include "cuda/device/quotient.h"
#include "moe/layer.h"

// Rounding points and activations of moe.md, 5.1 and 5.2. Every product and sum goes through an
// intrinsic that the compiler may not contract.

namespace moescope::cuda::device {

// bf(x): round to nearest even, NaN to 7FC0.
__device__ __forceinline__ std::uint32_t Round(float x) {
  const std::uint32_t bits = __bfloat16_as_ushort(__float2bfloat16_rn(x));
  return x != x ? 0x7FC0u : bits;
}
// bf of both, `low` in the low half.
__device__ __forceinline__ std::uint32_t RoundPair(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  std::uint32_t bits =
      __bfloat16_as_ushort(pair.x) | static_cast<std::uint32_t>(__bfloat16_as_ushort(pair.y)) << 16;
  if (low != low) bits = (bits & 0xFFFF0000u) | 0x7FC0u;
  if (high != high) bits = (bits & 0xFFFFu) | 0x7FC00000u;
  return bits;
}
__device__ __forceinline__ float Widen(std::uint32_t bits) { return __uint_as_float(bits << 16); }
// The same as a float; of a NaN some NaN.
__device__ __forceinline__ float RoundToFloat(float x) {
  return Widen(__bfloat16_as_ushort(__float2bfloat16_rn(x)));
}

// What varies between the gated activations, as operands that leave a value as it is when they do
// not apply (x * 1, x + -0, comparisons with infinity): the epilogue has no branch per element.
struct ActivationArguments {
  moe::Activation kind;
  float clamp;               // infinity without clamp
  std::uint32_t clamp_pair;  // two of it, in BF16
  float slope;               // gpt_oss: 1.702, else 1
  float offset;              // gpt_oss: 1, else -0
};

__device__ __forceinline__ ActivationArguments ActivationOf(moe::Activation kind, bool has_clamp,
                                                            float clamp) {
  const bool gpt_oss = kind == moe::Activation::kGptOss;
  const std::uint32_t bits = has_clamp ? __float_as_uint(clamp) : 0x7F800000u;
  return {kind, __uint_as_float(bits), bits >> 16 | bits, gpt_oss ? 1.702f : 1.0f,
          gpt_oss ? 1.0f : -0.0f};
}

// NaN passes.
__device__ __forceinline__ float ClampGate(const ActivationArguments& a, float g) {
  return g > a.clamp ? a.clamp : g;
}
__device__ __forceinline__ float ClampUp(const ActivationArguments& a, float u) {
  const float low = u < -a.clamp ? -a.clamp : u;
  return u > a.clamp ? a.clamp : low;
}

struct DeviceArithmetic {
  __device__ __forceinline__ static float Magnitude(float a) { return fabsf(a); }
  __device__ __forceinline__ static float Multiply(float a, float b) { return __fmul_rn(a, b); }
  __device__ __forceinline__ static float MultiplyAdd(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
  }
  __device__ __forceinline__ static float ReciprocalApproximate(float x) {
    return device::ReciprocalApproximate(x);
  }
  __device__ __forceinline__ static float ReciprocalOfNormal(float x) {
    return device::ReciprocalOfNormal(x);
  }
};

enum class Division { kAlways, kQuick };
// kSimple: swiglu without clamp, whose operands need not be applied.
enum class Shape { kAny, kSimple };

// swiglu and gpt_oss: g / (1 + exp(-(slope g))) times u or u + 1; inputs are already clamped. The
// quick division is for the gates of QuickQuotient.
template <bool kFastMath, Division kDivision = Division::kAlways, Shape kShape = Shape::kAny>
__device__ __forceinline__ float Gated(const ActivationArguments& a, float g, float u) {
  const float scaled = kShape == Shape::kSimple ? g : __fmul_rn(a.slope, g);
  const float factor = kShape == Shape::kSimple ? u : __fadd_rn(u, a.offset);
  if constexpr (kFastMath) {
    const float denominator = __fadd_rn(1.0f, ExpApproximate(-scaled));
    return __fmul_rn(__fmul_rn(g, ReciprocalApproximate(denominator)), factor);
  }
  const float denominator = __fadd_rn(1.0f, expf(-scaled));
  const float quotient = kDivision == Division::kQuick
                             ? QuickQuotient<DeviceArithmetic>(g, denominator)
                             : Quotient<DeviceArithmetic>(g, denominator);
  return __fmul_rn(quotient, factor);
}

// What the quick path of an epilogue cannot finish: NaN, which must become 7FC0, and gates below
// kLowestQuickGate. Collected over a few pairs, because there are hardly any.
class RareCases {
 public:
  __device__ __forceinline__ void SeeGates(std::uint32_t pair) { gates_ = __vmaxu2(gates_, pair); }
  __device__ __forceinline__ void SeeResults(std::uint32_t pair) {
    results_ = __vmaxs2(results_, pair);
  }
  __device__ __forceinline__ bool Any() const {
    constexpr std::uint32_t kLowest = kLowestQuickGateBits;
    return (results_ & 0xFFFFu) == 0x7FFFu || results_ >> 16 == 0x7FFFu ||
           (gates_ & 0xFFFFu) > kLowest || gates_ >> 16 > kLowest;
  }

 private:
  std::uint32_t gates_ = 0;              // the largest bits: the lowest gates
  std::uint32_t results_ = 0x80008000u;  // the largest bits as signed numbers: 7FFF is NaN
};

// h of two gates and ups in BF16, already with their biases.
template <bool kFastMath, Division kDivision, Shape kShape, typename Convert>
__device__ __forceinline__ std::uint32_t HiddenPair(const ActivationArguments& a, std::uint32_t g,
                                                    std::uint32_t u, float2 weights,
                                                    Convert convert) {
  const float low =
      Gated<kFastMath, kDivision, kShape>(a, __uint_as_float(g << 16), __uint_as_float(u << 16));
  const float high = Gated<kFastMath, kDivision, kShape>(a, __uint_as_float(g & 0xFFFF0000u),
                                                         __uint_as_float(u & 0xFFFF0000u));
  return convert(__fmul_rn(low, weights.x), __fmul_rn(high, weights.y));
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
__device__ __forceinline__ float Activate(const ActivationArguments& a, bool fast_math, float g0,
                                          float u0) {
  const float g = ClampGate(a, g0);
  const float u = ClampUp(a, u0);
  switch (a.kind) {
    case moe::Activation::kGegluTanh:
      return GegluTanh(g, u);
    case moe::Activation::kGegluErf:
      return GegluErf(g, u);
    default:
      return fast_math ? Gated<true>(a, g, u) : Gated<false>(a, g, u);
  }
}

// 1 / (1 + exp(-x)).
__device__ __forceinline__ float Sigmoid(float x) {
  return __fdiv_rn(1.0f, __fadd_rn(1.0f, expf(-x)));
}

}  // namespace moescope::cuda::device
