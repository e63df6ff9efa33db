#include "cuda/kernels/expert_instances.cuh"
#include "cuda/kernels/expert_kernel.cuh"

namespace moescope::cuda {

cudaError_t LaunchDownMxfp8B8(const ExpertArguments& arguments, const CUtensorMap& weights,
                              const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream) {
  return LaunchTile<device::Fp8Weights<8>, Projection::kDown>(arguments, weights, hidden, tile,
                                                              stream);
}

}  // namespace moescope::cuda
