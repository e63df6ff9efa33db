#pragma once

#include <cuda_runtime.h>

#include <type_traits>

namespace moescope::cuda {

struct LaunchShape {
  int blocks = 0;
  int threads = 0;
  int shared_bytes = 0;
  int cluster = 1;
};

// Launches a kernel that may take its places while the kernel before it in the stream still runs
// (programmatic dependent launch). A thread of every block must call WaitForPreviousKernel, before
// anything that kernel may still write is read.
template <typename... Parameters>
cudaError_t LaunchChained(void (*kernel)(Parameters...), const LaunchShape& shape,
                          cudaStream_t stream, std::type_identity_t<Parameters>... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim.x = static_cast<unsigned>(shape.cluster);
  attributes[1].val.clusterDim.y = 1;
  attributes[1].val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = shape.cluster > 1 ? 2 : 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace moescope::cuda
