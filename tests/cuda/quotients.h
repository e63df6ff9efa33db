#pragma once

#include "moe/layer.h"

namespace moescope::cuda::test {

inline constexpr int kGates = 1 << 16;

// For every BF16 number g: g / (1 + exp(-slope g)) as the epilogue divides, and as the library
// does, FP32 [kGates] in device memory. swiglu or gpt_oss. The error of the launch, 0 for none.
int LaunchQuotients(moe::Activation kind, float* quick, float* rounded);

}  // namespace moescope::cuda::test
