#include "cuda/device.h"

#include <cuda_runtime_api.h>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "cuda/host/cuda_status.h"

namespace moescope::cuda {

absl::StatusOr<int> DeviceCount() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) return 0;
  RETURN_IF_ERROR(ToStatus(error, "counting devices"));
  return count;
}

absl::StatusOr<Device> OpenDevice(int ordinal) {
  ASSIGN_OR_RETURN(const int count, DeviceCount());
  if (ordinal < 0 || ordinal >= count) {
    return absl::NotFoundError(
        absl::StrFormat("device %d: this host has %d CUDA devices", ordinal, count));
  }
  cudaDeviceProp properties;
  RETURN_IF_ERROR(ToStatus(cudaGetDeviceProperties(&properties, ordinal), "reading the device"));
  const Device device{
      ordinal,
      {.name = properties.name,
       .major = properties.major,
       .minor = properties.minor,
       .multiprocessors = properties.multiProcessorCount,
       .shared_bytes_per_block = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin),
       .l2_bytes = properties.l2CacheSize}};
  RETURN_IF_ERROR(CheckCapability(device));
  RETURN_IF_ERROR(ToStatus(cudaSetDevice(ordinal), "selecting the device"));
  return device;
}

}  // namespace moescope::cuda
