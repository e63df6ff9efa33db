// Encode and decode against the host code of the CUDA toolkit's cuda_fp8.h, cuda_fp6.h and
// cuda_fp4.h, compiled without CUDA. Skips where the toolkit was not found. Known differences: NaN
// (numerics.md, 10); E8M0 rounds towards zero or up only.

#include <gtest/gtest.h>

#if __has_include(<cuda_fp4.h>)
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#define MOESCOPE_HAS_CUDA_HEADERS 1
#else
#define MOESCOPE_HAS_CUDA_HEADERS 0
#endif

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "isa/bfloat16.h"
#include "isa/mx_block.h"
#include "tests/isa/exact_model.h"
#include "tests/support/random_floats.h"

namespace moescope::isa {
namespace {

#if MOESCOPE_HAS_CUDA_HEADERS

constexpr auto kOcp = Convention::kOcp;

struct CudaType {
  const char* name;
  ElementType type;
  std::uint32_t (*encode)(float);
  float (*decode)(std::uint32_t);
};

float HalfToFloat(__half_raw raw) { return __half2float(__half(raw)); }

const CudaType kTypes[] = {
    {"e4m3", kE4M3,
     [](float x) -> std::uint32_t { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3); },
     [](std::uint32_t code) {
       return HalfToFloat(
           __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), __NV_E4M3));
     }},
    {"e5m2", kE5M2,
     [](float x) -> std::uint32_t { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2); },
     [](std::uint32_t code) {
       return HalfToFloat(
           __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), __NV_E5M2));
     }},
    {"e3m2", kE3M2,
     [](float x) -> std::uint32_t { return __nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundNearest); },
     [](std::uint32_t code) {
       return HalfToFloat(
           __nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(code), __NV_E3M2));
     }},
    {"e2m3", kE2M3,
     [](float x) -> std::uint32_t { return __nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest); },
     [](std::uint32_t code) {
       return HalfToFloat(
           __nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(code), __NV_E2M3));
     }},
    {"e2m1", kE2M1,
     [](float x) -> std::uint32_t { return __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest); },
     [](std::uint32_t code) {
       return HalfToFloat(
           __nv_cvt_fp4_to_halfraw(static_cast<__nv_fp4_storage_t>(code), __NV_E2M1));
     }},
};

// Boundaries of the type, all bf16 numbers and random f32 numbers; no NaN.
std::vector<float> Inputs(ElementType type) {
  std::vector<float> inputs;
  const model::Table table = model::MakeTable(type, kOcp);
  for (std::size_t i = 0; i + 1 < table.values.size(); ++i) {
    const auto middle = static_cast<float>((table.values[i] + table.values[i + 1]) / 2);
    for (float x : {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1e9F)}) {
      inputs.push_back(x);
      inputs.push_back(-x);
    }
  }
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    inputs.push_back(Bf16ToFloat(static_cast<Bf16>(bits)));
  }
  test::RandomFloats random(77);
  for (int i = 0; i < 500000; ++i) {
    inputs.push_back(random.AnyBits());
    inputs.push_back(random.Near(-20, 16));
  }
  std::erase_if(inputs, [](float x) { return std::isnan(x); });
  return inputs;
}

TEST(CudaHeaders, EncodeTheSameCodes) {
  for (const CudaType& cuda : kTypes) {
    const ElementRules rules = RulesFor(cuda.type, kOcp);
    const std::vector<float> inputs = Inputs(cuda.type);
    EXPECT_GT(inputs.size(), 1'000'000U);
    for (float x : inputs) {
      ASSERT_EQ(EncodeNearest(rules, Overflow::kSaturate, x), cuda.encode(x))
          << cuda.name << " " << std::hexfloat << x;
    }
  }
}

TEST(CudaHeaders, DecodeTheSameValues) {
  for (const CudaType& cuda : kTypes) {
    for (std::uint32_t code = 0; code < (1U << cuda.type.Bits()); ++code) {
      const float ours = DecodeElement(cuda.type, kOcp, code);
      const float theirs = cuda.decode(code);
      ASSERT_EQ(std::isnan(ours), std::isnan(theirs)) << cuda.name << " " << code;
      if (std::isnan(ours)) continue;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(ours), std::bit_cast<std::uint32_t>(theirs))
          << cuda.name << " " << code;
    }
  }
}

TEST(CudaHeaders, NansAreOfOneClass) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const CudaType& cuda : {kTypes[0], kTypes[1]}) {
    const std::uint32_t ours = EncodePlain(cuda.type, kOcp, nan);
    EXPECT_TRUE(std::isnan(cuda.decode(ours)));
    EXPECT_TRUE(std::isnan(DecodeElement(cuda.type, kOcp, cuda.encode(nan))));
  }
  EXPECT_EQ(kTypes[0].encode(nan), 0x7FU);
}

TEST(CudaHeaders, ScalesOfTheFloorAndCeilRules) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const __nv_bfloat16_raw raw = __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(byte));
    const float theirs = Bf16ToFloat(raw.x);
    const float ours = DecodeScale(kOcp, static_cast<std::uint8_t>(byte));
    EXPECT_TRUE(ours == theirs || (std::isnan(ours) && std::isnan(theirs))) << byte;
  }
  for (const CudaType& cuda : kTypes) {
    const ElementRules rules = RulesFor(cuda.type, kOcp);
    for (std::uint32_t bits = 0x1000; bits < 0x7000; ++bits) {  // quotients that are normal numbers
      const float amax = Bf16ToFloat(static_cast<Bf16>(bits));
      const float quotient = std::ldexp(amax, -rules.emax);
      const auto scale = [&](ScaleRule rule) { return ScaleExponent(rules, rule, amax) + 127; };
      ASSERT_EQ(scale(ScaleRule::kFloor),
                __nv_cvt_float_to_e8m0(quotient, __NV_SATFINITE, cudaRoundZero));
      ASSERT_EQ(scale(ScaleRule::kCeil),
                __nv_cvt_float_to_e8m0(quotient, __NV_SATFINITE, cudaRoundPosInf));
    }
  }
}

#else

TEST(CudaHeaders, EncodeTheSameCodes) {
  GTEST_SKIP() << "the CUDA toolkit's cuda_fp4.h was not found when this test was built";
}

#endif

}  // namespace
}  // namespace moescope::isa
