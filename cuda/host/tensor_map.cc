#include "cuda/host/tensor_map.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cuda/host/cuda_status.h"

namespace moescope::cuda {
namespace {

// The driver's encoder, found through the runtime so that nothing links the driver library.
absl::StatusOr<PFN_cuTensorMapEncodeTiled_v12000> Encoder() {
  static void* const entry = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found,
                                                               12000, cudaEnableDefault, &result);
    return error == cudaSuccess && result == cudaDriverEntryPointSuccess ? found : nullptr;
  }();
  if (entry == nullptr) {
    return absl::FailedPreconditionError("the driver has no cuTensorMapEncodeTiled (12.0)");
  }
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(entry);
}

}  // namespace

absl::Status EncodeTensorMap(const TensorMapShape& shape, void* map) {
  ASSIGN_OR_RETURN(const PFN_cuTensorMapEncodeTiled_v12000 encode, Encoder());
  const auto rank = static_cast<cuuint32_t>(shape.sizes.size());
  std::vector<cuuint64_t> sizes(shape.sizes.begin(), shape.sizes.end());
  std::vector<cuuint64_t> strides;  // bytes, of all dimensions but the innermost
  cuuint64_t stride = 2;
  for (cuuint32_t d = 0; d + 1 < rank; ++d) strides.push_back(stride *= sizes[d]);
  std::vector<cuuint32_t> box(rank, 1);
  box[0] = 64;
  box[1] = static_cast<cuuint32_t>(shape.box_rows);
  const std::vector<cuuint32_t> steps(rank, 1);
  const CUresult result =
      encode(static_cast<CUtensorMap*>(map), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rank,
             const_cast<void*>(shape.data), sizes.data(), strides.data(), box.data(), steps.data(),
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("encoding a tensor map: driver error ", static_cast<int>(result)));
}

}  // namespace moescope::cuda
