#pragma once

#include "cuda/kernels/launch.cuh"

// The compiled expert kernels: one file per weight format and projection, each with the tiles of
// LaunchTile.

namespace moescope::cuda {

cudaError_t LaunchGateUpBf16(const ExpertArguments& arguments, const CUtensorMap& weights,
                             const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream);
cudaError_t LaunchGateUpMxfp4(const ExpertArguments& arguments, const CUtensorMap& weights,
                              const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream);
cudaError_t LaunchGateUpMxfp8B8(const ExpertArguments& arguments, const CUtensorMap& weights,
                                const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream);
cudaError_t LaunchGateUpMxfp8B32(const ExpertArguments& arguments, const CUtensorMap& weights,
                                 const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream);
cudaError_t LaunchDownBf16(const ExpertArguments& arguments, const CUtensorMap& weights,
                           const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream);
cudaError_t LaunchDownMxfp4(const ExpertArguments& arguments, const CUtensorMap& weights,
                            const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream);
cudaError_t LaunchDownMxfp8B8(const ExpertArguments& arguments, const CUtensorMap& weights,
                              const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream);
cudaError_t LaunchDownMxfp8B32(const ExpertArguments& arguments, const CUtensorMap& weights,
                               const CUtensorMap& hidden, ExpertTile tile, cudaStream_t stream);

}  // namespace moescope::cuda
