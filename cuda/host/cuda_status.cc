#include "cuda/host/cuda_status.h"

#include <cuda_runtime_api.h>

#include "absl/strings/str_cat.h"
#include "base/string_view.h"

namespace moescope::cuda {

absl::Status ToStatus(int error, std::string_view what) {
  const auto code = static_cast<cudaError_t>(error);
  if (code == cudaSuccess) return absl::OkStatus();
  const std::string text =
      absl::StrCat(Absl(what), ": ", cudaGetErrorName(code), ": ", cudaGetErrorString(code));
  if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver) {
    return absl::NotFoundError(text);
  }
  if (code == cudaErrorMemoryAllocation) return absl::ResourceExhaustedError(text);
  return absl::InternalError(text);
}

}  // namespace moescope::cuda
