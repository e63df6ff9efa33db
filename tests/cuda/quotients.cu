#include "tests/cuda/quotients.h"

#include <cuda_runtime.h>

#include "cuda/device/activation.cuh"

namespace moescope::cuda::test {
namespace {

__global__ void QuotientsKernel(moe::Activation kind, float* quick, float* rounded) {
  const std::uint32_t gate = blockIdx.x * blockDim.x + threadIdx.x;
  const float g = device::Widen(gate);
  const device::ActivationArguments activation = device::ActivationOf(kind, false, 0.0f);
  // With this up value the activation is the quotient itself.
  const float up = kind == moe::Activation::kGptOss ? 0.0f : 1.0f;
  quick[gate] = device::Gated<false, device::Division::kQuick>(activation, g, up);
  const float d = __fadd_rn(1.0f, expf(-__fmul_rn(activation.slope, g)));
  rounded[gate] = __fdiv_rn(g, d);
}

}  // namespace

int LaunchQuotients(moe::Activation kind, float* quick, float* rounded) {
  QuotientsKernel<<<kGates / 256, 256>>>(kind, quick, rounded);
  return cudaGetLastError();
}

}  // namespace moescope::cuda::test
