#include "cuda/kernels/expert_instances.cuh"
#include "cuda/kernels/expert_kernel.cuh"

namespace moescope::cuda {

cudaError_t LaunchGateUpBf16(const ExpertArguments& arguments, const CUtensorMap& weights,
                             const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream) {
  return LaunchTile<device::Bf16Weights, Projection::kGateUp>(arguments, weights, hidden, tile,
                                                              stream);
}

}  // namespace moescope::cuda
