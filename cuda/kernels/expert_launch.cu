#include "cuda/kernels/expert_instances.cuh"

namespace moescope::cuda {

cudaError_t LaunchGateUp(moe::WeightFormat format, const ExpertArguments& arguments,
                         const CUtensorMap& weights, ExpertTile tile, cudaStream_t stream) {
  switch (format) {
    case moe::WeightFormat::kBf16:
      return LaunchGateUpBf16(arguments, weights, weights, tile, stream);
    case moe::WeightFormat::kMxfp8B8:
      return LaunchGateUpMxfp8B8(arguments, weights, weights, tile, stream);
    case moe::WeightFormat::kMxfp8B32:
      return LaunchGateUpMxfp8B32(arguments, weights, weights, tile, stream);
    case moe::WeightFormat::kMxfp4B32:
      return LaunchGateUpMxfp4(arguments, weights, weights, tile, stream);
  }
  return cudaErrorInvalidValue;
}

cudaError_t LaunchDown(moe::WeightFormat format, const ExpertArguments& arguments,
                       const CUtensorMap& weights, const CUtensorMap& hidden, ExpertTile tile,
                       cudaStream_t stream) {
  switch (format) {
    case moe::WeightFormat::kBf16:
      return LaunchDownBf16(arguments, weights, hidden, tile, stream);
    case moe::WeightFormat::kMxfp8B8:
      return LaunchDownMxfp8B8(arguments, weights, hidden, tile, stream);
    case moe::WeightFormat::kMxfp8B32:
      return LaunchDownMxfp8B32(arguments, weights, hidden, tile, stream);
    case moe::WeightFormat::kMxfp4B32:
      return LaunchDownMxfp4(arguments, weights, hidden, tile, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace moescope::cuda
