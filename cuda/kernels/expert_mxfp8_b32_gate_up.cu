#include "cuda/kernels/expert_instances.cuh"
#include "cuda/kernels/expert_kernel.cuh"

namespace moescope::cuda {

cudaError_t LaunchGateUpMxfp8B32(const ExpertArguments& arguments, const CUtensorMap& weights,
                                 const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream) {
  return LaunchTile<device::Fp8Weights<32>, Projection::kGateUp>(arguments, weights, hidden, tile,
                                                                 stream);
}

}  // namespace moescope::cuda
