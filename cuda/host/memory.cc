#include "cuda/memory.h"

#include <cuda_runtime_api.h>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cuda/host/cuda_status.h"

namespace moescope::cuda {

Memory& Memory::operator=(Memory&& other) noexcept {
  if (this == &other) return *this;
  if (span_.data != nullptr) cudaFree(span_.data);
  span_ = other.span_;
  other.span_ = {};
  return *this;
}

Memory::~Memory() {
  if (span_.data != nullptr) cudaFree(span_.data);
}

absl::StatusOr<Memory> Memory::Allocate(std::int64_t bytes) {
  if (bytes < 0)
    return absl::InvalidArgumentError(absl::StrCat("cannot allocate ", bytes, " bytes"));
  Memory memory;
  if (bytes == 0) return memory;
  RETURN_IF_ERROR(ToStatus(cudaMalloc(&memory.span_.data, static_cast<std::size_t>(bytes)),
                           absl::StrCat("allocating ", bytes, " bytes")));
  memory.span_.bytes = bytes;
  return memory;
}

absl::Status CopyToDevice(void* device, const void* host, std::int64_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  return ToStatus(cudaMemcpy(device, host, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice),
                  "copying to the device");
}

absl::Status CopyToHost(void* host, const void* device, std::int64_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  return ToStatus(cudaMemcpy(host, device, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost),
                  "copying to the host");
}

absl::Status FillBytes(void* device, std::uint8_t value, std::int64_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  RETURN_IF_ERROR(ToStatus(cudaMemset(device, value, static_cast<std::size_t>(bytes)), "filling"));
  return ToStatus(cudaDeviceSynchronize(), "filling");
}

OwnedStream::~OwnedStream() {
  if (stream_.handle != nullptr) cudaStreamDestroy(static_cast<cudaStream_t>(stream_.handle));
}

absl::StatusOr<OwnedStream> OwnedStream::Create() {
  cudaStream_t handle = nullptr;
  RETURN_IF_ERROR(
      ToStatus(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "creating a stream"));
  OwnedStream stream;
  stream.stream_.handle = handle;
  return stream;
}

}  // namespace moescope::cuda
